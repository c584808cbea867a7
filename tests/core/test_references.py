"""Every learner equals, round by round, the plain implementation written from the papers."""

import numpy as np
import pytest

import onearm
from tests.cases import ASIDE, EAGER, FEW, FORMS, PLAIN, ids, learner_class, make
from tests.twins import (
    NOMINAL,
    D,
    K,
    compare_a_round,
    compare_states,
    examples,
    nominal_examples,
    reference,
)


@pytest.mark.parametrize("case", ids())
@pytest.mark.parametrize("rewards", ["right or wrong", "in between"])
def test_equals_reference(case, rewards):
    learner = make(case, K, D, seed=1)
    if rewards == "in between" and not learner.real_rewards:
        with pytest.raises(ValueError, match="correct must be"):
            learner.update(np.ones(D), learner.choose(np.ones(D)), 0.5)
        return
    naive = reference(learner)
    for t, (x, y) in enumerate(zip(*examples(seed=2), strict=True)):
        reward = None if rewards == "right or wrong" else (t % 7) / 7
        compare_a_round(learner, naive, x, int(y), t, reward)
    compare_states(learner, naive)


@pytest.mark.parametrize(
    ("leaf_prediction", "splitter"),
    [
        ("adaptive", "gaussian"),
        ("bayes", "gaussian"),
        ("majority", "gaussian"),
        ("bayes", "histogram"),
        ("majority", "histogram"),
    ],
)
def test_trees_with_nominal_columns_and_missing_values(leaf_prediction, splitter):
    form = EAGER | {"leaf_prediction": leaf_prediction, "splitter": splitter, "nominal": NOMINAL}
    learner = onearm.HoeffdingTree(K, D, **form)
    naive = reference(learner)
    for t, (x, y) in enumerate(zip(*nominal_examples(4, missing=True), strict=True)):
        compare_a_round(learner, naive, x, int(y), t)
    compare_states(learner, naive)
    multiway = [node for node in walk(naive.root) if node.children and node.threshold is None]
    assert multiway, "no nominal column was split: the test shows less than it says"


def test_histograms_split_and_predict():
    """Leaves that have set their bins answer by them, split, and begin anew in the same place."""
    form = EAGER | {"splitter": "histogram", "leaf_prediction": "bayes", "grace_period": 60.0}
    learner = onearm.HoeffdingTree(K, D, **form)
    naive = reference(learner)
    answered = 0
    for t, (x, y) in enumerate(zip(*examples(6, n=700), strict=True)):
        answered += naive.route(x).observers is not None and naive.route(x).observers[0].knows()
        compare_a_round(learner, naive, x, int(y), t)
    assert answered > 50
    assert sum(bool(node.children) for node in walk(naive.root)) >= 3


def walk(node):
    yield node
    for child in node.children:
        yield from walk(child)


NOMINAL_FORMS = {
    "AdaBandit": ASIDE | PLAIN | {"target": "cheapest"},
    "AdaBoostOLM": FEW | {"weight_scale": (5.0, 20.0), "leaf_prediction": "bayes"},
    "BanditBBM": ASIDE | {"target": "cheapest", "gamma": 0.2, "weight_scale": 5.0},
    "OnlineMBBM": FEW
    | PLAIN
    | {"potential_ties": "strict", "leaf_prediction": "majority", "splitter": "histogram"},
    "BinBandit": ASIDE
    | PLAIN
    | {"n_learners": 2, "leaf_prediction": "majority", "eta": 0.01, "others": False},
}


@pytest.mark.parametrize("name", NOMINAL_FORMS)
def test_boosters_with_nominal_columns(name):
    learner = learner_class(name)(K, D, **NOMINAL_FORMS[name], nominal=NOMINAL, seed=3)
    naive = reference(learner)
    for t, (x, y) in enumerate(zip(*nominal_examples(5, missing=False), strict=True)):
        compare_a_round(learner, naive, x, int(y), t)
    compare_states(learner, naive)


def test_every_option_of_a_booster_has_a_form():
    """Each value of each option runs other code somewhere: none is left out."""
    for name in ("HoeffdingTree", *NOMINAL_FORMS):
        forms = [learner_class(name)(K, D, **form).params() for form in FORMS[name]]
        forms += [NOMINAL_FORMS[name]] if name in NOMINAL_FORMS else []
        for option in ("step", "target", "others"):
            if option in forms[0]:
                assert len({form[option] for form in forms if option in form}) == 2, (name, option)
