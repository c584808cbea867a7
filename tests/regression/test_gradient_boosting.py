"""Boosting for regression equals a naive program, and its gradients are right in the mean."""

import numpy as np
import pytest

import onearm
from onearm.regression.gradient_boosting import BanditGradientBooster, GradientBooster
from onearm.regression.losses import LOSSES
from tests.reference import gradient_boosting as naive

N = 5
SETTINGS = {"gamma": 0.8, "lr": 0.05, "power": 0.4, "R": 1.5, "low": -2.0, "high": 2.0}


def rows(n=60, d=4, m=1, signs=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    X[rng.random(X.shape) < 0.2] = 0.0
    y = X @ rng.normal(size=(d, m))
    return X, np.sign(y) if signs else y


def agree(booster, other):
    W = np.array(other.W)  # (N, m, d)
    assert booster.learners.weights.T.reshape(W.shape) == pytest.approx(W, abs=1e-9)
    assert booster.learners.squared_norms == pytest.approx((W**2).sum(axis=(1, 2)), abs=1e-9)


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_with_gradients_it_equals_the_naive_program(loss, m):
    X, y = rows(m=m, signs=loss == "logistic")
    booster, other = (
        GradientBooster(4, m, n_learners=N, **SETTINGS),
        naive.Booster(4, m, N=N, **SETTINGS),
    )
    predictions, losses = booster.play(X, y, loss)
    for n, x in enumerate(X):
        points, p = other.stages(x)
        assert predictions[n] == pytest.approx(p, abs=1e-9)
        assert losses[n] == pytest.approx(naive.loss(p, y[n], loss), abs=1e-9)
        other.learn(x, [naive.gradient(point, y[n], loss) for point in points])
    agree(booster, other)


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_with_losses_it_equals_the_naive_program(loss, m):
    """Call by call: points are the naive program's, moved by the directions of the query."""
    X, y = rows(m=m, signs=loss == "logistic")
    booster = BanditGradientBooster(4, m, delta=0.3, seed=2, n_learners=N, **SETTINGS)
    other = naive.Booster(4, m, N=N, **SETTINGS)
    for n, x in enumerate(X):
        query = booster.choose(x)
        points, p = other.stages(x)
        assert query.prediction == pytest.approx(p, abs=1e-9)
        assert np.linalg.norm(query.directions, axis=1) == pytest.approx(np.ones(5))
        assert query.points == pytest.approx(np.array(points) + 0.3 * query.directions, abs=1e-9)
        losses = [naive.loss(point, y[n], loss) for point in query.points]
        booster.update(x, query, losses)
        other.learn(x, [m / 0.3 * v * u for v, u in zip(losses, query.directions, strict=True)])
    agree(booster, other)


@pytest.mark.parametrize("m", [1, 2])
def test_play_is_choosing_and_updating(m):
    X, y = rows(m=m)
    first, second = (
        BanditGradientBooster(4, m, seed=3, n_learners=N, **SETTINGS) for _ in range(2)
    )
    predictions, losses = first.play(X, y, "squared")
    for n, x in enumerate(X):
        query = second.choose(x)
        assert query.prediction.tolist() == predictions[n].tolist()
        second.update(x, query, [((point - y[n]) ** 2).sum() for point in query.points])
    assert first.learners.weights == pytest.approx(second.learners.weights, abs=1e-12)
    assert losses == pytest.approx(((predictions - y) ** 2).sum(axis=1))
    assert first.choosing.tolist() == second.choosing.tolist()


def test_estimates_are_gradients_in_the_mean():
    """Of a squared loss, over both signs in one dimension, the very gradient."""
    y, p, delta = 0.7, 0.2, 0.5
    estimates = [1 / delta * (p + delta * v - y) ** 2 * v for v in (1, -1)]
    assert np.mean(estimates) == pytest.approx(2 * (p - y))


def test_saved_and_loaded_it_continues_as_if_never_stopped(tmp_path):
    X, y = rows()
    whole, part = (BanditGradientBooster(4, seed=5, n_learners=N, **SETTINGS) for _ in range(2))
    whole.play(X, y, noise=0.1)
    part.play(X[:30], y[:30], noise=0.1)
    part.save(tmp_path / "booster")
    again = onearm.load(tmp_path / "booster")
    again.play(X[30:], y[30:], noise=0.1)
    for name, array in whole.arrays().items():
        assert array.tolist() == again.arrays()[name].tolist(), name


def test_norms_are_updated():
    """After many rounds ‖W‖² is what it was counted to be, and within R."""
    X, y = rows(1500)
    booster = BanditGradientBooster(4, seed=0, n_learners=N, **SETTINGS)
    booster.play(X, y, noise=0.1)
    assert booster.learners.squared_norms == pytest.approx(
        (booster.learners.weights**2).sum(axis=0), rel=1e-9
    )
    assert (booster.learners.squared_norms <= 1.5**2 * (1 + 1e-12)).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [(lambda: GradientBooster(0), "n_features must be an integer in"),
     (lambda: GradientBooster(2, R=0.0), "R must be a number in"),
     (lambda: BanditGradientBooster(2, delta=0.0), "delta must be a number in"),
     (lambda: GradientBooster(2, low=1.0, high=1.0), "low must be below high"),
     (lambda: GradientBooster(2).play([[1.0, np.nan]], [1.0]), r"row 0 of X: .* within ±1e\+50"),
     (lambda: GradientBooster(2).play([[1.0, 2.0]], [1.0, 2.0]), "y must have one label or"),
     (lambda: GradientBooster(2).play([[1.0, 2.0]], [1.0], "hinge"), "loss must be one of")],
)  # fmt: skip
def test_errors_name_the_parameter(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_wrong_update_changes_nothing():
    booster = BanditGradientBooster(2, n_learners=3)
    query = booster.choose([1.0, 2.0])
    with pytest.raises(ValueError, match="losses must be of shape"):
        booster.update([1.0, 2.0], query, [1.0, 2.0])
    assert booster.rounds[0] == 0
    assert not booster.learners.weights.any()
