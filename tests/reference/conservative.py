"""Conservative one-versus-all: Chen, Chen, Zhang, Chen, Zhang, Beyond Banditron, ICDM 2009."""

import numpy as np

from .passive_aggressive import passive_aggressive
from .twin import Twin


class ConservativeOVA(Twin):
    def __init__(self, k, d, variant="PA-I", C=1.0, floor=0.0, gate="none"):
        self.k = k
        self.variant = variant
        self.C = C
        self.floor = floor
        self.gate = gate
        self.W = np.zeros((k, d))

    def scores(self, x):
        return self.W @ x

    def chances(self, x):
        s = self.scores(x)
        best = s == s.max()
        return self.floored(best / best.sum())

    def learn(self, r, x, side):
        self.W[r] = passive_aggressive(self.W[r], x, side, self.variant, self.C)

    def update(self, x, label, greedy, propensity, reward, truth):
        s = self.scores(x)
        if label == truth:
            self.learn(label, x, +1)
            for r in set(range(self.k)) - {label}:
                if not (s[r] < 0 and self.gate in ("right", "all")):
                    self.learn(r, x, -1)
        elif not (s[label] < 0 and self.gate == "all"):
            self.learn(label, x, -1)
