"""Metrics: what a trace amounts to. An error is always that of the chosen label."""

from typing import NamedTuple

import numpy as np

from onearm.core.kernels import kernel


class Curve(NamedTuple):
    """A quantity over the rounds."""

    rounds: np.ndarray
    value: np.ndarray


class Interval(NamedTuple):
    """A mean with its confidence interval."""

    mean: float
    low: float
    high: float


def error(correct: np.ndarray) -> float:
    """Return the share of rounds that were wrong; of rewards, what they are below 1 on average.

    >>> error(np.array([True, False, True, True]))
    0.25
    """
    return 1.0 - float(np.mean(correct))


def last(correct: np.ndarray, share: float = 0.1) -> float:
    """Return the error over the last part of the rounds, a tenth by default; at least one round."""
    n = max(1, round(share * len(correct)))
    return error(correct[len(correct) - n :])


def area(correct: np.ndarray) -> float:
    """Return the area under the curve of the error so far: its mean over all rounds.

    >>> area(np.array([False, True, True, False]))
    0.583...
    """
    wrong = np.cumsum(_wrong(correct))
    return float(np.mean(wrong / np.arange(1, len(wrong) + 1)))


def curve(correct: np.ndarray, points: int = 200) -> Curve:
    """Return the error of the first t rounds, for t spaced evenly on a logarithmic scale.

    >>> curve(np.array([False, True, True, False]), points=3)
    Curve(rounds=array([1, 2, 4]), value=array([1. , 0.5, 0.5]))
    """
    rounds = curve_rounds(len(correct), points)
    return Curve(rounds, np.cumsum(_wrong(correct))[rounds - 1] / rounds)


def curve_rounds(n: int, points: int = 200) -> np.ndarray:
    """Return the rounds of `curve` for n rounds in all."""
    return np.unique(np.geomspace(1, n, points).round().astype(np.int64))


def windows(correct: np.ndarray, size: int) -> Curve:
    """Return the error of each window of `size` rounds, by the round in which it ends."""
    if not 1 <= size <= len(correct):
        raise ValueError(f"size must be in [1, {len(correct)}], got {size}")
    n = len(correct) // size * size
    wrong = _wrong(correct[:n]).reshape(-1, size)
    return Curve(np.arange(size, n + 1, size), wrong.mean(axis=1))


def _wrong(correct: np.ndarray) -> np.ndarray:
    """Return 1 for wrong and 0 for right; of rewards, what is missing to 1."""
    correct = np.asarray(correct)
    return 1.0 - correct if correct.dtype.kind == "f" else ~correct.astype(bool)


def regret(correct: np.ndarray, comparator: np.ndarray) -> np.ndarray:
    """Return after each round how many more mistakes there were than a comparator's."""
    return np.cumsum(_wrong(correct) * 1 - _wrong(comparator) * 1)


def interval(values: np.ndarray, level: float = 0.95) -> Interval:
    """Return the mean of independent runs with Student's interval.

    >>> interval(np.array([1.0, 2.0, 3.0]))
    Interval(mean=2.0, low=-0.484..., high=4.484...)
    """
    from scipy.special import stdtrit

    values = np.asarray(values, float)
    if len(values) < 2:
        raise ValueError(f"values must be of at least 2 runs, got {len(values)}")
    if not 0 < level < 1:
        raise ValueError(f"level must be in (0, 1), got {level}")
    t = float(stdtrit(len(values) - 1, (1 + level) / 2))
    half = t * float(values.std(ddof=1)) / len(values) ** 0.5
    mean = float(values.mean())
    return Interval(mean, mean - half, mean + half)


def majority(y: np.ndarray) -> np.ndarray:
    """Return the `correct` of always choosing the most frequent label so far, a baseline.

    Of equally frequent labels the first to be so; the first round, with no label yet, is wrong.
    Of rewards, (n, k), the label with the largest sum so far, at first the first.

    >>> majority(np.array([2, 2, 0, 0, 0, 2])).astype(int)
    array([0, 1, 0, 0, 0, 0])
    """
    if np.ndim(y) == 2:
        before = np.cumsum(y, axis=0) - y
        return np.asarray(y, float)[np.arange(len(y)), before.argmax(axis=1)]
    return _majority(np.asarray(y, np.int64), int(np.max(y)) + 1)


@kernel
def _majority(y, k):
    counts, correct, leader = np.zeros(k, np.int64), np.zeros(len(y), np.bool_), -1
    for t in range(len(y)):
        correct[t] = y[t] == leader
        counts[y[t]] += 1
        if leader < 0 or counts[y[t]] > counts[leader]:
            leader = y[t]
    return correct
