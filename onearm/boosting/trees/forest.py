"""Trees: N Hoeffding trees in a few arrays, within a number of bytes given beforehand.

All room is set aside at the start; pages that are never written cost nothing. A tree that has used
up its share splits no more and goes on learning in its leaves.
"""

import math

import numpy as np

from onearm.boosting.trees.leaves import ADAPTIVE
from onearm.boosting.trees.nodes import (
    BAYES,
    DEPTH,
    LEAF,
    MAJORITY,
    NODE,
    NOWHERE,
    RIGHT_BAYES,
    RIGHT_MAJORITY,
    SLOT,
    SPLIT,
    TOTAL,
    TRIED,
)
from onearm.boosting.trees.observers import BINS, EARLY, clear, observe
from onearm.boosting.trees.settings import LEAF_PREDICTIONS
from onearm.boosting.trees.soundness import require_sound
from onearm.boosting.trees.split import try_split
from onearm.core.kernels import kernel_without_refcounts
from onearm.core.state import Shapes

NODE_FIELDS = ("links", "numbers", "mass", "used")
SLOT_FIELDS = (
    "moments", "density", "prior", "gaps", "counts", "edges", "bins", "early", "n_values",
)  # fmt: skip


@kernel_without_refcounts
def learn(x, i, notes, label, w, nodes, stats, columns, settings):
    """Teach tree i that x, about which it made these notes, has this label, with weight w."""
    links, numbers, mass, used = nodes
    grace_period, delta, tau, room, n_splits, max_depth, prediction = settings
    if not 0.0 < w < math.inf:
        return
    leaf = notes[NODE]
    at = links[i, leaf, SLOT]
    if prediction == ADAPTIVE:
        numbers[i, leaf, RIGHT_MAJORITY] += w * (notes[MAJORITY] == label)
        numbers[i, leaf, RIGHT_BAYES] += w * (notes[BAYES] == label)
    mass[i, leaf, label] += w
    numbers[i, leaf, TOTAL] += w
    if at == NOWHERE:
        return
    observe(x, i, at, label, w, mass[i, leaf, label], stats, columns)
    n = numbers[i, leaf, TOTAL]
    due = n - numbers[i, leaf, TRIED] >= grace_period[i] and mass[i, leaf, label] < n
    if due and used[i, 0] + 2 <= links.shape[1]:
        if max_depth == 0 or links[i, leaf, DEPTH] < max_depth:
            numbers[i, leaf, TRIED] = n
            try_split(i, leaf, nodes, stats, columns, settings)


class Trees:
    """The arrays of N trees; `model()` is what the kernels take at the end."""

    links: np.ndarray
    mass: np.ndarray
    used: np.ndarray

    def __init__(
        self, n_trees: int, n_classes: int, n_features: int, nominal: tuple[int, ...],
        n_splits: int, max_depth: int, leaf_prediction: str, splitter: str, max_bytes: int,
    ) -> None:  # fmt: skip
        if len(nominal) not in (0, n_features):
            must = f"nominal must have one entry for each of {n_features} columns, or none"
            raise ValueError(f"{must}, got {nominal}")
        n_rows = sum(m + 2 for m in nominal if m > 0)  # each value, any other, all
        sizes = n_classes, n_features, n_rows
        self.n_trees, self.n_classes, self.n_features = n_trees, n_classes, n_features
        self.values = nominal
        self.fields = _fields(*sizes, leaf_prediction != "majority", splitter == "gaussian")
        self.n_nodes, self.n_slots = _room(self.fields, n_trees, max_bytes)
        self.rules = self.n_slots, n_splits, max_depth, LEAF_PREDICTIONS.index(leaf_prediction)

    def shapes(self, n_nodes: int | None = None, n_slots: int | None = None) -> Shapes:
        """Return shape and type of every array, with room for all nodes or so many."""
        all_shapes: Shapes = {}
        for name, (kind, shape, present) in self.fields.items():
            n = n_slots or self.n_slots if name in SLOT_FIELDS else n_nodes or self.n_nodes
            whole = (self.n_trees, n, *shape) if present else (0,) * (2 + len(shape))
            all_shapes[name] = whole, kind
        return all_shapes | {"used": ((self.n_trees, 2), np.int64)}

    def set_rates(self, grace_period: np.ndarray, delta: np.ndarray, tau: np.ndarray) -> None:
        """Set when each tree tries to split, and with which confidence."""
        self.settings = grace_period, delta, tau, *self.rules

    def allocate(self) -> None:
        """Make trees of one leaf each."""
        self.nominal = np.array(self.values or np.zeros(self.n_features), np.int64)
        rows = np.where(self.nominal > 0, self.nominal + 2, 0)
        self.place = np.cumsum(rows) - rows
        for name, (shape, kind) in self.shapes().items():
            setattr(self, name, np.zeros(shape, kind))
        self.used[...] = 1  # of nodes, of slots
        self.links[:, 0, SPLIT] = LEAF
        for i in range(self.n_trees):
            clear(i, 0, self.stats())

    def nodes(self) -> tuple:
        return tuple(getattr(self, name) for name in NODE_FIELDS)

    def stats(self) -> tuple:
        return tuple(getattr(self, name) for name in SLOT_FIELDS)

    def columns(self) -> tuple:
        return self.nominal, self.place

    def model(self) -> tuple:
        return self.nodes(), self.stats(), self.columns(), self.settings

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name) for name in (*NODE_FIELDS, *SLOT_FIELDS)}

    def content(self) -> dict[str, np.ndarray]:
        """The arrays without the room that no tree has used yet."""
        n_nodes, n_slots = self.used.max(axis=0)
        used = {"used": self.used}
        for name in self.fields:
            n = n_slots if name in SLOT_FIELDS else n_nodes
            used[name] = getattr(self, name)[:, :n]
        return used

    def content_shapes(self, saved: dict[str, np.ndarray]) -> Shapes:
        """Return shape and type of what must have been saved, of trees that use so much room."""
        used, most = saved.get("used"), (self.n_nodes, self.n_slots)
        if used is None or used.shape != (self.n_trees, 2) or used.dtype != np.int64:
            raise ValueError(f"saved array used must be int64 of shape ({self.n_trees}, 2)")
        if (used < 1).any() or (used > most).any():
            raise ValueError(f"saved trees must use 1 to {most} nodes and slots, got {used.max(0)}")
        return self.shapes(*(int(n) for n in used.max(axis=0)))

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        nominal = np.array(self.values or np.zeros(self.n_features), np.int64)
        require_sound(saved, nominal, self.n_classes)

    def make_room(self, saved: dict[str, np.ndarray]) -> None:
        """Use as much room as was in use when these arrays were saved."""
        self.used[...] = saved["used"]


def _fields(k: int, d: int, n_rows: int, bayes: bool, gaussian: bool) -> dict:
    """Of each field of a node or slot: its type, shape, and whether it is needed."""
    number = np.float64
    return {
        "links": (np.int32, (4,), True),
        "numbers": (number, (5,), True),
        "mass": (number, (k,), True),
        "moments": (number, (k, 5, d), gaussian),
        "density": (number, (d, 2, k), gaussian and bayes),
        "prior": (number, (k,), bayes),
        "gaps": (number, (), bayes),
        "counts": (number, (n_rows, k), n_rows > 0),
        "edges": (number, (d, BINS - 1), not gaussian),
        "bins": (number, (d, BINS + 1, k), not gaussian),
        "early": (number, (d, EARLY, 3), not gaussian),
        "n_values": (number, (d,), not gaussian),
    }


def _room(fields: dict, n_trees: int, max_bytes: int) -> tuple[int, int]:
    """How many nodes and slots each tree may have."""
    sizes = {
        name: np.dtype(kind).itemsize * math.prod(shape) * present
        for name, (kind, shape, present) in fields.items()
    }
    slot = sum(size for name, size in sizes.items() if name in SLOT_FIELDS)
    node = sum(sizes.values()) - slot
    counters = 16  # of `used`
    share = max_bytes // n_trees - counters
    n_slots = share // (slot + 2 * node)
    if n_slots < 1:
        least = n_trees * (slot + 2 * node + counters)
        raise ValueError(f"max_bytes must be at least {least} for {n_trees} trees, got {max_bytes}")
    return (share - n_slots * slot) // node, n_slots
