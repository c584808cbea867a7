"""A learner so plain that a dict can stand for it: the mean reward of every label."""

from dataclasses import dataclass

import numpy as np

from onearm.core.explore import best, uniform_chances, uniformly
from onearm.core.kernels import kernel
from onearm.core.learner import Learner, state

EPSILON = 0.25


@kernel
def look(x, totals, counts):
    means = np.zeros(len(totals))
    for r in range(len(means)):
        means[r] = totals[r] / max(1.0, counts[r])
    return means


@kernel
def chances(means, among, totals, counts):
    return uniform_chances(best(means, among), among, EPSILON, len(means))


@kernel
def choose(means, among, rng, totals, counts):
    return uniformly(best(means, among), among, EPSILON, rng)


@kernel
def update(x, means, label, greedy, propensity, reward, truth, rng, totals, counts):
    totals[label] += reward
    counts[label] += 1.0


@dataclass
class Means(Learner, look=look, chances=chances, choose=choose, update=update):
    """The mean reward of every label, whatever the row."""

    totals: np.ndarray = state("n_classes")
    counts: np.ndarray = state("n_classes", range="[0, inf)")

    missing = True
    real_rewards = True
    off_policy = True

    def model(self):
        return self.totals, self.counts
