"""The watcher: what is known of a running service, and promotion by rule."""

import json

import pytest

from onearm.service.core import Core
from onearm.service.memory import MemoryStore
from onearm.service.requests import Change, Decide, Feedback
from onearm.service.watcher import Watcher
from onearm.service.writer import Writer
from tests.service.simple import settings

POLICIES = {
    "main": {"name": "EpsilonGreedy", "epsilon": 1.0},
    "gap": {"name": "InverseGap"},
}


def watched(**changes):
    core = Core(MemoryStore(), settings(policies=POLICIES, **changes), lambda: 0.0)
    return core, Watcher(core.store, Writer(core, lambda error: None))


def play(core, begin, end):
    for i in range(begin, end):
        context = json.dumps({"x": float(i % 3)}).encode()
        (answer,) = core.handle([Decide(f"e{i}", context)])
        core.handle([Feedback(f"e{i}", float(answer.body["label"] == "a"))])


def test_counts_are_those_of_the_log():
    core, watcher = watched()
    play(core, 0, 30)
    core.handle([Decide("open", b'{"x": 1}')])
    watcher.look()
    state = watcher.state
    assert sum(label["chosen"] for label in state["labels"]) == 31
    assert sum(label["expected"] for label in state["labels"]) == pytest.approx(1)
    assert state["pending"] == 1
    assert state["reward"]["n"] == 30
    assert json.loads(json.dumps(state))["champion"] == "main"


def test_labels_that_are_added_later_are_counted():
    core, watcher = watched()
    play(core, 0, 5)
    watcher.look()
    core.handle([Change("add_label", {"label": "d"})])
    play(core, 5, 10)
    watcher.look()
    assert sum(label["chosen"] for label in watcher.state["labels"]) == 10
    assert [label["label"] for label in watcher.state["labels"]] == ["a", "b", "c", "d"]


@pytest.mark.compiled
@pytest.mark.parametrize("rule", ["never", "difference"])
def test_a_challenger_is_promoted_if_the_rule_says_so(rule):
    core, watcher = watched(promotion=rule)
    watcher.writer.start()
    play(core, 0, 1500)
    watcher.look()
    watcher.writer.drain()
    assert core.models.champion == ("gap" if rule == "difference" else "main")
    if rule == "difference":
        assert core.store.log[-1].body["because"]["low"] > 0
