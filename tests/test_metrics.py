"""Metrics of small traces, by hand."""

import numpy as np
import pytest

from onearm import metrics

RIGHT = np.array([False, False, True, True, True, False, True, True, True, True])


def test_errors():
    assert metrics.error(RIGHT) == pytest.approx(0.3)
    assert metrics.last(RIGHT) == 0.0
    assert metrics.last(RIGHT, 0.5) == pytest.approx(0.2)
    assert metrics.last(RIGHT, 1e-6) == 0.0


def test_curve():
    rounds, value = metrics.curve(RIGHT, points=1000)
    assert rounds.tolist() == list(range(1, 11))
    np.testing.assert_allclose(value, np.cumsum(~RIGHT) / rounds)


def test_windows():
    rounds, value = metrics.windows(RIGHT, 4)
    assert rounds.tolist() == [4, 8]
    assert value.tolist() == [0.5, 0.25]
    with pytest.raises(ValueError, match=r"size must be in \[1, 10\], got 11"):
        metrics.windows(RIGHT, 11)


def test_regret():
    assert metrics.regret(RIGHT, np.ones(10, bool)).tolist() == [1, 2, 2, 2, 2, 3, 3, 3, 3, 3]
    assert metrics.regret(RIGHT, RIGHT).tolist() == [0] * 10


def test_interval():
    """Student's interval for 5 runs: t = 2.776 at 95 %."""
    mean, low, high = metrics.interval(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    half = 2.7764451051977987 * np.sqrt(2.5 / 5)
    assert (mean, low, high) == pytest.approx((3, 3 - half, 3 + half))
    with pytest.raises(ValueError, match="at least 2"):
        metrics.interval(np.array([1.0]))
    with pytest.raises(ValueError, match="level"):
        metrics.interval(np.arange(3.0), 1.0)


def test_majority_is_the_most_frequent_label_so_far():
    rng = np.random.default_rng(0)
    for k in (1, 2, 5, 300):
        y = rng.integers(0, k, 500)
        counts, leader, expected = np.zeros(k, int), None, []
        for label in y:
            expected.append(label == leader)
            counts[label] += 1
            if leader is None or counts[label] > counts[leader]:
                leader = label
        np.testing.assert_array_equal(metrics.majority(y), expected)
