"""Regression trees as weak learners of linear losses ⟨g, h(x)⟩.

A leaf predicts a vector v, ‖v‖ ≤ R, and steps v ← Π(v - η g) with η = lr·n^(-power), n the rows
that it has seen since it was split off. It keeps Σ g for each feature and each of B bins. With
values within R, a cut into parts of sums G₁ and G₂ gains R(‖G₁‖ + ‖G₂‖ - ‖G₁ + G₂‖) over no cut.
Every `GRACE_PERIOD` rows the feature with the largest gain is compared with the next by Hoeffding's
bound, with the mean square of the gradients in the place of their range, which is wide for
estimates from losses. Bins are the quantiles of the first rows, the same for all trees. A stump is
a tree of two leaves.

P. Domingos, G. Hulten. Mining high-speed data streams. KDD 2000.
"""

import math
from dataclasses import dataclass

import numpy as np

from onearm.core.kernels import kernel_without_refcounts
from onearm.core.state import Interval, require_inside, state
from onearm.core.vectors import sqnorm
from onearm.regression.weak_learners import WeakLearners

B = 16  # bins
FIRST = 200  # rows that bins are made of
GRACE_PERIOD = 50  # rows at a leaf between two attempts to split it
LOG_CONFIDENCE = math.log(1.0 / 0.05)  # of a split
TAU = 0.1  # of the gradients' deviation: when gains are known so well, the larger is taken
FEATURE, CUT, BELOW, ABOVE = range(4)  # of a node; BELOW and ABOVE are nodes, or ~leaf
ROWS, SQUARES = range(2)  # of the rows that a leaf has seen: their number, Σ ‖g‖²


@kernel_without_refcounts
def predict(x, a, weak):
    """The values of the leaves that x comes to."""
    (_, edges, n_first), (nodes, n_leaves, value), _, (codes, at, left), _ = weak
    if n_first[0] >= FIRST:
        for j in range(len(x)):
            codes[j] = 0
            for b in range(B - 1):
                codes[j] += x[j] > edges[j, b]
    N, m = len(at), value.shape[2]
    for i in range(N):
        leaf = 0
        if n_leaves[i] > 1:
            node = 0
            while node >= 0:
                under = codes[nodes[i, node, FEATURE]] <= nodes[i, node, CUT]
                node = nodes[i, node, BELOW if under else ABOVE]
            leaf = ~node
        at[i] = leaf
        for k in range(m):
            a[i * m + k] = value[i, leaf, k]


@kernel_without_refcounts
def learn(x, t, g, a, weak):
    """Take a step against the gradients g, at the leaves that predicted last, and split."""
    (first, edges, n_first), (nodes, n_leaves, value), sums, (codes, at, left), settings = weak
    (total, counts, by_bin), (lr, power, R) = sums, settings
    m = value.shape[2]
    for i in range(len(at)):
        leaf = at[i]
        counts[i, leaf, ROWS] += 1.0
        eta, length = lr * counts[i, leaf, ROWS] ** (-power), 0.0
        for k in range(m):
            value[i, leaf, k] -= eta * g[i * m + k]
            length += value[i, leaf, k] * value[i, leaf, k]
        if length > R * R:
            for k in range(m):
                value[i, leaf, k] *= R / math.sqrt(length)
        if n_first[0] < FIRST:
            continue
        for k in range(m):
            total[i, leaf, k] += g[i * m + k]
            counts[i, leaf, SQUARES] += g[i * m + k] * g[i * m + k]
        for j in range(len(x)):
            for k in range(m):
                by_bin[i, leaf, j, codes[j], k] += g[i * m + k]
        if counts[i, leaf, ROWS] % GRACE_PERIOD == 0 and n_leaves[i] < value.shape[1]:
            _split(i, leaf, weak)
    if n_first[0] < FIRST:
        _add_first(x, first, edges, n_first)
        if n_first[0] == FIRST:
            for i in range(len(at)):
                _forget(i, 0, weak)


@kernel_without_refcounts
def _add_first(x, first, edges, n_first):
    """Keep one of the first rows; sorted, the last of them gives the bins."""
    n = n_first[0]
    for j in range(len(x)):
        place = n
        while place > 0 and first[j, place - 1] > x[j]:
            first[j, place] = first[j, place - 1]
            place -= 1
        first[j, place] = x[j]
        if n == FIRST - 1:
            for b in range(B - 1):
                edges[j, b] = first[j, (b + 1) * FIRST // B]
    n_first[0] += 1


@kernel_without_refcounts
def _gain(i, leaf, j, weak):
    """The largest gain of feature j over R, and its cut."""
    _, _, (total, _, by_bin), (_, _, left), _ = weak
    whole, best, cut = math.sqrt(sqnorm(total[i, leaf])), 0.0, 0
    for k in range(len(left)):
        left[k] = 0.0
    for b in range(B - 1):
        under, over = 0.0, 0.0
        for k in range(len(left)):
            left[k] += by_bin[i, leaf, j, b, k]
            under += left[k] * left[k]
            over += (total[i, leaf, k] - left[k]) * (total[i, leaf, k] - left[k])
        gain = math.sqrt(under) + math.sqrt(over) - whole
        if gain > best:
            best, cut = gain, b
    return best, cut


@kernel_without_refcounts
def _split(i, leaf, weak):
    """Split a leaf if the best feature is surely better than the next, or hardly different."""
    _, (nodes, n_leaves, value), (_, counts, by_bin), _, _ = weak
    best, second, feature, cut = 0.0, 0.0, -1, 0
    for j in range(by_bin.shape[2]):
        gain, where = _gain(i, leaf, j, weak)
        if gain > best:
            best, second, feature, cut = gain, best, j, where
        elif gain > second:
            second = gain
    rows = counts[i, leaf, ROWS]
    deviation = math.sqrt(counts[i, leaf, SQUARES] / rows)
    bound = deviation * math.sqrt(2.0 * LOG_CONFIDENCE / rows)
    tied = bound < TAU * deviation and best > rows * bound
    if feature < 0 or not (best - second > rows * bound or tied):
        return
    new, node = n_leaves[i], n_leaves[i] - 1
    for other in range(node):
        for side in (BELOW, ABOVE):
            if nodes[i, other, side] == ~leaf:
                nodes[i, other, side] = node
    nodes[i, node, FEATURE], nodes[i, node, CUT] = feature, cut
    nodes[i, node, BELOW], nodes[i, node, ABOVE] = ~leaf, ~new
    n_leaves[i] += 1
    for k in range(value.shape[2]):
        value[i, new, k] = value[i, leaf, k]
    for emptied in (leaf, new):
        _forget(i, emptied, weak)


@kernel_without_refcounts
def _forget(i, leaf, weak):
    """A new leaf has seen nothing."""
    total, counts, by_bin = weak[2]
    counts[i, leaf, ROWS] = counts[i, leaf, SQUARES] = 0.0
    for k in range(total.shape[2]):
        total[i, leaf, k] = 0.0
        for j in range(by_bin.shape[2]):
            for b in range(B):
                by_bin[i, leaf, j, b, k] = 0.0


@dataclass(eq=False)
class Trees(WeakLearners):
    """Trees of at most `max_leaves` leaves each."""

    max_leaves: int
    first_values: np.ndarray = state("n_features", FIRST)
    bin_edges: np.ndarray = state("n_features", B - 1)
    nodes: np.ndarray = state(lambda w: (w.n_learners, w.max_leaves - 1, 4), dtype=np.int64)
    n_leaves: np.ndarray = state("n_learners", start=1, range="[1, max_leaves]", dtype=np.int64)
    leaf_values: np.ndarray = state("n_learners", "max_leaves", "n_outputs")
    leaf_gradients: np.ndarray = state("n_learners", "max_leaves", "n_outputs")
    leaf_counts: np.ndarray = state("n_learners", "max_leaves", 2, range="[0, 1e150]")
    bin_gradients: np.ndarray = state("n_learners", "max_leaves", "n_features", B, "n_outputs")
    n_first: np.ndarray = state(1, range=f"[0, {FIRST}]", dtype=np.int64)

    kernels = predict, learn

    def __post_init__(self) -> None:
        codes, at = (np.zeros(n, np.int64) for n in (self.n_features, self.n_learners))
        self.scratch = codes, at, np.zeros(self.n_outputs)

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        super().require_sound(saved)
        if saved["n_first"][0] < FIRST:
            require_inside("n_leaves", saved["n_leaves"], Interval("[1, 1]"), "trees")
        for nodes, n in zip(saved["nodes"], saved["n_leaves"], strict=True):
            _require_tree(nodes[: n - 1], self.n_features)

    def model(self) -> tuple:
        bins = self.first_values, self.bin_edges, self.n_first
        trees = self.nodes, self.n_leaves, self.leaf_values
        sums = self.leaf_gradients, self.leaf_counts, self.bin_gradients
        return bins, trees, sums, self.scratch, self.settings


def _require_tree(nodes: np.ndarray, d: int) -> None:
    """Every node asks a feature; its children are later nodes and leaves, each of one parent."""
    feature, cut, below = nodes[:, FEATURE], nodes[:, CUT], nodes[:, [BELOW, ABOVE]]
    if not ((feature >= 0) & (feature < d) & (cut >= 0) & (cut < B)).all():
        raise ValueError(f"saved array nodes must ask features in [0, {d - 1}] and bins below {B}")
    inner = below >= 0
    later = below > np.arange(len(nodes))[:, None]
    n_inner, n_leaves = max(len(nodes) - 1, 0), len(nodes) + 1 if len(nodes) else 0
    fine = np.array_equal(np.sort(below[inner]), np.arange(1, n_inner + 1))
    fine = fine and np.array_equal(np.sort(~below[~inner]), np.arange(n_leaves))
    if not fine or not later[inner].all():
        raise ValueError("saved array nodes must link each node and leaf once, after its parent")
