"""Logs in dsjson, the JSON lines of decision services."""

import json

import numpy as np
import pytest

from onearm import Log, Schema
from onearm.streams.vowpal import column
from tests.log.random_logs import random_log, require_equal

STORED = ("label", "propensity", "reward", "chances", "policy", "event_id", "time")
ACTIONS = [{"_tag": "x", "i": {"id": "x"}}, {"i": {"id": "y"}}, {"i": {"id": "z"}}]
CONTEXT = {
    "user": [{"age": 31, "pro": True, "banned": False}, {"geo": "UK"}], "hour": 9, "_hidden": 3,
    "_multi": ACTIONS,
}  # fmt: skip


def line(**changes):
    """Return a line as a decision service writes it; what is None is left out."""
    content = {
        "_label_cost": -1, "_label_probability": 0.8, "_label_Action": 2, "_labelIndex": 1,
        "o": [{"v": 1.0, "EventId": "a7", "ActionTaken": False}], "Version": "1", "EventId": "a7",
        "Timestamp": "2019-08-13T20:40:28.7880000Z", "a": [2, 1, 3], "c": CONTEXT,
        "p": [0.8, 0.15, 0.05], "VWState": {"m": "model 12"}, "pdrop": 0.25,
    }  # fmt: skip
    return json.dumps({k: v for k, v in (content | changes).items() if v is not None})


def read(write, *lines, **options):
    return Log.read(write("log.dsjson", "\n".join(lines)), **{"costs": (-1, 0)} | options)


def test_a_line_is_an_event(write):
    log = read(write, line())
    events = log.events()
    assert (log.labels, log.rewards) == ((1, 2, 3), (0.0, 1.0))
    assert (events.label[0], events.propensity[0], events.reward[0]) == (1, 0.8, 1.0)
    assert events.chances[0].tolist() == [0.15, 0.8, 0.05]
    assert (events.policy[0], events.event_id[0]) == ("model 12", "a7")
    assert events.time[0] == np.datetime64("2019-08-13T20:40:28.788", "us")
    assert events.allowed is None
    X = events.X.toarray()[0]
    named = {("user", "age"): 31, ("user", "pro"): 1, ("user", "geo=UK"): 1, ("", "hour"): 9}
    assert {name: X[column(*name)] for name in named} == named
    assert np.count_nonzero(X) == 4


def test_a_schema_encodes_the_context(write):
    schema = Schema({"user.age": "number", "user.geo": ["DE", "UK"], "hour": "number"})
    log = read(write, line(), schema=schema)
    assert log.events().X.tolist() == [[31.0, 1.0, 9.0]]
    assert log.schema == schema.with_labels([1, 2, 3])


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, "reported"),
        ({"_label_cost": None, "_label_Cost": -0.5}, "reported"),
        ({"_label_cost": None}, "pending"),
        ({"_skipLearn": True}, "not_activated"),
        ({"_skipLearn": False}, "reported"),
        ({"DeferredAction": True}, "not_activated"),
        ({"DeferredAction": True, "o": None}, "not_activated"),
        ({"DeferredAction": True, "o": [{"ActionTaken": True}]}, "reported"),
        ({"DeferredAction": False}, "reported"),
    ],
)
def test_outcomes(write, changes, outcome):
    assert read(write, line(**changes)).counts[outcome] == 1


def test_without_a_label_the_first_action_was_chosen(write):
    unlabelled = {f"_label{name}": None for name in ("_cost", "_probability", "_Action", "Index")}
    log = read(write, line(**unlabelled))
    assert (log.events().label[0], log.events().propensity[0]) == (1, 0.8)
    assert log.counts["pending"] == 1


def test_actions_that_are_not_in_a_were_not_allowed(write):
    two = {"a": [1, 3], "p": [0.5, 0.5], "_label_Action": 3, "_label_probability": 0.5}
    log = read(write, line(), line(**two))
    assert log.events().allowed.tolist() == [[True] * 3, [True, False, True]]
    assert log.events().chances[1].tolist() == [0.5, 0, 0.5]
    fewer = line(a=None, p=None, c=CONTEXT | {"_multi": ACTIONS[:2]})
    log = read(write, line(), fewer)
    assert log.events().allowed.tolist() == [[True] * 3, [True, True, False]]
    assert log.events().chances[1] == pytest.approx([0.2, 0.8, 0])


def test_chances_of_single_precision_are_scaled(write):
    p = np.full(3, 1 / 3).round(5).tolist()
    events = read(write, line(p=p, _label_probability=p[0])).events()
    assert events.chances[0].sum() == pytest.approx(1, abs=1e-12)
    assert events.propensity[0] == p[0]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{", "must be JSON"),
        ("[" * 100_000, "must not be nested deeply"),
        ('{"EventId": "a7", "RewardValue": 1}', "must have a context 'c'"),
        (line(c=[]), "must have a context 'c'"),
        (line(a=[0, 1, 2]), "an action must be a whole number in [1, 65536], got 0"),
        (line(a="1"), "a must be a list"),
        (line(a=[1, 1, 2]), "a and p must be equally long, without duplicates"),
        (line(p=[0.5, 0.5]), "a and p must be equally long"),
        (line(p=[0.5, 0.3, 0.1]), "chances must be at least 0 and sum up to 1"),
        (line(p=["0.5", 0, 0.5]), "a chance must be a number, got '0.5'"),
        (line(_label_Action=4), "_label_Action must be one of"),
        (line(_label_Action="2"), None),
        (line(_label_Action=None, _labelIndex=None, p=None), "must have _label_Action"),
        (line(_label_cost="x"), "_label_cost must be a number"),
        (line(_label_probability=None, p=None), "_label_probability must be a number, got None"),
        (line(Timestamp="noon"), "the time must be ISO 8601"),
        (line(pdrop="x"), "pdrop must be a number"),
        (line(c=CONTEXT | {"big": 1e200}), "within"),
        (line(c=CONTEXT | {"deep": json.loads('{"a":' * 30 + "1" + "}" * 30)}), "20 levels"),
    ],
)
def test_bad_lines_are_left_out_and_named(write, bad, reason):
    log = read(write, line(), bad, line())
    assert log.n_bad_lines == (reason is not None)
    if reason:
        assert log.bad_lines[0].startswith("log.dsjson, line 2: ")
        assert reason in log.bad_lines[0]


@pytest.mark.parametrize("value", [0, -0.5, 1.5, float("nan")])
def test_a_wrong_probability_is_refused(write, value):
    with pytest.raises(ValueError, match=r"log\.dsjson, line 2: propensity must be in .*, got"):
        read(write, line(), line(_label_probability=value))


def test_a_cost_outside_the_range_is_refused(write):
    words = r"log\.dsjson, line 2: the cost must be in \[-1, 0\], .*, got -3\.0: .* --costs"
    with pytest.raises(ValueError, match=words):
        read(write, line(), line(_label_cost=-3))


def test_a_changing_probability_of_dropping_is_refused(write):
    with pytest.raises(ValueError, match=r"log\.dsjson, line 2: pdrop must be equal in all"):
        read(write, line(), line(pdrop=0.5))


def test_actions_that_are_not_labels_are_refused(write):
    other = line(c=CONTEXT | {"_multi": [ACTIONS[0], ACTIONS[2], ACTIONS[1]]})
    with pytest.raises(ValueError, match=r"log\.dsjson, line 2: actions are labels only if"):
        read(write, line(), other)
    assert len(read(write, line(), other, ignore_action_features=True)) == 2


@pytest.mark.parametrize("suffix", ["dsjson", "dsjson.xz"])
@pytest.mark.parametrize("without", [(), ("allowed",), ("chances",)])
def test_a_log_is_read_as_it_was_written(tmp_path, small_chunks, suffix, without):
    log = random_log(labels=[1, 2, 3], rewards=(-2.0, 3.0), without=without)
    path = tmp_path / f"log.{suffix}"
    log.write(path)
    back = Log.read(path, hashed=False, n_features=4, costs=(-3.0, 2.0))
    require_equal(log, back, [*STORED, "allowed"])
    np.testing.assert_array_equal(np.nan_to_num(log.events().X), back.events().X.toarray())
    assert (back.labels, back.rewards) == (log.labels, log.rewards)
    outcome = log.events().outcome
    assert back.events().outcome.tolist() == np.where(outcome == 1, 0, outcome).tolist()
