"""Learners of onearm in an experiment of Coba, beside Coba's own.

Coba gives a context and the actions of a round, and asks for one of them with its probability. What
a learner chose goes with it, and comes back with the reward.
"""

import coba as cb
import numpy as np
from coba.pipes import IterableSource

import onearm


class OnearmLearner:
    """A learner of onearm as a learner of Coba; it is made when sizes are known."""

    def __init__(self, name, **params):
        self.name, self.settings, self.learner = name, params, None

    @property
    def params(self):
        return {"family": f"onearm {self.name}", **self.settings}

    def predict(self, context, actions):
        if self.learner is None:
            cls = getattr(onearm, self.name)
            self.learner = cls(len(actions), len(context), **self.settings)
        choice = self.learner.choose(np.array(context, float))
        return actions[choice.label], choice.propensity, {"choice": choice}

    def learn(self, context, action, reward, probability, choice):
        self.learner.update(np.array(context, float), choice, reward == 1)


def main():
    X, y = onearm.datasets.load("balance").arrays()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    pairs = IterableSource(list(zip(X.tolist(), y.tolist(), strict=True)))
    rows = cb.Environments.from_supervised(pairs, label_type="c")
    learners = [OnearmLearner("Chorus"), OnearmLearner("InverseGap"), cb.RandomLearner()]
    learners.append(cb.BanditEpsilonLearner(epsilon=0.1))
    result = cb.Experiment(rows.shuffle(n=3), learners).run(quiet=True)
    families = dict(zip(*result.learners[["learner_id", "family"]], strict=True))
    rewards = {}
    for learner, reward in zip(*result.interactions[["learner_id", "reward"]], strict=True):
        rewards.setdefault(families[learner], []).append(reward)
    print("learner, mean reward on balance, three shuffles")
    for name, values in sorted(rewards.items(), key=lambda pair: -np.mean(pair[1])):
        print(f"{name:20} {np.mean(values):.3f}")


if __name__ == "__main__":
    main()
