"""to_river: River's own checks, and what the learner gets to know."""

import numpy as np
import pytest
from river import checks, datasets, evaluate, metrics, preprocessing

import onearm
from onearm.adapters.making import make_learner
from onearm.adapters.river import RiverClassifier, to_river


@pytest.mark.compiled
def test_every_check_of_river():
    model = RiverClassifier("InverseGap")
    assert not model._unit_test_skips()
    checks.check_estimator(model)


def test_it_learns_what_a_learner_hears():
    """The rounds of `learn_one` are choose and update among the labels met, with right or wrong."""
    rows = [({"b": float(t % 3), "a": 1.0}, "xyz"[t % 3]) for t in range(40)]
    model = to_river("EpsilonGreedy", n_classes=5, n_features=4, seed=3, epsilon=0.3)
    learner = make_learner("EpsilonGreedy", 5, 4, 3, {"epsilon": 0.3})
    n_right = 0
    for t, (x, y) in enumerate(rows):
        model.learn_one(x, y)
        row = np.array([1.0, x["b"], 0.0, 0.0])  # places in the order of names
        choice = learner.choose(row, among=np.arange(min(t + 1, 3)))
        right = "xyz"[choice.label] == y
        learner.update(row, choice, right)
        n_right += right
    assert model.n_right == n_right
    assert model.n_chosen == 40
    np.testing.assert_array_equal(model.model.scores(np.eye(4)), learner.scores(np.eye(4)))
    x = rows[0][0]
    scores = dict(zip("xyz", learner.scores(np.array([1.0, x["b"], 0, 0])), strict=False))
    assert model.predict_one(x) == max(scores, key=scores.get)


def test_predicting_changes_nothing():
    model = to_river("InverseGap")
    assert model.predict_one({"a": 1}) is None
    model.learn_one({"a": 1}, True)
    before = dict(model.places)
    model.predict_one({"new": 3.0})
    assert model.places == before


@pytest.mark.parametrize("n_features", [3, 600])
def test_more_names_than_places_share_them(n_features):
    model = to_river("InverseGap", n_features=n_features)
    for t in range(30):
        model.learn_one({f"word{t % 7}": 1.0, "device": "phone" if t % 2 else "desk"}, t % 2)
    assert len(model.places) == min(n_features, 9)
    assert model.predict_one({"device": "phone"}) == 1


def test_progressive_validation_in_a_pipeline():
    model = preprocessing.StandardScaler() | to_river(onearm.InverseGap, n_classes=2)
    accuracy = evaluate.progressive_val_score(
        datasets.Phishing().take(300), model, metrics.Accuracy()
    )
    assert accuracy.get() > 0.6


def test_what_cannot_be_learned_is_refused():
    model = to_river("InverseGap", n_classes=2)
    for label in "ab":
        model.learn_one({"x": 1.0}, label)
    with pytest.raises(ValueError, match="n_classes must be larger: 'c' is label 3"):
        model.learn_one({"x": 1.0}, "c")
    with pytest.raises(ValueError, match=r"'x' must be a number or a text, got \[1\]"):
        model.learn_one({"x": [1]}, "a")
    with pytest.raises(ValueError, match="learner must be a class or one of"):
        to_river("Nobody")
    with pytest.raises(
        ValueError, match=r"parameters of Chorus are .*'alhpa' .did you mean 'alpha'"
    ):
        to_river("Chorus", alhpa=1.0)


def test_full_information_is_given_to_who_needs_it():
    model = to_river("Perceptron", n_classes=3, n_features=2)
    for t in range(60):
        model.learn_one({"x": float(t % 2), "y": float(t % 3 == 0)}, ("a", "b")[t % 2])
    assert [model.predict_one({"x": x, "y": 0.0}) for x in (0.0, 1.0)] == ["a", "b"]
