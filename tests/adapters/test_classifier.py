"""BanditClassifier: what scikit-learn asks of a classifier, and what the learner gets to know."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import onearm
from onearm import BanditClassifier
from onearm.adapters.making import make_learner

WORDS = np.array(["ant", "bee", "cat"])


def rows(n=90, d=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    return rng.normal(size=(n, d)) + 4.0 * np.eye(3, d)[y], WORDS[y]


@pytest.mark.compiled
@pytest.mark.parametrize("learner", ["InverseGap", "Chorus"])
def test_every_check_of_scikit_learn(learner):
    """None may fail; the one that is left out needs an environment variable of SciPy."""
    results = check_estimator(BanditClassifier(learner), on_fail=None, on_skip=None)
    left = {r["check_name"]: r["exception"] for r in results if r["status"] != "passed"}
    assert set(left) <= {"check_array_api_input"}, left
    assert len(results) > 50


def test_fit_is_a_learner_that_plays_in_a_random_order():
    X, y = rows()
    model = BanditClassifier("EpsilonGreedy", params={"epsilon": 0.3}, random_state=7).fit(X, y)
    order = np.random.RandomState(7).permutation(len(y))
    seed = np.random.RandomState(7).randint(2**31 - 1)
    learner = make_learner("EpsilonGreedy", 3, 4, int(seed), {"epsilon": 0.3})
    trace = learner.play(X[order], np.searchsorted(WORDS, y)[order])
    assert model.error_ == (~trace.correct).mean() > 0.1  # explored
    np.testing.assert_array_equal(model.predict(X), WORDS[learner.predict(X)])
    np.testing.assert_array_equal(model.decision_function(X), learner.scores(X))


def test_a_pass_more_is_another_order():
    X, y = rows()
    once, twice = (BanditClassifier("InverseGap", n_passes=n).fit(X, y) for n in (1, np.int64(2)))
    assert twice.error_ < once.error_
    plain = BanditClassifier("InverseGap", shuffle=False).fit(X, y)
    learner = make_learner("InverseGap", 3, 4, plain.learner_.seed, None)
    assert plain.error_ == (~learner.play(X, np.searchsorted(WORDS, y)).correct).mean()


def test_a_log_is_learned_as_the_learner_does():
    X, y = rows()
    chosen = np.random.default_rng(1).choice(WORDS, len(y))
    p = np.full(len(y), 1 / 3)
    model = BanditClassifier("InverseGap").partial_fit(X, chosen, chosen == y, p, classes=WORDS)
    learner = make_learner("InverseGap", 3, 4, model.learner_.seed, None)
    learner.learn(X, (np.searchsorted(WORDS, chosen), None, p, chosen == y))
    np.testing.assert_array_equal(model.decision_function(X), learner.scores(X))
    assert model.score(X, y) > 0.8
    half = BanditClassifier("InverseGap").partial_fit(X, chosen, 0.5 * (chosen == y), p, WORDS)
    assert (half.decision_function(X) != model.decision_function(X)).any()
    banditron = BanditClassifier("Banditron")  # which knows right and wrong alone: 1.0 is right
    banditron.partial_fit(X, chosen, (chosen == y).astype(float), p, WORDS)
    assert banditron.score(X, y) > 0.5


def test_partial_fit_continues():
    X, y = rows()
    model = BanditClassifier("InverseGap").partial_fit(X[:40], y[:40], classes=WORDS[::-1])
    model.partial_fit(X[40:], y[40:])
    learner = make_learner("InverseGap", 3, 4, model.learner_.seed, None)
    learner.play(X, np.searchsorted(WORDS, y))
    np.testing.assert_array_equal(model.decision_function(X), learner.scores(X))


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({}, "classes must be given in the first call"),
        ({"classes": WORDS[:2]}, r"y must be among the classes \['ant' 'bee'\], got .*'cat'"),
        ({"classes": WORDS[1:]}, r"y must be among the classes \['bee' 'cat'\], got .*'ant'"),
        ({"classes": ["ant"]}, "two classes at least"),
        ({"classes": WORDS, "rewards": np.ones(90)}, "propensities must be given with rewards"),
        ({"classes": WORDS, "propensities": np.ones(90)}, "rewards must be given with propens"),
        ({"classes": WORDS, "rewards": np.full(90, 2), "propensities": np.ones(90)}, "rewards"),
        ({"classes": WORDS, "rewards": np.ones(90), "propensities": np.zeros(90)}, "propensity"),
        ({"classes": WORDS, "rewards": np.ones(9), "propensities": np.ones(90)}, "90 entries"),
    ],
)
def test_bad_logs_are_refused(arguments, wrong):
    with pytest.raises(ValueError, match=wrong):
        BanditClassifier("InverseGap").partial_fit(*rows(), **arguments)


def test_classes_stay_as_they_were_first():
    X, y = rows()
    model = BanditClassifier("InverseGap").partial_fit(X, y, classes=WORDS)
    model.partial_fit(X, y, classes=WORDS[::-1])
    with pytest.raises(ValueError, match=r"classes must stay \['ant' 'bee' 'cat'\], got \['ant'"):
        model.partial_fit(X, y, classes=[*WORDS, "dog"])


def test_a_learner_that_takes_no_logs_is_named():
    X, y = rows()
    log = {"rewards": y == "ant", "propensities": np.full(90, 0.5), "classes": WORDS}
    with pytest.raises(ValueError, match="ConservativeOVA cannot learn from the choices of anoth"):
        BanditClassifier("ConservativeOVA").partial_fit(X, y, **log)


@pytest.mark.parametrize(
    ("parameters", "wrong"),
    [
        ({"learner": "Chorsu"}, "learner must be a class or .*did you mean 'Chorus'"),
        ({"learner": 3}, "got 3"), ({"n_passes": 0}, "n_passes must be .* at least 1, got 0"),
        ({"learner": "SOBA", "params": {"gamma": 2}}, "gamma must be"),
        ({"learner": "SOBA", "params": {"gama": 1}}, "got .gama. .did you mean .gamma."),
        ({"learner": "SOBA", "params": 3}, "params must be a dict of parameters, got 3"),
        ({"learner": "SOBA", "params": {"seed": 1}}, "parameters of SOBA are .*, got 'seed'"),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused_by_fit(parameters, wrong):
    with pytest.raises(ValueError, match=wrong):
        BanditClassifier(**parameters).fit(*rows())


def test_it_works_with_the_tools_of_scikit_learn():
    X, y = rows()
    pipeline = make_pipeline(StandardScaler(), BanditClassifier(onearm.InverseGap))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.5
    grid = {"banditclassifier__params": [{"scale": 1.0}, {"scale": 100.0}]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_params_["banditclassifier__params"]["scale"] in (1.0, 100.0)
    model = search.best_estimator_[-1]
    fresh = clone(model)
    assert not hasattr(fresh, "learner_")
    assert fresh.get_params() == model.get_params()
    same = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(same.predict(X), search.predict(X))


def test_frames_sparse_rows_and_chances():
    X, y = rows()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = BanditClassifier("InverseGap").fit(frame, y)
    assert list(model.feature_names_in_) == list("abcd")
    assert model.n_features_in_ == 4
    p = model.predict_proba(frame)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(frame))
    sparse = BanditClassifier("InverseGap").fit(csr_array(X), y)
    assert sparse.score(csr_array(X), y) > 0.5


@pytest.mark.parametrize("learner", ["InverseGap", "AdaBandit", "Chorus"])
def test_missing_values_are_taken_as_the_learner_takes_them(learner):
    X, y = rows()
    X[::5, 3] = np.nan
    model = BanditClassifier(learner).fit(X, y)
    assert model.score(X, y) > 0.5
    assert model.__sklearn_tags__().input_tags.allow_nan
    with pytest.raises(ValueError, match="contains infinity"):
        model.predict(np.where(np.isnan(X), np.inf, X))
