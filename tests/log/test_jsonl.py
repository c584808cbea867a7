"""Logs in JSON lines: ours, and those of services and agents."""

import json

import numpy as np
import pytest

import onearm
from onearm import HIDDEN, Log, Schema
from tests.log.random_logs import OPTIONAL, random_log, require_equal

SCHEMA = Schema({"user.age": "number", "device": ["phone", "desktop"]}, ["news", "tech"])


def line(**changes):
    """Return a line as a service writes it; what is None is left out."""
    content = {
        "event_id": "a7", "time": "2026-01-31T12:00:00Z", "policy": "chorus", "version": 12,
        "context": {"user": {"age": 31}, "device": "phone"}, "label": "tech", "greedy": "news",
        "propensity": 0.2, "among": ["news", "tech"], "chances": {"news": 0.8, "tech": 0.2},
        "reward": 1, "outcome": "reported",
    }  # fmt: skip
    return json.dumps({k: v for k, v in (content | changes).items() if v is not None})


@pytest.mark.parametrize("suffix", ["jsonl", "ndjson", "jsonl.gz", "jsonl.xz", "jsonl.bz2"])
def test_a_log_is_read_as_it_was_written(tmp_path, small_chunks, suffix):
    path = tmp_path / f"log.{suffix}"
    log = random_log(rewards=(-2.0, 3.0))
    log.write(path)
    back = Log.read(path)
    require_equal(log, back)
    assert (back.schema, back.labels, back.rewards) == (log.schema, log.labels, log.rewards)
    assert (back.counts, back.n_features) == (log.counts, 4)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("without", [OPTIONAL, *((name,) for name in OPTIONAL)])
def test_fields_that_a_log_does_not_have_stay_out(tmp_path, small_chunks, sparse, without):
    log = random_log(sparse=sparse, without=without)
    log.write(tmp_path / "log.jsonl")
    back = Log.read(tmp_path / "log.jsonl")
    require_equal(log, back)
    assert hasattr(back.events().X, "tocsr") == sparse


def test_labels_without_names_are_numbers(tmp_path):
    log = Log.of(np.eye(3), [0, 1, 4], [0.5] * 3, [1, 0, 1], n_classes=7)
    log.write(tmp_path / "log.jsonl")
    back = Log.read(tmp_path / "log.jsonl")
    require_equal(log, back)
    assert (back.n_classes, back.labels) == (7, tuple(range(7)))


def test_a_line_of_a_service(write):
    log = Log.read(
        write("log.jsonl", line() + "\n" + line(reward=None, outcome=None)), schema=SCHEMA
    )
    events = log.events()
    assert events.X.tolist() == [[31.0, 0.0]] * 2
    assert (events.label[0], events.greedy[0], events.propensity[0]) == (1, 0, 0.2)
    assert events.chances[0].tolist() == [0.8, 0.2]
    assert (events.policy[0], events.version[0], events.event_id[0]) == ("chorus", 12, "a7")
    assert events.time[0] == np.datetime64("2026-01-31T12:00:00", "us")
    assert log.counts == {"reported": 1, "default": 0, "pending": 1, "not_activated": 0}


def test_decisions_of_an_agent_are_read_as_they_are(write):
    agent = onearm.Agent(["a", "b", "c"], schema=Schema({"age": "number"}), seed=1)
    contexts = [{"age": age} for age in range(8)]
    decisions = [agent.choose(context, among=["a", "b"]) for context in contexts]
    merged = [json.loads(d.to_json()) | {"context": c, "reward": i % 2}
              for i, (c, d) in enumerate(zip(contexts, decisions, strict=True))]  # fmt: skip
    path = write("log.jsonl", "\n".join(map(json.dumps, merged)))
    expected = Log.from_decisions(contexts, decisions, [i % 2 for i in range(8)], agent)
    log = Log.read(path, schema=agent.schema)
    require_equal(expected, log)
    assert log.n_bad_lines == 0


def test_schema_and_labels_are_inferred_if_they_are_not_given(write):
    lines = [line(label=label, greedy=None, among=None, chances=None,
                  context={"hour": i, "device": "ab"[i % 2]})
             for i, label in enumerate(["10", "9", 9, "2"])]  # fmt: skip
    log = Log.read(write("log.jsonl", "\n".join(lines)))
    assert log.schema == Schema({"hour": "number", "device": ["a", "b"]}, ["2", "9", "10"])
    assert log.events().label.tolist() == [2, 1, 1, 0]
    assert log.events().X.tolist() == [[0, 0], [1, 1], [2, 0], [3, 1]]


def test_a_schema_is_inferred_from_all_chunks(write, small_chunks):
    kinds = [["a", 1], ["b", "x"]]
    plain = {"among": None, "chances": None}
    lines = [line(context={"value": v, "mixed": m, "age": i}, **plain)
             for i in range(6) for v, m in [kinds[i // 3]]]  # fmt: skip
    log = Log.read(write("log.jsonl", "\n".join(lines)))
    expected = {"value": ["a", "b"], "mixed": "category", "age": "number"}
    assert log.schema == Schema(expected, ["news", "tech"])


@pytest.mark.parametrize(
    ("time", "expected"),
    [("2026-01-31T12:00:00+02:00", "2026-01-31T10:00"), ("2026-01-31 12:00:00", "2026-01-31T12:00"),
     ("2026-01-31", "2026-01-31"), (1.5, "1970-01-01T00:00:01.5"), (0, "1970-01-01")],
)  # fmt: skip
def test_times_are_utc(write, time, expected):
    log = Log.read(write("log.jsonl", line(time=time)), schema=SCHEMA)
    assert log.events().time[0] == np.datetime64(expected, "us")


def test_without_contexts_rows_are_constant(write):
    log = Log.read(write("log.jsonl", "\n".join([line(context=None)] * 3)))
    assert log.events().X.tolist() == [[1.0]] * 3
    assert log.n_features == 1


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{", "must be JSON"),
        ("[1, 2]", "must be an object, got [1, 2]"),
        ("\0\0", "must be JSON"),
        ("[" * 100_000, "must not be nested deeply"),
        (line(label=None), "must have 'label'"),
        (line(propensity=None), "must have 'propensity'"),
        (line(label="sport"), "the label must be one of 'news', 'tech', got 'sport'"),
        (line(label=["a"]), "must be a text, a number or missing, got ['a']"),
        (line(greedy="sport"), "the greedy label must be one of"),
        (line(among=["news", "sport", "tech"]), "an allowed label must be one of"),
        (line(among=["news"]), "the chosen label must be one of those that were allowed, got 1"),
        (line(among="news"), "among must be labels"),
        (line(chances={"sport": 1}), "a label with a chance must be one of"),
        (line(chances={"news": 0.5, "tech": 0.4}), "chances must be at least 0 and sum up to 1"),
        (line(chances={"news": 1}), "the chance of the label must be above 0"),
        (line(chances=[0.5, 0.5]), "chances must be numbers by label"),
        (line(reward="much"), "the reward must be a number, got 'much'"),
        (line(outcome="lost"), "the outcome must be one of"),
        (line(reward=None, outcome="default"), "the reward must be there"),
        (line(propensity="0.5"), "propensity must be a number, got '0.5'"),
        (line(version=1.5), "the version must be a whole number"),
        (line(version=10**30), "the version must be a whole number"),
        (line(time="noon"), "the time must be ISO 8601 or seconds since 1970, got 'noon'"),
        (line(time=1e300), "the time must be ISO 8601"),
        (line(event_id={}), "the event_id must be a text"),
        (line(context={"user": {"age": "old"}}), "column 'user.age' must be a number or missing"),
        (line(context=None, x=[1]), "x must have 2 numbers, got 1"),
        (line(context=None, x=[1, "a"]), "x must be a list of numbers"),
        (line(context=None, x={"indices": [0], "values": [1]}), "the context must be dense"),
        (line(context=None), "the context must be dense, as those before it, got none"),
        (line().replace(": 31", ": " + "9" * 400), "column 'user.age' must be finite"),
        (line().replace(": 31", ": " + "9" * 5000), "must be JSON"),
    ],
)  # fmt: skip
def test_bad_lines_are_left_out_and_named(write, bad, reason):
    log = Log.read(write("log.jsonl", "\n".join([line(), bad, line()])), schema=SCHEMA)
    assert (len(log), log.n_bad_lines) == (2, 1)
    assert log.bad_lines[0].startswith(f"log.jsonl, line 2: {reason}")


def test_the_first_twenty_bad_lines_are_named(write, small_chunks):
    log = Log.read(write("log.jsonl", "\n".join([*["{", line(label="sport")] * 40, line()])),
                   schema=SCHEMA)  # fmt: skip
    assert (log.n_bad_lines, len(log)) == (80, 1)
    assert [text.split(":")[0] for text in log.bad_lines] == [
        f"log.jsonl, line {n}" for n in range(1, 21)
    ]


def test_labels_of_bad_lines_are_not_learned(write):
    lines = [
        line(among=None, chances=None),
        line(label="x", greedy=None, outcome="lost", among=None, chances=None),
    ]
    schema = Schema({"device": ["phone"]})
    log = Log.read(write("log.jsonl", "\n".join(lines)), schema=schema)
    assert (log.labels, log.n_bad_lines) == (("news", "tech"), 1)


@pytest.mark.parametrize("value", ["0", "-0.1", "1.5", "NaN", "1e999", "-Infinity"])
def test_a_wrong_propensity_is_refused(write, value):
    text = "\n".join([line(), line(), line().replace("0.2,", f"{value},", 1)])
    with pytest.raises(ValueError, match=r"log.jsonl, line 3: propensity must be in .*, got "):
        Log.read(write("log.jsonl", text), schema=SCHEMA)


@pytest.mark.parametrize("value", ["7", "-0.1", "1e999"])
def test_a_reward_outside_the_range_is_refused(write, value):
    """Without such lines the rest would be selected by their outcome."""
    text = "\n".join([line(), line(), line().replace('"reward": 1', f'"reward": {value}')])
    words = (
        r"log.jsonl, line 3: the reward must be in \[0, 1\], .*, got .*: .* rewards= or --rewards"
    )
    with pytest.raises(ValueError, match=words):
        Log.read(write("log.jsonl", text), schema=SCHEMA)
    with pytest.raises(ValueError, match="line 3: the reward must be 0 or 1 where exactly one"):
        Log.read(write("log.jsonl", text), schema=SCHEMA, feedback="one_right")


@pytest.mark.parametrize("text", ["", "\n\n", "{}\n", "not\n" * 5, '{"onearm_log": 1}\n'])
def test_a_file_without_events_is_refused(write, text):
    with pytest.raises(ValueError, match=r"log.jsonl has no events"):
        Log.read(write("log.jsonl", text))


def test_sparse_rows_are_as_wide_as_the_largest_index(write):
    lines = [line(context=None, x={"indices": at, "values": [1.5] * len(at)})
             for at in ([7, 2], [], [3])]  # fmt: skip
    bad = [line(context=None, x={"indices": at, "values": [1]})
           for at in ([1, 1], [-1], [0.5], [2**40], "a", None, [2, 3])]  # fmt: skip
    log = Log.read(write("log.jsonl", "\n".join([*lines, *bad])))
    assert (log.n_features, log.n_bad_lines) == (8, 7)
    assert log.events().X.toarray()[0].tolist() == [0, 0, 1.5, 0, 0, 0, 0, 1.5]


def test_a_few_events_may_name_many_labels(write):
    """Chances of all labels are an array: with many labels a chunk has few events."""
    lines = [json.dumps({"label": f"l{i}", "propensity": 1, "chances": {f"l{i}": 1}, "reward": 1})
             for i in range(5000)]  # fmt: skip
    log = Log.read(write("log.jsonl", "\n".join(lines)))
    assert log.n_classes == 5000
    assert max(len(events) for events in log.chunks()) < 4000


def test_options_come_before_the_header(tmp_path):
    random_log().write(tmp_path / "log.jsonl")
    log = Log.read(tmp_path / "log.jsonl", rewards=(-1.0, 1.0), name="mine")
    assert (log.rewards, log.name) == ((-1.0, 1.0), "mine")
    assert (log.events().greedy >= HIDDEN).all()
