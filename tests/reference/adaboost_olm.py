"""AdaBoostOLM: Jung, Goetz, Tewari, Online multiclass boosting, NeurIPS 2017."""

import math

from .adabandit import Experts, cost_matrix, slope
from .weak import LEAST_WEIGHT


class AdaBoostOLM(Experts):
    def update(self, x, label, greedy, propensity, reward, truth, rng):
        self.t += 1
        h = self.labels(x)
        s = self.votes(h)
        eta = self.step_scale * 2 * math.sqrt(2) / ((self.k - 1) * math.sqrt(self.t))
        for i in range(self.N):
            C = cost_matrix(s[i])
            w = self.weight_scales[i] * (-C[truth][truth] / (self.k - 1))
            if w >= LEAST_WEIGHT:
                self.weak[i].learn(x, truth, w)
            self.logv[i] -= self.expert_label(s[i + 1], greedy) != truth
            self.move_alpha(i, slope(truth, s[i], h[i], self.alpha[i]), eta)
        self.rescale_experts()
