"""Whole distributions that follow from what is logged.

Of two allowed labels the propensity of one has the other's, and of a policy that chose evenly each
of m allowed labels has 1/m.
"""

import numpy as np

from onearm.log.faults import Faults
from onearm.schema.values import shown

UNIFORM = "uniform"
ROUNDED = 0.01  # how far a logged propensity may be from 1/m, relative to it
CERTAIN = 1e-9  # how far from 1 the propensity of the only allowed label may be


def uniform_chances(
    word: str, propensity: np.ndarray, label: np.ndarray, allowed: np.ndarray | None, k: int,
    faults: Faults,
) -> np.ndarray | None:  # fmt: skip
    """Return 1/m for the m allowed labels of each event; refuse other propensities.

    With k = 0, as long as the labels are not all known, there is none.
    """
    if word != UNIFORM:
        raise ValueError(f"chances must be {UNIFORM!r} or numbers, got {shown(word)}")
    if not k:
        return None
    mask = np.ones((len(label), k), bool) if allowed is None else allowed
    m = mask.sum(axis=1)
    wrong = (np.abs(propensity * m - 1) > ROUNDED) & ~faults.bad
    i = int(wrong.argmax()) if wrong.any() else 0
    even = f"1/{m[i]} of {m[i]} allowed labels, as chances are {UNIFORM}" if len(m) else ""
    faults.refuse(wrong, propensity, "propensity", even)
    return mask / m[:, None]


def completed(
    chances: np.ndarray | None, propensity: np.ndarray, label: np.ndarray,
    allowed: np.ndarray | None, k: int,
) -> np.ndarray | None:  # fmt: skip
    """Return distributions, also of events with at most two allowed labels."""
    n = len(label)
    if not k or (allowed is None and k > 2):
        return chances
    mask = np.ones((n, k), bool) if allowed is None else allowed
    unknown = np.ones(n, bool) if chances is None else np.isnan(chances).all(axis=1)
    m = mask.sum(axis=1)
    follows = unknown & ((m == 2) | ((m == 1) & (propensity >= 1 - CERTAIN)))
    if not follows.any():
        return chances
    rest = np.where(mask, 1 - propensity[:, None], 0.0)
    rest[np.arange(n), label] = propensity
    given = np.full((n, k), np.nan) if chances is None else chances
    return np.where(follows[:, None], rest, given)


def is_uniform(chances: object) -> bool:
    """Whether an option says that the policy chose evenly; refuse any other word."""
    if isinstance(chances, str) and chances != UNIFORM:
        raise ValueError(f"chances must be {UNIFORM!r}, or by label, got {shown(chances)}")
    return isinstance(chances, str)
