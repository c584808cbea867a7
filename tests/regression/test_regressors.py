"""What regressors have in common, and those that do not boost over linear learners."""

import numpy as np
import pytest

import onearm
from onearm.regression.losses import LOSSES
from tests.reference import linear_regressors as naive
from tests.reference.gradient_boosting import loss as loss_of
from tests.reference.regression_tree import Tree

SIZES = {"lr": 0.05, "power": 0.4, "R": 1.5}
FROM_LOSSES = ("BanditGradientBooster", "NFKM", "FKM")
ALL = tuple(onearm.REGRESSORS)


def rows(n=60, d=4, m=1, signs=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = X @ rng.normal(size=(d, m))
    return X, np.sign(y) if signs else y


def make(name, *sizes, **more):
    return getattr(onearm, name)(*sizes, **SIZES | more)


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_gradient_descent_equals_the_naive_program(loss, m):
    X, y = rows(m=m, signs=loss == "logistic")
    ours, other = onearm.OGD(4, m, **SIZES, low=-0.4, high=0.3), naive.OGD(4, m, **SIZES)
    predictions, losses = ours.play(X, y, loss)
    assert predictions.min() == -0.4
    assert predictions.max() == 0.3
    for n, x in enumerate(X):
        p = np.clip(other.W @ x, -0.4, 0.3)
        assert predictions[n] == pytest.approx(p, abs=1e-9)
        assert losses[n] == pytest.approx(loss_of(p, y[n], loss), abs=1e-9)
        other.learn(x, y[n], loss)
    assert ours.weights.T == pytest.approx(other.W, abs=1e-9)


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize(("name", "N"), [("NFKM", 3), ("FKM", 1)])
def test_descent_from_losses_equals_the_naive_program(name, N, m):
    X, y = rows(m=m)
    ours = make(name, 4, m, n_points=N, delta=0.3, seed=1)
    other = naive.NFKM(4, m, **SIZES, delta=0.3)
    for n, x in enumerate(X):
        query = ours.choose(x)
        lengths = np.linalg.norm(query.directions.reshape(N, -1), axis=1)
        assert lengths == pytest.approx(np.ones(N))
        assert query.points == pytest.approx(np.array(other.points(x, query.directions)))
        wanted = query.points[0] if name == "FKM" else other.W @ x
        assert query.prediction == pytest.approx(wanted)
        losses = [((p - y[n]) ** 2).sum() for p in query.points]
        ours.update(x, query, losses)
        other.learn(losses, query.directions)
    assert ours.weights.T == pytest.approx(other.W, abs=1e-9)


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize(("name", "N"), [("NFKM", 3), ("FKM", 1)])
def test_descent_around_predictions_equals_the_naive_program(name, N, m):
    X, y = rows(m=m)
    ours = make(name, 4, m, n_points=N, delta=2.0, seed=1, perturb="prediction")
    other = naive.AroundPredictions(4, m, **SIZES, delta=2.0)
    for n, x in enumerate(X):
        query = ours.choose(x)
        assert np.linalg.norm(query.directions, axis=1) == pytest.approx(np.ones(N))
        assert query.points == pytest.approx(np.array(other.points(x, query.directions)))
        wanted = query.points[0] if name == "FKM" else other.W @ x
        assert query.prediction == pytest.approx(wanted)
        losses = [((p - y[n]) ** 2).sum() for p in query.points]
        ours.update(x, query, losses)
        other.learn(x, losses, query.directions)
    assert ours.weights.T == pytest.approx(other.W, abs=1e-9)


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_span_equals_the_naive_program(loss, m):
    X, y = rows(m=m, signs=loss == "logistic")
    sizes = {"lr": 2.0, "power": 0.4, "R": 10.0, "B": 2.0}
    ours, other = onearm.SpanBooster(4, m, n_learners=5, **sizes), naive.Span(4, m, 5, **sizes)
    y[::3] *= -1  # not linear: there is something to shrink
    if loss != "logistic":
        y *= 2.0 / np.linalg.norm(y, axis=1).max()
    predictions, _ = ours.play(X, y, loss)
    shrunk = 0.0
    for n, x in enumerate(X):
        assert predictions[n] == pytest.approx(other.stages(x)[-1], abs=1e-9)
        other.learn(x, y[n], loss, n + 1)
        shrunk = max(shrunk, other.sigma.max())
    assert ours.shrinkage == pytest.approx(other.sigma, abs=1e-9)
    assert shrunk > 0


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize("leaves", [2, 5])
def test_trees_equal_the_naive_program(leaves, m):
    """As weak learners of a booster with one stage, whose gradients are at 0."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (900, 3))
    y = np.where(X[:, :1] > 0.2, 1.0, np.where(X[:, 1:2] > 0, -1.0, 0.3)) * np.arange(1, m + 1)
    ours = onearm.GradientBooster(3, m, n_learners=1, weak="tree", max_leaves=leaves, **SIZES)
    other = Tree(3, m, **SIZES, leaves=leaves)
    predictions, _ = ours.play(X, y)
    for n, x in enumerate(X):
        assert predictions[n] == pytest.approx(other.predict(x), abs=1e-9)
        other.learn(x, -2 * y[n])
    assert ours.learners.n_leaves.tolist() == [other.size()]
    assert other.size() > 1


def test_a_stump_is_a_tree_of_two_leaves():
    X, y = rows(600)
    stump, tree = (
        make("BanditGradientBooster", 4, n_learners=3, seed=1, **kind)
        for kind in ({"weak": "stump"}, {"weak": "tree", "max_leaves": 2})
    )
    assert stump.play(X, y)[0].tolist() == tree.play(X, y)[0].tolist()


@pytest.mark.compiled
def test_trees_learn_what_lines_cannot():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (6000, 3))
    y = np.where(np.abs(X[:, 0]) < 0.5, 1.0, -1.0)
    losses = {
        weak: onearm.GradientBooster(3, n_learners=10, weak=weak, lr=0.3, R=2.0)
        .play(X, y)[1][-1000:]
        .mean()
        for weak in ("linear", "tree")
    }
    assert losses["tree"] < 0.5 < 0.9 < losses["linear"]


class Mean:
    """A regressor as River's: it predicts the mean of its targets."""

    def __init__(self):
        self.total = self.n = 0.0

    def predict_one(self, x):
        return self.total / max(self.n, 1.0)

    def learn_one(self, x, y):
        self.total, self.n = self.total + y, self.n + 1


@pytest.mark.parametrize("name", ["BanditGradientBooster", "GradientBooster", "SpanBooster"])
def test_rivers_regressors_may_be_boosted(name):
    X, _ = rows(400)
    booster = make(
        name, 4, n_learners=4, weak=Mean, lr=20.0 if name == "SpanBooster" else 0.5, power=0.0
    )
    predictions, _ = booster.play(X, np.full(400, 0.5))
    assert 0.2 < predictions[-50:].mean() < 0.8
    with pytest.raises(TypeError, match="cannot be saved"):
        booster.save("nowhere")


def test_a_regressor_of_river():
    river = pytest.importorskip("river.linear_model")
    X, y = rows(300)
    booster = onearm.BanditGradientBooster(
        4, n_learners=3, weak=river.LinearRegression, lr=0.1, R=3.0
    )
    assert np.isfinite(booster.play(X, y)[1]).all()
    assert np.isfinite(booster.predict(X)).all()


@pytest.mark.parametrize("name", FROM_LOSSES)
def test_a_loss_may_be_a_call(name):
    X, y = rows()
    first, second = (make(name, 4, seed=1) for _ in range(2))
    predictions, losses = first.play(X, y, "huber", noise=0.1)
    other = second.play(X, y, lambda p, answer: loss_of(p, answer, "huber"), noise=0.1)
    assert other[0] == pytest.approx(predictions, abs=1e-9)
    assert other[1] == pytest.approx(losses, abs=1e-9)


@pytest.mark.parametrize("name", FROM_LOSSES)
def test_errors_name_the_parameter(name):
    learner, (X, y) = make(name, 4, seed=1), rows(5)
    query = learner.choose(X[0])
    other = query._replace(directions=query.directions[:, :0])
    before = learner.rounds.copy()
    with pytest.raises(ValueError, match=r"query\.directions must be of shape"):
        learner.update(X[0], other, np.ones(len(query.points)))
    with pytest.raises(ValueError, match=r"losses must be numbers within ±1e\+50, got 1e\+308"):
        learner.update(X[0], query, np.full(len(query.points), 1e308))
    with pytest.raises(ValueError, match=r"noise must be a number in \[0, inf\), got -1"):
        learner.play(X, y, noise=-1)
    with pytest.raises(ValueError, match="y must have one label or number for each of 5 rows"):
        learner.play(X, y[:4], lambda p, answer: 0.0)
    with pytest.raises(ValueError, match="y must have one label or number for each of 5 rows"):
        learner.play(X, y.T)
    with pytest.raises(ValueError, match="y must be -1 or 1 for the logistic loss"):
        learner.play(X, y, "logistic")
    assert learner.rounds == before == 0


def test_answers_must_lie_in_the_ball():
    with pytest.raises(ValueError, match=r"B must be at least the norm of every y, 100, got 1\.0"):
        onearm.SpanBooster(2, B=1.0).play([[1.0, 2.0]], [100.0])


class Custom(onearm.OGD):
    """A class that is not the library's."""


def test_classes_of_a_user_are_checked_and_saved_too():
    onearm.check_regressor(Custom)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ALL)
def test_checks_hold(name):
    onearm.check_regressor(getattr(onearm, name))


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["NFKM", "FKM"])
def test_checks_hold_around_predictions(name):
    onearm.check_regressor(getattr(onearm, name), perturb="prediction")


@pytest.mark.compiled
@pytest.mark.parametrize("weak", ["stump", "tree"])
@pytest.mark.parametrize("name", ["BanditGradientBooster", "GradientBooster", "SpanBooster"])
def test_checks_hold_over_trees(name, weak):
    onearm.check_regressor(getattr(onearm, name), weak=weak, max_leaves=3)


class Forgetful(onearm.OGD):
    """Broken: what it learns depends on how rows are handed over."""

    def play(self, X, *y, **more):
        self.rounds[:] = 0
        return super().play(X, *y, **more)


class FirstChunk(onearm.OGD):
    """Broken: it takes only the first chunk of a stream."""

    def play(self, X, *y, **more):
        X, *y = next(X.chunks()) if hasattr(X, "chunks") else (X, *y)
        return super().play(X, *y, **more)


class Silent(onearm.OGD):
    """Broken: it reports no progress."""

    def play(self, *rows, progress=None, **more):
        return super().play(*rows, **more)


class Unscaled(onearm.OGD):
    """Broken: sparse rows are not those that dense ones are."""

    def play(self, X, *y, **more):
        return super().play(2.0 * X if hasattr(X, "tocsr") else X, *y, **more)


@pytest.mark.parametrize(
    ("broken", "check"),
    [(Forgetful, "chunked_equals_whole"), (FirstChunk, "streams_equal_arrays"),
     (Silent, "streams_equal_arrays"), (Unscaled, "sparse_equals_dense")],
)  # fmt: skip
def test_a_broken_regressor_fails_its_check(broken, check):
    with pytest.raises(onearm.checks.CheckError, match=check):
        onearm.check_regressor(broken)
