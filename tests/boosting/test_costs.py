"""What boosters teach from: estimates with the right mean (enumerated), costs that are slopes."""

from itertools import product

import numpy as np
import pytest

from onearm.boosting.adabandit import logistic_cost, slope
from onearm.boosting.costs import cents, cheapest, importance
from onearm.boosting.potential import expected_costs, potential, vote
from onearm.core.estimate import zero_one_loss
from onearm.core.explore import elsewhere, elsewhere_chances
from onearm.core.rng import seeded
from tests.reference import weak
from tests.reference.adabandit import cost_matrix
from tests.reference.potential import Potential

K = 5
RATES = (0.001, 0.1, 0.5, 0.9)


def mean_over_elsewhere(k, y, greedy, rho, what):
    """The mean of what(l̂) over the labels that `elsewhere` chooses, with its chances."""
    mean = np.zeros(k)
    for label, p in enumerate(elsewhere_chances(np.eye(k)[greedy], np.arange(k), rho)):
        truth = y if label == y else -1
        mean += p * what(zero_one_loss(label, greedy, p, truth, k))
    return mean


@pytest.mark.parametrize("k", [2, 3, 7])
def test_estimated_loss_has_the_loss_as_mean(k):
    """E[l̂] = 1 - e_y: equation (4)."""
    for y, greedy, rho in product(range(k), range(k), RATES):
        mean = mean_over_elsewhere(k, y, greedy, rho, lambda loss: loss)
        np.testing.assert_allclose(mean, 1 - np.eye(k)[y], atol=1e-12)


def test_a_hit_clears_the_greedy_label_and_the_true_one():
    np.testing.assert_allclose(zero_one_loss(2, 0, 0.05, 2, 4), [0, 20, 0, 20])
    np.testing.assert_allclose(zero_one_loss(2, 2, 0.8, 2, 4), [1.25, 1.25, 0, 1.25])
    np.testing.assert_allclose(zero_one_loss(2, 2, 0.8, -1, 4), [0, 0, 1.25, 0])
    np.testing.assert_allclose(zero_one_loss(2, 0, 0.05, -1, 4), 0)


def logistic(s, voted, g):
    """ĉ where the labels `voted` have votes s, and the others none."""
    cost, room = np.empty(len(s)), np.zeros(len(s), np.int64)
    room[: len(voted)] = voted
    logistic_cost(s, room, len(voted), g, cost)
    return cost


VOTED = [[], [2], [4, 0], [1, 3, 0, 2, 4]]


def some_votes(voted, seed=0):
    s = np.zeros(K)
    s[voted] = np.random.default_rng(seed).normal(size=len(voted))
    return s


@pytest.mark.parametrize("voted", VOTED)
def test_logistic_costs_have_those_of_the_truth_as_mean(voted):
    """E[C(1 - l̂)] = C e_y: equation (5)."""
    s = some_votes(voted)
    C = np.array(cost_matrix(s))
    for y, greedy, rho in product(range(K), range(K), RATES):
        mean = mean_over_elsewhere(K, y, greedy, rho, lambda loss: logistic(s, voted, 1 - loss))
        np.testing.assert_allclose(mean, C[:, y], atol=1e-11)


@pytest.mark.parametrize("ties", ["random", "strict", "lenient"])
def test_potential_costs_have_those_of_the_truth_as_mean(ties):
    N, gamma = 7, 0.1
    phi, plain = potential(K, N, gamma, ties), Potential(K, gamma, ties)
    votes, count, p = np.zeros(K, np.int64), np.zeros(N + 2, np.int64), 0
    count[0] = K
    for i, label in enumerate([1, 1, 3, 0, 1, 3]):
        C = plain.matrix(N - i - 1, votes)

        def costs(loss, n=N - i - 1, p=p):
            return expected_costs(votes, count, 1 - loss, n, p, phi)

        for y, greedy, rho in product(range(K), (1, 4), RATES):
            mean = mean_over_elsewhere(K, y, greedy, rho, costs)
            np.testing.assert_allclose(mean, C[:, y], atol=1e-11)
        p = vote(label, votes, count, p, phi)


def loss_of(s, g):
    """Σ_r g_r Σ_{l≠r} log(1 + exp(s_l - s_r))"""
    losses = np.log1p(np.exp(s[:, None] - s[None, :]))  # [l, r]
    return ((losses.sum(axis=0) - np.diag(losses)) * g).sum()


def central(f, h=1e-6):
    return (f(h) - f(-h)) / (2 * h)


@pytest.mark.parametrize("voted", VOTED)
def test_logistic_costs_are_the_gradient_of_the_loss(voted):
    """With any g, negative entries too: a hit estimates a loss far above 1."""
    s, unit = some_votes(voted), np.eye(K)
    for g in (unit[2], np.ones(K), np.array([1.0, -8.0, 1.0, -8.0, -0.1])):
        numeric = [central(lambda h, e=e, g=g: loss_of(s + h * e, g)) for e in unit]
        np.testing.assert_allclose(logistic(s, voted, g), numeric, atol=1e-7)
        np.testing.assert_allclose(logistic(s, voted, g), np.array(cost_matrix(s)) @ g, atol=1e-12)


@pytest.mark.parametrize("alpha", [-2.0, 0.0, 0.5])
def test_slope_is_the_derivative_of_the_loss(alpha):
    s, unit = some_votes(range(K), seed=1), np.eye(K)
    for h in range(K):
        for g in (unit[h], unit[(h + 1) % K], np.array([1.0, -8.0, 1.0, -8.0, -0.1])):
            numeric = central(lambda a, h=h, g=g: loss_of(s + (alpha + a) * unit[h], g))
            assert slope(s, h, alpha, g) == pytest.approx(numeric, abs=1e-7)


def test_slope_has_the_sign_that_the_published_program_lacks():
    s = np.array([0.3, -1.2, 0.8])
    assert slope(s, 0, 0.5, np.eye(3)[0]) == pytest.approx(-0.619, abs=5e-4)  # and not -1.381
    assert slope(np.zeros(3), 0, 0.0, np.ones(3)) == 0.0  # explored and wrong, before any vote


@pytest.mark.parametrize("among", [[0, 1, 2, 3, 4], [1, 3, 4], [0, 4], [2]])
def test_chances_elsewhere_are_those_of_its_draws(among):
    """With a random greedy label: Σ over it of its chance times what `elsewhere` does."""
    allowed, rng = np.array(among), np.random.default_rng(1)
    for rho in RATES:
        q, expected = np.zeros(K), np.zeros(K)
        q[allowed] = rng.dirichlet(np.ones(len(allowed)))
        for greedy, label in product(among, among):
            p = 1 - rho if label == greedy else rho / (len(among) - 1)
            expected[label] += q[greedy] * (p if len(among) > 1 else 1.0)
        p = elsewhere_chances(q.copy(), allowed, rho)
        np.testing.assert_allclose(p, expected, atol=1e-15)
        assert p.sum() == pytest.approx(1, abs=1e-14)


def test_propensities_elsewhere_are_those_of_the_allowed_labels():
    for rho in RATES:
        aside = {rho / (m - 1) for m in range(2, K + 1)}
        for m in range(1, K + 1):
            for greedy, t in product(range(m), range(40)):
                choice = elsewhere(greedy, np.arange(m), rho, seeded(t, m))
                assert choice[2] in (aside if choice[0] != greedy else {1 - rho, 1.0})


def test_a_cost_vector_becomes_a_label_and_a_weight():
    """Rounded and clipped as published: the label after clipping, the weight after shifting."""
    costs = np.array([-250.0, 3.004, 3.006, -120.0])
    assert importance(costs, 100.0) == 100 + 100 + 100
    assert {cheapest(costs, -1, 100.0, seeded(t)) for t in range(40)} == {0, 3}  # both clipped
    assert cheapest(costs, 3, 100.0, seeded(0)) == 3  # the truth, where it is among them
    assert cheapest(costs, 1, 1e9, seeded(0)) == 0  # but not where it is not
    assert importance(costs, 1e9) == pytest.approx(253 + 253.01 + 130, abs=1e-9)
    rng = np.random.default_rng(2)
    for t in range(50):
        costs, clip = rng.normal(scale=3, size=4), rng.choice([1.5, 100.0])
        assert importance(costs, clip) == pytest.approx(weak.weight_of(costs, clip), abs=1e-12)
        assert cheapest(costs, -1, clip, seeded(t)) == weak.cheapest(costs, clip, None, seeded(t))
    assert [cents(v) for v in (0.005, -0.005, 1.0149, -2.346)] == [0.01, 0.0, 1.01, -2.35]
