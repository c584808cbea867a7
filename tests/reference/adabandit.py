"""AdaBandit: Zhang, Jung, Tewari, AISTATS 2019, Algorithms 1 and 3."""

import math

import numpy as np

from onearm.core.rng import draw

from .boosted import Boosted, maxima, one_of
from .observers import total
from .weak import make_weak, teach


def estimated_loss(k, label, greedy, propensity, right):
    """Equation (4): the loss of each label, without bias."""
    loss = [0.0] * k
    for i in range(k):
        if right and i != label and i != greedy:
            loss[i] = 1 / propensity
        if not right and label == greedy and i == greedy:
            loss[i] = 1 / propensity
    return loss


def estimated_costs(C, loss):
    """Equation (5): C (1 - loss)."""
    k = len(loss)
    return [total(C[l][r] * (1 - loss[r]) for r in range(k)) for l in range(k)]  # noqa: E741


def sig(u):
    return 1 / (1 + math.exp(-u))


def cost_matrix(s):
    """Equation (10): entry [l][r] is the cost of predicting l when r is true."""
    k = len(s)
    C = [[0.0] * k for _ in range(k)]
    for r in range(k):
        for l in range(k):  # noqa: E741
            if l != r:
                C[l][r] = sig(s[l] - s[r])
        C[r][r] = -total(sig(s[j] - s[r]) for j in range(k) if j != r)
    return C


def slope(y, s, h, alpha):
    """The derivative in alpha of l_y(s + alpha e_h), l_y(s) = sum_{l != y} log(1+exp(s_l-s_y))."""
    if h != y:
        return sig(s[h] + alpha - s[y])
    return -total(sig(s[j] - s[y] - alpha) for j in range(len(s)) if j != y)


class Experts(Boosted):
    """What both have: votes weighted by alpha, and Hedge over the N partial sums of them."""

    def __init__(
        self,
        k,
        d,
        n_learners=15,
        step="paper",
        step_scale=1.0,
        tie_break="random",
        share=0.0,
        **weak,
    ):
        self.k = k
        self.N = n_learners
        self.step, self.step_scale = step, step_scale
        self.tie_break, self.share = tie_break, share
        self.weak, self.weight_scales = make_weak(self.N, k, d, **weak)
        self.alpha = [0.0] * self.N
        self.logv = [0.0] * self.N
        self.G2 = [0.0] * self.N  # sums of squared gradients
        self.t = 0

    def state(self):
        return super().state() | {"vote_weights": self.alpha, "log_expert_weights": self.logv}

    def labels(self, x):
        return [learner.predict(x) for learner in self.weak]

    def votes(self, h):
        """[s^0, s^1, ..., s^N]"""
        s = [[0.0] * self.k]
        for i in range(self.N):
            following = list(s[-1])
            following[h[i]] += self.alpha[i]
            s.append(following)
        return s

    def expert_chances(self):
        v = [math.exp(logv - max(self.logv)) for logv in self.logv]
        return np.array([v_i / total(v) for v_i in v])

    def candidates(self, s, among):
        """The labels among which the expert with the votes s draws."""
        best = maxima(s, among)
        return best if self.tie_break == "random" else best[:1]

    def greedy_chances(self, x, among):
        P = self.expert_chances()
        s = self.votes(self.labels(x))
        p = np.zeros(self.k)
        for i in range(self.N):
            best = self.candidates(s[i + 1], among)
            for r in best:
                p[r] += P[i] / len(best)
        return p

    def scores(self, x):
        return self.greedy_chances(x, range(self.k))

    def choose_greedy(self, x, among, rng):
        i = draw(self.expert_chances(), rng)
        s = self.votes(self.labels(x))
        return one_of(self.candidates(s[i + 1], among), rng)

    def expert_label(self, s, greedy):
        """What an expert with the votes s chose, if the booster's greedy label was this."""
        best = maxima(s, range(self.k))
        return greedy if greedy in best else best[0]

    def move_alpha(self, i, G, eta):
        if self.step == "adaptive":
            self.G2[i] += G * G
            if self.G2[i] == 0:
                return
            eta = self.step_scale / math.sqrt(self.G2[i])
        self.alpha[i] = max(-2.0, min(2.0, self.alpha[i] - eta * G))

    def rescale_experts(self):
        """Keep the log weights of the experts in range, and share if asked to."""
        top = max(self.logv)
        self.logv = [logv - top for logv in self.logv]
        if self.share > 0:
            v = [math.exp(logv) for logv in self.logv]
            mixed = [(1 - self.share) * v_i / total(v) + self.share / self.N for v_i in v]
            self.logv = [math.log(v_i) for v_i in mixed]


class AdaBandit(Experts):
    def __init__(self, k, d, rho=0.001, clip=100.0, target="cheapest", **others):
        super().__init__(k, d, **others)
        self.rho = rho
        self.clip = clip
        self.target = target

    def update(self, x, label, greedy, propensity, reward, truth, rng):
        self.t += 1
        right = label == truth
        loss = estimated_loss(self.k, label, greedy, propensity, right)
        h = self.labels(x)
        s = self.votes(h)
        eta = self.step_scale * self.rho / (self.k**2 * math.sqrt(self.t))
        for i in range(self.N):
            costs = estimated_costs(cost_matrix(s[i]), loss)
            known = label if right else None
            scale = self.weight_scales[i]
            teach(self.weak[i], scale, x, costs, self.clip, self.target, known, rng)
            self.logv[i] -= loss[self.expert_label(s[i + 1], greedy)]
            slopes = [slope(j, s[i], h[i], self.alpha[i]) for j in range(self.k)]
            G = total((1 - loss[j]) * slopes[j] for j in range(self.k))
            self.move_alpha(i, G, eta)
        self.rescale_experts()
