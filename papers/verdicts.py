"""How our runs compare with a number that a paper prints: lower is better."""

from collections.abc import Sequence

import numpy as np

from onearm import metrics

WITHIN, BETTER, WORSE = "within", "better", "worse"


def half_width(values: Sequence[float]) -> float:
    """Return that of Student's 95 % interval of the mean; infinite for a single value."""
    if len(values) < 2:
        return float("inf")
    interval = metrics.interval(np.array(values))
    return interval.high - interval.mean


def verdict(ours: Sequence[float], theirs: float, tolerance: float) -> str:
    """Within: theirs is in our 95 % interval, or no farther from our mean than the tolerance."""
    width = half_width(ours) if len(ours) > 1 else 0.0
    difference = float(np.mean(ours)) - theirs
    if abs(difference) <= max(width, tolerance):
        return WITHIN
    return BETTER if difference < 0 else WORSE
