"""Log and Events: what they refuse, their parts, and learning from them."""

from dataclasses import replace

import numpy as np
import pytest

import onearm
from onearm import HIDDEN, Log, Schema, Trace
from onearm.log.events import Events
from tests.log.random_logs import random_log, require_equal

X, LABEL, P, REWARD = np.eye(4, 2), [0, 1, 2, 1], [0.5, 0.25, 1.0, 0.125], [1.0, 0.0, 0.5, None]


def test_an_event_without_a_reward_is_pending():
    log = Log.of(X, LABEL, P, REWARD)
    assert log.counts == {"reported": 3, "default": 0, "pending": 1, "not_activated": 0}
    assert (len(log), log.n_classes, log.n_features, log.labels) == (4, 3, 2, (0, 1, 2))
    assert [len(events) for events in log.judged()] == [3]
    assert np.isnan(log.events().reward[3])
    assert log.events().greedy.tolist() == [HIDDEN] * 4


def test_only_reported_and_default_rewards_count():
    outcome = ["reported", "default", "pending", "not_activated"]
    log = Log.of(X, LABEL, P, [1, 0, 0.5, 0.5], outcome=outcome)
    (judged,) = log.judged()
    assert judged.reward.tolist() == [1.0, 0.0]
    assert np.isnan(log.events().reward[2:]).all()
    assert "1 reported, 1 default, 1 pending, 1 not_activated" in repr(log)


MASK = np.array([[True, True, True]] * 3 + [[True, True, False]])
CHANCES = np.array([[0.5, 0.5, 0], [0.75, 0.25, 0], [0, 0, 1.0], [0.875, 0.125, 0]])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"propensity": [0.5, 0.0, 1, 1]}, "event 1: propensity must be in .*, got 0.0"),
        ({"propensity": [0.5, 1.5, 1, 1]}, "event 1: propensity must be in .*, got 1.5"),
        ({"propensity": [0.5, -0.1, 1, 1]}, "event 1: propensity must be in .*, got -0.1"),
        ({"propensity": [0.5, np.nan, 1, 1]}, "event 1: propensity must be in .*, got nan"),
        ({"propensity": [0.5, 0.5]}, "propensity must have 4 entries"),
        ({"reward": [1, 1.5, 0, 0]}, r"event 1: the reward must be in \[0, 1\], .*, got 1.5"),
        ({"reward": [1, -0.5, 0, 0]}, "event 1: the reward must be .*, got -0.5"),
        ({"reward": [1, 0, 0, None], "outcome": ["default"] * 4}, "event 3: the reward .* nan"),
        ({"label": [0, 1, 2, 3]}, r"label must be labels in \[0, 2\], got 3 in row 3"),
        ({"label": ["a", "b", "a", "b"]}, "schema must be given with labels by name"),
        ({"outcome": ["late"] * 4}, "outcome must be one of reported, .*, got 'late'"),
        ({"outcome": [0, 1, 2, 9]}, "outcome must be a place in"),
        ({"greedy": [0, 1, 2, 7]}, "event 3: the greedy label must be in .*, got 7"),
        ({"allowed": MASK, "label": [0, 1, 2, 2]}, "event 3: the chosen label must be one of"),
        ({"allowed": MASK[:, :2]}, "allowed must be a mask of 4 events and 3 labels"),
        ({"allowed": MASK.astype(int)}, "allowed must be a mask"),
        ({"chances": CHANCES * 0.9}, "event 0: chances must be at least 0 and sum up to 1"),
        ({"chances": CHANCES[:, [2, 0, 1]]}, "event 0: the chance of the label must be above 0"),
        ({"chances": CHANCES[:2]}, "chances must be numbers for 4 events and 3 labels"),
        ({"chances": CHANCES[:, [0, 2, 1]], "label": [0, 2, 1, 0], "allowed": MASK},
         "event 3: chances of other labels must be 0, got 0.125"),
        ({"version": [1, 2]}, "version must have 4 entries"),
        ({"policy": ["a"]}, "policy must have 4 entries"),
        ({"event_id": ["a"]}, "event_id must have 4 entries"),
        ({"time": np.array(["2026-01-01"], "M8[us]")}, "time must have 4 entries"),
        ({"X": X[:2]}, "X must have a row for each of 4 events"),
        ({"X": [{"a": 1}] * 4}, "schema must be given with contexts by name"),
        ({"X": [["a", "b"]] * 4}, "X must be numbers, or what a schema with columns encodes"),
        ({"allowed": [[0], [1, 0], [2], [0]]},
         "allowed must be a mask of events × labels, got rows of different lengths"),
        ({"X": X + np.inf}, "row 0 of X: values must be finite"),
        ({"rewards": (1.0, 0.0)}, "rewards must be a range"),
        ({"feedback": "clicks"}, "feedback must be one of 'reward', 'one_right', got 'clicks'"),
        ({"feedback": "one_right", "rewards": (0.0, 2.0), "reward": [1, 0, 1, 0]},
         "rewards must be in .* with one_right"),
        ({"feedback": "one_right"}, "event 2: the reward must be 0 or 1 where exactly one .* 0.5"),
        ({"rewards": "0,1"}, r"rewards must be a range of two numbers \(low, high\), got '0,1'"),
        ({"rewards": (0, 1, 2)}, "rewards must be a range of two numbers"),
        ({"chances": "even"}, "chances must be 'uniform' or numbers, got 'even'"),
        ({"chances": "uniform", "propensity": [1 / 3, 1 / 3, 0.5, 1 / 3]},
         "event 2: propensity must be 1/3 of 3 allowed labels, as chances are uniform, got 0.5"),
        ({"chances": [{"a": 1.0}] * 4}, "event 0: chances must be by labels .*, got 'a'"),
        ({"schema": onearm.Agent(["a", "b"], schema=Schema({"n": "number"}))},
         "schema must be a Schema, got Agent: state its .schema"),
    ],
)  # fmt: skip
def test_refusals(changes, words):
    given = {"X": X, "label": LABEL, "propensity": P, "reward": REWARD, "n_classes": 3} | changes
    with pytest.raises(ValueError, match=words):
        Log.of(**given)


def test_a_field_that_events_do_not_have_is_refused():
    with pytest.raises(TypeError, match="events have no weight"):
        Log.of(X, LABEL, P, REWARD, weight=[1] * 4)


def test_the_logged_chance_is_that_of_the_distribution_where_it_is_known():
    chances = np.where(np.arange(4)[:, None] < 2, CHANCES, np.nan)
    events = Log.of(X, LABEL, [0.9] * 4, REWARD, chances=chances).events()
    assert events.logged_chance.tolist() == [0.5, 0.25, 0.9, 0.9]


@pytest.mark.parametrize("n", [0, 1, 3, 7, 20, 25])
@pytest.mark.parametrize("sparse", [False, True])
def test_first_and_after_are_parts(small_chunks, n, sparse):
    log = random_log(sparse=sparse)
    first, after = log.first(n), log.after(n)
    assert (len(first), len(after)) == (min(n, 20), max(20 - n, 0))
    assert (after.start, after.after(2).start) == (n, n + 2)
    joined = Events.joined([first.events(), after.events()])
    require_equal(log, Log(lambda: iter([joined]), 3, 4))
    require_equal(log.after(2).first(n), log.first(2 + n).after(2))


def test_a_negative_number_of_events_is_refused():
    for part in (random_log().first, random_log().after):
        with pytest.raises(ValueError, match="n must be at least 0, got -1"):
            part(-1)


def test_a_trace_becomes_a_log():
    stream = onearm.SynNonSep(200)
    rows, _ = stream.arrays()
    trace = stream.learner(onearm.SOBA).play(stream)
    log = Log.from_trace(rows, trace, n_classes=stream.n_classes)
    events = log.events()
    assert log.feedback == "one_right"
    for name in ("label", "greedy", "propensity"):
        np.testing.assert_array_equal(getattr(events, name), getattr(trace, name))
    np.testing.assert_array_equal(events.reward, trace.correct)


def test_learning_from_a_log_is_learning_from_its_judged_events(small_chunks):
    log = random_log(rewards=(-2.0, 2.0), without=("allowed",))
    rows = np.nan_to_num(log.events().X)
    log = Log.of(rows, *(getattr(log.events(), n) for n in ("label", "propensity")),
                 np.nan_to_num(log.events().reward), outcome=log.events().outcome,
                 rewards=(-2.0, 2.0), n_classes=3)  # fmt: skip
    one, other = (onearm.EpsilonGreedy(n_classes=3, n_features=4) for _ in range(2))
    one.learn(log)
    e = log.events().part(log.events().is_judged)
    other.learn(e.X, Trace(e.label, None, e.propensity, (e.reward + 2) / 4))
    np.testing.assert_array_equal(one.scores(rows), other.scores(rows))
    assert (one.trained_on, log.n_learnt(one.trained_on)) == ({log.identity: 20}, 20)


def test_a_saved_learner_knows_the_log_it_learnt_from(tmp_path):
    log = random_log(60).after(10)
    learner = onearm.Chorus(n_classes=3, n_features=4)
    learner.learn(log)
    learner.save(tmp_path / "model.safetensors")
    loaded = onearm.load(tmp_path / "model.safetensors")
    assert loaded.trained_on == learner.trained_on == {log.identity: 60}


def test_a_learner_of_right_and_wrong_refuses_rewards():
    learner = onearm.Banditron(n_classes=3, n_features=2)
    with pytest.raises(ValueError, match="Banditron learns from right or wrong only"):
        learner.learn(Log.of(X, LABEL, P, REWARD))


def test_a_learner_of_other_sizes_or_columns_is_refused():
    log = Log.of(X, LABEL, P, REWARD, schema=Schema({"a": "number", "b": "number"}, "xyz"))
    with pytest.raises(ValueError, match="has 3 labels and 2 features, EpsilonGreedy has 3 and 5"):
        log.check_schema(onearm.EpsilonGreedy(n_classes=3, n_features=5))
    learner = onearm.EpsilonGreedy(n_classes=3, n_features=2)
    learner.schema = Schema({"a": "number", "c": "number"}, "xyz")
    way_out = "read the log with the schema of the learner: schema="
    with pytest.raises(ValueError, match=f"column 1 is called 'b', not 'c'; {way_out}"):
        learner.learn(log)


def test_decisions_of_an_agent_become_a_log():
    schema = Schema({"age": "number"})
    agent = onearm.Agent(["a", "b", "c"], schema=schema, seed=3)
    contexts = [{"age": i} for i in range(6)]
    decisions = [agent.choose(context, among=["a", "c"]) for context in contexts]
    log = Log.from_decisions(contexts, [d.to_json() for d in decisions], [1, 0, None] * 2, agent)
    events = log.events()
    assert [log.labels[code] for code in events.label] == [d.label for d in decisions]
    assert events.allowed.tolist() == [[True, False, True]] * 6
    assert events.X.ravel().tolist() == list(range(6))
    assert log.counts["pending"] == 2


def test_decisions_with_chances_by_label_and_a_range_of_rewards():
    agent = onearm.Agent(["a", "b", "c"], schema=Schema({"age": "number"}), seed=3)
    contexts = [{"age": i} for i in range(6)]
    chances = [agent.chances(context, among=["a", "c"]) for context in contexts]
    decisions = [agent.choose(context, among=["a", "c"]) for context in contexts]
    log = Log.from_decisions(contexts, decisions, [1, 5, None] * 2, agent, chances=chances,
                             rewards=(0, 5))  # fmt: skip
    assert log.rewards == (0, 5)
    assert log.events().chances.tolist() == [[p["a"], 0.0, p["c"]] for p in chances]


def test_the_chances_of_a_uniform_policy_follow():
    p = [1 / 3, 0.3333, 1 / 3, 0.5]
    events = Log.of(X, [0, 1, 2, 1], p, REWARD, allowed=MASK, chances="uniform").events()
    assert events.chances.tolist() == [[1 / 3] * 3] * 3 + [[0.5, 0.5, 0.0]]


def test_of_two_allowed_labels_the_distribution_follows():
    assert Log.of(X, [0, 1, 1, 0], P, REWARD).events().chances.tolist() == [
        [0.5, 0.5], [0.75, 0.25], [0.0, 1.0], [0.125, 0.875]
    ]  # fmt: skip
    chances = Log.of(X, LABEL, P, REWARD, allowed=MASK).events().chances
    assert np.isnan(chances[:3]).all()
    assert chances[3].tolist() == [0.875, 0.125, 0.0]
    assert Log.of(X, LABEL, P, REWARD).events().chances is None


def test_what_is_odd_is_counted(tmp_path, small_chunks):
    day = np.array(["2026-01-02", "2026-01-05", "NaT", "2026-01-03", "2026-01-04"], "M8[us]")
    known = {"event_id": ["a", "b", "", "a", ""], "time": day}
    log = Log.of(np.eye(5), [0, 1] * 2 + [0], [0.5] * 5, [1] * 5, **known)
    log.write(tmp_path / "log.jsonl")
    for odd in (log, Log.read(tmp_path / "log.jsonl")):
        assert odd.oddities == [
            "1 event has the id of an earlier one: each counts by itself.",
            "2 events are out of order: of a time before that of an earlier event.",
        ]
    assert random_log().oddities == []


def test_the_first_pass_counts_the_events():
    """So an evaluation reads a log once."""
    log, n_passes = Log.of(None, [0, 1] * 25, [0.5] * 50, [1.0, 0.0] * 25), 0

    def source():
        nonlocal n_passes
        n_passes += 1
        yield from log.source()

    counted = replace(log, source=source)
    onearm.evaluate(counted, "uniform")
    assert (len(counted), counted.counts["reported"], n_passes) == (50, 50, 1)
    next(replace(log, source=source).chunks())  # a part of a pass counts nothing
    assert len(counted.first(7)) == 7
