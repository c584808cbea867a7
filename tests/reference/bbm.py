"""BanditBBM: Zhang, Jung, Tewari, AISTATS 2019, Algorithms 1 and 2; OnlineMBBM, its fully informed
model: Jung, Goetz, Tewari, Online multiclass boosting, NeurIPS 2017."""

import numpy as np

from .adabandit import estimated_costs, estimated_loss
from .boosted import Boosted
from .observers import total
from .weak import LEAST_WEIGHT, make_weak, teach


class Potential:
    """phi^r_n(s): the chance that r loses when n more votes come, each with an edge for r."""

    def __init__(self, k, gamma, ties):
        self.at_r = (1 - gamma) / k + gamma
        self.elsewhere = (1 - gamma) / k
        self.ties = ties
        self.memo = {}

    def phi(self, n, s, r):
        return self.of_leads(n, [s[j] - s[r] for j in range(len(s)) if j != r])

    def of_leads(self, n, leads):
        """By the leads of the other labels over r, in any order."""
        if max(leads) < -n:
            return 0.0
        if max(leads) > n:
            return 1.0
        if n == 0:
            return self.at_the_end(leads)
        key = n, tuple(sorted(max(lead, -(n + 1)) for lead in leads))
        if key not in self.memo:
            self.memo[key] = self.expected(*key)
        return self.memo[key]

    def expected(self, n, leads):
        result = self.at_r * self.of_leads(n - 1, [lead - 1 for lead in leads])
        for value in sorted(set(leads)):
            moved = list(leads)
            moved[moved.index(value)] += 1
            result += self.elsewhere * leads.count(value) * self.of_leads(n - 1, moved)
        return result

    def at_the_end(self, leads):
        if max(leads) < 0:
            return 0.0
        if max(leads) > 0:
            return 1.0
        winners = 1 + leads.count(0)
        return {"strict": 1.0, "random": 1 - 1 / winners, "lenient": 0.0}[self.ties]


class Majority(Boosted):
    """What both have: one vote for each weak learner."""

    def __init__(self, k, d, n_learners=20, gamma=0.1, potential_ties="random", **weak):
        self.k = k
        self.N = n_learners
        self.potential = Potential(k, gamma, potential_ties)
        self.weak, self.weight_scales = make_weak(self.N, k, d, **weak)

    def votes(self, x):
        """[s^0, s^1, ..., s^N]"""
        s = [[0] * self.k]
        for learner in self.weak:
            following = list(s[-1])
            following[learner.predict(x)] += 1
            s.append(following)
        return s

    def scores(self, x):
        return np.array(self.votes(x)[-1], float)

    def cost_matrix(self, i, s):
        """Equation (9) for weak learner i = 0 ... N-1 with s = s^i in front of it."""
        k = self.k
        C = [[0.0] * k for _ in range(k)]
        for l in range(k):  # noqa: E741
            voted = list(s)
            voted[l] += 1
            for r in range(k):
                C[l][r] = self.potential.phi(self.N - (i + 1), voted, r)
        return C


class BanditBBM(Majority):
    def __init__(self, k, d, rho=0.001, clip=100.0, target="cheapest", **others):
        super().__init__(k, d, **others)
        self.rho = rho
        self.clip = clip
        self.target = target

    def update(self, x, label, greedy, propensity, reward, truth, rng):
        right = label == truth
        loss = estimated_loss(self.k, label, greedy, propensity, right)
        s = self.votes(x)
        for i in range(self.N):
            costs = estimated_costs(self.cost_matrix(i, s[i]), loss)
            known = label if right else None
            scale = self.weight_scales[i]
            teach(self.weak[i], scale, x, costs, self.clip, self.target, known, rng)


class OnlineMBBM(Majority):
    def update(self, x, label, greedy, propensity, reward, truth, rng):
        s = self.votes(x)
        for i in range(self.N):
            C = self.cost_matrix(i, s[i])
            regret = total(C[l][truth] - C[truth][truth] for l in range(self.k))  # noqa: E741
            w = self.weight_scales[i] * regret
            if w >= LEAST_WEIGHT:
                self.weak[i].learn(x, truth, w)
