"""Exploration rates that suit the number of labels are the defaults."""

import pytest

import onearm


@pytest.mark.parametrize("name", ["Banditron", "SOBA"])
@pytest.mark.parametrize(("k", "rate"), [(2, 2 / 64), (9, 9 / 64), (26, 0.25)])
def test_the_default_rate_suits_the_number_of_labels(name, k, rate):
    learner = getattr(onearm, name)(k, 3)
    assert learner.gamma == rate
    assert learner.params()["gamma"] == rate
    learner.gamma = 0.01
    assert learner.gamma == 0.01
    learner.gamma = 0
    assert learner.gamma == rate
