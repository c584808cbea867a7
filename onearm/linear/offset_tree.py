"""The realizable offset tree: a tournament of binary classifiers, taught from leaf to root.

The labels are the leaves of a balanced tree; at every node a linear classifier h decides which side
wins (positive or zero: left). The winner of the root is the greedy label; the score of a leaf is
its smallest margin on the way up, so that the winner has the largest.

Having chosen a and been shown right or wrong, learning starts at a's parent: the node learns to
point towards a if a was right, away from it if wrong. It goes on to the next node up as long as the
nodes point to a, that is, while a wins. No importance weights are needed when some tree is always
right ("realizable").

A. Beygelzimer, J. Langford. The offset tree for learning with partial labels. KDD 2009;
passive-aggressive nodes as in G. Chen et al., Beyond Banditron, ICDM 2009.

Left open there: whether a node points to a is asked `rule` = "before" or "after" it learns. With
"after" a wrong answer never teaches more than one node: several times the errors on SynNonSep.
"""

import math
from dataclasses import dataclass

import numpy as np

from onearm.core.explore import (
    FLOOR_DOC,
    at_least,
    best,
    sample_label,
    uniform_chances,
    uniformly,
)
from onearm.core.learner import Learner, kernel, option, real, state
from onearm.core.vectors import add, linear, sqnorm
from onearm.linear.passive_aggressive import C_DOC, VARIANT_DOC, VARIANTS, step

RULES = ("before", "after")


@kernel
def scores(h, W, t, tree, rules):
    """For each leaf the smallest margin towards it among the nodes above."""
    parent, side = tree
    k = len(h) + 1
    s = np.empty(k)
    for leaf in range(k):
        s[leaf] = np.inf
        node = leaf
        while node < 2 * k - 2:  # the root
            s[leaf] = min(s[leaf], side[node] * h[parent[node] - k])
            node = parent[node]
    return s


@kernel
def rate(t, rules):
    """The exploration rate of this round: min(1, c/√t)."""
    _, _, _, explore, _ = rules
    return min(1.0, explore / math.sqrt(t[0] + 1.0))


@kernel
def chances(h, among, W, t, tree, rules):
    s = scores(h, W, t, tree, rules)
    q = uniform_chances(best(s, among), among, rate(t, rules), len(s))
    return at_least(rules[-1], q, among)


@kernel
def choose(h, among, rng, W, t, tree, rules):
    greedy = best(scores(h, W, t, tree, rules), among)
    if rules[-1] > 0.0:
        return sample_label(chances(h, among, W, t, tree, rules), greedy, rng)
    return uniformly(greedy, among, rate(t, rules), rng)


@kernel
def update(x, h, label, greedy, propensity, reward, truth, rng, W, t, tree, rules):
    parent, side = tree
    variant, C, after, _, _ = rules
    k, n2 = len(h) + 1, sqnorm(x)
    t[0] += 1.0
    towards = 1.0 if label == truth else -1.0
    node = label
    while node < 2 * k - 2:
        b, above = side[node], parent[node]
        f = h[above - k]
        a = step(f, b * towards, n2, variant, C)
        if a != 0.0:
            add(a, x, W, above - k)
        if after:
            f += a * n2
        if (1.0 if f >= 0.0 else -1.0) != b:
            return
        node = above


def tournament(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return for every node but the root its parent and its side: 1 left, -1 right.

    Leaves are 0 … k-1, the others k … 2k-2 in the order in which they are paired.
    """
    parent, side = np.zeros(2 * k - 2, np.int64), np.zeros(2 * k - 2)
    level, new = list(range(k)), k
    while len(level) > 1:
        above = []
        for left, right in zip(level[::2], level[1::2], strict=False):
            parent[left] = parent[right] = new
            side[left], side[right] = 1.0, -1.0
            above.append(new)
            new += 1
        level = above + level[len(level) - len(level) % 2 :]
    return parent, side


@dataclass
class OffsetTree(
    Learner, look=linear, scores=scores, chances=chances, choose=choose, update=update
):
    """Realizable offset tree with passive-aggressive nodes.

    Examples
    --------
    >>> from onearm import SynNonSep
    >>> trace = OffsetTree(n_classes=9, n_features=400).play(SynNonSep(30_000, unit=True))
    >>> int((~trace.correct).sum())
    1734
    """

    variant: str = option("PA-I", *VARIANTS, doc=VARIANT_DOC)
    C: float = real(1.0, "[1e-12, 1e12]", doc=C_DOC)
    rule: str = option(
        "before", *RULES, doc="Whether a node's side is tested before or after the node learns."
    )
    explore: float = real(
        0.0, "[0, 1e12]", doc="Scale c of the exploration rate min(1, c/√t); 0 does not explore."
    )
    floor: float = real(0.0, "[0, 0.5]", doc=FLOOR_DOC)
    weights: np.ndarray = state(lambda self: (self.n_features, self.n_classes - 1))  # by node
    n_updates: np.ndarray = state(1, range="[0, inf)")

    exploration = "explore"
    fixed_labels = "its nodes are those of a tournament of as many labels as it was made with"

    def start(self) -> None:
        super().start()
        self.tree = tournament(self.n_classes)

    def model(self) -> tuple:
        how = VARIANTS.index(self.variant), self.C, self.rule == "after"
        return self.weights, self.n_updates, self.tree, (*how, self.explore, self.floor)
