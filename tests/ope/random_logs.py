"""Random small logs, as arrays and as a Log."""

from typing import NamedTuple

import numpy as np

import onearm
from onearm.ope.policies import Policy


class Arrays(NamedTuple):
    """The events of a log."""

    X: np.ndarray
    label: np.ndarray
    chances: np.ndarray
    reward: np.ndarray
    allowed: np.ndarray

    @property
    def propensity(self):
        return self.chances[np.arange(len(self.label)), self.label]


def distributions(rng, allowed, zeros=0.0):
    """Return random distributions over allowed labels; `zeros` of the chances are 0."""
    p = rng.exponential(size=allowed.shape) * allowed
    p *= rng.random(p.shape) >= zeros
    empty = p.sum(axis=1) == 0
    p[empty] = allowed[empty]
    return p / p.sum(axis=1, keepdims=True)


def random_arrays(n, k=3, d=2, seed=0, rewards=(0.0, 1.0), limited=False, zeros=0.0):
    """Return events of a random policy; the reward depends on row and label."""
    rng = np.random.default_rng(seed)
    allowed = np.ones((n, k), bool)
    if limited:
        allowed = rng.random((n, k)) < 0.6
        allowed[np.arange(n), rng.integers(0, k, n)] = True
    X, p = rng.normal(size=(n, d)), distributions(rng, allowed, zeros)
    label = np.array([rng.choice(k, p=row) for row in p])
    chance = 1 / (1 + np.exp(-X[:, 0] * np.where(label % 2, 1, -1)))
    reward = np.where(rng.random(n) < 0.5, rng.random(n) < chance, chance)
    return Arrays(X, label, p, rewards[0] + (rewards[1] - rewards[0]) * reward, allowed)


def as_log(events, whole=True, **about):
    """Return the log of arrays, with whole distributions or propensities alone."""
    about = {"n_classes": events.chances.shape[1], "allowed": events.allowed} | about
    chances = events.chances if whole else None
    return onearm.Log.of(
        events.X, events.label, events.propensity, events.reward, chances=chances, **about
    )


class Given(Policy):
    """Chances that are given for each event of the log, None for the logged label only."""

    def __init__(self, chances, name="given"):
        self.values, self.name = chances, name

    def chances(self, events, places):
        return self.values[places]
