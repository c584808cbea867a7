"""Many simulated logs at once, and how many misses a correct interval may have in them.

Two contexts and three labels with known probabilities of a reward. The logging policy is uniform,
or it learns: epsilon-greedy over the means of the rewards so far, so that its propensities depend
on the past. The reward model q of the doubly robust terms is those means, too: predictable.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import binom

REWARD = np.array([[0.2, 0.5, 0.7], [0.6, 0.3, 0.4]])  # of a label in a context
TARGET = np.array([[0.1, 0.3, 0.6], [0.5, 0.0, 0.5]])  # the policy to be evaluated
EPSILON = 0.4  # so w ≤ 0.6/(0.4/3) = 4.5
LOGS, ROUNDS = 1000, 1000
FALSE_ALARM = 1e-6


class Logs(NamedTuple):
    """Arrays (logs, rounds); the terms of rewards 1 - r are for upper bounds."""

    w: np.ndarray
    r: np.ndarray
    dr: np.ndarray  # φ with k = 1
    dr_mirrored: np.ndarray
    value: np.ndarray  # (rounds,): the target's, given the past
    logging_value: np.ndarray


def simulate(learns: bool, drifts: bool, seed: int) -> Logs:
    rng, rows = np.random.default_rng(seed), np.arange(LOGS)
    n, wins = np.zeros((LOGS, 3)), np.zeros((LOGS, 3))
    rounds = []
    for t in range(ROUNDS):
        reward = REWARD * (0.7 + 0.3 * np.cos(t / 100)) if drifts else REWARD
        x = rng.integers(0, 2, LOGS)
        p, q = np.full((LOGS, 3), 1 / 3), (0.5 + wins) / (n + 1)
        if learns:
            p = np.full((LOGS, 3), EPSILON / 3)
            p[rows, q.argmax(axis=1)] += 1 - EPSILON
        a = (rng.random((LOGS, 1)) > np.cumsum(p, axis=1)[:, :2]).sum(axis=1)
        r = (rng.random(LOGS) < reward[x, a]) * 1.0
        w = TARGET[x] / p
        phi, mirrored = (
            predictable_dr(w, a, *kind, TARGET[x]) for kind in ((r, q), (1 - r, 1 - q))
        )
        value = (TARGET * reward).sum() / 2
        rounds.append((w[rows, a], r, phi, mirrored, value, (p * reward.mean(axis=0)).sum(axis=1)))
        n[rows, a] += 1
        wins[rows, a] += r
    return Logs(*(np.array(part).T for part in zip(*rounds, strict=True)))


def predictable_dr(w, a, r, q, pi, k=1.0):
    """φ = w(A) (r - min(q(A), k/w(A))) + Σ_a π(a) min(q(a), k/w(a)) ≥ -k."""
    with np.errstate(divide="ignore"):
        limited = np.minimum(q, k / w)
    rows = np.arange(len(a))
    return w[rows, a] * (r - limited[rows, a]) + (pi * limited).sum(axis=1)


def most_misses(alpha: float) -> int:
    """Return a number that is exceeded with probability 1e-6 if a miss has probability α."""
    return int(binom.isf(FALSE_ALARM, LOGS, alpha))


def fewest_misses(alpha: float) -> int:
    """Return a number that is not reached with probability 1e-6 if a miss has probability α."""
    return int(binom.ppf(FALSE_ALARM, LOGS, alpha))
