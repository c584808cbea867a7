"""The watcher: what is known of a running service, and promotion by rule."""

import json
from itertools import pairwise

import numpy as np
import pytest

from onearm.service.core import Core
from onearm.service.frequencies import Frequencies
from onearm.service.memory import MemoryStore
from onearm.service.records import Sampled
from onearm.service.requests import Change, Decide, Feedback
from onearm.service.watcher import Curve, Watcher
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


def test_baselines_are_snips_over_the_log():
    core, watcher = watched()
    assert watcher.comparison.baselines.rows(("a",)) == []
    play(core, 0, 40)
    core.handle([Change("add_label", {"label": "d"})])
    play(core, 40, 90)
    watcher.look()
    rows = watcher.store.judged(0, 1000)
    p = [np.frombuffer(row.pmf) for row in rows]
    chosen, r = np.array([row.label for row in rows]), np.array([row.reward for row in rows])
    w = np.array([1 / p_i[a] for p_i, a in zip(p, chosen, strict=True)])
    evenly, best = watcher.state["baselines"]
    even = w / np.array([(p_i > 0).sum() for p_i in p])
    assert len(rows) == 90
    assert evenly["snips"] == pytest.approx((even * r).sum() / even.sum())
    assert evenly["largest_weight"] == pytest.approx(even.max())
    assert (best["policy"], best["label"], best["snips"]) == ("best_label", "a", 1.0)
    of_a = w[chosen == 0]
    assert best["effective_sample_size"] == pytest.approx(of_a.sum() ** 2 / (of_a**2).sum())


@pytest.mark.compiled
@pytest.mark.parametrize("rule", ["never", "difference"])
def test_a_challenger_is_promoted_if_the_rule_says_so(rule):
    core, watcher = watched(promotion={"rule": rule, "level": 0.95})
    watcher.writer.start()
    play(core, 0, 1500)
    watcher.look()
    watcher.writer.drain()
    assert core.models.champion == ("gap" if rule == "difference" else "main")
    if rule == "difference":
        assert core.store.log[-1].body["because"]["low"] > 0


@pytest.mark.compiled
def test_a_promotion_needs_the_level_of_the_rule():
    core, watcher = watched(promotion={"rule": "difference", "level": 0.95})
    play(core, 0, 100)
    watcher.look()
    low = {level: watcher.comparison.differences(1 - level)[0].low for level in (0.5, 1 - 1e-12)}
    assert low[1 - 1e-12] < 0 < low[0.5]  # else the test tells nothing
    promoted = []
    watcher.writer.submit = lambda requests, done: promoted.extend(requests)
    core.settings["promotion"]["level"] = 1 - 1e-12
    watcher.look()
    assert promoted == []
    core.settings["promotion"]["level"] = 0.5
    watcher.look()
    assert promoted[0].body["because"]["low"] == low[0.5]


def test_nothing_is_known_before_the_first_reward():
    core, watcher = watched()
    core.handle([Decide("open", b'{"x": 1}')])
    watcher.look()
    state = json.loads(json.dumps(watcher.state, allow_nan=False))
    assert state["reward"] == {"n": 0, "mean": None, "low": 0.0, "high": 1.0}
    assert state["labels"][0]["z"] is None
    assert [check["z"] for check in state["checks"]] == [None, None]
    assert state["status"] == "serving"
    assert watcher.history()["curve"] == []


def test_history_has_the_rates_and_the_reward():
    core, watcher = watched()
    for i in range(3):
        play(core, 10 * i, 10 * i + 10)
        watcher.look()
    history = json.loads(json.dumps(watcher.history(), allow_nan=False))
    assert [row[0] for row in history["curve"]] == [10, 20, 30]
    assert history["curve"][-1][1] == watcher.state["reward"]["mean"]
    assert [point["outcomes"]["n"] for point in history["points"]] == [10, 20, 30]
    assert all(point["per_second"]["decisions"] > 0 for point in history["points"])


def test_a_curve_stays_short_and_ends_with_the_last_point():
    curve = Curve(most=20)
    for n in range(1, 1000):
        curve.add((n, 0.5, 0.4, 0.6))
    numbers = [row[0] for row in curve.rows]
    assert 8 < len(numbers) <= 20
    assert (numbers[0], numbers[-1]) == (1, 999)
    assert max(b - a for a, b in pairwise(numbers)) < 200


@pytest.mark.parametrize(("wrong", "passed"), [(0.0, True), (0.3, False)])
def test_wrong_probabilities_are_found_and_right_ones_are_not(wrong, passed):
    rng, frequencies = np.random.default_rng(0), Frequencies()
    always = True
    for _ in range(200):
        p = rng.dirichlet(np.ones(4), 50)
        labels = [rng.choice(4, p=row) for row in p]
        p = p + wrong * (np.array([1, -1, 0, 0]) * np.minimum(p[:, :1], p[:, 1:2]))
        pairs = zip(p, labels, strict=True)
        frequencies.add([Sampled(1, row.tobytes(), label) for row, label in pairs])
        checks = frequencies.checks(("a", "b", "c", "d"))
        always &= all(check["passed"] for check in checks)
    assert always == passed


def test_while_a_reward_is_waited_for_nothing_is_read_again_and_again():
    core, watcher = watched()
    play(core, 0, 10)
    core.handle([Decide("open", b'{"x": 1}')])
    play(core, 10, 20)
    watcher.look()
    asked, judged = [], core.store.judged
    core.store.judged = lambda after, most: asked.append(most) or judged(after, most)
    watcher.look()
    assert asked == [1]
    core.handle([Feedback("open", 1.0)])
    watcher.look()
    assert watcher.comparison.above.n == 21


def test_after_a_promotion_nobody_is_compared_with_the_former_champion():
    core, watcher = watched()
    play(core, 0, 10)
    watcher.look()
    assert [d["policy"] for d in watcher.state["differences"]] == ["gap"]
    core.handle([Change("promote", {"policy": "gap"})])
    watcher.look()
    assert watcher.state["differences"] == []
    play(core, 10, 20)
    watcher.look()
    assert [d["policy"] for d in watcher.state["differences"]] == ["main"]


def test_a_watcher_that_fails_is_told_of():
    core, watcher = watched()
    errors = []
    watcher.failed = errors.append
    watcher.store = None
    watcher._run()
    assert watcher.has_failed
    assert isinstance(errors[0], AttributeError)
