"""Probabilities of the labels of events: of certain choices, over allowed labels only."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from onearm.core.assembly import HIDDEN
from onearm.log.events import Events


def allowed_only(p: np.ndarray, allowed: np.ndarray | None) -> np.ndarray:
    """Return probabilities over the allowed labels, even ones where there is no mass on them."""
    if allowed is None:
        return p
    p = np.where(allowed, p, 0.0)
    total = p.sum(axis=1, keepdims=True)
    even = allowed / allowed.sum(axis=1, keepdims=True)
    return np.where(total > 0, p / np.where(total > 0, total, 1.0), even)


def certain(labels: np.ndarray, events: Events, k: int) -> np.ndarray:
    """Return probability 1 for a label of each event."""
    p = np.zeros((len(events), k))
    p[np.arange(len(events)), labels] = 1.0
    return allowed_only(p, events.allowed)


def codes_of(labels: Iterable[Any], names: list[str]) -> np.ndarray:
    """Return the codes of labels by name, HIDDEN for names that there are not."""
    codes = {name: code for code, name in enumerate(names)}
    return np.array([codes.get(str(label), HIDDEN) for label in labels], np.int64)
