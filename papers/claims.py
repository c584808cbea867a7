"""What papers say of their results, tested on ours.

Runs with the same seed play the same rows, so differences are taken by pairs of runs. "Holds" and
"does not hold" are beyond chance: the 95 % interval of the mean difference excludes zero.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from papers.markdown import table
from papers.verdicts import half_width, mean

HOLDS, FAILS, OPEN = "holds", "does not hold", "open"
Values = list[float]


class Claim(NamedTuple):
    """A statement of a paper, and what our runs on one data set say of it."""

    statement: str
    data: str
    verdict: str
    numbers: str


def less(a: Values, b: Values, by: float = 0.0) -> str:
    """Whether a is less than b by more than `by`."""
    differences = np.array(a) - np.array(b) + by
    if abs(differences.mean()) <= half_width(differences.tolist()):
        return OPEN
    return HOLDS if differences.mean() < 0 else FAILS


def beside(names: Sequence[str], values: Sequence[Values]) -> str:
    """Return errors with their names."""
    return ", ".join(f"{name} {percent(some)}" for name, some in zip(names, values, strict=True))


def lower(says: str, data: str, names: Sequence[str], values: Sequence[Values]) -> list[Claim]:
    """Return the claim that the first errors are less than the second, if both were played."""
    if not values[0] or len(values[0]) != len(values[1]):
        return []
    return [Claim(says, data, less(values[0], values[1]), beside(names, values))]


def not_less(a: Values, b: Values) -> str:
    """Whether a is as large as b or larger; a single run decides nothing."""
    if less(a, b) == HOLDS:
        return FAILS
    return HOLDS if len(a) > 1 and np.mean(a) >= np.mean(b) else OPEN


def holds_if(condition: bool) -> str:
    """Return the verdict of a claim that needs no test."""
    return HOLDS if condition else FAILS


def percent(values: Values) -> str:
    """Return the mean with half the width of its interval."""
    return mean([100 * value for value in values], 2 if np.mean(values) >= 0.01 else 3)


def count(claims: list[Claim]) -> str:
    """Return how many claims hold."""
    verdicts = [claim.verdict for claim in claims]
    hold, fail, undecided = (verdicts.count(verdict) for verdict in (HOLDS, FAILS, OPEN))
    return (
        f"Of {len(claims)} claims, data set by data set, {hold} hold, {fail} do not, "
        f"{undecided} open."
    )


def claims_table(claims: list[Claim]) -> str:
    """Return claims with their verdicts as a Markdown table."""
    return table(
        ["the paper says", "data", "verdict", "here, %"], [list(claim) for claim in claims]
    )
