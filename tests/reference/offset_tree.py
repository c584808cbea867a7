"""Realizable offset tree: Beygelzimer, Langford, KDD 2009, with PA in the nodes as in ICDM 2009.

Leaves are the nodes 0..k-1, inner nodes k..2k-2; node k+i has row i of W. A positive or zero
margin points to the left child.
"""

import numpy as np

from .passive_aggressive import passive_aggressive
from .twin import Twin


class OffsetTree(Twin):
    def __init__(self, k, d, variant="PA-I", C=1.0, rule="before", explore=0.0, floor=0.0):
        self.k = k
        self.variant, self.C = variant, C
        self.rule = rule
        self.explore = explore
        self.floor = floor
        self.W = np.zeros((k - 1, d))
        self.updates = 0
        self.parent, self.side = {}, {}  # of each node; side +1 = left child, -1 = right child
        level, new = list(range(k)), k
        while len(level) > 1:
            above = []
            for i in range(0, len(level) - 1, 2):
                for child, side in (level[i], +1), (level[i + 1], -1):
                    self.parent[child], self.side[child] = new, side
                above.append(new)
                new += 1
            if len(level) % 2 == 1:
                above.append(level[-1])
            level = above

    def path(self, leaf):
        """(inner node, side toward the leaf) from the leaf's parent up to the root."""
        node = leaf
        while node in self.parent:
            yield self.parent[node], self.side[node]
            node = self.parent[node]

    def margin(self, node, x):
        return self.W[node - self.k] @ x

    def scores(self, x):
        k = range(self.k)
        return np.array([min(b * self.margin(n, x) for n, b in self.path(leaf)) for leaf in k])

    def chances(self, x):
        t = self.updates + 1
        eps = min(1.0, self.explore / np.sqrt(t))
        greedy = np.eye(self.k)[np.argmax(self.scores(x))]
        return self.floored((1 - eps) * greedy + eps / self.k)

    def update(self, x, label, greedy, propensity, reward, truth):
        self.updates += 1
        for n, b in self.path(label):
            before = self.margin(n, x)
            target = b if label == truth else -b
            w = self.W[n - self.k]
            self.W[n - self.k] = passive_aggressive(w, x, target, self.variant, self.C)
            h = before if self.rule == "before" else self.margin(n, x)
            if (+1 if h >= 0 else -1) != b:
                break
