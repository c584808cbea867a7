"""The peers of Algorithm 1: their averages of gradients, and their regret."""

import numpy as np
import pytest

from onearm.convex.frank_wolfe import MORGFW, MetaFrankWolfe, OnlineFrankWolfe
from onearm.convex.projection_free import ProjectionFree
from onearm.convex.sets import Ball, Simplex

WANTED = np.array([0.5, 0.2, 0.2, 0.1, 0.0])


def noisy(x, seed):
    """A gradient of ½‖x - b‖² with b drawn around WANTED."""
    return x - WANTED + 0.3 * np.random.default_rng(seed).normal(size=5)


def learners(T, seed):
    K = Simplex(5)
    return {
        "OnlineFrankWolfe": OnlineFrankWolfe(K),
        "MetaFrankWolfe": MetaFrankWolfe(K, round(T**1.5), seed),
        "MORGFW": MORGFW(K, T, seed),
        "ProjectionFree": ProjectionFree.for_rounds(K, T, seed=seed),
    }


def regret(name, T, seed):
    learner, lost = learners(T, seed)[name], 0.0
    for t in range(T):
        x = learner.play(noisy, seed * T + t)
        assert learner.K.contains(x, 1e-7)
        lost += 0.5 * ((x - WANTED) ** 2).sum()
    return lost


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "power"),
    [("OnlineFrankWolfe", 0.75), ("MetaFrankWolfe", 0.5), ("MORGFW", 0.5), ("ProjectionFree", 0.5)],
)
def test_regret_grows_no_faster_than_the_bound(name, power):
    """Means over seeds 0 to 2; 0.1 is allowed to chance."""
    rounds = (8, 24, 72)
    lost = [np.mean([regret(name, T, seed) for seed in range(3)]) for T in rounds]
    assert np.polyfit(np.log(rounds), np.log(lost), 1)[0] < power + 0.1


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(MetaFrankWolfe, (0.22, 0.046, 0.018)), (MORGFW, (0.10, 0.009, 0.002))],
)
def test_averages_come_close_to_the_gradient(kind, expected):
    """E‖d^k - ∇‖² after 10, 100, 400 steps, in ten dimensions with noise of variance 0.9 in all,
    within a quarter or 0.001 of figures that another program gave."""
    K, rng, wanted = Ball(10), np.random.default_rng(0), np.zeros(10)
    at, errors = (10, 100, 400), []
    for trial in range(60):
        learner = kind(K, 400)
        x, points = K.centre, np.empty((400, 10))
        for k in range(1, 401):
            points[k - 1] = x
            x = x + learner.weight(k) * (K.minimise(rng.normal(size=10)) - x)

        def oracle(x, seed):
            return x - wanted + 0.3 * np.random.default_rng(seed).normal(size=10)

        d = learner.averaged(points, oracle, 1000 * trial + np.arange(400))
        errors.append([((d[k - 1] - points[k - 1]) ** 2).sum() for k in at])
    assert np.mean(errors, axis=0) == pytest.approx(expected, rel=0.25, abs=1e-3)


def test_online_frank_wolfe_equals_the_rule_written_down():
    K, rng = Ball(3, 2.0), np.random.default_rng(1)
    learner, x, S, sigma, G = OnlineFrankWolfe(K), np.zeros(3), np.zeros(3), 0.0, 0.0
    for t in range(1, 40):
        g = rng.normal(size=3)
        assert learner.choose() == pytest.approx(x)
        learner.update(g)
        S, G = S + g, max(G, np.linalg.norm(g))
        sigma += G / 4.0 * t**-0.25
        to = S + 2 * sigma * x
        x = (1 - t**-0.5) * x - t**-0.5 * 2.0 * to / np.linalg.norm(to)
