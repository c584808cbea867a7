"""Estimates have the right mean: by enumerating the chosen label, with its chances."""

from itertools import product

import numpy as np
import pytest

from onearm import RDUE, SOBA, Banditron, Gaptron, Newtron
from onearm.checks.trial import rows
from onearm.core.estimate import doubly_robust, inverse_propensity, zero_one_loss
from onearm.core.explore import elsewhere, inverse_gap, uniformly
from onearm.core.rng import seeded

K, D = 5, 4


def taught(cls, **params):
    learner = cls(K, D, **params)
    learner.play(*rows(learner, 80))
    return learner


def mean_over_labels(learner, x, y, what):
    """The mean of what(learner after hearing about a label, before) over the label."""
    greedy = int(learner.predict(x[None])[0])
    total = 0.0
    for label, p in enumerate(learner.chances(x[None])[0]):
        copy = type(learner)(**learner.params())
        for name, array in learner.arrays().items():
            copy.arrays()[name][...] = array
        copy.update(x, (label, greedy, p), label == y)
        total = total + p * what(copy, learner)
    return total


def examples(learner):
    return product(rows(learner, 6, seed=9)[0], range(K))


def test_banditron_steps_like_the_perceptron():
    learner = taught(Banditron, gamma=0.3)
    for x, y in examples(learner):
        step = mean_over_labels(learner, x, y, lambda new, old: new.weights - old.weights)
        perceptron = np.zeros((D, K))
        perceptron[:, y] += x
        perceptron[:, learner.predict(x[None])[0]] -= x
        np.testing.assert_allclose(step, perceptron, atol=1e-12)


def theta(learner):
    """The sums whose quotients are a diagonal SOBA's weights."""
    return learner.weights * learner.second_order


def test_soba_gradient_is_that_of_the_margin():
    learner = taught(SOBA, gamma=0.3)
    learner.sums[0] = 1e9  # past margins allow every update
    for x, y in examples(learner):
        step = mean_over_labels(learner, x, y, lambda new, old: theta(new) - theta(old))
        s = learner.scores(x[None])[0]
        s[y] = -np.inf
        margin = np.zeros((D, K))
        margin[:, y] += x
        margin[:, s.argmax()] -= x
        np.testing.assert_allclose(step, margin, atol=1e-10)


def test_soba_second_moment():
    """E[z zᵀ] is the outer product of e_ȳ - e_y, whatever the exploration; here its diagonal."""
    learner = taught(SOBA, gamma=0.3)
    learner.sums[0] = 1e9
    for x, y in examples(learner):
        s = learner.scores(x[None])[0]
        s[y] = -np.inf
        grown = mean_over_labels(
            learner, x, y, lambda new, old: new.second_order - old.second_order
        )
        expected = np.zeros((D, K))
        expected[:, y] = expected[:, s.argmax()] = x * x
        np.testing.assert_allclose(grown, expected, atol=1e-10)


@pytest.mark.parametrize("diagonal", [True, False])
def test_newtron_gradient_is_the_logistic_one(diagonal):
    """With β → 0 the change of b = -A V is G itself."""
    learner = taught(Newtron, gamma=0.3, beta=1e-9, alpha=2.0, D=1.0, diagonal=diagonal)

    def b(learner):
        if diagonal:
            return -learner.weights * learner.second_order
        inverse = learner.second_order.reshape(D * K, D * K)
        return -np.linalg.solve(inverse, learner.weights.ravel()).reshape(D, K)

    for x, y in examples(learner):
        step = mean_over_labels(learner, x, y, lambda new, old: b(new) - b(old))
        p = np.exp(2.0 * learner.scores(x[None])[0])
        p = p / p.sum() - np.eye(K)[y]
        np.testing.assert_allclose(step, np.outer(x, p), atol=1e-6)


def surrogate(loss, s, y):
    """The surrogate losses of Gaptron, as its paper writes them."""
    others = np.delete(s, y)
    margin = s[y] - others.max()
    if loss == "logistic":
        return -np.log2(np.exp(s[y]) / np.exp(s).sum())
    if loss == "hinge":
        return 1 - margin if margin <= 0.5 else 0.0
    return 1 - 2 * margin if margin <= 0 else (1 - margin) ** 2 if margin < 1 else 0.0


@pytest.mark.parametrize("loss", ["logistic", "hinge", "smooth_hinge"])
def test_gaptron_gradient_is_that_of_its_loss(loss):
    learner = taught(Gaptron, loss=loss, gamma=0.3, D=0.5)

    def gradient(new, old):
        return (old.weights - new.weights) / (0.5 / np.sqrt(2 * (1e-8 + new.squared_gradients[0])))

    for x, y in examples(learner):
        mean = mean_over_labels(learner, x, y, gradient)
        np.testing.assert_allclose(mean, numeric(loss, learner.weights, x, y), atol=1e-5)


def test_rdue_gradient_is_the_logistic_one():
    learner = taught(RDUE, q0=0.3, B=0.5)

    def gradient(new, old):
        return (old.weights - new.weights) / (0.5 / np.sqrt(2 * (1e-8 + new.squared_gradients[0])))

    for x, y in examples(learner):
        mean = mean_over_labels(learner, x, y, gradient)
        np.testing.assert_allclose(mean, numeric("logistic", learner.weights, x, y), atol=1e-5)


def numeric(loss, W, x, y, h=1e-6):
    """The gradient of the loss by finite differences."""
    G = np.zeros_like(W)
    for j, r in product(range(D), range(K)):
        up, down = W.copy(), W.copy()
        up[j, r] += h
        down[j, r] -= h
        G[j, r] = (surrogate(loss, x @ up, y) - surrogate(loss, x @ down, y)) / (2 * h)
    return G


@pytest.mark.parametrize("k", [2, 3, 7])
def test_zero_one_loss_has_the_loss_as_mean(k):
    for y, greedy, rho in product(range(k), range(k), (0.001, 0.1, 0.5, 0.9)):
        mean = np.zeros(k)
        for label in range(k):
            p = 1 - rho if label == greedy else rho / (k - 1)
            truth = y if label == y else -1
            mean += p * zero_one_loss(label, greedy, p, truth, k)
        np.testing.assert_allclose(mean, 1 - np.eye(k)[y], atol=1e-12)


def test_policy_targets_have_the_rewards_as_mean():
    rng = np.random.default_rng(0)
    for _ in range(20):
        rewards, q, p = rng.random(K), rng.normal(size=K), rng.dirichlet(np.ones(K))
        ips = sum(p[a] * inverse_propensity(a, p[a], rewards[a], K) for a in range(K))
        dr = sum(p[a] * doubly_robust(q, a, p[a], rewards[a]) for a in range(K))
        np.testing.assert_allclose(ips, rewards - 1, atol=1e-12)
        np.testing.assert_allclose(dr, rewards, atol=1e-12)


@pytest.mark.parametrize("explore", [uniformly, elsewhere])
@pytest.mark.parametrize("among", [[0, 1, 2, 3], [1, 3], [2]])
def test_exploration_has_the_stated_chances(explore, among):
    """400 draws; a count is off by 5.5 standard deviations with a chance of 4 in 10⁸."""
    allowed, n, rate = np.array(among), 400, 0.4
    counts, promised = {}, {}
    rng = seeded(5)
    for _ in range(n):
        label, greedy, p = explore(allowed[-1], allowed, rate, rng)
        counts[label], promised[label] = counts.get(label, 0) + 1, p
        assert greedy == allowed[-1]
    assert set(counts) == set(among)
    assert sum(promised.values()) == pytest.approx(1)
    for label, count in counts.items():
        p = promised[label]
        assert abs(count - n * p) <= 5.5 * np.sqrt(n * p * (1 - p)) + 1e-9


def test_inverse_gap_is_a_distribution():
    cost, among = np.array([0.2, 0.5, 0.1, 0.9]), np.array([0, 1, 3])
    for g, fast in product((0.0, 1.0, 1e6), (False, True)):
        p = inverse_gap(cost, 0, among, g, fast)
        assert p.sum() == pytest.approx(1)
        assert p[2] == 0
        assert (p[among] >= 0).all()
        if g == 0.0:
            np.testing.assert_allclose(p[among], 1 / 3)
    np.testing.assert_allclose(inverse_gap(cost, 0, among, 10.0, False)[1], 1 / (3 + 10 * 0.3))
    np.testing.assert_allclose(inverse_gap(cost, 0, among, 10.0, True)[1], 0.2 / (0.6 + 10 * 0.3))
