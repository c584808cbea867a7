"""AdaBoost.MH equals a naive program of the same specification, round by round."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from onearm.mh.bandits import POLICIES
from onearm.mh.classifier import AdaBoostMH
from onearm.mh.settings import Settings
from tests.mh.shared_rows import BASES, weight_values
from tests.reference import adaboost_mh

SIZES = {"n_leaves": 4, "n_terms": 3}
SEED = 3


def case(several):
    """Rows with missing values, a constant column and different weights: nothing is tied."""
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(30, 5)), 1)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 3] = 2.0
    if several:
        y = (rng.random((30, 3)) < 0.4).astype(int)
        Y = 2.0 * y - 1.0
    else:
        y = rng.integers(0, 3, 30)
        Y = 2.0 * (y[:, None] == np.arange(3)) - 1.0
    return X, y, Y, rng.uniform(0.5, 2.0, 30)


def both(base, several=False, **settings):
    X, y, Y, weight = case(several)
    settings = {"arms_per_round": 1} | settings
    model = AdaBoostMH(base, n_rounds=12, random_state=SEED, warm_start=True, **SIZES, **settings)
    model.fit(X, y, weight)
    renamed = {"arms_per_round": "at_once", "scale_reward": "scaled"}
    given = {renamed.get(key, key): value for key, value in settings.items()}
    seed = int(np.random.RandomState(SEED).randint(2**31))
    naive = adaboost_mh.fit(
        X, Y, base, 12, horizon=Settings.of(model).horizon(), sample_weight=weight, seed=seed,
        **SIZES, **given,
    )  # fmt: skip
    return X, model, naive


def agree(X, model, naive):
    assert model.alpha_ == pytest.approx(naive.alpha, abs=1e-9)
    assert model.loss_ == pytest.approx(naive.loss, abs=1e-9)
    for t, classifier in enumerate(naive.classifier):
        used = model.ensemble_.column[t] >= 0
        columns, thresholds = ([], []) if classifier is None else (
            classifier.columns, classifier.thresholds
        )  # fmt: skip
        assert model.ensemble_.column[t][used].tolist() == columns
        assert model.ensemble_.threshold[t][used].tolist() == thresholds
    f = naive.decision_function(X)
    assert model._votes(X) == pytest.approx(f, abs=1e-9)
    assert weight_values(model._training.weights) == pytest.approx(naive.weights, abs=1e-9)
    pulled = np.bincount([column for column, _ in naive.rewards], minlength=X.shape[1])
    assert model.pulls_.tolist() == pulled.tolist()


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("arms", POLICIES)
@pytest.mark.parametrize("base", BASES)
def test_equals_reference(base, arms, several):
    agree(*both(base, several, arms=arms))


@pytest.mark.parametrize("arms", [arms for arms in POLICIES if arms != "uct"])  # which takes one
@pytest.mark.parametrize("base", ["stump", "tree", "random_tree"])
def test_equals_reference_with_two_arms_at_once(base, arms):
    agree(*both(base, arms=arms, arms_per_round=2))


@pytest.mark.parametrize("reward", ["edge", "square"])
@pytest.mark.parametrize("arms", ["ucbv", "exp3p"])
def test_equals_reference_with_other_rewards(arms, reward):
    agree(*both("product", arms=arms, reward=reward, scale_reward=True, weights="even"))
