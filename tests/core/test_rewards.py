"""Rewards of all labels in the place of true labels: play, streams, metrics, races."""

from functools import partial

import numpy as np
import pytest

import onearm
from onearm import Banditron, Chorus, LinUCB, Prepared, Separable, Stream, Tally, metrics
from onearm.checks.trial import bits, same_trace

K, D = 3, 4


def rows(n=80):
    X, y = Separable(n, K, D, seed=1).arrays()
    return X, y, np.random.default_rng(2).random((n, K))


def test_rewards_of_one_right_label_are_right_or_wrong():
    """A ridge regression of rewards learns the same from both."""
    X, y, _ = rows()
    first, second = LinUCB(K, D), LinUCB(K, D)
    trace, earned = first.play(X, y), second.play(X, np.eye(K)[y])
    assert same_trace(trace, earned)
    assert (trace.correct.dtype, earned.correct.dtype) == (bool, float)
    assert bits(first) == bits(second)


def test_learn_replays_a_trace_of_rewards():
    X, _, rewards = rows()
    first, second = LinUCB(K, D), LinUCB(K, D)
    second.learn(X, first.play(X, rewards))
    assert bits(first, "choosing") == bits(second, "choosing")


def test_tally_and_progress_sum_rewards_up():
    X, y, rewards = rows()
    calls = []
    earned = LinUCB(K, D).play(X, rewards).correct.sum()
    tally = LinUCB(K, D).play(X, rewards, trace=False, progress=lambda *n: calls.append(n))
    assert tally == Tally(80, pytest.approx(earned))
    assert calls[-1] == tuple(tally)
    right = LinUCB(K, D).play(X, y, trace=False).correct
    assert type(right) is int


@pytest.mark.parametrize(
    ("cls", "change", "message"),
    [
        (Banditron, lambda R: R, "y must be labels, .* not from rewards, for Banditron"),
        (partial(Prepared, learner="Banditron"), lambda R: R, "not from rewards, for Banditron"),
        (LinUCB, lambda R: R[:, :2], r"the rewards of 3 labels for each of 80 rows, got .*80, 2"),
        (LinUCB, lambda R: R + 0.5, r"rewards must be in \[0, 1\], got 1\.\d+ for label \d in row"),
        (LinUCB, lambda R: np.where(R > 0.9, np.nan, R), r"rewards must be in \[0, 1\], got nan"),
    ],
)
def test_wrong_rewards_are_refused(cls, change, message):
    X, _, rewards = rows()
    learner = cls(K, D)
    before = bits(learner)
    with pytest.raises(ValueError, match=message):
        learner.play(X, change(rewards))
    assert bits(learner) == before


def test_streams_have_rewards():
    X, y, rewards = rows()
    stream = Stream.of(X, rewards)
    assert stream.n_classes == K
    order = stream.shuffled(3).arrays()
    np.testing.assert_array_equal(
        order[1], rewards[[np.flatnonzero((X == x).all(1))[0] for x in order[0]]]
    )
    table = np.array([[1.0, 0.2, 0.0], [0.5, 1.0, 0.3], [0.1, 0.4, 0.9]])
    given = Stream.of(X, y).rewarded(table)
    np.testing.assert_array_equal(given.arrays()[1], table[y])
    with pytest.raises(ValueError, match="rewards must be in"):
        Stream.of(X, y).rewarded(2 * table)


def test_exchanged_labels_exchange_their_rewards():
    X, y, _ = rows()
    labels = Stream.of(X, y).drifting([40], seed=5).arrays()[1]
    rewards = Stream.of(X, np.eye(K)[y]).drifting([40], seed=5).arrays()[1]
    np.testing.assert_array_equal(rewards, np.eye(K)[labels])


def test_metrics_of_rewards():
    earned = np.array([1.0, 0.5, 0.0, 0.75])
    assert metrics.error(earned) == pytest.approx(1.75 / 4)
    np.testing.assert_allclose(metrics.curve(earned, 3).value, [0.0, 0.25, 1.75 / 4])
    np.testing.assert_allclose(metrics.windows(earned, 2).value, [0.25, 0.625])
    assert metrics.area(earned) == pytest.approx(np.mean([0, 0.25, 0.5, 1.75 / 4]))
    np.testing.assert_allclose(metrics.regret(earned, np.ones(4)), [0, 0.5, 1.5, 1.75])
    rewards = np.array([[0.0, 1.0], [0.2, 0.1], [0.8, 0.0], [0.4, 0.3]])
    np.testing.assert_allclose(metrics.majority(rewards), [0.0, 0.1, 0.0, 0.3])


def test_a_race_on_rewards(tmp_path):
    X, _, rewards = rows(120)
    stream = Stream.of(X, rewards, name="paid")
    results = onearm.race([stream], ["LinUCB"], out=tmp_path, in_order=True, raw=True)
    assert results.runs[0]["error"] == pytest.approx(
        1 - LinUCB(K, D, seed=0).play(X, rewards).correct.mean(), abs=1e-8
    )


@pytest.mark.compiled
def test_chorus_learns_from_rewards_nearly_as_from_right_and_wrong():
    """Stacking trusts the regression of rewards first, which is not the best on such rows."""
    errors = np.zeros(2)
    for seed in range(4):
        X, y = Separable(3000, 5, 10, seed=seed).arrays()
        for i, given in enumerate((y, np.eye(5)[y])):
            errors[i] += metrics.error(Chorus(5, 10, n_components=256).play(X, given).correct) / 4
    assert errors[0] < 0.011
    assert errors[1] <= 1.2 * errors[0]


@pytest.mark.compiled
def test_chorus_finds_the_best_of_labels_that_all_earn_much():
    """Labels earn 0.8 + 0.2·[it is the true one]; guessing loses 0.16, always the same one too."""
    X, y = Separable(4000, 5, 10, seed=2).arrays()
    earned = Chorus(5, 10, n_components=256).play(X, 0.8 + 0.2 * np.eye(5)[y]).correct
    assert metrics.last(earned) < 0.02


@pytest.mark.compiled
def test_chorus_learns_from_rare_rewards():
    """Where few of 10 labels are ever clicked, one that a column tells is found."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 6))
    chances = np.full((6000, 10), 0.02)
    chances[np.arange(6000), np.where(X[:, 0] > 0, 3, 7)] = 0.15
    clicked = (rng.random(chances.shape) < chances).astype(float)
    labels = Chorus(10, 6, n_components=256).play(X, clicked).label
    regret = (0.15 - chances[np.arange(6000), labels])[3000:].mean()
    assert regret < 0.03
