"""How our runs compare with a number that a paper prints: lower is better."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from onearm import metrics

WITHIN, BETTER, WORSE = "within", "better", "worse"
OTHER = "other data"
SHARE, POINTS = 0.1, 0.2  # of the paper's number, and percentage points: what counts as the same


class Cell(NamedTuple):
    """A number that a paper prints, an error or a loss, with ours."""

    name: str
    ours: float
    theirs: float
    same_data: bool = True
    points: float = POINTS  # 0 where the numbers are no percentages

    def outcome(self) -> str:
        """Within: ours is at most a tenth of the paper's, or so many points, from the paper's."""
        if not self.same_data:
            return OTHER
        difference = self.ours - self.theirs
        if abs(difference) <= max(SHARE * self.theirs, self.points) + 1e-9:
            return WITHIN
        return BETTER if difference < 0 else WORSE


def count_outcomes(cells: Sequence[Cell]) -> dict[str, int]:
    """Return how many cells have which outcome."""
    outcomes = [cell.outcome() for cell in cells]
    return {kind: outcomes.count(kind) for kind in (BETTER, WITHIN, WORSE, OTHER)}


def half_width(values: Sequence[float]) -> float:
    """Return that of Student's 95 % interval of the mean; infinite for a single value."""
    if len(values) < 2:
        return float("inf")
    interval = metrics.interval(np.array(values))
    return interval.high - interval.mean


def mean(values: Sequence[float], digits: int, none: str = "") -> str:
    """Return a mean with half the width of its interval, if there are several values."""
    if not len(values):
        return none
    width = f" ± {half_width(values):.{digits}f}" if len(values) > 1 else ""
    return f"{np.mean(values):.{digits}f}{width}"


def verdict(ours: Sequence[float], theirs: float, tolerance: float) -> str:
    """Within: theirs is in our 95 % interval, or no farther from our mean than the tolerance."""
    width = half_width(ours) if len(ours) > 1 else 0.0
    difference = float(np.mean(ours)) - theirs
    if abs(difference) <= max(width, tolerance):
        return WITHIN
    return BETTER if difference < 0 else WORSE
