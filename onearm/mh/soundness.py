"""What holds for every fitted classifier: checked before kernels index with numbers from a file."""

from typing import Any

import numpy as np

import onearm
from onearm.core.sparse_check import check_csr
from onearm.core.state import Interval, require_inside

FACTS = {"parameters", "classes", "columns", "multilabel", "names", "shared", "form"}
RANGES = {"votes": "[-1, 1]", "alpha": "[-1e6, 1e6]", "loss": "(0, 2]"}  # of each round


def require_facts(facts: dict[str, Any]) -> None:
    """Refuse what a file says of a classifier besides its arrays, if it cannot be."""
    if facts.keys() != FACTS:
        raise ValueError(f"a saved AdaBoostMH must have {', '.join(sorted(FACTS))}")
    d, names = facts["columns"], facts["names"]
    most = min(2**31 - 1, onearm.max_bytes // 64)  # numbers of 8 bytes for each, several times
    if type(d) is not int or not 1 <= d <= most:
        raise ValueError(f"columns must be an integer in [1, {most}], got {d!r}")
    if not _all(names, str) or len(names) not in (0, d):
        raise ValueError(f"names must be texts, one for each of {d} columns or none, got {names!r}")
    for flag in ("multilabel", "shared"):
        if type(facts[flag]) is not bool:
            raise ValueError(f"{flag} must be true or false, got {facts[flag]!r}")
    classes = facts["classes"]
    same_kind = any(_all(classes, kind) for kind in (str, bool, int, float))
    if not same_kind or len(classes) < 2 or len(set(classes)) < len(classes):
        raise ValueError(
            f"classes must be different texts or numbers, at least two, got {classes!r}"
        )
    if np.array(classes).dtype.kind not in "Ubif" or any(c != c for c in classes):
        raise ValueError(f"classes must be texts or finite numbers of 64 bits, got {classes!r}")


def _all(values: Any, kind: type) -> bool:
    return isinstance(values, list) and all(type(value) is kind for value in values)


def require_rounds(saved: dict[str, np.ndarray], d: int) -> None:
    """Refuse rounds whose numbers are out of range; a threshold may be NaN, no value reaches it."""
    for name, within in RANGES.items():
        require_inside(name, saved[name], Interval(within), "AdaBoostMH")
    require_inside("column", saved["column"], Interval(f"[-1, {d})"), "AdaBoostMH")
    if np.isinf(saved["threshold"]).any():
        raise ValueError("saved array threshold of AdaBoostMH must be finite or NaN")
    if "child" in saved:
        _require_trees(saved["column"], saved["child"])


def _require_trees(column: np.ndarray, child: np.ndarray) -> None:
    """A child is a later split that is there, or ~leaf."""
    n_splits, is_split = column.shape[1], column >= 0
    inner = (child >= 0) & is_split[:, :, None]
    later = (child > np.arange(n_splits)[:, None]) & (child < n_splits)
    there = np.take_along_axis(is_split, child.clip(0, n_splits - 1).reshape(len(child), -1), 1)
    leaf = (~child >= 0) & (~child <= n_splits)
    sound = np.where(inner, later & there.reshape(child.shape), leaf | ~is_split[:, :, None])
    if not sound.all():
        raise ValueError("saved array child of AdaBoostMH must lead to later splits and to leaves")


def require_pulls(pulled: np.ndarray, pulled_at: np.ndarray, stages: np.ndarray, d: int) -> None:
    """Refuse counts of pulls that are no sound sparse matrix of counts."""
    check_csr(stages, pulled_at, pulled, (max(len(stages) - 1, 0), d))
    if pulled.dtype.kind not in "iu" or (pulled < 0).any():
        raise ValueError("saved array pulled of AdaBoostMH must be whole numbers of at least 0")
