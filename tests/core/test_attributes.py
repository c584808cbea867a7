"""After a learner is made its sizes and arrays stay, and its parameters are checked when set."""

import copy

import numpy as np
import pytest

import onearm
from onearm.checks.trial import bits
from tests.cases import SMALL

MODELS = {**onearm.LEARNERS, **onearm.REGRESSORS}


def make(name):
    sizes = (4, 6) if name in onearm.LEARNERS else (6, 2)
    return getattr(onearm, name)(*sizes, **SMALL.get(name, {}))


@pytest.mark.parametrize("name", MODELS)
def test_nothing_that_was_made_can_be_replaced(name):
    model = make(name)
    before = bits(model) if name in onearm.LEARNERS else None
    for attribute, value in list(vars(model).items()):
        if attribute in model.params():
            continue
        with pytest.raises(AttributeError, match=f"{attribute} of {name} cannot be replaced"):
            setattr(model, attribute, value)
        with pytest.raises(AttributeError, match=f"{attribute} of {name} cannot be deleted"):
            delattr(model, attribute)
    assert before is None or bits(model) == before


@pytest.mark.parametrize("name", MODELS)
def test_sizes_are_fixed(name):
    model = make(name)
    for size in (
        "n_classes",
        "n_features",
        "n_outputs",
        "seed",
        "n_learners",
        "n_points",
        "n_components",
        "weak",
    ):
        if size in model.params():
            with pytest.raises(AttributeError, match=f"{size} of {name} is fixed once it is made"):
                setattr(model, size, 20)
    assert model.params() == make(name).params()


@pytest.mark.parametrize("name", onearm.LEARNERS)
def test_a_parameter_is_checked_as_in_the_constructor(name):
    model = make(name)
    parameter = model.exploration
    fields = getattr(model, "inner", model).__dataclass_fields__
    if parameter is None or fields[parameter].metadata["fixed"]:
        return
    before = getattr(model, parameter)
    for bad in (-7.0, float("nan"), "a", None, True):
        with pytest.raises(ValueError, match=f"{parameter} must be .*, got"):
            setattr(model, parameter, bad)
    assert getattr(model, parameter) == before
    setattr(model, parameter, np.float32(0.5))
    assert type(getattr(model, parameter)) is float


def test_assignments_that_once_worked_are_refused():
    learner = onearm.Banditron(3, 4)
    with pytest.raises(AttributeError, match="n_features of Banditron is fixed"):
        learner.n_features = 20
    with pytest.raises(ValueError, match=r"gamma must be a number in \[0, 1\], got 7.0"):
        learner.gamma = 7.0
    with pytest.raises(AttributeError, match="weights of Banditron cannot be replaced"):
        learner.weights = np.zeros((1, 1))
    learner.weights[0, 0] = 3.0  # its numbers may be changed
    assert learner.scores([1.0, 0, 0, 0])[0] == 3.0


def test_parameters_that_do_not_go_together_are_refused_and_change_nothing():
    learner = onearm.InverseGap(3, 4)
    learner.rule = "fast"
    with pytest.raises(ValueError, match="loss must be 'logistic' for rule='fast'"):
        learner.loss = "squared"
    assert learner.loss == "logistic"
    regressor = onearm.OGD(3, low=0.0, high=1.0)
    with pytest.raises(ValueError, match=r"low must be below high, got 1.0 ≥ 1.0"):
        regressor.low = 1.0
    assert regressor.low == 0.0


def test_other_attributes_are_free():
    learner = onearm.Banditron(3, 4)
    learner.note = "mine"
    learner.note = "still mine"
    assert copy.copy(learner).note == "still mine"
    del learner.note
