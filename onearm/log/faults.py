"""Faults: what is wrong with events, and whether they are refused or left out.

Arrays in memory are refused at the first wrong event. Of a file the wrong ones are left out,
counted, and the first few named. A wrong propensity is always refused: it would weigh events
wrongly, and those beside it are not to be trusted either. So is a reward outside the stated range:
without such events the rest would be selected by their outcome.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

NAMED = 20  # bad lines whose reasons are remembered


class Faults:
    """What is wrong with n events; `where(i)` begins a message about event i."""

    def __init__(self, n: int, where: Callable[[int], str], leave_out: bool = True) -> None:
        self.where, self.leave_out = where, leave_out
        self.bad = np.zeros(n, bool)
        self.reasons: dict[int, str] = {}  # of the first bad events

    def check(self, wrong: np.ndarray, values: Any, what: str, allowed: str) -> None:
        """Leave out the events that are wrong, or refuse the first of them."""
        if not self.leave_out:
            self.refuse(wrong, values, what, allowed)
        self.add(wrong, lambda i: f"{what} must be {allowed}, got {values[i]}")

    def add(self, wrong: np.ndarray, reason: Callable[[int], str]) -> None:
        """Leave out the events that are wrong; `reason(i)` says what is wrong with event i."""
        new = np.flatnonzero(wrong & ~self.bad)
        self.reasons |= {i: reason(i) for i in new[:NAMED].tolist()}
        self.bad |= wrong

    def refuse(
        self, wrong: np.ndarray, values: Any, what: str, allowed: str, way_out: str = ""
    ) -> None:
        """Raise a ValueError that names the first event that is wrong, if one is."""
        if wrong.any():
            i = int(wrong.argmax())
            raise ValueError(f"{self.where(i)}{what} must be {allowed}, got {values[i]}{way_out}")

    def named(self) -> list[str]:
        """Return the first bad events, each with its place and the reason."""
        return [f"{self.where(i)}{self.reasons[i]}" for i in sorted(self.reasons)[:NAMED]]
