"""AdaBoostMH: warm starts, what a model contains, and that fits are complete or change nothing."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array

pytest.importorskip("sklearn")

from sklearn.base import clone

from onearm.mh import classifier
from onearm.mh.binning import BinnedColumns
from onearm.mh.classifier import AdaBoostMH
from tests.mh.shared_rows import BASES, same_ensemble


def rows(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 4)), 1)
    X[::7, 2] = np.nan
    return X, (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 3] > 0.3)


def begun(base="stump", n_rounds=5, warm_start=True, **settings):
    X, y = rows()
    settings = {"random_state": 0, "warm_start": warm_start} | settings
    return AdaBoostMH(base, n_rounds=n_rounds, **settings).fit(X, y)


def other_value(X):
    X = X.copy()
    X[11, 1] += 1e-9
    return X


OTHERS = {
    "X: fewer rows": lambda X, y: (X[1:], y[1:]),
    "X: one value": lambda X, y: (other_value(X), y),
    "X: other order": lambda X, y: (X[::-1], y[::-1]),
    "X: fewer columns": lambda X, y: (X[:, :3], y),
    "X: columns exchanged": lambda X, y: (X[:, [1, 0, 2, 3]], y),
    "y: one label": lambda X, y: (X, np.where(np.arange(len(y)) == 3, 2 - y, y)),
    "y: other names": lambda X, y: (X, y + 1),
    "y: several": lambda X, y: (X, (y[:, None] == np.arange(3)).astype(int)),
    "sample_weight: one": lambda X, y: (X, y, np.where(np.arange(len(y)) == 3, 2.0, 1.0)),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_warm_start_with_other_rows_is_refused(name):
    model = begun()
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=f"{name.split(':')[0]} must be the same as in the fit"):
        model.set_params(n_rounds=10).fit(*OTHERS[name](*rows()))
    model.set_params(n_rounds=5)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    "changed",
    [{"base": "tree"}, {"lam": 0.2}, {"arms": "full"}, {"max_bins": 9}, {"random_state": 1},
     {"exact": True}, {"weights": "even"}, {"n_terms": 4}, {"n_leaves": 4}, {"reward": "edge"}],
)  # fmt: skip
def test_a_warm_start_with_other_parameters_is_refused(changed):
    (name, value), *_ = changed.items()
    with pytest.raises(ValueError, match=rf"{name} must be .* warm_start continues, got {value!r}"):
        begun().set_params(**changed, n_rounds=10).fit(*rows())


def test_a_warm_start_cannot_take_rounds_away():
    with pytest.raises(ValueError, match=r"n_rounds must be at least 5.*got 4"):
        begun().set_params(n_rounds=4).fit(*rows())


@pytest.mark.parametrize("kind", [np.array, np.asfortranarray, csr_array, csc_array, list])
def test_a_warm_start_resumes_with_the_same_rows_in_any_format(kind):
    X, y = rows()
    X = np.nan_to_num(X)
    settings = {"random_state": 0, "warm_start": True}
    model = AdaBoostMH("stump", n_rounds=5, **settings).fit(X, y, np.ones(80))
    model.set_params(n_rounds=10, n_jobs=2, verbose=0)
    model.fit(X.tolist() if kind is list else kind(X), y.tolist(), np.full(80, 0.1))
    same_ensemble(model, AdaBoostMH("stump", n_rounds=10, **settings).fit(X, y))


def test_a_random_state_object_may_be_given():
    rng = np.random.RandomState(0)
    model = begun(random_state=rng)
    again = pickle.loads(pickle.dumps(model))
    for resumed in (model, again):
        assert len(resumed.set_params(n_rounds=8).fit(*rows()).alpha_) == 8
    same_ensemble(model, again)


@pytest.mark.parametrize("base", BASES)
def test_a_warm_start_resumes_from_a_pickle(base):
    again = pickle.loads(pickle.dumps(begun(base)))
    same_ensemble(again.set_params(n_rounds=12).fit(*rows()), begun(base, n_rounds=12))


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("arms", ["recent", "full"])
def test_rows_are_stored_for_a_warm_start_only(base, arms):
    X, y = rows(2000)
    cold = AdaBoostMH(base, n_rounds=3, n_leaves=4, arms=arms, random_state=0).fit(X, y)
    warm = clone(cold).set_params(warm_start=True).fit(X, y)
    assert not hasattr(cold, "_training")
    assert hasattr(warm, "_training")
    few = clone(cold).fit(X[:200], y[:200])
    assert len(pickle.dumps(cold)) <= len(pickle.dumps(few)) + 200  # whatever the rows
    assert not hasattr(warm.set_params(warm_start=False).fit(X, y), "_training")


def test_a_warm_start_after_a_cold_fit_starts_again():
    model = begun(n_rounds=5, warm_start=False)
    model.set_params(warm_start=True, n_rounds=3, lam=0.5).fit(*rows(50))
    assert len(model.alpha_) == 3


BAD_FITS = {
    "y of another length": lambda X, y: (X[:, :2], y[1:]),
    "infinite X": lambda X, y: (np.full((80, 2), np.inf), y),
    "one class": lambda X, y: (X[:, :2], np.zeros(80)),
    "no rows": lambda X, y: (X[:0], y[:0]),
    "labels 0 to 2 in columns": lambda X, y: (X[:, :2], np.stack([y, y], axis=1)),
    "continuous y": lambda X, y: (X[:, :2], np.linspace(0, 1, 80)),
    "negative weights": lambda X, y: (X[:, :2], y, -np.ones(80)),
    "words in X": lambda X, y: (np.full((80, 2), "a"), y),
}


@pytest.mark.parametrize("warm_start", [False, True])
@pytest.mark.parametrize("name", BAD_FITS)
def test_a_refused_fit_changes_nothing(name, warm_start):
    model = begun(warm_start=warm_start)
    before, f = pickle.dumps(model), model.decision_function(rows()[0])
    with pytest.raises(ValueError, match=r"."):
        model.fit(*BAD_FITS[name](*rows()))
    assert pickle.dumps(model) == before
    assert np.array_equal(model.decision_function(rows()[0]), f)
    unfitted = clone(model)
    with pytest.raises(ValueError, match=r"."):
        unfitted.fit(*BAD_FITS[name](*rows()))
    assert vars(unfitted).keys() == vars(clone(model)).keys()


@pytest.mark.parametrize("arms", ["full", "recent", "ucb"])
@pytest.mark.parametrize("warm_start", [False, True])
@pytest.mark.parametrize("base", BASES)
def test_an_interrupted_fit_leaves_the_model_as_it_was(base, warm_start, arms, monkeypatch):
    """During boosting, when weights have changed and rounds have not been added yet."""
    monkeypatch.setattr(classifier, "STAGE", 10)
    model = begun(base, n_rounds=10, warm_start=warm_start, arms=arms)
    before, calls = pickle.dumps(model), []

    def interrupted(self, *given):
        calls.append(given)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return thresholds(self, *given)

    thresholds = BinnedColumns.thresholds
    with monkeypatch.context() as patch:
        patch.setattr(BinnedColumns, "thresholds", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.set_params(n_rounds=60).fit(*rows())
    model.set_params(n_rounds=10)
    assert pickle.dumps(model) == before
    same_ensemble(model.set_params(n_rounds=20).fit(*rows()), begun(base, n_rounds=20, arms=arms))


def test_attributes_of_an_earlier_fit_are_removed():
    X, y = rows()
    model = AdaBoostMH("stump", n_rounds=5, validation=0.2, random_state=0).fit(X, y)
    assert hasattr(model, "validation_error_")
    assert not hasattr(model.set_params(validation=0).fit(X, y), "validation_error_")


@pytest.mark.parametrize("warm_start", [False, True])
@pytest.mark.parametrize("base", BASES)
def test_predictions_write_nothing(base, warm_start):
    model, (X, _) = begun(base, warm_start=warm_start), rows()
    given, before = X.copy(), pickle.dumps(model)
    for method in ("predict", "predict_proba", "decision_function"):
        getattr(model, method)(X)
        getattr(model, method)(csr_array(np.nan_to_num(X)))
    for method in ("staged_predict", "staged_decision_function"):
        list(getattr(model, method)(X))
        next(getattr(model, method)(X))  # and abandon it
    _ = model.pulls_, model.feature_importances_, model.alpha_, model.loss_
    assert pickle.dumps(model) == before
    assert np.array_equal(X, given, equal_nan=True)


def test_staged_predictions_are_independent_arrays():
    model, (X, _) = begun(), rows()
    for method in (model.staged_predict, model.staged_decision_function):
        first, *_ = stages = list(method(X))
        copied = first.copy()
        stages[-1][:] = 0
        assert np.array_equal(first, copied)
