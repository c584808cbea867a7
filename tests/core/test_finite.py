"""Whatever is accepted keeps every learner finite: rows of any scale, and the least propensity."""

from itertools import product

import numpy as np
import pytest

import onearm
from onearm.core.assembly import LEAST
from onearm.core.choice import Trace
from onearm.core.parameters import parameters
from tests.cases import SMALL, ids, make

N, K, D = 100_000, 4, 6


def rows(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.7)
    y = (X @ rng.normal(size=(D, K))).argmax(axis=1)
    if kind == "one label":
        y[:] = 2
    if kind == "constant":
        X[:] = 3.0
    if kind == "collinear":
        X = X[:, :1] * np.arange(1.0, D + 1)
    if kind == "mixed scales":
        X *= 10.0 ** rng.choice([-100, -3, 0, 3, 100], size=D)
    if kind == "ever larger":
        X *= 10.0 ** np.linspace(-320, 99, N)[:, None]
    if kind == "spikes":
        X *= 10.0 ** (100 * (rng.random((N, 1)) < 0.001))
    scale = {"1e100": 1e100, "1e-100": 1e-100}.get(kind, 1.0)
    return np.clip(scale * X, -1e100, 1e100), y


KINDS = ["1e100", "1e-100", "constant", "collinear", "one label", "mixed scales", "spikes"] + [
    "ever larger"
]


def require_finite(learner):
    for name, array in learner.content().items():
        assert np.isfinite(array).all(), name


@pytest.mark.compiled
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", ids())
def test_rows_of_any_scale(case, kind, tmp_path):
    learner = make(case, K, D)
    X, y = rows(kind)
    trace = learner.play(X, y)
    assert ((trace.propensity >= LEAST) & (trace.propensity <= 1.0)).all()
    require_finite(learner)
    assert np.isfinite(learner.scores(X[:100])).all()
    learner.save(tmp_path / "learner")
    type(learner).loaded(learner.params(), learner.content())  # the ranges hold, too


@pytest.mark.compiled
@pytest.mark.parametrize("case", ids())
def test_the_least_propensity(case):
    """Learners that weigh by 1/p hear of nothing but labels that hardly ever are chosen."""
    learner = make(case, K, D)
    X, y = rows("plain")
    label = np.random.default_rng(1).integers(0, K, N)
    greedy = learner.predict(X)
    log = Trace(label, greedy, np.full(N, LEAST), label == y)
    learner.learn(X, log, y if learner.full_information else None)
    require_finite(learner)
    assert np.isfinite(learner.scores(X[:100])).all()
    type(learner).loaded(learner.params(), learner.content())
    trace = learner.play(X[:100], y[:100])
    assert ((trace.propensity >= LEAST) & (trace.propensity <= 1.0)).all()


ENDS = [
    (name, parameter.name, end)
    for name in onearm.LEARNERS
    for parameter in parameters(getattr(onearm, name))
    if "1e12]" in parameter.metadata["allowed"]
    for end in (1e-12, 1e12)
]


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "parameter", "end"), ENDS)
def test_parameters_at_the_ends_of_their_ranges(name, parameter, end):
    cls = getattr(onearm, name)
    forms = [{"diagonal": d} for d in (True, False)] if hasattr(cls, "diagonal") else [{}]
    label = np.random.default_rng(1).integers(0, K, 2000)
    for form, kind in product(forms, ("plain", "1e100", "1e-100")):
        learner = cls(K, D, **SMALL.get(name, {}) | form | {parameter: end})
        X, y = (array[:2000] for array in rows(kind))
        trace = learner.play(X, y)
        assert ((trace.propensity >= LEAST) & (trace.propensity <= 1.0)).all()
        log = Trace(label, label, np.full(2000, LEAST), label == y)
        learner.learn(X, log, y if learner.full_information else None)
        require_finite(learner)
        cls.loaded(learner.params(), learner.content())


def test_some_parameters_have_ranges_to_test():
    assert len(ENDS) > 40
