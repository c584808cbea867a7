"""What BOZ17 says of its Figure 2, tested on our runs.

The numbers in the paper's text are lost in our copy, and its results are only curves: what can be
compared are the orderings and shapes that its section 5 puts into words.
"""

from collections.abc import Iterator

import numpy as np

from papers.boz17.paper import BANDITS, DATA_SETS, LEARNERS, NOISE, TEXTS
from papers.boz17.results import NEAR, Results
from papers.boz17.runs import FIRST, POINTS, SIZES
from papers.claims import Claim, beside, holds_if, less, not_less, percent
from papers.playing import curve_rounds

CLOSE = 0.02  # to the noise of SynNonSep
EARLY = 1000  # rounds


def claims(results: Results) -> list[Claim]:
    """Return all claims on each data set of the figure that all learners have played."""
    tests = [_wide, _near_hundredth, _price, _stuck, newtron, lowest]
    tests += [_noise, _rate, _floor, _late, _texts]
    complete = [data for data in DATA_SETS if len(results.played(data)) == len(LEARNERS)]
    return [claim for test in tests for data in complete for claim in test(results, data)]


def _wide(results: Results, data: str) -> Iterator[Claim]:
    if data not in TEXTS:
        counts = {learner: results.good(data, learner) for learner in BANDITS}
        most = counts["PNewtron"] == max(counts.values())
        shown = ", ".join(f"{learner} {count}" for learner, count in counts.items())
        says = "PNewtron does well over a wide range of γ (has the most good ones)"
        yield Claim(says, data, holds_if(most), f"{shown} of 16")


def _near_hundredth(results: Results, data: str) -> Iterator[Claim]:
    means, lowest = results.means(data, "SOBAdiag"), results.lowest(data)
    near = min(means[6], means[7]) <= lowest + NEAR
    numbers = f"2⁻⁷ {100 * means[7]:.2f}, 2⁻⁶ {100 * means[6]:.2f}, best of all {100 * lowest:.2f}"
    says = (
        f"SOBAdiag does well with γ close to 0.01 (within {100 * NEAR:g} points of the best of all)"
    )
    yield Claim(says, data, holds_if(near), numbers)


def _price(results: Results, data: str) -> Iterator[Claim]:
    errors, k = results.errors(data, "SOBAdiag", 1), SIZES[data][0]
    bound = 0.5 * (k - 1) / k
    says = "SOBAdiag with a large γ has an error of at least γ(k-1)/k (γ = ½)"
    numbers = f"{percent(errors)}, at least {100 * bound:.2f}"
    yield Claim(says, data, not_less(errors, [bound] * len(errors)), numbers)


def _stuck(results: Results, data: str) -> Iterator[Claim]:
    best = results.best(data, "SOBAdiag")
    both = results.errors(data, "SOBAdiag", best), results.errors(data, "SOBAdiag", 16)
    says = "SOBAdiag has a higher error where γ is too small (2⁻¹⁶)"
    yield Claim(says, data, less(*both), beside(("best γ", "2⁻¹⁶"), both))


def newtron(results: Results, data: str) -> Iterator[Claim]:
    """Test that PNewtron's error is not lower than the others', where the paper shows it."""
    if data not in TEXTS:
        words = {"Perceptron": "no better than", "Banditron": "on par or worse than"}
        for other, says in words.items():
            both = results.pair(data, "PNewtron", other)
            verdict, numbers = not_less(*both), beside(("PNewtron", other), both)
            yield Claim(f"PNewtron is {says} the {other}", data, verdict, numbers)


def lowest(results: Results, data: str) -> Iterator[Claim]:
    """Test that SOBA has a lower error than others, where the paper says so."""
    others = {"synnonsep": ("Banditron", "PNewtron", "Perceptron"), "synsep": ()}
    for other in others.get(data, ("Banditron",) if data in TEXTS else others["synnonsep"]):
        both = results.pair(data, "SOBAdiag", other)
        numbers = beside(("SOBAdiag", other), both)
        yield Claim(f"SOBAdiag has a lower error than {other}", data, less(*both), numbers)


def _noise(results: Results, data: str) -> Iterator[Claim]:
    if data == "synnonsep":
        errors = results.errors(data, "SOBAdiag", results.best(data, "SOBAdiag"))
        says = f"SOBAdiag comes within {100 * CLOSE:g} points of the noise of {100 * NOISE:g} %"
        yield Claim(says, data, less(errors, [NOISE + CLOSE] * len(errors)), percent(errors))


def _rate(results: Results, data: str) -> Iterator[Claim]:
    if data == "synsep":
        runs = results.chosen(data, "Perceptron", 0)
        rounds = curve_rounds(runs[0]["played"], POINTS, FIRST)
        mean = np.mean([run["curve"] for run in runs], axis=0)
        late = rounds >= rounds[-1] / 10
        slope = float(np.polyfit(np.log(rounds[late]), np.log(mean[late]), 1)[0])
        says = "The perceptron's error falls like 1/T (slope -0.8 to -1.2 over the last decade)"
        yield Claim(says, data, holds_if(abs(slope + 1) <= 0.2), f"slope {slope:.2f}")


def _floor(results: Results, data: str) -> Iterator[Claim]:
    if data == "synsep":
        for learner in BANDITS:
            power, k = results.best(data, learner), SIZES[data][0]
            last = [run["last"] for run in results.chosen(data, learner, power)]
            goal = 2.0**-power * (k - 1) / k
            near = abs(float(np.mean(last)) - goal) <= 0.25 * goal
            says = "With its best γ the error tends to γ(k-1)/k (last tenth, within a quarter)"
            numbers = f"{learner} {100 * np.mean(last):.3f}, γ(k-1)/k {100 * goal:.3f}"
            yield Claim(says, data, holds_if(near), numbers)


def _late(results: Results, data: str) -> Iterator[Claim]:
    if data == "synsep":
        both = []
        for learner, other in (("Banditron", "SOBAdiag"), ("SOBAdiag", "Banditron")):
            runs = results.chosen(data, learner, results.best(data, learner), other)
            at = int(np.searchsorted(curve_rounds(runs[0]["played"], POINTS, FIRST), EARLY))
            both.append([run["curve"][at] for run in runs])
        says = f"SOBAdiag's error is high at first (above Banditron's after {EARLY:,} rounds)"
        numbers = beside(("Banditron", "SOBAdiag"), (both[0], both[1]))
        yield Claim(says, data, less(both[0], both[1]), numbers)


def _texts(results: Results, data: str) -> Iterator[Claim]:
    if data in TEXTS:
        both = results.pair(data, "Banditron", "PNewtron")
        says = "PNewtron cannot be made to work on Reuters4 (its error is above Banditron's)"
        yield Claim(says, data, less(*both), beside(("Banditron", "PNewtron"), both))
