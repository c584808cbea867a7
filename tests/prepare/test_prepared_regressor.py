"""PreparedRegressor equals a plain twin, and learns the same at any scale."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import onearm
from tests.reference.linear_regressors import NFKM, OGD
from tests.reference.prepared_regressor import Rows, Targets

NOMINAL = (0, 3, 0)


def rows(n=80, m=2):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(50, 9, n), rng.integers(0, 4, n), rng.standard_t(2, n)])
    X[rng.random(n) < 0.1, 2] = np.nan
    y = np.column_stack([0.1 * X[:, 0] + (X[:, 1] == 1), 900 - 30 * np.nan_to_num(X[:, 2])])
    return X, y[:, :m]


def test_with_gradients_it_equals_the_plain_twin():
    X, y = rows()
    ours = onearm.PreparedRegressor(3, 2, nominal=NOMINAL, high=950.0)
    assert ours.full_information
    columns, targets, other = Rows(NOMINAL), Targets(2), OGD(6, 2, 0.3, 0.5, 10.0)
    predictions, losses = ours.play(X, y)
    for n, x in enumerate(X):
        z = columns.prepared(x)
        p = np.minimum(targets.original(other.W @ z), 950.0)
        assert predictions[n] == pytest.approx(p)
        assert losses[n] == pytest.approx(((p - y[n]) ** 2).sum())
        if n > 0:
            other.learn(z, targets.scaled(y[n]), "squared")
        else:
            other.t += 1
        targets.add(y[n])
        columns.add(x)
    assert ours.inner.weights.T == pytest.approx(other.W)


def test_from_losses_it_equals_the_plain_twin():
    X, y = rows(m=1)
    settings = {"n_points": 4, "delta": 0.4, "perturb": "weights"}
    ours = onearm.PreparedRegressor(
        3, regressor="NFKM", nominal=NOMINAL, settings=settings, lr=0.01, R=2.0
    )
    columns, other = Rows(NOMINAL), NFKM(6, 1, 0.01, 0.5, 2.0, 0.4)
    for n, x in enumerate(X):
        query, z = ours.choose(x), columns.prepared(x)
        assert query.prediction == pytest.approx(other.W @ z)
        assert query.points == pytest.approx(np.array(other.points(z, query.directions)))
        losses = [((p - y[n]) ** 2).sum() for p in query.points]
        ours.update(x, query, losses)
        other.learn(losses, query.directions)
        columns.add(x)
    assert ours.inner.weights.T == pytest.approx(other.W)


def test_predictions_are_moved_unless_settings_say_otherwise():
    for name in ("NFKM", "FKM"):
        assert onearm.PreparedRegressor(3, regressor=name).inner.perturb == "prediction"
    given = onearm.PreparedRegressor(3, regressor="NFKM", settings={"perturb": "weights"})
    assert given.inner.perturb == "weights"


@pytest.mark.compiled
def test_the_scale_of_rows_and_targets_does_not_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    y = X @ [1.0, -2.0, 0.5, 0.0] + 0.3 * rng.normal(size=2000)
    left = []
    for columns, start, targets in [
        (1.0, 0.0, 1.0),
        (1e-4, 3.0, 1e5),
        ([1e3, 1.0, 1e-3, 7.0], 0, 1e-5),
    ]:
        regressor = onearm.PreparedRegressor(4)
        losses = regressor.play(X * columns + start, targets * y + start)[1]
        left.append(losses[1000:].mean() / (targets**2 * y[1000:].var()))
    assert left == pytest.approx([left[0]] * 3, rel=0.02)
    assert left[0] < 0.25


def test_wide_rows_are_sparse():
    X = csr_array(np.eye(40)[np.arange(60) % 40])
    regressor = onearm.PreparedRegressor(40, nominal=(120,) * 40)
    assert regressor.form == "sparse"
    regressor.play(X, np.arange(60) % 40, noise=0.0)
    assert np.isfinite(regressor.predict(X)).all()


def test_labels_of_the_logistic_loss_stay_as_they_are():
    X, _ = rows()
    y = np.where(X[:, 0] > 50, 1.0, -1.0)
    regressor = onearm.PreparedRegressor(3, nominal=NOMINAL)
    losses = regressor.play(X, y, "logistic")[1]
    assert losses[0] == pytest.approx(np.log(2))
    assert losses[-20:].mean() < 0.5
    assert not regressor.target_moments.any()


@pytest.mark.parametrize(
    ("given", "message"),
    [({"regressor": "Ogd"}, "regressor must be one that does not prepare rows itself, got 'Ogd'"),
     ({"regressor": "PreparedRegressor"}, "regressor must be one that does not prepare"),
     ({"regressor": "Banditron"}, "regressor must be one that does not prepare"),
     ({"settings": {"lr": 1.0}}, "settings must not have lr, got 1.0"),
     ({"settings": {"delta": 1.0}}, "OGD has no parameter 'delta'"),
     ({"regressor": "GradientBooster", "settings": {"weak": dict}}, "settings must have the name"),
     ({"nominal": (2,)}, "nominal must have n_features=3 entries or none, got 1")],
)  # fmt: skip
def test_parameters_that_cannot_be_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        onearm.PreparedRegressor(3, **given)


def test_moments_that_cannot_be_are_refused(tmp_path):
    regressor = onearm.PreparedRegressor(3)
    regressor.target_moments[2] = -1.0
    regressor.save(tmp_path / "regressor")
    with pytest.raises(ValueError, match="target_moments must have counts and squares from 0 on"):
        onearm.load(tmp_path / "regressor")
