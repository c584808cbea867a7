"""What BOZ17 says of its Figure 2, asked of our runs.

The numbers in the paper's text are lost in the copy that we have, and its results are curves alone:
what can be compared are the orderings and shapes that its section 5 puts into words.
"""

from collections.abc import Iterator

import numpy as np

from papers.boz17.runs import DATA_SETS, FIRST, LEARNERS, OTHERWISE, POINTS, SIZES, powers
from papers.claims import Claim, Values, less, not_less, percent, told
from papers.records import Record, evenly

BANDITS = ("Banditron", "PNewtron", "SOBAdiag")
WITH_NEWTRON = ("synsep", "synnonsep", "covtype", *OTHERWISE)  # where the paper shows it
TEXTS = ("reuters", "rcv1")
NEAR = 0.05  # in the share of errors: what more than the best bandit's is still good
NOISE, CLOSE = 0.05, 0.02  # of labels in SynNonSep, and what is close to that
EARLY = 1000  # rounds


class Results:
    """Runs by data set, learner and γ, of the seeds that have every γ of a learner."""

    def __init__(self, records: list[Record]) -> None:
        self.runs: dict[tuple[str, str, int], dict[int, Record]] = {}
        for run in records:
            cell = self.runs.setdefault((run["data"], run["learner"], run["power"]), {})
            cell[run["seed"]] = run
        self.data_sets = [data for data in SIZES if any(cell[0] == data for cell in self.runs)]

    def seeds(self, data: str, *learners: str) -> list[int]:
        """Of runs that all these learners have with every γ."""
        cells = [(data, learner, power) for learner in learners for power in powers(learner)]
        each = [set(self.runs.get(cell, ())) for cell in cells]
        return sorted(set.intersection(*each))

    def there(self, data: str) -> list[str]:
        """The learners that have played it with every γ."""
        return [learner for learner in LEARNERS if self.seeds(data, learner)]

    def chosen(self, data: str, learner: str, power: int, *beside: str) -> list[Record]:
        """Runs with one γ, of the seeds that those `beside` have too."""
        cell = self.runs[data, learner, power]
        return [cell[seed] for seed in self.seeds(data, learner, *beside)]

    def errors(self, data: str, learner: str, power: int, *beside: str) -> Values:
        """Of those runs."""
        return [run["error"] for run in self.chosen(data, learner, power, *beside)]

    def means(self, data: str, learner: str) -> dict[int, float]:
        """The mean error for each γ."""
        return {p: float(np.mean(self.errors(data, learner, p))) for p in powers(learner)}

    def best(self, data: str, learner: str) -> int:
        """The γ of least mean error; the largest of several."""
        means = self.means(data, learner)
        return min(means, key=lambda power: means[power])

    def good(self, data: str, learner: str) -> int:
        """For how many γ the error is near the least that any bandit learner has with any γ."""
        return sum(mean <= self.lowest(data) + NEAR for mean in self.means(data, learner).values())

    def lowest(self, data: str) -> float:
        """The least mean error of a bandit learner."""
        there = [learner for learner in BANDITS if learner in self.there(data)]
        return min((min(self.means(data, one).values()) for one in there), default=1.0)

    def pair(self, data: str, a: str, b: str) -> tuple[Values, Values]:
        """The errors of two learners, each with its best γ, on the same rows."""
        one = self.errors(data, a, self.best(data, a), b)
        return one, self.errors(data, b, self.best(data, b), a)


def claims(found: Results) -> list[Claim]:
    """One after the other, on each data set of the figure where all learners have played."""
    asked = [_wide, _near_hundredth, _price, _stuck, newtron, least]
    asked += [_noise, _rate, _floor, _late, _texts]
    whole = [data for data in DATA_SETS if len(found.there(data)) == len(LEARNERS)]
    return [claim for ask in asked for data in whole for claim in ask(found, data)]


def _beside(a: str, b: str, values: tuple[Values, Values]) -> str:
    return f"{a} {percent(values[0])}, {b} {percent(values[1])}"


def _wide(found: Results, data: str) -> Iterator[Claim]:
    if data in WITH_NEWTRON:
        counts = {learner: found.good(data, learner) for learner in BANDITS}
        most = counts["PNewtron"] == max(counts.values())
        shown = ", ".join(f"{learner} {count}" for learner, count in counts.items())
        says = "PNewtron does well over a wide range of γ (has the most good ones)"
        yield Claim(says, data, told(most), f"{shown} of 16")


def _near_hundredth(found: Results, data: str) -> Iterator[Claim]:
    means, lowest = found.means(data, "SOBAdiag"), found.lowest(data)
    near = min(means[6], means[7]) <= lowest + NEAR
    numbers = f"2⁻⁷ {100 * means[7]:.2f}, 2⁻⁶ {100 * means[6]:.2f}, best of all {100 * lowest:.2f}"
    says = (
        f"SOBAdiag does well with γ close to 0.01 (within {100 * NEAR:g} points of the best of all)"
    )
    yield Claim(says, data, told(near), numbers)


def _price(found: Results, data: str) -> Iterator[Claim]:
    errors, k = found.errors(data, "SOBAdiag", 1), SIZES[data][0]
    least = 0.5 * (k - 1) / k
    says = "SOBAdiag with a large γ errs at least γ(k-1)/k (γ = ½)"
    numbers = f"{percent(errors)}, at least {100 * least:.2f}"
    yield Claim(says, data, not_less(errors, [least] * len(errors)), numbers)


def _stuck(found: Results, data: str) -> Iterator[Claim]:
    best = found.best(data, "SOBAdiag")
    both = found.errors(data, "SOBAdiag", best), found.errors(data, "SOBAdiag", 16)
    says = "SOBAdiag errs more where γ is too small (2⁻¹⁶)"
    yield Claim(says, data, less(*both), _beside("best γ", "2⁻¹⁶", both))


def newtron(found: Results, data: str) -> Iterator[Claim]:
    """Whether PNewtron errs no less than the others, where the paper shows it."""
    if data in WITH_NEWTRON:
        for other, says in (
            ("Perceptron", "no better than"),
            ("Banditron", "on par or worse than"),
        ):
            both = found.pair(data, "PNewtron", other)
            verdict, numbers = not_less(*both), _beside("PNewtron", other, both)
            yield Claim(f"PNewtron is {says} the {other}", data, verdict, numbers)


def least(found: Results, data: str) -> Iterator[Claim]:
    """Whether SOBA errs less than others, where the paper says so."""
    others = {"synnonsep": ("Banditron", "PNewtron", "Perceptron"), "synsep": ()}
    for other in others.get(data, ("Banditron",) if data in TEXTS else others["synnonsep"]):
        both = found.pair(data, "SOBAdiag", other)
        numbers = _beside("SOBAdiag", other, both)
        yield Claim(f"SOBAdiag errs less than {other}", data, less(*both), numbers)


def _noise(found: Results, data: str) -> Iterator[Claim]:
    if data == "synnonsep":
        errors = found.errors(data, "SOBAdiag", found.best(data, "SOBAdiag"))
        says = f"SOBAdiag comes within {100 * CLOSE:g} points of the noise of {100 * NOISE:g} %"
        yield Claim(says, data, less(errors, [NOISE + CLOSE] * len(errors)), percent(errors))


def _rate(found: Results, data: str) -> Iterator[Claim]:
    if data == "synsep":
        runs = found.chosen(data, "Perceptron", 0)
        rounds = evenly(runs[0]["played"], POINTS, FIRST)
        mean = np.mean([run["curve"] for run in runs], axis=0)
        late = rounds >= rounds[-1] / 10
        slope = float(np.polyfit(np.log(rounds[late]), np.log(mean[late]), 1)[0])
        says = "The perceptron's error falls like 1/T (slope -0.8 to -1.2 over the last decade)"
        yield Claim(says, data, told(abs(slope + 1) <= 0.2), f"slope {slope:.2f}")


def _floor(found: Results, data: str) -> Iterator[Claim]:
    if data == "synsep":
        for learner in BANDITS:
            power, k = found.best(data, learner), SIZES[data][0]
            last = [run["last"] for run in found.chosen(data, learner, power)]
            goal = 2.0**-power * (k - 1) / k
            near = abs(float(np.mean(last)) - goal) <= 0.25 * goal
            says = "With its best γ the error tends to γ(k-1)/k (last tenth, within a quarter)"
            numbers = f"{learner} {100 * np.mean(last):.3f}, γ(k-1)/k {100 * goal:.3f}"
            yield Claim(says, data, told(near), numbers)


def _late(found: Results, data: str) -> Iterator[Claim]:
    if data == "synsep":
        both = []
        for learner, other in (("Banditron", "SOBAdiag"), ("SOBAdiag", "Banditron")):
            runs = found.chosen(data, learner, found.best(data, learner), other)
            at = int(np.searchsorted(evenly(runs[0]["played"], POINTS, FIRST), EARLY))
            both.append([run["curve"][at] for run in runs])
        says = f"SOBAdiag errs much at first (more than Banditron after {EARLY:,} rounds)"
        numbers = _beside("Banditron", "SOBAdiag", (both[0], both[1]))
        yield Claim(says, data, less(both[0], both[1]), numbers)


def _texts(found: Results, data: str) -> Iterator[Claim]:
    if data in TEXTS:
        both = found.pair(data, "Banditron", "PNewtron")
        says = "PNewtron cannot be made to work on Reuters4 (errs more than Banditron)"
        yield Claim(says, data, less(*both), _beside("Banditron", "PNewtron", both))
