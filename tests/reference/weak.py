"""The weak learners of the boosters, and how a cost vector teaches one.

Zhang, Jung, Tewari, Online multiclass boosting with bandit feedback, AISTATS 2019, Appendix B.3.
"""

import math

import numpy as np

from onearm.core.rng import seeded, uniform

from .boosted import one_of
from .hoeffding_tree import HoeffdingTree
from .observers import lowest_argmax, total

LEAST_WEIGHT = 1e-10


def between(low, high, rng):
    u = uniform(rng)
    return low if low == high else low + (high - low) * u


def log_between(low, high, rng):
    u = uniform(rng)
    return low if low == high else math.exp(math.log(low) + (math.log(high) - math.log(low)) * u)


def as_range(value):
    return value if isinstance(value, (tuple, list)) else (value, value)


def draw_parameters(n, seed, grace_period, delta, tau, weight_scale):
    """The parameters of n weak learners, each sampled from (lo, hi) or given as a number."""
    rng = seeded(seed, 4)
    result = []
    for _ in range(n):
        sampled = {}
        sampled["grace_period"] = between(*as_range(grace_period), rng)
        sampled["delta"] = log_between(*as_range(delta), rng)
        sampled["tau"] = log_between(*as_range(tau), rng)
        sampled["weight_scale"] = between(*as_range(weight_scale), rng)
        result.append(sampled)
    return result


def make_weak(
    n, k, d, weak, seed, grace_period, delta, tau, weight_scale, nominal, leaf_prediction, splitter
):
    """n weak learners and their weight scales."""
    learners, scales = [], []
    for sampled in draw_parameters(n, seed, grace_period, delta, tau, weight_scale):
        scales.append(sampled.pop("weight_scale"))
        if weak == "linear":
            learners.append(Linear(k, d))
        else:
            depth = 1 if weak == "stump" else 0
            form = {"max_depth": depth, "leaf_prediction": leaf_prediction, "splitter": splitter}
            learners.append(HoeffdingTree(k, d, nominal, **sampled, **form))
    return learners, scales


class Linear:
    """A multiclass passive-aggressive learner whose steps are at most the weight."""

    def __init__(self, k, d):
        self.k, self.d = k, d
        self.W = np.zeros((d, k))

    def scores(self, x):
        s = [total(x[j] * self.W[j, c] for j in range(self.d)) for c in range(self.k)]
        return np.array(s)

    def predict(self, x):
        return lowest_argmax(self.scores(x))

    def learn(self, x, label, w):
        s = self.scores(x)
        others = [c for c in range(self.k) if c != label]
        rival = others[lowest_argmax([s[c] for c in others])]
        loss = 1 - (s[label] - s[rival])
        norm2 = total(v * v for v in x)
        if loss > 0 and norm2 > 0:
            tau = min(w, loss / (2 * norm2))
            self.W[:, label] += tau * x
            self.W[:, rival] -= tau * x


def round2(v):
    return math.floor(100 * v + 0.5 + 1e-9) / 100


def weight_of(costs, clip):
    """How much it matters which label is predicted: sum_j (c_j - min c), rounded, clipped."""
    return total(min(clip, round2(c - min(costs))) for c in costs)


def cheapest(costs, clip, known, rng):
    """The label of least cost: of several the known true one, or else one of them at random."""
    rounded = [round2(max(-clip, min(clip, c))) for c in costs]
    minimisers = [j for j in range(len(costs)) if rounded[j] == min(rounded)]
    if known in minimisers:
        return known
    return one_of(minimisers, rng)


def teach(learner, scale, x, costs, clip, target, known, rng):
    """Tell a weak learner its costs as a label with a weight; known = the true label or None."""
    w = scale * weight_of(costs, clip)
    if w < LEAST_WEIGHT:
        return
    if target == "truth" and known is not None:
        label = known
    else:
        label = cheapest(costs, clip, known, rng)
    learner.learn(x, label, w)
