"""Trees: N Hoeffding trees in a few arrays, within a number of bytes given beforehand.

All room is set aside at the start; pages that are never written cost nothing. A tree that has used
up its share splits no more and goes on learning in its leaves.
"""

import math
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from onearm.boosting.trees import observers
from onearm.boosting.trees.nodes import CHILD, DEPTH, LEAF, NOWHERE, SLOT, SPLIT
from onearm.boosting.trees.settings import LEAF_PREDICTIONS
from onearm.core.state import Part, Shapes, state

ANY, FROM_0 = "(-inf, inf)", "[0, inf)"


def slot(needed: str, *axes: int | str, range: str = FROM_0) -> Any:
    """Return the field of an array over all slots; without what is `needed` it is empty."""

    def shape(trees: "Trees") -> tuple[int, ...]:
        sizes = [getattr(trees, axis) if isinstance(axis, str) else axis for axis in axes]
        whole = trees.n_trees, trees.n_slots, *sizes
        return whole if getattr(trees, needed) else (0,) * len(whole)

    return state(shape, range=range)


@dataclass(eq=False)
class Trees(Part):
    """The arrays of N trees; `model()` is what the kernels take at the end."""

    n_trees: int
    n_classes: int
    n_features: int
    nominal: tuple[int, ...]
    n_splits: int
    max_depth: int
    leaf_prediction: str
    splitter: str
    max_bytes: int
    rates: tuple = ()  # grace period, δ and τ of each tree
    links: np.ndarray = state("n_trees", "n_nodes", 4, range=ANY, dtype=np.int32)
    numbers: np.ndarray = state("n_trees", "n_nodes", 5, range=ANY)
    mass: np.ndarray = state("n_trees", "n_nodes", "n_classes", range=FROM_0)
    used: np.ndarray = state("n_trees", 2, start=1, range="[1, inf)", dtype=np.int64)
    moments: np.ndarray = slot("gaussian", "n_classes", 5, "n_features", range=ANY)
    density: np.ndarray = slot("densities", "n_features", 2, "n_classes", range=ANY)
    prior: np.ndarray = slot("bayes", "n_classes", range=ANY)
    gaps: np.ndarray = slot("bayes")
    counts: np.ndarray = slot("n_rows", "n_rows", "n_classes")
    edges: np.ndarray = slot("histogram", "n_features", observers.BINS - 1, range=ANY)
    bins: np.ndarray = slot("histogram", "n_features", observers.BINS + 1, "n_classes")
    early: np.ndarray = slot("histogram", "n_features", observers.EARLY, 3, range=ANY)
    n_values: np.ndarray = slot("histogram", "n_features")

    def __post_init__(self) -> None:
        if len(self.nominal) not in (0, self.n_features):
            must = f"nominal must have one entry for each of {self.n_features} columns, or none"
            raise ValueError(f"{must}, got {self.nominal}")
        self.n_rows = sum(m + 2 for m in self.nominal if m > 0)  # each value, any other, all
        self.bayes, self.gaussian = self.leaf_prediction != "majority", self.splitter == "gaussian"
        self.densities, self.histogram = self.gaussian and self.bayes, not self.gaussian
        self.n_nodes = self.n_slots = 1
        bytes_each = [
            math.prod(shape[1:]) * np.dtype(kind).itemsize for shape, kind in self.shapes().values()
        ]
        per_node, counters, per_slot = sum(bytes_each[:3]), bytes_each[3], sum(bytes_each[4:])
        share = self.max_bytes // self.n_trees - counters
        self.n_slots = share // (per_slot + 2 * per_node)
        if self.n_slots < 1:
            least, n = self.n_trees * (per_slot + 2 * per_node + counters), self.n_trees
            raise ValueError(
                f"max_bytes must be at least {least} for {n} trees, got {self.max_bytes}"
            )
        self.n_nodes = (share - self.n_slots * per_slot) // per_node

    @cached_property
    def columns(self) -> tuple[np.ndarray, np.ndarray]:
        """The number of values of each column, 0 if numeric, and where its counts start."""
        nominal = np.array(self.nominal or np.zeros(self.n_features), np.int64)
        rows = np.where(nominal > 0, nominal + 2, 0)
        return nominal, np.cumsum(rows) - rows

    def allocate(self) -> None:
        """Make trees of one leaf each."""
        super().allocate()
        self.links[:, 0, SPLIT] = LEAF
        stats = self.model()[1]
        for i in range(self.n_trees):
            observers.clear(i, 0, stats)

    def model(self) -> tuple:
        nodes = self.links, self.numbers, self.mass, self.used
        stats = (
            self.moments, self.density, self.prior, self.gaps, self.counts, self.edges, self.bins,
            self.early, self.n_values,
        )  # fmt: skip
        prediction = LEAF_PREDICTIONS.index(self.leaf_prediction)
        settings = *self.rates, self.n_slots, self.n_splits, self.max_depth, prediction
        return nodes, stats, self.columns, settings

    def content(self) -> dict[str, np.ndarray]:
        used = self.content_shapes({"used": self.used})
        return {name: a[tuple(map(slice, used[name][0]))] for name, a in self.arrays().items()}

    def content_shapes(self, saved: dict[str, np.ndarray]) -> Shapes:
        used, most = saved.get("used"), (self.n_nodes, self.n_slots)
        if used is None or used.shape != (self.n_trees, 2) or used.dtype != np.int64:
            raise ValueError(f"saved array used must be int64 of shape ({self.n_trees}, 2)")
        if (used < 1).any() or (used > most).any():
            raise ValueError(f"saved trees must use 1 to {most} nodes and slots, got {used.max(0)}")
        in_use = copy(self)
        in_use.n_nodes, in_use.n_slots = map(int, used.max(axis=0))
        return in_use.shapes()

    def make_room(self, saved: dict[str, np.ndarray]) -> None:
        self.used[...] = saved["used"]

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        """Refuse numbers outside their ranges, and links that lead elsewhere."""
        super().require_sound(saved)
        moments, density = saved["moments"], saved["density"]
        if self.gaussian and (moments[..., [observers.WEIGHT, observers.SQUARES], :] < 0).any():
            raise ValueError("saved array moments must have weights and squares of at least 0")
        if self.densities and (density[..., observers.PRECISION, :] < 0).any():
            raise ValueError("saved array density must have precisions of at least 0")
        for i, (n_nodes, n_slots) in enumerate(saved["used"]):
            _require_tree(i, saved["links"][i, :n_nodes], self.columns[0], int(n_slots))
        if self.histogram:
            _require_early(saved["early"], saved["n_values"], self.n_classes)


def _require_early(early: np.ndarray, n_values: np.ndarray, k: int) -> None:
    """The values stored until they determine the edges have classes and weights."""
    stored = np.arange(observers.EARLY) < np.minimum(n_values, observers.EARLY)[..., None]
    classes = early[..., observers.CLASS]
    whole = (classes == np.floor(classes)) & (classes >= 0) & (classes < k)
    if not (whole | ~stored).all() or not (n_values == np.floor(n_values)).all():
        raise ValueError(f"saved array early must have classes in [0, {k - 1}]")
    if not ((early[..., observers.IMPORTANCE] >= 0) | ~stored).all():
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
