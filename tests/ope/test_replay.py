"""Replay keeps events as a plain loop does, and learners learn from kept events alone."""

import math

import numpy as np
import pytest

import onearm
from onearm.core.rng import seeded, uniform
from onearm.log import pieces
from onearm.ope import replay as module
from onearm.ope.policies import Learning, Logged, Uniform
from onearm.ope.replay import replay
from tests.ope.random_logs import Given, as_log, distributions, random_arrays
from tests.reference import ope as plain

N, K = 200, 3


def draws(n, seed):
    rng = seeded(seed, module.DRAWS)
    return [uniform(rng) for _ in range(n)]


@pytest.fixture
def even_log():
    """The log of a policy whose least chance is 0.1."""
    events = random_arrays(N)
    p = 0.7 * events.chances + 0.1
    return events._replace(chances=p)


@pytest.mark.parametrize("chunk", [7, 2**16])
@pytest.mark.parametrize("most", [None, 20.0])
def test_kept_events_equal_the_plain_ones(even_log, most, chunk, monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", chunk)
    pi = distributions(np.random.default_rng(1), even_log.allowed, 0.3)
    events = list(zip(range(N), even_log.label, even_log.propensity, even_log.reward, strict=True))
    M = most or 1 / even_log.chances.min()
    expected = plain.replay(events, draws(N, 4), lambda i: pi[i], M)
    kept = replay(as_log(even_log), Given(pi), most, seed=4)
    np.testing.assert_array_equal(kept.reward, expected)
    assert (kept.n_events, kept.most) == (N, M)
    assert 5 < len(expected) < N


def test_a_learner_sees_kept_events_only(even_log):
    given, own = onearm.EpsilonGreedy(K, 2), onearm.EpsilonGreedy(K, 2)
    events = list(
        zip(even_log.X, even_log.label, even_log.propensity, even_log.reward, strict=True)
    )

    def learn(event):
        x, a, p, r = event
        own.update(x, (int(a), None, float(p)), float(r))

    M = 1 / even_log.chances.min()
    expected = plain.replay(events, draws(N, 0), own.chances, M, learn)
    kept = replay(as_log(even_log), Learning(given))
    np.testing.assert_array_equal(kept.reward, expected)
    np.testing.assert_array_equal(given.scores(np.eye(2)), 0)  # the given learner stays as it was


def test_expected_share_and_reward_of_kept_events():
    """Over all draws an event is kept with π/(p M): its mean, by a fine grid of draws."""
    chances = np.array([0.5, 0.2, 0.3])
    pi, reward = np.array([0.1, 0.3, 0.6]), np.array([1.0, 0.5, 0.0])
    grid = (np.arange(30_000) + 0.5) / 30_000
    M, kept, earned = 2.0, 0.0, 0.0
    for a in range(K):
        log = onearm.Log.of(
            np.zeros((30_000, 1)), [a] * 30_000, [chances[a]] * 30_000, [reward[a]] * 30_000,
            n_classes=K,
        )  # fmt: skip
        events, places = log.events(), np.arange(30_000)
        rewards = module._kept(Given(np.tile(pi, (30_000, 1))), events, places, grid, M)
        kept += chances[a] * len(rewards) / 30_000
        earned += chances[a] * rewards.sum() / 30_000
    assert kept == pytest.approx(1 / M, abs=1e-4)
    assert earned / kept == pytest.approx(pi @ reward, abs=1e-4)


def test_uniform_logging_keeps_events_where_the_labels_agree():
    """As Li and others have it: M is k, and a deterministic policy keeps its own labels."""
    rng = np.random.default_rng(0)
    label, reward = rng.integers(0, K, N), rng.random(N)
    even = np.full((N, K), 1 / K)
    log = onearm.Log.of(None, label, even[:, 0], reward, chances=even)
    kept = replay(log, Given(np.eye(K)[np.ones(N, int)]))
    np.testing.assert_array_equal(kept.reward, reward[label == 1])


def test_the_logged_policy_keeps_one_in_most(even_log):
    for whole in (True, False):
        kept = replay(as_log(even_log, whole), Logged(), 2.0, seed=1)
        assert len(kept.reward) == sum(u < 0.5 for u in draws(N, 1))


def test_most_must_be_at_least_every_ratio(even_log):
    with pytest.raises(ValueError, match=r"max_weight must be at least [0-9.]+, got 1\.5"):
        replay(as_log(even_log), Uniform(), 1.5)
    with pytest.raises(ValueError, match=r"max_weight must be at least [0-9.]+, got 1\.5"):
        replay(as_log(even_log), Learning(onearm.EpsilonGreedy(K, 2)), 1.5)


def test_estimates_by_replay(even_log):
    log = as_log(even_log._replace(reward=np.round(even_log.reward)))
    result = onearm.evaluate(log, ["uniform", onearm.EpsilonGreedy], estimator=["replay", "dr"])
    fixed, learning = result.estimates[-2:]
    assert (fixed.estimator, fixed.interval) == ("replay", "clopper_pearson")
    assert (fixed.valid_while_learning, learning.interval) == (False, None)
    assert learning.estimates.startswith("the mean reward of choosing for itself, on ")
    assert f"on {fixed.n_events:,} of {N} events that were kept" in fixed.estimates
    assert math.isnan(learning.low)
    graded = onearm.evaluate(as_log(even_log), "uniform", estimator="replay").estimates[-1]
    assert graded.interval is None  # rewards are not only 0 and 1
    units = as_log(
        even_log._replace(reward=np.where(even_log.reward > 0.5, 5, -3)), rewards=(-3, 5)
    )
    costs = onearm.evaluate(units, "uniform", estimator="replay").estimates[-1]
    assert -3 <= costs.low < costs.value < costs.high <= 5


def test_pending_events_and_those_learnt_from_are_left_out(even_log):
    reward = np.where(np.arange(N) % 2 == 0, np.nan, even_log.reward)
    log = as_log(even_log._replace(reward=reward))
    assert replay(log, Uniform()).n_events == 100
    learner = log.learner(onearm.EpsilonGreedy)
    learner.learn(log.first(50))
    assert onearm.evaluate(log, learner, estimator="replay").estimates[-1].n_events < 75
    assert replay(log, onearm.ope.Frozen(learner)).n_events == 75


def test_nothing_is_kept_of_labels_without_support():
    log = onearm.Log.of(None, [0] * 9, [0.5] * 9, [1.0] * 9, n_classes=2)
    estimate = onearm.evaluate(log, "always 1", estimator="replay").estimates[-1]
    assert math.isnan(estimate.value)
    assert estimate.interval is None
