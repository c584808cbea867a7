"""Intervals as they are written, `(0, 1]`: of parameters and of state arrays."""

from typing import Any

import numpy as np


class Interval:
    """The numbers between two ends; an end may name a size of its owner, as in `[0, n_classes)`."""

    def __init__(self, text: str, owner: Any = None) -> None:
        low, high = text[1:-1].split(",")
        self.low, self.high = _end(low.strip(), owner), _end(high.strip(), owner)
        self.closed_low, self.closed_high = text[0] == "[", text[-1] == "]"

    def __str__(self) -> str:
        left, right = "[" if self.closed_low else "(", "]" if self.closed_high else ")"
        return f"{left}{self.low:g}, {self.high:g}{right}"

    def holds(self, values: Any) -> Any:
        """Return whether a number, or each of an array, lies inside; NaN never does."""
        above = values >= self.low if self.closed_low else values > self.low
        below = values <= self.high if self.closed_high else values < self.high
        return above & below


def _end(text: str, owner: Any) -> Any:
    try:
        return np.float64(text)  # and no float, which would become one of 32 bits beside such
    except ValueError:
        size = getattr(owner, text.lstrip("-"))
        return -size if text[0] == "-" else size


def require_inside(name: str, array: np.ndarray, interval: Interval, owner: str) -> None:
    """Refuse an array with a number outside, naming the first."""
    inside = interval.holds(array)
    if not inside.all():
        at = np.unravel_index(int(inside.argmin()), array.shape)
        place = ", ".join(map(str, at))
        raise ValueError(
            f"saved array {name} of {owner} must be in {interval}, got {array[at]} at ({place})"
        )
