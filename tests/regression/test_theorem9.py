"""Both sides of Theorem 9 of Brukhim and Hazan, computed exactly for three rounds of two learners.

Expectations are over all signs of the directions and of the noise, 8 in a round. The weak learners'
regret is that which they have, at its supremum over linear functions of norm at most R.
"""

from itertools import product

import numpy as np
import pytest

import onearm

X = np.array([[1.0, 0.5], [-0.6, 1.0], [0.8, -1.0]])
Y = np.array([0.9, -0.8, 1.2])
N, T, GAMMA, DELTA, R, NOISE = 2, 3, 0.8, 0.5, 1.0, 0.3
SETTINGS = {"n_learners": N, "gamma": GAMMA, "delta": DELTA, "R": R, "lr": 0.3, "power": 0.5}


def rounds(booster, t=0, seen=()):
    """Yield the stages y^0 … y^N, estimates g and weak predictions a of every sequence of signs."""
    if t == T:
        yield tuple(map(np.array, zip(*seen, strict=True)))
        return
    query = booster.choose(X[t])
    before, a = query.points[:, 0] - DELTA * query.directions[:, 0], weak(booster, X[t])
    state = {name: array.copy() for name, array in booster.arrays().items()}
    for *v, w in product((-1.0, 1.0), repeat=N + 1):
        losses = (before + DELTA * np.array(v) - Y[t]) ** 2 + NOISE * w
        booster.update(X[t], query._replace(directions=np.array(v)[:, None]), losses)
        more = [*before, query.prediction[0]], losses * v / DELTA, a
        yield from rounds(booster, t + 1, (*seen, more))
        for name, array in booster.arrays().items():
            array[...] = state[name]


@pytest.fixture(scope="module")
def expected():
    """The sequences' stages (n, T, N+1), estimates and weak predictions (n, T, N)."""
    booster = onearm.BanditGradientBooster(2, **SETTINGS)
    return tuple(map(np.array, zip(*rounds(booster), strict=True)))


def weak(booster, x):
    """The predictions of the weak learners."""
    return booster.learners.weights.T @ x


def functions():
    """Linear functions of norm at most R, among them nearly the best."""
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    return [radius * w for radius in np.linspace(0.0, R, 6) for w in circle]


def regret_of_weak(g, a, i):
    """E[Σ g a - γ min over f of Σ g f(x)] of weak learner i."""
    paid = (g[..., i] * a[..., i]).sum(axis=1).mean()
    return paid + GAMMA * R * np.linalg.norm(g[..., i].mean(axis=0) @ X)


def test_estimates_are_the_gradients_in_the_mean(expected):
    y, g, _ = expected
    assert len(y) == 8**T
    assert g.mean(axis=0) == pytest.approx((2.0 * (y[..., :-1] - Y[:, None])).mean(axis=0))


def test_every_stage_improves_as_in_the_proof(expected):
    """E Δ_i ≤ (1 - η_i) E Δ_{i-1} + η_i²β/2 E Σ|a_i/γ - y^{i-1}|² + (η_i/γ) E[regret against f]."""
    y, g, a = expected
    losses = ((y - Y[:, None]) ** 2).sum(axis=1).mean(axis=0)  # of each stage
    for w in functions():
        excess = losses - ((X @ w - Y) ** 2).sum()
        for i in range(N):
            eta = 2.0 / (i + 2)
            moved = ((a[..., i] / GAMMA - y[..., i]) ** 2).sum(axis=1).mean()
            regret = (g[..., i] * (a[..., i] - GAMMA * (X @ w))).sum(axis=1).mean()
            bound = (1.0 - eta) * excess[i] + eta**2 * moved + eta / GAMMA * regret
            assert excess[i + 1] <= bound + 1e-9
            slack = eta * ((y[..., i] - X @ w) ** 2).sum(axis=1).mean()
            assert excess[i + 1] == pytest.approx(bound - slack)  # a square leaves only this out


def test_the_regret_is_within_the_bound(expected):
    y, g, a = expected
    best = min(((X @ w - Y) ** 2).sum() for w in functions())
    regret = ((y[..., -1] - Y) ** 2).sum(axis=1).mean() - best
    longest = np.linalg.norm(X, axis=1).max()
    D, L = 2 * R * longest, 2 * (R * longest / GAMMA + DELTA + np.abs(Y).max())
    of_weak = max(regret_of_weak(g, a, i) for i in range(N)) / GAMMA
    theorem = 2 * L * D**2 * T / (DELTA * GAMMA**2 * N) + of_weak + 2 * T * DELTA * L
    smooth = 2 * 2 * D**2 * T / (GAMMA**2 * (N + 1)) + of_weak  # of a squared loss: β = 2
    assert 0 < regret <= smooth <= theorem


def test_weak_learners_have_the_regret_of_gradient_descent():
    """On one run of 300 rounds: (2R)²/(2η_T) + ½ Σ η_t ‖g_t x_t‖², whatever g is."""
    rng = np.random.default_rng(0)
    booster = onearm.BanditGradientBooster(2, **SETTINGS, seed=3)
    rows = rng.normal(size=(300, 2))
    paid, total, squares = np.zeros(N), np.zeros((N, 2)), np.zeros(N)
    for t, x in enumerate(rows, 1):
        query = booster.choose(x)
        a = weak(booster, x)
        losses = (query.points[:, 0] - x @ [0.7, -0.4]) ** 2 + NOISE * rng.uniform(-1, 1, N)
        g = losses * query.directions[:, 0] / DELTA
        booster.update(x, query, losses)
        paid += g * a
        total += np.outer(g, x)
        squares += 0.3 * t**-0.5 * g**2 * (x @ x)
    regret = paid + R * np.linalg.norm(total, axis=1)
    assert (regret <= (2 * R) ** 2 / (2 * 0.3 * 300**-0.5) + squares / 2).all()
