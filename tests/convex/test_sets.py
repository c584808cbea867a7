"""Convex sets against brute force: their corners, their balls, their distances."""

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import minimize

from onearm.convex.flows import Flows
from onearm.convex.matrices import NuclearBall, Permutations, Spectrahedron
from onearm.convex.sets import Ball, Box, L1Ball, Simplex

EDGES = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4), (2, 4), (5, 4), (1, 4)]  # 5 is off the way
SETS = {
    "ball": Ball(5, 2.0),
    "box": Box([-1.0, 0.0, 2.0], [1.0, 0.5, 5.0]),
    "simplex": Simplex(4),
    "l1": L1Ball(5, 1.5),
    "nuclear": NuclearBall(3, 4, 2.0),
    "spectrahedron": Spectrahedron(4, 1.5),
    "flows": Flows(EDGES, 0, 4),
    "permutations": Permutations(4),
}
CHEAP = [name for name in SETS if name not in ("flows", "permutations")]


def paths(node=0, so_far=()):
    """Every path from 0 to 4, as an indicator of its edges."""
    if node == 4:
        yield np.isin(np.arange(len(EDGES)), so_far).astype(float)
    for e, (u, v) in enumerate(EDGES):
        if u == node:
            yield from paths(v, (*so_far, e))


def unit(rng, shape):
    z = rng.normal(size=shape)
    return z / np.linalg.norm(z)


def corners(name, rng):
    """All corners; of round sets, many points of the boundary."""
    if name == "ball":
        return [2.0 * unit(rng, 5) for _ in range(2000)]
    if name == "box":
        low, high = SETS[name].low, SETS[name].high
        return [np.where(signs, low, high) for signs in np.ndindex(2, 2, 2)]
    if name == "simplex":
        return list(np.eye(4))
    if name == "l1":
        return [*(1.5 * np.eye(5)), *(-1.5 * np.eye(5))]
    if name == "nuclear":
        return [2.0 * np.outer(unit(rng, 3), unit(rng, 4)) for _ in range(3000)]
    if name == "spectrahedron":
        return [1.5 * np.outer(q, q) for q in (unit(rng, 4) for _ in range(3000))]
    if name == "flows":
        return list(paths())
    return [np.eye(4)[list(order)] for order in permutations(range(4))]


@pytest.mark.parametrize("name", SETS)
def test_minimise_returns_where_a_linear_function_is_least(name):
    rng, K = np.random.default_rng(0), SETS[name]
    points = corners(name, rng)
    for _ in range(20):
        v = rng.normal(size=K.shape)
        x = K.minimise(v)
        assert K.contains(x)
        assert np.vdot(v, x) <= min(np.vdot(v, point) for point in points) + 1e-9


@pytest.mark.parametrize("name", CHEAP)
def test_a_projection_is_nearest(name):
    """P is nearest to x if ⟨P - x, y - P⟩ ≥ 0 for all y, so for the y where it is least."""
    rng, K = np.random.default_rng(1), SETS[name]
    for scale in (0.1, 1.0, 10.0):
        for _ in range(10):
            x = K.centre + scale * rng.normal(size=K.shape)
            P = K.project(x)
            assert K.contains(P)
            y = K.minimise(P - x)
            assert np.vdot(P - x, y - P) >= -1e-9 * scale
            assert K.project(P) == pytest.approx(P, abs=1e-9)


def test_a_projection_is_what_an_optimiser_finds():
    rng, K = np.random.default_rng(2), SETS["simplex"]
    for _ in range(5):
        x = rng.normal(size=4)
        nearest = minimize(
            lambda y, x=x: ((y - x) ** 2).sum(), np.full(4, 0.25), bounds=[(0, None)] * 4,
            constraints={"type": "eq", "fun": lambda y: y.sum() - 1}, options={"ftol": 1e-14},
        )  # fmt: skip
        assert K.project(x) == pytest.approx(nearest.x, abs=1e-6)


@pytest.mark.parametrize("name", ["flows", "permutations"])
def test_no_projection_is_an_error(name):
    with pytest.raises(NotImplementedError, match="no cheap projection"):
        SETS[name].project(SETS[name].centre)


@pytest.mark.parametrize("name", SETS)
def test_sizes(name):
    """No two corners are further apart than the diameter; the inner ball is inside."""
    rng, K = np.random.default_rng(3), SETS[name]
    points = corners(name, rng)[:300]
    assert max(np.linalg.norm(a - b) for a in points for b in points) <= K.diameter + 1e-9
    assert max(np.abs(a - b).sum() for a in points for b in points) <= K.width + 1e-9
    assert K.contains(K.centre)
    directions = [K.direction(rng.normal(size=K.shape)) for _ in range(200)]
    for u in directions:
        assert np.linalg.norm(u) == pytest.approx(1.0)
        assert K.contains(K.centre + K.inner * u, 1e-8)
    flat = np.array(directions).reshape(200, -1)
    assert np.linalg.matrix_rank(flat, tol=1e-8) == K.n


@pytest.mark.parametrize("name", SETS)
def test_a_shrunk_set_keeps_off_the_boundary(name):
    rng, K = np.random.default_rng(4), SETS[name]
    small = K.shrunk(0.3)
    for _ in range(20):
        x = small.minimise(rng.normal(size=K.shape))
        assert small.contains(x)
        assert K.contains(x + 0.3 * K.inner * K.direction(rng.normal(size=K.shape)), 1e-8)
    assert small.diameter == pytest.approx(0.7 * K.diameter)
    if name in CHEAP:
        far = K.centre + 10 * rng.normal(size=K.shape)
        P = small.project(far)
        assert np.vdot(P - far, small.minimise(P - far) - P) >= -1e-8


def test_large_matrices_are_not_decomposed_whole():
    v = np.random.default_rng(5).normal(size=(80, 90))
    x = NuclearBall(80, 90, 3.0).minimise(v)
    assert np.vdot(v, x) == pytest.approx(-3.0 * np.linalg.norm(v, 2))


def test_the_centre_of_flows_is_the_mean_of_all_paths():
    assert SETS["flows"].centre == pytest.approx(np.mean(list(paths()), axis=0))


@pytest.mark.parametrize(
    ("make", "message"),
    [(lambda: Ball(3, 0.0), "radius must be in"), (lambda: Simplex(1), "d must be at least 2"),
     (lambda: Box(1.0, 0.0), "low must be below high"), (lambda: Permutations(1), "n must be"),
     (lambda: Flows([(0, 1), (1, 0)], 0, 1), "round in a circle"),
     (lambda: Flows([(0, 1), (2, 1)], 0, 2), "must be a path"),
     (lambda: Ball(3).shrunk(1.0), "xi must be in")],
)  # fmt: skip
def test_errors_name_what_is_wrong(make, message):
    with pytest.raises(ValueError, match=message):
        make()
