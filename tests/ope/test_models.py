"""Reward models equal plain ones, for every kind of row, and refuse what they cannot use."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LinearRegression, LogisticRegression

import onearm
from onearm.core.choice import Trace
from onearm.ope import models
from onearm.ope.models import Linear, new_model
from onearm.ope.weighing import expected
from tests.ope.random_logs import as_log, random_arrays
from tests.reference import ope as plain


def triples(events, reward):
    return list(zip(events.X, events.label, reward, strict=True))


def added(model, log, size=13):
    """Give all events of a log to a model, some at a time, and fit it."""
    events = log.events()
    low, high = log.rewards
    for begin in range(0, len(events), size):
        part = events.part(slice(begin, begin + size))
        model.add(part, (part.reward - low) / (high - low))
    model.fit()
    return model


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [1, 5, 90])
def test_linear_equals_least_squares(n, seed):
    events = random_arrays(n, k=4, d=3, seed=seed)
    events.X[:, 1] *= 1000.0
    model = added(Linear(4, 3), as_log(events))
    q = plain.ridge(4)(triples(events, events.reward))
    new = np.random.default_rng(9).normal(size=(20, 3)) * [1, 1000, 1]
    np.testing.assert_allclose(model.q(new), [q((x,)) for x in new], rtol=1e-8, atol=1e-8)


def test_linear_with_codes_missing_values_and_a_label_without_events():
    events = random_arrays(80, k=3, d=4)
    rng = np.random.default_rng(1)
    nominal = (0, 3, 0, 2)
    for j, m in enumerate(nominal):
        if m:
            events.X[:, j] = rng.integers(0, m + 1, 80)  # m is a value never seen
    events.X[rng.random((80, 4)) < 0.2] = np.nan
    events = events._replace(label=np.where(events.label == 1, 2, events.label))
    events = events._replace(chances=np.full((80, 3), 1 / 3))
    model = added(Linear(3, 4, nominal), as_log(events))
    q = plain.ridge(3, nominal)(triples(events, events.reward))
    np.testing.assert_allclose(model.q(events.X), [q((x,)) for x in events.X], atol=1e-8)
    np.testing.assert_allclose(model.q(events.X)[:, 1], events.reward.mean())


def test_units_of_a_column_do_not_matter():
    events = random_arrays(60, d=3)
    scaled = events._replace(X=events.X * [1e-4, 1.0, 1e5])
    first, second = (added(Linear(3, 3), as_log(some)) for some in (events, scaled))
    np.testing.assert_allclose(first.q(events.X), second.q(scaled.X), atol=1e-8)


def test_sparse_rows_are_as_dense_ones():
    events = random_arrays(60, d=3)
    events.X[np.random.default_rng(0).random((60, 3)) < 0.5] = 0.0
    dense = added(Linear(3, 3), as_log(events))
    sparse = added(Linear(3, 3), as_log(events._replace(X=csr_matrix(events.X))))
    np.testing.assert_array_equal(dense.q(events.X), sparse.q(csr_matrix(events.X)))
    assert dense.q(events.X).min() >= 0
    assert dense.q(events.X).max() <= 1


def test_models_without_events_expect_nothing():
    log = as_log(random_arrays(5))
    for spec in ("linear", "none", LinearRegression()):
        model = new_model(spec, log)
        model.fit()
        np.testing.assert_array_equal(model.q(np.ones((2, 2))), np.zeros((2, 3)))


@pytest.mark.parametrize("given", [onearm.EpsilonGreedy, onearm.EpsilonGreedy(3, 2)])
def test_learners_of_ours_learn_when_events_are_added_and_judge_when_fitted(given):
    events = random_arrays(40, rewards=(-3.0, 5.0))
    log = as_log(events, rewards=(-3.0, 5.0))
    model = new_model(given, log)
    other = log.learner(onearm.EpsilonGreedy) if isinstance(given, type) else type(given)(3, 2)
    before = model.q(events.X)
    model.add(log.events(), (events.reward + 3) / 8)
    np.testing.assert_array_equal(model.q(events.X), before)
    model.fit()
    choices = Trace(events.label, np.full(40, -1), events.propensity, (events.reward + 3) / 8)
    other.learn(events.X, choices)
    np.testing.assert_array_equal(model.q(events.X), np.clip(other.scores(events.X), 0, 1))
    if not isinstance(given, type):
        np.testing.assert_array_equal(given.scores(events.X), 0)  # the given one stays as it was


def test_scikit_learn_has_an_estimator_for_each_label():
    events = random_arrays(90)
    log = as_log(events._replace(reward=np.round(events.reward)))
    reward = np.round(events.reward)
    for given in (LinearRegression(), LogisticRegression()):
        q = added(new_model(given, log), log).q(events.X)
        for label in range(3):
            own = events.label == label
            fitted = type(given)().fit(events.X[own], reward[own])
            right = hasattr(fitted, "predict_proba")
            wanted = fitted.predict_proba(events.X)[:, 1] if right else fitted.predict(events.X)
            np.testing.assert_allclose(q[:, label], np.clip(wanted, 0, 1), atol=1e-6)


def test_scikit_learn_labels_of_a_single_reward_or_none():
    events = random_arrays(30, k=4)
    label = np.arange(30) % 3
    reward = np.where(label == 1, 1.0, label == 2) * (np.arange(30) % 2) + (label == 0)
    events = events._replace(label=label, reward=reward, chances=np.full((30, 4), 0.25))
    q = added(new_model(LogisticRegression(), as_log(events)), as_log(events)).q(events.X)
    np.testing.assert_array_equal(q[:, 0], 1.0)
    np.testing.assert_allclose(q[:, 3], reward.mean())


def test_wide_rows_are_learnt_by_a_learner(monkeypatch):
    monkeypatch.setattr(models, "WIDEST", 1)
    model = new_model("linear", as_log(random_arrays(5)))
    assert isinstance(model, models.Learned)


def test_matrices_of_many_labels_must_fit_into_memory():
    """65,536 labels and 200 columns would have 20 GiB of them."""
    label = np.arange(60) % 3
    log = onearm.Log.of(np.ones((60, 200)), label, np.full(60, 0.5), label == 0, n_classes=65536)
    assert isinstance(new_model("linear", log), models.Learned)
    few = onearm.Log.of(np.ones((60, 200)), label, np.full(60, 0.5), label == 0)
    assert isinstance(new_model("linear", few), Linear)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (onearm.SOBA, "model must learn from rewards .*, which SOBA cannot"),
        (onearm.EpsilonGreedy(3, 5), "log has 3 labels and 2 features, EpsilonGreedy has 3 and 5"),
        (onearm.EpsilonGreedy(4, 2), "log has 3 labels and 2 features, EpsilonGreedy has 4 and 2"),
        ("forest", "model must be 'linear', 'none', a learner or a scikit-learn .*, got 'forest'"),
        (None, "model must be .*, got None"),
    ],
)
def test_models_that_are_refused(spec, words):
    with pytest.raises(ValueError, match=words):
        onearm.evaluate(as_log(random_arrays(30)), "uniform", model=spec)


def test_classifiers_need_rewards_0_and_1():
    with pytest.raises(ValueError, match="rewards must be 0 or 1 for a classifier, Logistic"):
        onearm.evaluate(as_log(random_arrays(30)), "uniform", model=LogisticRegression())


def test_a_model_that_was_trained_on_the_log_is_refused():
    log = as_log(random_arrays(60))
    learner = log.learner(onearm.EpsilonGreedy)
    learner.learn(log.first(20))
    for some, n in ((log, 20), (log.after(5), 15)):
        words = rf"model was trained on events up to 20 of this log: .*log.after\({n}\)"
        with pytest.raises(ValueError, match=words):
            onearm.evaluate(some, "uniform", model=learner)
    assert len(onearm.evaluate(log.after(20), "uniform", model=learner).estimates) == 2
    other = as_log(random_arrays(60, seed=5))
    assert len(onearm.evaluate(other, "uniform", model=learner).estimates) == 2


def test_fitting_must_be_known():
    with pytest.raises(ValueError, match="fitting must be one of predictable, cross_fitted, got"):
        expected(as_log(random_arrays(5)), "linear", "leave_one_out")
