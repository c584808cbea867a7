"""Convex sets: whatever they are given, the answer is right or the error names it."""

import pickle

import numpy as np
import pytest

from onearm.convex.flows import Flows
from onearm.convex.frank_wolfe import MORGFW, MetaFrankWolfe, OnlineFrankWolfe
from onearm.convex.matrices import NuclearBall, Permutations, Spectrahedron
from onearm.convex.olo import GradientDescent, PerturbedLeader, RegularisedLeader
from onearm.convex.projection_free import ProjectionFree
from onearm.convex.sets import Ball, Box, L1Ball, Simplex

EDGES = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
SETS = {
    "ball": lambda: Ball(5, 2.0),
    "box": lambda: Box([-1.0, 0.0, 2.0], [1.0, 0.5, 5.0]),
    "simplex": lambda: Simplex(4),
    "l1": lambda: L1Ball(5, 1.5),
    "nuclear": lambda: NuclearBall(3, 4, 2.0),
    "large nuclear": lambda: NuclearBall(70, 66, 2.0),
    "spectrahedron": lambda: Spectrahedron(4, 1.5),
    "flows": lambda: Flows(EDGES, 0, 3),
    "permutations": lambda: Permutations(4),
    "shrunk": lambda: Simplex(4).shrunk(0.3),
}
CHEAP = [name for name in SETS if name not in ("flows", "permutations")]
HUGE = [0.0, 5e-324, 1e-300, 1e-160, 1e16, 1e160, 1e300]


def with_one(value):
    def made(shape):
        x = np.linspace(-1.0, 2.0, int(np.prod(shape))).reshape(shape)
        x.flat[1] = value
        return x

    return made


BAD = {
    "nan": with_one(np.nan),
    "inf": with_one(np.inf),
    "-inf": with_one(-np.inf),
    "too large": with_one(1e301),
    "longer": lambda shape: np.zeros((shape[0] + 1, *shape[1:])),
    "another axis": lambda shape: np.zeros((1, *shape)),
    "a number": lambda shape: 1.0,
    "empty": lambda shape: np.zeros(0),
    "None": lambda shape: None,
    "a text": lambda shape: "0",
    "texts": lambda shape: np.full(shape, "0"),
    "complex": lambda shape: np.zeros(shape, complex),
    "objects": lambda shape: np.full(shape, None),
    "ragged": lambda shape: [[1.0], [1.0, 2.0]],
}


def refused(call, *given, names):
    with pytest.raises(ValueError, match=rf"{names} must be finite numbers.*got "):
        call(*given)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("method", ["minimise", "project", "tangent", "direction", "contains"])
@pytest.mark.parametrize("name", SETS)
def test_points_that_cannot_be_are_refused(name, method, bad):
    K = SETS[name]()
    before, x = pickle.dumps(K), BAD[bad](K.shape)
    argument = {"minimise": "v", "tangent": "z", "direction": "z"}.get(method, "x")
    if method == "contains" and bad in ("nan", "inf", "-inf", "too large"):
        assert K.contains(x) is False
    else:
        refused(getattr(K, method), x, names=argument)
    assert pickle.dumps(K) == before


@pytest.mark.parametrize("scale", HUGE)
@pytest.mark.parametrize("name", SETS)
def test_a_linear_function_is_least_at_the_same_place_whatever_its_scale(name, scale):
    K = SETS[name]()
    v = np.random.default_rng(0).choice([-1.0, -0.5, 0.5, 1.0], K.shape) * scale
    x = K.minimise(v)
    assert K.contains(x, 1e-7)
    if scale > 1e-300:
        ordinary = v / scale
        assert np.vdot(ordinary, x) == pytest.approx(np.vdot(ordinary, K.minimise(ordinary)))


@pytest.mark.parametrize("scale", HUGE)
@pytest.mark.parametrize("name", CHEAP)
def test_projections_of_far_points_are_nearest(name, scale):
    """⟨P - x, y - P⟩ ≥ 0 for every y of the set; where it is least tells."""
    K = SETS[name]()
    x = np.random.default_rng(1).uniform(-1.0, 1.0, K.shape) * scale
    P = K.project(x)
    assert K.contains(P, 1e-7)
    off = (P - x) / max(1.0, scale)
    assert np.vdot(off, K.minimise(off) - P) >= -1e-6


@pytest.mark.parametrize("far", [1e8, 1e16, 1e17, 1e300])
def test_projections_on_the_simplex_do_not_lose_the_sum(far):
    assert Simplex(3).project([far, far, 0.0]).tolist() == [0.5, 0.5, 0.0]
    assert Simplex(3).project([far, 0.0, -far]).tolist() == [1.0, 0.0, 0.0]
    assert Simplex(2).project([-far, -far]).tolist() == [0.5, 0.5]
    assert L1Ball(3, 2.0).project([far, -far, 0.0]).tolist() == [1.0, -1.0, 0.0]
    assert Ball(2, 5.0).project([0.3 * far, -0.4 * far]) == pytest.approx([3.0, -4.0])
    apart = Simplex(2).project([far + 2.0**-4 * np.spacing(far), far])
    assert apart.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
@pytest.mark.parametrize("name", SETS)
def test_directions_have_length_one(name, scale):
    K = SETS[name]()
    z = np.random.default_rng(2).normal(size=K.shape) * (scale / 10)
    assert np.linalg.norm(K.direction(z)) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="z must lead along the set"):
        K.direction(np.zeros(K.shape))


@pytest.mark.parametrize("name", ["simplex", "permutations", "shrunk"])
def test_what_leads_off_the_set_is_no_direction(name):
    K = SETS[name]()
    with pytest.raises(ValueError, match="z must lead along the set"):
        K.direction(np.full(K.shape, 0.3))


@pytest.mark.parametrize("v", [
    np.zeros((100, 100)), np.ones((70, 80)), np.eye(90), np.diag(np.r_[0.0, np.ones(79)]),
    np.subtract.outer(np.arange(70.0), np.arange(80.0)), np.ones((70, 70)) - np.eye(70),
])  # fmt: skip
def test_large_matrices_of_any_kind(v):
    x = NuclearBall(*v.shape, 3.0).minimise(v)
    assert np.vdot(v, x) == pytest.approx(-3.0 * np.linalg.norm(v, 2))
    OnlineFrankWolfe(NuclearBall(*v.shape)).update(v)


BAD_NUMBERS = (0, -1, 2.5, np.nan, np.inf, "3", None, True, [3], 10**12)
SIZES = {
    "d": [Ball, L1Ball, Simplex],
    "m": [lambda m: NuclearBall(m, 3)],
    "n": [lambda n: NuclearBall(3, n), Spectrahedron, Permutations],
    "N": [lambda N: GradientDescent(Ball(2), N), lambda N: PerturbedLeader(Ball(2), N),
          lambda N: RegularisedLeader(Ball(2), N), lambda N: ProjectionFree(Ball(2), N)],
    "steps": [lambda n: MetaFrankWolfe(Ball(2), n), lambda n: MORGFW(Ball(2), n)],
    "T": [lambda T: ProjectionFree.for_rounds(Ball(2), T)],
}  # fmt: skip


@pytest.mark.parametrize("value", BAD_NUMBERS)
@pytest.mark.parametrize("name", SIZES)
def test_sizes_that_cannot_be_are_refused(name, value):
    for make in SIZES[name]:
        if not (name == "T" and value == 10**12):  # of which the root is taken
            with pytest.raises(ValueError, match=f"{name} must be at least") as error:
                make(value)
            assert repr(value) in str(error.value)


@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, 1e61, 1e-61, "1", None, True, 10**400])
@pytest.mark.parametrize(
    "make", [lambda r: Ball(2, r), lambda r: L1Ball(2, r), lambda r: NuclearBall(2, 2, r),
             lambda r: Spectrahedron(2, r)],
)  # fmt: skip
def test_radii_that_cannot_be_are_refused(make, value):
    with pytest.raises(ValueError, match=r"radius must be in \[1e-60, 1e\+60\], got"):
        make(value)


@pytest.mark.parametrize("xi", [-0.1, 1.0, np.nan, "0", None, True])
def test_shares_that_cannot_be_are_refused(xi):
    with pytest.raises(ValueError, match=r"xi must be in \[0, 1\), got"):
        Simplex(3).shrunk(xi)


@pytest.mark.parametrize("slack", [-0.1, np.nan, "0", None, True])
def test_slack_that_cannot_be_is_refused(slack):
    with pytest.raises(ValueError, match=r"slack must be in \[0, inf\), got"):
        Simplex(3).contains([1.0, 0.0, 0.0], slack)


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [(0.0, np.nan, "high must be finite"), (-np.inf, 0.0, "low must be finite"),
     ([0.0, 1.0], [1.0, 1.0], r"low must be below high everywhere, got 1.0 and 1.0"),
     (np.zeros(2), np.ones(3), "shapes that fit"), ([], [], "number of coordinates"),
     ("0", "1", "low must be finite"), (None, 1.0, "low must be finite"),
     (0.0, 1e61, "high must be finite")],
)  # fmt: skip
def test_boxes_that_cannot_be_are_refused(low, high, message):
    with pytest.raises(ValueError, match=message):
        Box(low, high)


def test_a_box_does_not_change_with_the_arrays_it_was_made_of():
    low, high = np.zeros(2), np.ones(2)
    K = Box(low, high)
    high[:] = 5.0
    assert K.project([9.0, 9.0]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("edges", "ends", "message"),
    [([], (0, 1), "edges must be pairs"), ([(0, 1, 2)], (0, 1), "edges must be pairs"),
     ([0, 1], (0, 1), "edges must be pairs"), ([(0, 1.5)], (0, 1), r"integers in .*got 1.5"),
     ([(0, -1)], (0, 1), r"integers in .*got -1"), ([(0, 10**12)], (0, 1), "integers in"),
     ([(0, np.nan)], (0, 1), r"integers in .*got nan"), ("ab", (0, 1), "edges must be"),
     (None, (0, 1), "edges must be"), ([(0, 1)], (0, 2), "sink must be at least 0 and at most 1"),
     ([(0, 1)], (-1, 1), "source must be at least 0"), ([(0, 1)], (0.5, 1), "source must be"),
     ([(0, 1)], (0, 0), "source must not be the sink"), ([(0, 1)], (1, 0), "must be a path"),
     ([(0, 0), (0, 1)], (0, 1), "round in a circle"),
     ([(0, 1), (1, 2), (2, 1)], (0, 1), "round in a circle, got one to node 1")],
)  # fmt: skip
def test_graphs_that_cannot_be_are_refused(edges, ends, message):
    with pytest.raises(ValueError, match=message):
        Flows(edges, *ends)


def diamonds(n, branches=3):
    """A chain: from a to b there are some ways, from b to c some more."""
    wide = branches + 1
    return [
        edge for i in range(n) for j in range(1, wide)
        for edge in ((wide * i, wide * i + j), (wide * i + j, wide * (i + 1)))
    ]  # fmt: skip


def test_graphs_with_more_paths_than_floats_can_count():
    n = 800  # 3^800 paths, about 10^381
    K = Flows(diamonds(n), 0, 4 * n)
    assert K.centre == pytest.approx(np.full(6 * n, 1 / 3))
    assert (K.n, K.diameter) == (2 * n, (4 * n) ** 0.5)
    v = np.random.default_rng(0).normal(size=6 * n)
    x = K.minimise(v)
    assert K.contains(x)
    assert np.vdot(v, x) == pytest.approx(v.reshape(n, 3, 2).sum(axis=2).min(axis=1).sum())


def test_a_long_path_is_a_point():
    K = Flows([(i, i + 1) for i in range(3000)], 0, 3000)
    assert K.n == 0
    assert K.minimise(np.ones(3000)).tolist() == K.centre.tolist() == [1.0] * 3000
    with pytest.raises(ValueError, match="K must have more than one point"):
        ProjectionFree(K, 2, "losses", 0.1)
