"""Floors of agents: what is allowed has a chance, which depends on how many labels there are."""

import copy

import pytest

from tests.agent.test_agent import CONTEXT, agent, state, taught
from tests.cases import SMALL

LETTERS = list("abcdefgh")


def lettered(learner):
    return taught(learner=learner, labels=LETTERS, **SMALL.get(learner, {}))


def least(made, among=None):
    return min(made.chances(CONTEXT, among).values())


def test_the_floor_follows_the_number_of_labels():
    made = agent(learner="LinUCB")
    assert made.learner.floor == 0.02 / 3
    assert min(made.chances(CONTEXT).values()) == pytest.approx(0.02 / 3)
    made.add_label("weather")
    assert made.learner.floor == 0.02 / 4
    made.retire_label("tech")
    made.retire_label("sports")
    assert copy.deepcopy(made).learner.floor == made.learner.floor == 0.01
    given = agent(learner="LinUCB", floor=0.1)
    given.add_label("weather")
    assert copy.deepcopy(given).learner.floor == given.learner.floor == 0.1


@pytest.mark.parametrize("learner", ["LinUCB", "Chorus"])
def test_the_floor_follows_the_labels_that_are_allowed(learner):
    """The learner itself stays as it is."""
    made = lettered(learner)
    for m in (2, 3, 8, 2):
        among = LETTERS[:m]
        before = state(made), made.learner.params()
        assert least(made, among) == pytest.approx(0.02 / m)
        choices = [made.choose(CONTEXT, among, key=key) for key in range(20)]
        assert (state(made), made.learner.params()) == before
        chances = made.chances(CONTEXT, among)
        assert all(choice.propensity == chances[choice.label] for choice in choices)
        made.update(CONTEXT, choices[0], 1.0)
    assert made.chances(CONTEXT, ["c"]) == {"c": 1.0}
    made.add_label("i")
    made.retire_label("a")
    assert least(made) == pytest.approx(0.02 / 8)
    assert least(made, ["b", "i"]) == pytest.approx(0.01)
    given = agent(learner=learner, floor=0.1, **SMALL.get(learner, {}))
    assert least(given, ["sports", "tech"]) == pytest.approx(0.1)


@pytest.mark.parametrize("learner", ["LinUCB", "Chorus"])
def test_choices_among_some_share_generator_and_state(learner):
    """As those of a copy that has never chosen among so many."""
    made, among = lettered(learner), ["a", "g"]
    for t in range(30):
        fresh = copy.deepcopy(made)
        assert made.choose(CONTEXT, among) == fresh.choose(CONTEXT, among)
        assert made.choose(CONTEXT) == fresh.choose(CONTEXT)
        made.update(CONTEXT, made.choose(CONTEXT, among), t % 2)


def test_parameters_that_are_set_hold_for_choices_among_some():
    made, among = lettered("LinUCB"), ["a", "g"]
    made.update(CONTEXT, made.choose(CONTEXT, ["a"]), 1.0)
    greatest = []
    for alpha in (0.0, 1000.0):
        made.learner.alpha = alpha
        chances = made.chances(CONTEXT, among)
        greatest.append(max(chances, key=chances.get))
    assert greatest == ["a", "g"]
