"""The parameters of AdaBoostMH, and what they may be."""

from typing import Any

import numpy as np

from onearm.mh.arms import POLICIES, REWARDS

OPTIONS = {
    "base": ("stump", "tree", "product"),
    "arms": POLICIES,
    "reward": REWARDS,
    "weights": ("shared", "even"),
}
RANGES = {
    "n_leaves": (2, 2**15), "n_terms": (1, np.inf), "n_rounds": (1, np.inf),
    "arms_per_round": (1, np.inf), "lam": (0, 1), "eta": (0, np.inf), "max_bins": (2, 256),
    "validation": (0, 0.9), "patience": (1, np.inf),
}  # fmt: skip


def check(model: Any) -> None:
    """Raise ValueError for a parameter that cannot be."""
    for name, allowed in OPTIONS.items():
        if getattr(model, name) not in allowed:
            said = f"{name} must be one of {', '.join(allowed)}"
            raise ValueError(f"{said}, got {getattr(model, name)!r}")
    for name, (low, high) in RANGES.items():
        if not low <= getattr(model, name) <= high:
            raise ValueError(f"{name} must be in [{low}, {high}], got {getattr(model, name)!r}")
    if model.validation and model.warm_start:
        raise ValueError("validation must be 0 with warm_start: rounds are dropped after it")
