"""Optimisers over convex sets: the answer is right, or the error names what was given."""

import pickle

import numpy as np
import pytest

from onearm.convex.frank_wolfe import MORGFW, MetaFrankWolfe, OnlineFrankWolfe
from onearm.convex.olo import GradientDescent, PerturbedLeader, RegularisedLeader
from onearm.convex.projection_free import ProjectionFree
from onearm.convex.sets import Ball, Simplex
from tests.convex.test_convex_inputs import BAD, SETS

OPTIMISERS = (PerturbedLeader, GradientDescent, RegularisedLeader)


def makers(K):
    """All that take gradients: how they are made, and how they get one."""
    kinds = OPTIMISERS if type(K).__name__ not in ("Flows", "Permutations") else OPTIMISERS[:1]
    for kind in kinds:
        yield kind(K), lambda learner, g: learner.update(g)
    yield OnlineFrankWolfe(K), lambda learner, g: learner.update(g)
    yield OnlineFrankWolfe(K), lambda learner, g: learner.play(lambda x, seed: g, 0)
    yield MetaFrankWolfe(K, 3), lambda learner, g: learner.play(lambda x, seed: g, 0)
    yield MORGFW(K, 3), lambda learner, g: learner.play(lambda x, seed: g, 0)
    yield ProjectionFree(K, 3), lambda learner, g: learner.play(lambda x, seed: g, 0)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", SETS)
def test_gradients_that_cannot_be_are_refused_and_change_nothing(name, bad):
    K = SETS[name]()
    for learner, learn in makers(K):
        learn(learner, np.ones(K.shape))
        before = pickle.dumps(learner)
        with pytest.raises(ValueError, match=r"must be finite numbers.*got ") as error:
            learn(learner, BAD[bad](K.shape))
        assert str(error.value).startswith(("g must", "answers must", "the gradient of the oracle"))
        assert pickle.dumps(learner) == before, type(learner)


@pytest.mark.parametrize("scale", [0.0, 5e-324, 1e-300, 1e-59, 1e16, 1e60])
@pytest.mark.parametrize("name", SETS)
def test_gradients_of_any_size_lead_to_points_of_the_set(name, scale):
    K, rng = SETS[name](), np.random.default_rng(3)
    for learner, learn in makers(K):
        for _ in range(3):
            learn(learner, rng.choice([-1.0, 0.5, 1.0], K.shape) * scale)
        choose = getattr(learner, "predict", getattr(learner, "choose", None))
        if choose is not None:
            x = choose()
            assert K.contains(getattr(x, "decision", x), 1e-6), type(learner)


@pytest.mark.parametrize("kind", [MetaFrankWolfe, MORGFW, ProjectionFree])
def test_an_oracle_that_fails_late_changes_nothing(kind):
    learner, left = kind(Simplex(3), 3), []

    def oracle(x, seed):
        x[:] = 9.0  # which is its own
        return left.pop()()

    def fails():
        raise InterruptedError

    left += [lambda: np.ones(3)] * 5
    learner.play(oracle, 0)
    before = pickle.dumps(learner)
    for last, error in ((lambda: np.full(3, 1e61), ValueError), (fails, InterruptedError)):
        left[:] = [last, lambda: np.ones(3), lambda: np.ones(3)]
        with pytest.raises(error, match=r"must be finite|^$"):
            learner.play(oracle, 0)
        assert pickle.dumps(learner) == before


@pytest.mark.parametrize("i", [-1, 2, 0.5, None, "0", True, 10**30])
@pytest.mark.parametrize("kind", OPTIMISERS)
def test_an_optimiser_that_is_not_there_is_refused(kind, i):
    learner = kind(Ball(2), 2)
    before = pickle.dumps(learner)
    for call in (lambda: learner.predict(i), lambda: learner.update([1.0, 0.0], i)):
        with pytest.raises(ValueError, match=r"i must be at least 0 and at most 1.*got"):
            call()
    assert pickle.dumps(learner) == before


@pytest.mark.parametrize("K", [None, 3, "simplex", np.zeros(3), Simplex])
@pytest.mark.parametrize(
    "make", [*OPTIMISERS, OnlineFrankWolfe, lambda K: MetaFrankWolfe(K, 2), lambda K: MORGFW(K, 2),
             lambda K: ProjectionFree(K, 2), lambda K: ProjectionFree.for_rounds(K, 2)],
)  # fmt: skip
def test_what_is_no_set_is_refused(make, K):
    with pytest.raises(ValueError, match=r"K must be a set of onearm\.convex"):
        make(K)


@pytest.mark.parametrize("seed", [0.5, None, "0", True, 2**65])
def test_seeds_that_cannot_be_are_refused(seed):
    K = Simplex(3)
    for call in (
        lambda: PerturbedLeader(K, seed=seed), lambda: ProjectionFree(K, 2, seed=seed),
        lambda: MORGFW(K, 2, seed), lambda: MORGFW(K, 2).play(lambda x, seed: x, seed),
        lambda: ProjectionFree(K, 2).play(lambda x, seed: x, seed),
        lambda: OnlineFrankWolfe(K).play(lambda x, seed: x, seed),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="seed must be at least"):
            call()


@pytest.mark.parametrize("delta", [0.0, -1.0, np.nan, 1.0, "0.1", None, True])
def test_deltas_that_cannot_be_are_refused(delta):
    with pytest.raises(ValueError, match=r"delta must be in \(0, 0.2887\), got"):
        ProjectionFree(Simplex(4), 2, "losses", delta)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"answers": None}, "answers must be"), ({"answers": ["losses"]}, "answers must be"),
     ({"optimisers": None}, "optimisers must be"), ({"optimisers": "ftpl"}, "optimisers must be")],
)  # fmt: skip
def test_other_parameters_that_cannot_be_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        ProjectionFree(Simplex(3), 2, **wrong)


def test_a_query_of_another_is_refused():
    learner, other = ProjectionFree(Simplex(3), 2), ProjectionFree(Simplex(3), 4)
    query = learner.choose()
    before = pickle.dumps(learner)
    for wrong in (other.choose(), None, tuple(query), query._replace(decision=[np.nan] * 3)):
        with pytest.raises(ValueError, match="query"):
            learner.update(wrong, np.zeros((2, 3)))
    assert pickle.dumps(learner) == before


@pytest.mark.parametrize("losses", [[np.nan, 1.0], [1e300, 1.0], [1.0], [[1.0, 1.0]], ["a", "b"]])
def test_losses_that_cannot_be_are_refused(losses):
    learner = ProjectionFree(Simplex(3), 2, "losses", 0.1)
    query = learner.choose()
    before = pickle.dumps(learner)
    with pytest.raises(ValueError, match="answers must be finite numbers"):
        learner.update(query, losses)
    assert pickle.dumps(learner) == before
