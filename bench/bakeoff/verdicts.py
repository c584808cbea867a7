"""What is claimed of Chorus on the bake-off, and whether the recorded runs bear it out.

A claim whose runs are not all recorded, with all repeats, is neither met nor missed: the verdict
has what is known so far, and says what is missing.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from bench.bakeoff import rules
from bench.bakeoff.rivals import CHORUS, EXTRA_TREES, OURS, VOWPAL_WABBIT
from bench.bakeoff.scores import TESTS, Contestant, Scores
from bench.bakeoff.sets import REPORTED, Set, sets

SELF = Contestant(CHORUS)
MOST_MEAN, MOST_RATIO = 1.15, 2.0  # of its error over that of ExtraTrees
ROWS_PER_CLASS = 100  # of the sets on which MOST_RATIO counts
MOST_ERRORS = {"letter": 0.13, "newsgroups": 0.20, "elec2": 0.083}
MOST_ABOVE_FIXED, MOST_ABOVE_HINDSIGHT = 1, 2


class Verdict(NamedTuple):
    """A claim, what was found, and whether it is met; None where runs are missing."""

    claim: str
    found: str
    met: bool | None

    @property
    def word(self) -> str:
        return {True: "met", False: "not met", None: "open"}[self.met]


def reported() -> list[Set]:
    """Return the real sets of the reported half."""
    return [data for data in sets().values() if data.half == REPORTED and not data.generated]


def verdicts(scores: Scores) -> list[Verdict]:
    """Return all verdicts."""
    data = reported()
    fixed = scores.fixed_vowpal_wabbit()
    text = f" ({fixed})" if fixed else ""
    hindsight = scores.team(VOWPAL_WABBIT)
    return [
        below(
            scores, data, lambda _: fixed, [fixed] if fixed else [], MOST_ABOVE_FIXED,
            f"below Vowpal Wabbit's best fixed setting{text}",
        ),
        below(
            scores, data, scores.best_vowpal_wabbit, hindsight, MOST_ABOVE_HINDSIGHT,
            "below Vowpal Wabbit's best in hindsight",
        ),
        significantly_above(scores, data),
        mean_ratio(scores, data),
        largest_ratio(scores, data),
        *(wins(scores, data, test) for test in TESTS),
        *(error(scores, sets()[name], most) for name, most in MOST_ERRORS.items()),
    ]  # fmt: skip


def complete(met: bool, known: int, of: int) -> bool | None:
    """Return whether a claim is met, None where not everything is known."""
    return met if known == of else None


def n_complete(scores: Scores, others: Sequence[Contestant], data: list[Set]) -> int:
    """Return on how many sets Chorus and all others have played all repeats."""
    return sum(
        bool(others) and all(scores.is_complete(c, data_set) for c in (SELF, *others))
        for data_set in data
    )


def below(
    scores: Scores,
    data: list[Set],
    other: Callable[[Set], Contestant | None],
    among: list[Contestant],
    most: int,
    what: str,
) -> Verdict:
    """Return whether Chorus has a lower mean error than another, one of some, on most sets."""
    played, above = 0, []
    for data_set in data:
        rival = other(data_set)
        errors, others = scores.paired(SELF, rival, data_set) if rival else ((), ())
        played += bool(len(errors))
        if len(errors) and np.mean(errors) >= np.mean(others):
            above.append(data_set.name)
    listed = f": {', '.join(above)}" if above else ""
    text = f"not below on {len(above)} of {played} sets{listed}"
    claim = f"{what} on all but at most {most} of {len(data)} sets"
    known = n_complete(scores, among, data)
    return Verdict(
        claim, _known(text, known, len(data)), complete(len(above) <= most, known, len(data))
    )


def significantly_above(scores: Scores, data: list[Set]) -> Verdict:
    """Return whether a paired t-test finds Chorus above the best in hindsight on no set."""
    p_values = {}
    for data_set in data:
        rival = scores.best_vowpal_wabbit(data_set)
        p = rules.above_p(*scores.paired(SELF, rival, data_set)) if rival else math.nan
        if not math.isnan(p):
            p_values[data_set.name] = p
    names = [n for n, r in zip(p_values, rules.holm(list(p_values.values())), strict=True) if r]
    text = f"on {len(names)} of {len(p_values)} sets" + (f": {', '.join(names)}" if names else "")
    claim = (
        "significantly above Vowpal Wabbit's best in hindsight on no set "
        "(paired t-test over the shuffles, .05, corrected by Holm)"
    )
    known = n_complete(scores, scores.team(VOWPAL_WABBIT), data)
    return Verdict(claim, _known(text, known, len(data)), complete(not names, known, len(data)))


def ratios(scores: Scores, contestant: Contestant, data: list[Set]) -> dict[str, float]:
    """Return the error over that of ExtraTrees on each set where both are known."""
    every = {data_set.name: scores.ratio(contestant, data_set) for data_set in data}
    return {name: ratio for name, ratio in every.items() if ratio is not None}


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean.

    >>> round(geometric_mean([0.5, 2.0, 8.0]), 12)
    2.0
    """
    return math.exp(math.fsum(map(math.log, values)) / len(values)) if values else math.nan


def mean_ratio(scores: Scores, data: list[Set]) -> Verdict:
    """Return whether the geometric mean of ratios to ExtraTrees is small enough."""
    known_ratios = list(ratios(scores, SELF, data).values())
    mean = geometric_mean(known_ratios)
    text = f"{mean:.3f} on {len(known_ratios)} sets" if known_ratios else "no runs"
    claim = f"geometric mean of its error over that of {EXTRA_TREES} at most {MOST_MEAN}"
    known = n_complete(scores, [Contestant(EXTRA_TREES)], data)
    met = complete(mean <= MOST_MEAN, known, len(data))
    return Verdict(claim, _known(text, known, len(data)), met)


def largest_ratio(scores: Scores, data: list[Set]) -> Verdict:
    """Return whether no ratio to ExtraTrees is above the bound where there are rows enough."""
    counted = [data_set for data_set in data if data_set.rows >= ROWS_PER_CLASS * data_set.classes]
    known_ratios = ratios(scores, SELF, data)
    names = {data_set.name for data_set in counted}
    large = {n: r for n, r in known_ratios.items() if r > MOST_RATIO and n in names}
    listed = ", ".join(f"{name} {ratio:.2f}" for name, ratio in large.items())
    n_known = sum(name in known_ratios for name in names)
    text = f"above on {len(large)} of {n_known} sets" + (f": {listed}" if large else "")
    rest = [f"{name} {ratio:.2f}" for name, ratio in known_ratios.items() if name not in names]
    text += f"; sets with fewer rows: {', '.join(rest)}" if rest else ""
    claim = (
        f"none of these ratios above {MOST_RATIO:g} with {ROWS_PER_CLASS} rows per class or more"
    )
    known = n_complete(scores, [Contestant(EXTRA_TREES)], counted)
    met = complete(not large, known, len(counted))
    return Verdict(claim, _known(text, known, len(counted)), met)


def wins(scores: Scores, data: list[Set], test: str) -> Verdict:
    """Return whether wins minus losses are positive against every rival in each of its forms."""
    rivals = [c for c in scores.team(OURS) + scores.team(VOWPAL_WABBIT) if c != SELF]
    balances = {rival: scores.balance(SELF, rival, data, test) for rival in rivals}
    lost = [str(rival) for rival, b in balances.items() if b.sets and b.wins <= b.losses]
    known = sum(n_complete(scores, [rival], data) == len(data) for rival in rivals)
    text = f"not positive against {len(lost)} of {sum(b.sets > 0 for b in balances.values())}"
    text += f": {', '.join(lost)}" if lost else ""
    claim = f"wins minus losses positive against every rival, by {test}"
    missing = f"; all is played against {known} of {len(rivals)}" if known < len(rivals) else ""
    return Verdict(claim, text + missing, complete(not lost, known, len(rivals)))


def error(scores: Scores, data: Set, most: float) -> Verdict:
    """Return whether the mean error on a set of the development half is small enough."""
    mean, runs = scores.error(SELF, data), len(scores.runs(SELF, data))
    text = f"{mean:.4f}" if mean is not None else "no runs"
    missing = f"; {runs} of {data.repeats} repeats" if 0 < runs < data.repeats else ""
    met = complete(mean is not None and mean <= most, runs, data.repeats)
    return Verdict(f"error on {data.name} at most {most:g}", text + missing, met)


def _known(text: str, known: int, of: int) -> str:
    return text if known == of else f"{text}; runs of {of - known} of {of} sets are missing"
