"""How our runs stand to a number that a paper prints: the less, the better."""

from collections.abc import Sequence

import numpy as np

from papers.records import half_width

WITHIN, BETTER, WORSE = "within", "better", "worse"


def verdict(ours: Sequence[float], theirs: float, tolerance: float) -> str:
    """Within: theirs is in our 95 % interval, or no farther from our mean than the tolerance."""
    width = half_width(ours) if len(ours) > 1 else 0.0
    off = float(np.mean(ours)) - theirs
    if abs(off) <= max(width, tolerance):
        return WITHIN
    return BETTER if off < 0 else WORSE
