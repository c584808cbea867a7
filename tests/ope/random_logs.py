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


def mild_arrays(n, seed=0, **options):
    """Return events of a policy whose chances are at least 0.1."""
    events = random_arrays(n, seed=seed, **options)
    return events._replace(chances=0.7 * events.chances + 0.1)


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


REWARD = np.array([[0.2, 0.5, 0.7], [0.6, 0.3, 0.4]])  # chances of a reward by context and label
FIXED = np.array([[0.5, 0.3, 0.2], [0.25, 0.25, 0.5]])  # chances of a label of a fixed policy
EPSILON = 0.45  # of the policy that learns: its least chance is 0.15


class Simulated(NamedTuple):
    """Many logs at once: an axis of logs, then of events."""

    context: np.ndarray
    label: np.ndarray
    chances: np.ndarray
    reward: np.ndarray
    logging_value: np.ndarray  # expected reward of each event, given those before

    def arrays(self, i):
        """Return the events of log i."""
        x = self.context[i]
        everything = np.ones(self.chances[i].shape, bool)
        return Arrays(x[:, None] * 1.0, self.label[i], self.chances[i], self.reward[i], everything)


def simulate(n_logs, n, learns, seed):
    """Return logs of a fixed policy, or of ε-greedy by the mean rewards so far in each context."""
    rng, rows = np.random.default_rng(seed), np.arange(n_logs)
    times, wins = np.ones((n_logs, 2, 3)), np.full((n_logs, 2, 3), 0.5)
    parts = []
    for _ in range(n):
        x = rng.integers(0, 2, n_logs)
        p = np.tile(FIXED, (n_logs, 1, 1))
        if learns:
            p = np.full((n_logs, 2, 3), EPSILON / 3)
            best = (wins / times).argmax(axis=2)
            p[rows[:, None], [0, 1], best] += 1 - EPSILON
        mine = p[rows, x]
        a = (rng.random((n_logs, 1)) > np.cumsum(mine, axis=1)[:, :2]).sum(axis=1)
        r = (rng.random(n_logs) < REWARD[x, a]) * 1.0
        parts.append((x, a, mine, r, (p * REWARD).sum(axis=2).mean(axis=1)))
        times[rows, x, a] += 1
        wins[rows, x, a] += r
    return Simulated(*(np.stack(part, axis=1) for part in zip(*parts, strict=True)))
