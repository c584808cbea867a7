"""Online bagging as exploration: Bietti, Agarwal, Langford, A contextual bandit bake-off, JMLR
2021; online bootstrap with Poisson counts by Oza, Russell 2001."""

import numpy as np

from onearm.core.rng import poisson

from .adaptive import ETA, Adaptive
from .twin import Twin


class Bag(Twin):
    def __init__(self, k, d, n_bags=5, epsilon=0.05, loss="logistic", eta=0.5):
        self.k = k
        self.epsilon = epsilon
        self.bags = [Adaptive(k, d, loss, eta) for _ in range(n_bags)]

    @classmethod
    def resolved(cls, learner):
        return {"eta": learner.eta or ETA[learner.loss]}

    def draws(self, learner):
        """How often each bag gets the answer."""
        rng = learner.updating.copy()
        return ([poisson(1.0, rng) for _ in self.bags],)

    def scores(self, x):
        return np.mean([bag.margins(x) for bag in self.bags], axis=0)

    def chances(self, x):
        votes = np.zeros(self.k)
        for bag in self.bags:
            votes[np.argmax(bag.margins(x))] += 1
        return (1 - self.epsilon) * votes / len(self.bags) + self.epsilon / self.k

    def update(self, x, label, greedy, propensity, reward, truth, counts):
        for bag, count in zip(self.bags, counts, strict=True):
            if count == 0:
                continue
            bag.learn(label, x, reward, count)
            if truth == label:
                for a in range(self.k):
                    if a != label:
                        bag.learn(a, x, 0, count)
