"""The range of rewards or costs that is stated beforehand, and what does not lie in it.

A number outside is never left out by itself: that would select events by their outcome, and the
rest would mislead. The whole file is refused.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from onearm.log.faults import Faults
from onearm.schema.values import shown

LARGEST = 1e12


@dataclass(frozen=True)
class RewardRange:
    """The range of rewards; of a file of costs, messages are about these."""

    low: float = 0.0
    high: float = 1.0
    one_right: bool = False  # rewards are 0 or 1
    are_costs: bool = False

    def check(self, reward: np.ndarray, judged: np.ndarray, faults: Faults) -> None:
        """Refuse a reward outside the range; leave out events that should have one and do not."""
        missing = judged & np.isnan(reward)
        faults.check(missing, reward, "the reward", "there, as the outcome says so")
        known = judged & ~missing & ~faults.bad
        what, option, low, high, values = "reward", "rewards", self.low, self.high, reward
        if self.are_costs:
            what, option, low, high = "cost", "costs", 0.0 - self.high, 0.0 - self.low
            values = (1.0 if self.one_right else 0.0) - reward
        if self.one_right:
            allowed = "0 or 1 where exactly one label is right"
            faults.refuse(known & (reward != 0) & (reward != 1), values, f"the {what}", allowed)
            return
        allowed = f"in [{low:g}, {high:g}], the stated range"
        way_out = f": state the range of all {option} by {option}= or --{option}"
        wrong = known & ~((reward >= self.low) & (reward <= self.high))
        faults.refuse(wrong, values, f"the {what}", allowed, way_out)


def as_range(given: Any, option: str = "rewards") -> tuple[float, float]:
    """Return a range of two numbers, or an error that names the option."""
    allowed = f"{option} must be a range of two numbers (low, high)"
    try:
        if isinstance(given, str):
            raise TypeError
        low, high = (float(end) for end in given)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{allowed}, got {shown(given)}") from None
    if not -LARGEST <= low < high <= LARGEST:
        raise ValueError(f"{allowed} with low < high, within ±{LARGEST:g}, got {shown(given)}")
    return low, high
