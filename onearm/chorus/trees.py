"""The arrays of Chorus's forest: stored rows, and trees in two halves, for now and before a drift.

    rows        (N, d)       in single precision; answers (N, 2) and votes (N): see `forest`
    nodes       (T, M, 3)    SPLIT, FIRST and LAST, children side by side and after their parent
    thresholds  (T, M)
    leaves      (T, N, 2)    the labels of a leaf's rows, when the tree was grown
    sizes       (T)          nodes of a tree, 0 unless it is complete

T counts both halves, and the tree that is being grown in one of them. Pages that are never written
cost nothing, and only what is in use is saved.
"""

import math
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from onearm.chorus.forest import (
    FIRST,
    GROWN,
    HALF,
    LAST,
    LEAF,
    MOST_NODES,
    MOST_ROWS,
    NEXT,
    NODES,
    ROWS,
    SPLIT,
    STORED,
    TAKING_PART,
)  # fmt: skip
from onearm.core.state import Part, Shapes, state

WIDEST = 512  # columns: rows of more would take too much room
MOST = 2**23  # numbers in all rows
TRIES = 2.0  # random splits of a node, over √d
WORK = 10  # values that are looked at in a round, over the number of random Fourier features
FROM_0 = "[0, 1e18]"


@dataclass(eq=False)
class Forest(Part):
    """The arrays of the forest; `model()` is what the kernels take."""

    n_classes: int
    n_features: int
    n_trees: int
    n_components: int
    forest_rows: np.ndarray = state("n_rows", "n_columns", range="(-inf, inf]", dtype=np.float32)
    forest_answers: np.ndarray = state("n_rows", 2, range="[-1, n_classes)", dtype=np.int32)
    forest_votes: np.ndarray = state("n_rows", range="[0, 1000]", dtype=np.int32)
    forest_nodes: np.ndarray = state("n_slots", "n_nodes", 3, range="[0, n_most]", dtype=np.int32)
    forest_thresholds: np.ndarray = state(
        "n_slots", "n_nodes", range="(-inf, inf)", dtype=np.float32
    )
    forest_leaves: np.ndarray = state(
        "n_slots", "n_rows", 2, range="[-1, n_classes)", dtype=np.int32
    )
    forest_sizes: np.ndarray = state("n_slots", range="[0, n_nodes]", dtype=np.int64)
    forest_order: np.ndarray = state("n_rows", range="[0, n_rows)", dtype=np.int64)
    forest_progress: np.ndarray = state(9, range=FROM_0, dtype=np.int64)

    def __post_init__(self) -> None:
        grown = 0 < self.n_features <= WIDEST and self.n_trees > 0
        self.n_columns = self.n_features if grown else 0
        self.n_rows = min(32 * self.n_components, MOST // self.n_features) if grown else 0
        self.n_nodes, self.n_slots = self.n_rows // 2, 2 * (self.n_trees + 1) if grown else 0
        self.n_most = max(self.n_features, self.n_rows, self.n_nodes)

    def model(self) -> tuple:
        stored = self.forest_rows, self.forest_answers, self.forest_votes
        trees = (
            self.forest_nodes, self.forest_thresholds, self.forest_leaves, self.forest_sizes,
            self.forest_progress,
        )  # fmt: skip
        limits = WORK * self.n_components, math.ceil(TRIES * math.sqrt(self.n_features))
        return stored, trees, self.forest_order, limits

    def content(self) -> dict[str, np.ndarray]:
        used = self.content_shapes(self.arrays())
        return {name: a[tuple(map(slice, used[name][0]))] for name, a in self.arrays().items()}

    def content_shapes(self, saved: dict[str, Any]) -> Shapes:
        if "forest_progress" not in saved:
            raise ValueError("it is of a version whose Chorus had no forest: make a new one")
        empty = np.empty(0)
        sizes, progress = (saved.get(f"forest_{name}", empty) for name in ("sizes", "progress"))
        for name, array, n in (("sizes", sizes, self.n_slots), ("progress", progress, 9)):
            if array.shape != (n,) or array.dtype != np.int64:
                raise ValueError(f"saved array forest_{name} must be int64 of shape ({n},)")
        nodes, rows = progress[MOST_NODES], progress[MOST_ROWS]
        if not (0 <= nodes <= self.n_nodes and 0 <= rows <= self.n_rows):
            limits = f"{self.n_nodes} nodes a tree and {self.n_rows} rows"
            raise ValueError(f"saved forest must have up to {limits}, got {nodes} and {rows}")
        in_use = copy(self)
        in_use.n_nodes, in_use.n_rows = int(nodes), int(rows)
        return in_use.shapes()

    def make_room(self, saved: dict[str, np.ndarray]) -> None:
        self.forest_sizes[...] = saved["forest_sizes"]
        self.forest_progress[...] = saved["forest_progress"]

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        """Refuse numbers outside their ranges, and nodes that lead elsewhere."""
        super().require_sound(saved)
        answers, nodes, progress = (saved[f"forest_{n}"] for n in ("answers", "nodes", "progress"))
        if (answers[:, 0] < 0).any() or (saved["forest_leaves"][..., 0] < 0).any():
            raise ValueError("saved forest must have labels from 0 on")
        rows, sizes = min(progress[STORED], self.n_rows), saved["forest_sizes"].copy()
        counts = progress[[NEXT, NODES, ROWS, TAKING_PART, HALF]]
        if (counts > [progress[NODES], nodes.shape[1], rows, progress[ROWS], 1]).any():
            raise ValueError(f"saved array forest_progress does not go together: {progress}")
        if rows > len(answers) or (sizes > nodes.shape[1]).any():
            raise ValueError("saved forest must have the rows and nodes that it counts")
        if self.n_slots and progress[NODES]:
            each = self.n_slots // 2
            sizes[progress[HALF] * each + progress[GROWN] % each] = progress[NODES]
        own = np.arange(nodes.shape[1])
        in_use, split = own < sizes[:, None], nodes[..., SPLIT] != LEAF
        first, last = nodes[..., FIRST], nodes[..., LAST]
        if (in_use & (nodes[..., SPLIT] > self.n_features)).any():
            raise ValueError(f"saved forest must split columns in [1, {self.n_features}]")
        if (in_use & split & ((first <= own) | (first + 1 >= sizes[:, None]))).any():
            raise ValueError("saved forest must have children after their parent, in its tree")
        if (in_use & ~split & ((first > last) | (last > len(answers)))).any():
            raise ValueError(f"saved forest must have leaves of rows in [0, {len(answers)}]")
