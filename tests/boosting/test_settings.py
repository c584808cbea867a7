"""Settings of boosters: sampled for each weak learner, and those published for a data set."""

import numpy as np
import pytest

from onearm import AdaBandit, AdaBoostOLM, BanditBBM, BinBandit, OnlineMBBM
from tests.cases import FEW
from tests.reference.weak import draw_parameters

BOOSTERS = [AdaBandit, AdaBoostOLM, BanditBBM, OnlineMBBM, BinBandit]


@pytest.mark.parametrize("cls", BOOSTERS)
def test_settings_are_sampled_for_each_weak_learner(cls):
    ranges = {"grace_period": (5.0, 20.0), "delta": (1e-11, 0.9), "tau": (0.01, 0.9)}
    given = FEW | ranges | {"weight_scale": (0.5, 2.0)}
    learner = cls(4, 3, **given, seed=3)
    n = 12 if cls is BinBandit else 3
    expected = draw_parameters(n, 3, *ranges.values(), (0.5, 2.0))
    names = {
        "grace_period": "grace_period_",
        "delta": "delta_",
        "tau": "tau_",
        "weight_scale": "scale",
    }
    for name, field in names.items():
        values = getattr(learner, field)
        assert values.tolist() == [settings[name] for settings in expected]
        assert ((values >= given[name][0]) & (values <= given[name][1])).all()
        assert len(set(values)) == n
        assert getattr(cls(4, 3, **given, seed=3), field).tolist() == values.tolist()
        assert getattr(cls(4, 3, **given, seed=4), field).tolist() != values.tolist()
    settled = cls(4, 3, **given | {"delta": 0.25, "tau": (0.3, 0.3)}, seed=3)
    assert set(settled.delta_) == {0.25}
    assert set(settled.tau_) == {0.3}
    assert (
        settled.grace_period_.tolist() == learner.grace_period_.tolist()
    )  # a fixed setting does not shift the others


def test_log_uniform_settings_fill_every_decade():
    """delta from 1e-10 to 1: of 400 about 40 in each of ten decades; 5.5 standard deviations."""
    ranges = {"grace_period": (5.0, 20.0), "delta": (1e-10, 0.999999)}
    learner = AdaBandit(2, 1, n_learners=400, **ranges, max_bytes=2**24)
    counts = np.bincount(-np.floor(np.log10(learner.delta_)).astype(int), minlength=11)[1:]
    assert (np.abs(counts - 40) < 5.5 * np.sqrt(400 * 0.1 * 0.9)).all(), counts
    quarters = np.bincount(((learner.grace_period_ - 5) / 15 * 4).astype(int))
    assert (np.abs(quarters - 100) < 5.5 * np.sqrt(400 * 0.25 * 0.75)).all(), quarters


NARROW = {"grace_period": (5.0, 20.0), "delta": (0.01, 0.9), "tau": (0.01, 0.9)}
WIDE = {"grace_period": (300.0, 301.0), "delta": (1e-11, 1e-10), "tau": (0.7, 0.8)}
LATE = {"grace_period": (50.0, 200.0), "delta": (1e-11, 0.9), "tau": (0.01, 0.9)}
DATA_SETS = {  # ρ, N of AdaBandit and of BanditBBM, their trees
    "balance": (0.001, 15, 20, NARROW),
    "car": (0.001, 15, 15, NARROW),
    "nursery": (0.001, 5, 10, NARROW),
    "movement": (0.001, 20, 10, NARROW),
    "mice": (0.1, 20, 10, WIDE),
    "isolet": (0.1, 20, 10, WIDE),
}


@pytest.mark.parametrize("name", DATA_SETS)
def test_published_settings(name):
    rho, n_ada, n_bbm, trees = DATA_SETS[name]
    plain = {"weak": "tree", "leaf_prediction": "majority", "splitter": "gaussian"}
    experts, majority = {"tie_break": "random"}, {"potential_ties": "random", "gamma": 0.1}
    bandit = plain | trees | {"rho": rho, "clip": 100.0, "target": "cheapest", "seed": 7}
    bandit |= {"weight_scale": 1 / 25 if name == "isolet" else 1.0}
    informed, paper = plain | LATE, {"step": "paper", "step_scale": 1.0}
    expected = {
        AdaBandit: bandit | experts | paper | {"n_learners": n_ada, "share": 0.0},
        BanditBBM: bandit | majority | {"n_learners": n_bbm},
        AdaBoostOLM: informed | experts | paper | {"n_learners": 20, "weight_scale": (5.0, 20.0)},
        OnlineMBBM: informed | majority | {"n_learners": 20, "weight_scale": 1.0},
        BinBandit: LATE | {"n_learners": 10, "rho": rho, "gamma": 0.1, "eta": 0.0, "others": False},
    }
    for cls, settings in expected.items():
        params = cls.paper(name, n_classes=26, n_features=3, seed=7, max_bytes=2**24).params()
        assert params == params | settings, cls


@pytest.mark.parametrize("cls", BOOSTERS)
def test_published_settings_give_way_to_what_is_given(cls):
    learner = cls.paper(
        "Car", n_classes=3, n_features=2, n_learners=2, grace_period=7.0, max_bytes=2**20
    )
    assert (learner.n_learners, learner.grace_period, learner.max_bytes) == (2, 7.0, 2**20)
    given = {"n_classes": 3, "n_features": 2}
    assert cls.paper(**given).params() == cls.paper("balance", **given).params()
    with pytest.raises(ValueError, match=r"name must be one of balance, car, .*, got 'letters'"):
        cls.paper("letters", **given)
    with pytest.raises(TypeError, match="n_classes"):
        cls.paper("isolet", n_features=2)
