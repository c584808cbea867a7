"""What papers say of their results, asked of ours.

Runs with the same seed play the same rows, so differences are taken by pairs of runs. "Holds" and
"does not hold" are beyond chance: the 95 % interval of the mean difference leaves out zero.
"""

from typing import NamedTuple

import numpy as np

from papers.records import half_width

HOLDS, FAILS, OPEN = "holds", "does not hold", "open"
Values = list[float]


class Claim(NamedTuple):
    """Something that a paper says, and what came of it on one data set."""

    says: str
    data: str
    verdict: str
    numbers: str


def less(a: Values, b: Values, by: float = 0.0) -> str:
    """Whether a is less than b by more than `by`."""
    off = np.array(a) - np.array(b) + by
    middle, width = float(off.mean()), half_width(off.tolist())
    if abs(middle) <= width:
        return OPEN
    return HOLDS if middle < 0 else FAILS


def not_less(a: Values, b: Values) -> str:
    """Whether a is as large as b or larger; one run alone tells nothing."""
    if less(a, b) == HOLDS:
        return FAILS
    return HOLDS if len(a) > 1 and np.mean(a) >= np.mean(b) else OPEN


def told(holds: bool) -> str:
    return HOLDS if holds else FAILS


def percent(values: Values) -> str:
    """The mean with half the width of its interval."""
    mean = 100 * float(np.mean(values))
    digits = 2 if mean >= 1 else 3
    width = f" ± {100 * half_width(values):.{digits}f}" if len(values) > 1 else ""
    return f"{mean:.{digits}f}{width}"


def counted(claims: list[Claim]) -> str:
    """How many hold."""
    verdicts = [claim.verdict for claim in claims]
    hold, fail, open_ = (verdicts.count(one) for one in (HOLDS, FAILS, OPEN))
    return (
        f"Of {len(claims)} claims, data set by data set, {hold} hold, {fail} do not, {open_} open."
    )
