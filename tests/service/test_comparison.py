"""Champion and challengers: differences on the same events, as far as all rewards are known."""

import json

import numpy as np
import pytest

from onearm.ope.sequences import Running, lower_sequence
from onearm.service.comparison import Comparison
from onearm.service.core import Core
from onearm.service.memory import MemoryStore
from onearm.service.requests import Activate, Change, Decide, Feedback
from tests.service.simple import settings

POLICIES = {"main": {"name": "EpsilonGreedy"}, "gap": {"name": "InverseGap"}}


def decided(core, i, label=None):
    """Decide an event; return whether it was this label."""
    context = json.dumps({"x": float(i % 3)}).encode()
    (answer,) = core.handle([Decide(f"e{i}", context)])
    return answer.body["label"] == (label or "a")


def service(policies=POLICIES):
    return Core(MemoryStore(), settings(policies=policies), lambda: 0.0)


def test_a_running_bound_is_that_of_all_terms():
    terms = np.random.default_rng(0).normal(0.3, 0.5, 300).clip(-1)
    running = Running(1.0)
    for part in np.split(terms, [1, 7, 120]):
        running.add(part)
    assert running.bound(0.05) == pytest.approx(lower_sequence(terms, 1.0, 0.05, [300])[0], 1e-12)


def test_events_count_once_all_earlier_rewards_are_known():
    core = service()
    comparison = Comparison(core.store)
    for i in range(10):
        decided(core, i)
    for i in (0, 1, 3, 4, 9):
        core.handle([Feedback(f"e{i}", 1.0)])
    comparison.refresh()
    assert comparison.differences()[0].n == 2
    core.handle([Feedback("e2", 0.0)])
    comparison.refresh()
    assert comparison.differences()[0].n == 5
    assert comparison.reward()[0] == pytest.approx(4 / 5)


def test_many_refreshes_equal_one():
    core = service()
    often, once = Comparison(core.store), Comparison(core.store)
    for i in range(50):
        core.handle([Feedback(f"e{i}", float(decided(core, i)))])
        often.refresh()
    once.refresh()
    assert often.differences()[0].n == once.differences()[0].n == 50
    assert often.reward() == pytest.approx(once.reward())


@pytest.mark.compiled
def test_a_better_challenger_is_found_and_a_worse_one_is_not():
    policies = {"main": {"name": "EpsilonGreedy", "epsilon": 1.0}, "gap": {"name": "InverseGap"}}
    core = service(policies)
    for i in range(1500):
        core.handle([Feedback(f"e{i}", float(decided(core, i)))])
    comparison = Comparison(core.store)
    comparison.refresh()
    (gap,) = comparison.differences()
    assert gap.low > 0.1  # one of three labels is right: even guessing earns a third
    core.handle([Change("promote", {"policy": "gap"})])
    for i in range(1500, 2500):
        core.handle([Feedback(f"e{i}", float(decided(core, i)))])
    comparison.refresh()
    (main,) = comparison.differences()
    assert main.policy == "main"
    assert main.value < -0.5
    assert main.n == 1000


def test_policies_come_and_go():
    core = service()
    comparison = Comparison(core.store)
    for i in range(20):
        core.handle([Feedback(f"e{i}", float(decided(core, i)))])
        if i == 9:
            core.handle([Change("add_policy", {"policy": "ucb", "learner": {"name": "LinUCB"}})])
    comparison.refresh()
    assert {d.policy: d.n for d in comparison.differences()} == {"gap": 20, "ucb": 10}
    core.handle([Change("remove_policy", {"policy": "gap"}), Change("add_label", {"label": "d"})])
    for i in range(20, 25):
        core.handle([Feedback(f"e{i}", float(decided(core, i)))])
    comparison.refresh()
    assert {d.policy: d.n for d in comparison.differences()} == {"ucb": 15}


def test_deferred_decisions_count_when_they_were_shown():
    """Also if the watcher has looked before: a product may ask for all of them in advance."""
    core = service()
    comparison = Comparison(core.store)
    context = b'{"x": 1.0}'
    core.handle([Decide(f"e{i}", context, None, True) for i in range(10)])
    comparison.refresh()
    core.handle([Activate(f"e{i}") for i in (3, 1, 5, 0)])
    comparison.refresh()
    core.handle([Feedback(f"e{i}", 1.0) for i in (1, 3, 0)])
    comparison.refresh()
    assert comparison.differences()[0].n == comparison.above.n == 2  # 5 waits; 0 came after it
    core.handle([Feedback("e5", 0.0), Change("remove_policy", {"policy": "gap"})])
    core.handle([Change("add_policy", {"policy": "ucb", "learner": {"name": "LinUCB"}})])
    core.handle([Decide("new", context), Activate("e7")])
    core.handle([Feedback("new", 1.0), Feedback("e7", 0.0)])
    comparison.refresh()
    assert comparison.reward()[0] == pytest.approx(4 / 6)
    assert [(d.policy, d.n) for d in comparison.differences()] == [("ucb", 1)]  # not e7's `gap`
