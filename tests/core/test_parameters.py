"""Parameters are refused with their name, the allowed range and the value."""

import pytest

import onearm
from onearm import (
    SOBA,
    AdaBandit,
    Banditron,
    BinBandit,
    Confidit,
    ConservativeOVA,
    HoeffdingTree,
    InverseGap,
)
from onearm.core.parameters import parameters
from tests.cases import FORMS, learner_class


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Banditron(1, 4), r"n_classes must be an integer in \[2, \d+\], got 1"),
        (lambda: Banditron(3, 0), r"n_features must be an integer in \[1, \d+\], got 0"),
        (lambda: Banditron(3.0, 4), r"n_classes must be an integer .*, got 3.0"),
        (lambda: Banditron(True, 4), "n_classes must be an integer"),
        (lambda: Banditron(3, 4, gamma=-0.1), r"gamma must be a number in \[0, 1\], got -0.1"),
        (lambda: Banditron(3, 4, gamma=1.5), r"gamma must be a number in \[0, 1\], got 1.5"),
        (lambda: Banditron(3, 4, gamma="a"), r"gamma must be a number in \[0, 1\], got 'a'"),
        (lambda: Banditron(3, 4, gamma=float("nan")), "gamma must be a number"),
        (lambda: Banditron(3, 4, gamma=True), "gamma must be a number"),
        (lambda: Banditron(3, 4, seed=-1), "seed must be an integer in"),
        (lambda: SOBA(3, 4, a=float("inf")), r"a must be a number in \[1e-12, 1e12\], got inf"),
        (lambda: SOBA(3, 4, diagonal=1), "diagonal must be one of True, False, got 1"),
        (lambda: Confidit(3, 4, alpha=-1), r"alpha must be a number in \(-1, 1\], got -1"),
        (lambda: ConservativeOVA(3, 4, "PA-III"), "variant must be one of 'PA', 'PA-I', 'PA-II'"),
        (lambda: ConservativeOVA(3, 4, gate="left"), "gate must be one of 'none', 'right', 'all'"),
        (lambda: InverseGap(3, 4, "fast", "squared"), "loss must be 'logistic' for rule='fast'"),
        (lambda: HoeffdingTree(3, 4, delta=1.0), r"delta must be a number in \(0, 1\), got 1.0"),
        (lambda: HoeffdingTree(3, 4, n_splits=0), r"n_splits must be an integer in \[1, "),
        (
            lambda: HoeffdingTree(3, 4, leaf_prediction="mean"),
            "leaf_prediction must be one of 'majority', 'bayes', ",
        ),
        (lambda: HoeffdingTree(3, 4, nominal=(0.5,) * 4), r"nominal must be integers in \[0, "),
        (lambda: HoeffdingTree(3, 4, nominal=(0, 2)), r"nominal must have .* 4 .*, got \(0, 2\)"),
        (lambda: AdaBandit(3, 4, nominal=[2] * 5), r"nominal must have one entry for each of 4"),
        (
            lambda: AdaBandit(3, 4, grace_period=(20, 5)),
            r"grace_period must be .* range .*, got \(20, 5\)",
        ),
        (lambda: AdaBandit(3, 4, delta=(0.0, 0.5)), r"delta must be a number in \(0, 1\) or a r"),
        (
            lambda: AdaBandit(3, 4, tau=(0.1,)),
            r"tau must be a number in \[1e-12, 1e12\] or a range",
        ),
        (lambda: AdaBandit(3, 4, weight_scale="1"), "weight_scale must be a number in"),
        (
            lambda: AdaBandit(3, 4, weak="forest"),
            "weak must be one of 'tree', 'stump', 'linear', or",
        ),
        (lambda: AdaBandit(3, 4, weak=3), "weak must be one of .*, or callable, got 3"),
        (lambda: AdaBandit(3, 4, share=1.0), r"share must be a number in \[0, 1\), got 1.0"),
        (lambda: AdaBandit(3, 4, n_learners=0), r"n_learners must be an integer in \[1, "),
        (lambda: AdaBandit(3, 4, max_bytes=0), "max_bytes must be an integer in"),
        (lambda: BinBandit(3, 4, gamma=0.5), r"gamma must be a number in \(0, 0.5\), got 0.5"),
    ],
)
def test_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_stored_in_one_type():
    learner = Banditron(3, 4, gamma=1)
    assert type(learner.gamma) is float
    assert learner.params() == {"n_classes": 3, "n_features": 4, "gamma": 1.0, "seed": 0}


@pytest.mark.parametrize("name", FORMS)
def test_params_make_the_same_learner(name):
    cls = learner_class(name)
    learner = cls(3, 4, seed=5)
    assert cls(**learner.params()).params() == learner.params()
    assert {p.name for p in parameters(cls)} == set(learner.params())


def test_every_learner_has_cases():
    assert set(FORMS) == set(onearm.LEARNERS)


@pytest.mark.parametrize("name", FORMS)
def test_exploration_names_a_parameter(name):
    cls = learner_class(name)
    assert cls.exploration is None or cls.exploration in {p.name for p in parameters(cls)}
