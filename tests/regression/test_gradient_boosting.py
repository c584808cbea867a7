"""Boosting for regression equals a naive program, and hears the right gradients in the mean."""

import numpy as np
import pytest

import onearm
from onearm.regression.gradient_boosting import BanditGradientBooster, GradientBooster
from onearm.regression.losses import LOSSES
from tests.reference import gradient_boosting as naive

SETTINGS = {"N": 5, "gamma": 0.8, "lr": 0.05, "power": 0.4, "R": 1.5, "low": -2.0, "high": 2.0}


def rows(n=60, d=4, m=1, signs=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    X[rng.random(X.shape) < 0.2] = 0.0
    y = X @ rng.normal(size=(d, m))
    return X, np.sign(y) if signs else y


def agree(booster, other):
    W = np.array(other.W)  # (N, m, d)
    assert booster.learners.W.T.reshape(W.shape) == pytest.approx(W, abs=1e-9)
    assert booster.learners.squared == pytest.approx((W**2).sum(axis=(1, 2)), abs=1e-9)


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_told_gradients_it_equals_the_naive_program(loss, m):
    X, y = rows(m=m, signs=loss == "logistic")
    booster, other = GradientBooster(4, m, **SETTINGS), naive.Booster(4, m, **SETTINGS)
    said, lost = booster.play(X, y, loss)
    for n, x in enumerate(X):
        points, p = other.stages(x)
        assert said[n] == pytest.approx(p, abs=1e-9)
        assert lost[n] == pytest.approx(naive.loss(p, y[n], loss), abs=1e-9)
        other.learn(x, [naive.gradient(point, y[n], loss) for point in points])
    agree(booster, other)


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_told_losses_it_equals_the_naive_program(loss, m):
    """Call by call: what a query says is what the naive program says, moved by its directions."""
    X, y = rows(m=m, signs=loss == "logistic")
    booster = BanditGradientBooster(4, m, delta=0.3, seed=2, **SETTINGS)
    other = naive.Booster(4, m, **SETTINGS)
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
    one, two = (BanditGradientBooster(4, m, seed=3, **SETTINGS) for _ in range(2))
    said, lost = one.play(X, y, "squared")
    for n, x in enumerate(X):
        query = two.choose(x)
        assert query.prediction.tolist() == said[n].tolist()
        two.update(x, query, [((point - y[n]) ** 2).sum() for point in query.points])
    assert one.learners.W == pytest.approx(two.learners.W, abs=1e-12)
    assert lost == pytest.approx(((said - y) ** 2).sum(axis=1))
    assert one.rng.tolist() == two.rng.tolist()


def test_estimates_are_gradients_in_the_mean():
    """Of a squared loss, over both signs in one dimension, the very gradient."""
    y, p, delta = 0.7, 0.2, 0.5
    told = [1 / delta * (p + delta * v - y) ** 2 * v for v in (1, -1)]
    assert np.mean(told) == pytest.approx(2 * (p - y))


def test_it_is_saved_and_goes_on_as_if_never_stopped(tmp_path):
    X, y = rows()
    whole, part = (BanditGradientBooster(4, seed=5, **SETTINGS) for _ in range(2))
    whole.play(X, y, noise=0.1)
    part.play(X[:30], y[:30], noise=0.1)
    part.save(tmp_path / "booster")
    again = onearm.load(tmp_path / "booster")
    again.play(X[30:], y[30:], noise=0.1)
    for name, array in whole.arrays().items():
        assert array.tolist() == again.arrays()[name].tolist(), name


def test_norms_are_kept_up():
    """After many rounds ‖W‖² is what it was counted to be, and within R."""
    X, y = rows(1500)
    booster = BanditGradientBooster(4, seed=0, **SETTINGS)
    booster.play(X, y, noise=0.1)
    assert booster.learners.squared == pytest.approx((booster.learners.W**2).sum(axis=0), rel=1e-9)
    assert (booster.learners.squared <= 1.5**2 * (1 + 1e-12)).all()


@pytest.mark.parametrize(
    ("make", "said"),
    [(lambda: GradientBooster(0), "n_features must be an integer in"),
     (lambda: GradientBooster(2, R=0.0), "R must be a number in"),
     (lambda: BanditGradientBooster(2, delta=0.0), "delta must be a number in"),
     (lambda: GradientBooster(2, low=1.0, high=1.0), "low must be below high"),
     (lambda: GradientBooster(2).play([[1.0, np.nan]], [1.0]), "X must be numbers within"),
     (lambda: GradientBooster(2).play([[1.0, 2.0]], [1.0, 2.0]), "y must be of shape"),
     (lambda: GradientBooster(2).play([[1.0, 2.0]], [1.0], "hinge"), "loss must be one of")],
)  # fmt: skip
def test_what_is_wrong_is_said(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_a_wrong_update_changes_nothing():
    booster = BanditGradientBooster(2, N=3)
    query = booster.choose([1.0, 2.0])
    with pytest.raises(ValueError, match="losses must be of shape"):
        booster.update([1.0, 2.0], query, [1.0, 2.0])
    assert booster.t[0] == 0
    assert not booster.learners.W.any()
