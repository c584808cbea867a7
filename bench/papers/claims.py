"""What papers say of their results, asked of ours.

Runs with the same seed play the same rows, so differences are taken by pairs of runs. "Holds" and
"does not hold" are beyond chance: the 95 % interval of the mean difference leaves out zero.
"""

from typing import NamedTuple

import numpy as np

from bench.papers.runs import half_width

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
    """Whether a is not less than b, as far as can be told."""
    return FAILS if less(a, b) == HOLDS else HOLDS


def told(holds: bool) -> str:
    return HOLDS if holds else FAILS


def percent(values: Values) -> str:
    """The mean with half the width of its interval."""
    width = f" ± {100 * half_width(values):.2f}" if len(values) > 1 else ""
    return f"{100 * np.mean(values):.2f}{width}"


def counted(claims: list[Claim]) -> str:
    """How many hold."""
    verdicts = [claim.verdict for claim in claims]
    shown = [f"{verdicts.count(one)} {one}" for one in (HOLDS, FAILS, OPEN) if one in verdicts]
    return f"Of {len(claims)} claims: {', '.join(shown)}."
