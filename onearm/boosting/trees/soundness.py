"""What holds for all trees that can have grown: checked before kernels follow links from a file."""

import numpy as np

from onearm.boosting.trees.nodes import CHILD, DEPTH, LEAF, NOWHERE, SLOT, SPLIT
from onearm.boosting.trees.observers import (
    CLASS,
    EARLY,
    IMPORTANCE,
    PRECISION,
    SQUARES,
    WEIGHT,
)

FROM_0 = ("mass", "gaps", "counts", "bins", "n_values")  # weights and counts


def require_sound(saved: dict[str, np.ndarray], nominal: np.ndarray, k: int) -> None:
    """Refuse arrays of trees with numbers that are no numbers, or links that lead elsewhere."""
    for name, array in saved.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"saved array {name} must be finite")
        if name in FROM_0 and (array < 0).any():
            raise ValueError(f"saved array {name} must be at least 0, got {array.min()}")
    moments, density = saved["moments"], saved["density"]
    if moments.size and (moments[..., [WEIGHT, SQUARES], :] < 0).any():
        raise ValueError("saved array moments must have weights and squares of at least 0")
    if density.size and (density[..., PRECISION, :] < 0).any():
        raise ValueError("saved array density must have precisions of at least 0")
    for i, (n_nodes, n_slots) in enumerate(saved["used"]):
        _require_tree(i, saved["links"][i, :n_nodes], nominal, int(n_slots))
    early, n_values = saved["early"], saved["n_values"]
    if early.size:
        kept = np.arange(EARLY) < np.minimum(n_values, EARLY)[..., None]
        classes = early[..., CLASS]
        whole = (classes == np.floor(classes)) & (classes >= 0) & (classes < k)
        if not (whole | ~kept).all() or not (n_values == np.floor(n_values)).all():
            raise ValueError(f"saved array early must have classes in [0, {k - 1}]")
        if not ((early[..., IMPORTANCE] >= 0) | ~kept).all():
            raise ValueError("saved array early must have weights of at least 0")


def _require_tree(i: int, links: np.ndarray, nominal: np.ndarray, n_slots: int) -> None:
    """Every split asks a column and has its children side by side, after it and used once."""
    n, splits = len(links), np.flatnonzero(links[:, SPLIT] != LEAF)
    columns, first = links[splits, SPLIT], links[splits, CHILD]
    if ((columns < 0) | (columns >= len(nominal))).any():
        raise ValueError(f"saved tree {i} must ask columns in [0, {len(nominal) - 1}]")
    width = np.where(nominal[columns] > 0, nominal[columns] + 1, 2)
    if ((first <= splits) | (first + width > n)).any():
        raise ValueError(f"saved tree {i} must have children after their parent and below {n}")
    parents = np.zeros(n, np.int64)
    for start, size in zip(first, width, strict=True):
        parents[start : start + size] += 1
    if parents[0] != 0 or (parents[1:] != 1).any():
        raise ValueError(f"saved tree {i} must have one parent for each node but the root")
    for start, size, parent in zip(first, width, splits, strict=True):
        if (links[start : start + size, DEPTH] != links[parent, DEPTH] + 1).any():
            raise ValueError(f"saved tree {i} must have children one deeper than their parent")
    slots = links[:, SLOT]
    in_use = slots[slots != NOWHERE]
    if ((in_use < 0) | (in_use >= n_slots)).any() or len(np.unique(in_use)) < len(in_use):
        raise ValueError(f"saved tree {i} must have slots of its own in [0, {n_slots - 1}]")
