"""Every learner equals, round by round, the plain implementation written from the papers."""

from importlib import import_module

import numpy as np
import pytest

import onearm
from onearm.rng import poisson
from tests.cases import ids, make

K, D, ROUNDS = 5, 6, 150


def examples(seed):
    rng = np.random.default_rng(seed)
    U = rng.normal(size=(D, K))
    X = rng.normal(size=(ROUNDS, D))
    X[::20] = 0.0  # a row of nothing must not break anything
    y = np.where(rng.random(ROUNDS) < 0.1, rng.integers(0, K, ROUNDS), (X @ U).argmax(axis=1))
    return X, y


def reference(learner):
    name = type(learner).__name__
    module = import_module(f"tests.reference.{onearm.LEARNERS[name].rsplit('.', 1)[1]}")
    params = {key: v for key, v in learner.params().items() if key not in RENAMED_AWAY}
    renamed = {RENAMED.get((name, key), key): v for key, v in params.items()}
    if "eta" in params and not params["eta"]:
        renamed["eta"] = learner.model()[-1]
    extra = {"eager": False} if name == "SLB" else {}
    if name == "OffsetTree" and learner.explore:
        renamed |= {"explore": "sqrt", "c": learner.explore}
    elif name == "OffsetTree":
        renamed["explore"] = "none"
    return getattr(module, name)(K, D, **renamed, **extra)


RENAMED_AWAY = {"n_classes", "n_features", "seed"}
RENAMED = {("InverseGap", "scale"): "gamma_scale", ("InverseGap", "exponent"): "gamma_exponent"}


def poissons(learner):
    """The draws that the next update of a Bag will make."""
    rng = learner.updating.copy()
    return [poisson(1.0, rng) for _ in range(learner.n_bags)]


@pytest.mark.parametrize("case", ids())
@pytest.mark.parametrize("rewards", ["right or wrong", "in between"])
def test_equals_reference(case, rewards):
    learner = make(case, K, D, seed=1)
    if rewards == "in between" and not learner.real_rewards:
        with pytest.raises(ValueError, match="correct must be"):
            learner.update(np.ones(D), learner.choose(np.ones(D)), 0.5)
        return
    naive = reference(learner)
    estimate = 1e-7 if learner.estimated_propensity else 0.0
    for t, (x, y) in enumerate(zip(*examples(seed=2), strict=True)):
        np.testing.assert_allclose(learner.scores(x[None])[0], naive.scores(x), 1e-7, 1e-9)
        p = naive.chances(x)
        np.testing.assert_allclose(learner.chances(x[None])[0], p, 1e-7, 1e-9 + estimate)
        choice = learner.choose(x)
        assert choice.greedy == np.argmax(learner.scores(x[None])[0])
        assert choice.propensity == pytest.approx(p[choice.label], rel=1e-7, abs=1e-9 + estimate)
        correct = choice.label == y
        reward = correct if rewards == "right or wrong" else (t % 7) / 7
        truth = int(y) if correct or learner.full_information else None
        known = truth if rewards == "right or wrong" else None
        draws = (poissons(learner),) if isinstance(learner, onearm.Bag) else ()
        naive.update(x, *choice, float(reward), known, *draws)
        learner.update(x, choice, reward, int(y) if learner.full_information else None)
