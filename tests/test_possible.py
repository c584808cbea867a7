"""Which choices a learner can have made, whatever its state: with k = 4 labels, some allowed."""

import numpy as np
import pytest

import onearm
from tests.cases import SMALL

# of the rest 0.3 is for one, two or three other labels, or there is none
ASIDE = [(1, 1, 0.7), (0, 1, 0.1), (0, 1, 0.15), (0, 1, 0.3), (1, 1, 1.0)]
NOT_ASIDE = [(1, 1, 0.9), (1, 1, 0.3), (0, 1, 0.2), (0, 1, 0.7), (0, 1, 0.075), (0, 1, 1.0)]

# learner, parameters, possible (label, greedy, propensity), impossible ones
CASES = [
    ("Perceptron", {}, [(1, 1, 1.0)], [(0, 1, 1.0), (1, 1, 0.5)]),
    ("Banditron", {"gamma": 0.2}, [(1, 1, 0.85), (0, 1, 0.05), (0, 1, 0.1), (1, 1, 1.0)],
     [(1, 1, 0.84), (0, 1, 0.04), (0, 1, 0.11)]),
    ("SOBA", {"gamma": 0.2}, [(1, 1, 0.85), (0, 1, 0.05)], [(1, 1, 0.84), (0, 1, 0.11)]),
    ("SOBA", {"adaptive": 0.5}, [(1, 1, 0.25), (0, 1, 0.5)], [(1, 1, 0.24), (0, 1, 0.51)]),
    ("Newtron", {"gamma": 0.2}, [(0, 1, 0.05), (0, 1, 0.5), (1, 1, 0.9)],
     [(0, 1, 0.04), (1, 1, 0.04), (0, 1, 0.51)]),
    ("ConservativeOVA", {}, [(1, 1, 1.0), (0, 1, 0.5), (0, 1, 1 / 3), (1, 1, 0.25)],
     [(0, 1, 1.0), (1, 1, 0.4), (1, 1, 0.2)]),
    ("OffsetTree", {}, [(1, 1, 1.0)], [(0, 1, 1.0), (1, 1, 0.9)]),
    ("OffsetTree", {"explore": 1.0}, [(1, 1, 0.25), (0, 1, 0.5)], [(1, 1, 0.24), (0, 1, 0.51)]),
    ("OffsetTree", {"explore": 0.1}, [(0, 1, 0.05)], [(0, 1, 0.06)]),
    ("Confidit", {}, [(0, 1, 1.0), (1, 1, 1.0)], [(1, 1, 0.99)]),
    ("Gaptron", {"gamma": 0.2}, [(1, 1, 0.25), (0, 1, 0.05), (0, 1, 0.5)],
     [(1, 1, 0.24), (0, 1, 0.04), (0, 1, 0.51)]),
    ("RDUE", {"q0": 0.2}, [(0, 1, 0.05)], [(0, 1, 0.04), (1, 1, 0.04), (0, 1, 0.51)]),
    ("SLB", {}, [(1, 1, 1.0), (0, 1, 0.25), (0, 1, 0.5)],
     [(0, 1, 1.0), (1, 1, 0.24), (1, 1, 0.3), (1, 1, 0.6)]),
    ("InverseGap", {}, [(1, 1, 0.3), (0, 1, 0.5)], [(0, 1, 0.51), (1, 1, 0.2)]),
    ("EpsilonGreedy", {"epsilon": 0.2}, [(1, 1, 0.85), (0, 1, 0.05)], [(1, 1, 0.84), (0, 1, 0.11)]),
    ("Chorus", {"waves": 64}, [(0, 1, 1.0)], [(0, 1, 0.99)]),
    ("LinUCB", {}, [(0, 1, 1.0)], [(0, 1, 0.99)]),
    ("LinTS", {}, [(1, 1, 1.0), (0, 1, 0.9)], [(0, 1, 1.0)]),
    ("Bag", {"epsilon": 0.2}, [(0, 1, 0.05)], [(0, 1, 0.04)]),
    ("HoeffdingTree", {}, [(1, 1, 1.0)], [(0, 1, 1.0), (1, 1, 0.5)]),
    ("AdaBandit", {"rho": 0.3}, ASIDE, NOT_ASIDE),
    ("BanditBBM", {"rho": 0.3}, ASIDE, NOT_ASIDE),
    ("BinBandit", {"rho": 0.3}, ASIDE, NOT_ASIDE),
    ("AdaBoostOLM", {}, [(1, 1, 1.0)], [(0, 1, 1.0), (1, 1, 0.9)]),
    ("OnlineMBBM", {}, [(1, 1, 1.0)], [(0, 1, 1.0), (1, 1, 0.9)]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "params", "fine", "wrong"), CASES, ids=[c[0] for c in CASES])
def test_possible(name, params, fine, wrong):
    x = np.ones(3)
    for choices, refused in ((fine, False), (wrong, True)):
        for choice in choices:
            learner = getattr(onearm, name)(4, 3, **SMALL.get(name, {}) | params)
            truth = 3 if learner.full_information else None
            if refused:
                with pytest.raises(ValueError, match="cannot have made"):
                    learner.update(x, choice, False, truth)
            else:
                learner.update(x, choice, False, truth)


def test_every_learner_is_here():
    assert {case[0] for case in CASES} == set(onearm.LEARNERS)
