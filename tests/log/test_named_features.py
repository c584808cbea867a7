"""Files of Vowpal Wabbit with columns by name: read with the same schema they are the same rows."""

import json

import numpy as np
import pytest

from onearm import Log, Schema
from onearm.streams.vowpal import column
from tests.log.random_logs import require_equal

COLUMNS = {
    "age": "number",
    "user.device": ["phone", "desk top", "a=b%:|'é\u2003x", ""],
    "seen": ["yes", None],
    "city name": {"category": 50},
    "words": {"text": 60},
}
LABELS = ["sport", "news", "tech"]
CONTEXTS = [
    {"age": 31, "user.device": "phone", "seen": "yes", "city name": "Bonn", "words": "a b b"},
    {"age": 0, "user.device": "watch", "words": "one"},
    {"user.device": "desk top", "seen": "no", "city name": "Köln am Rhein"},
    {"age": -1.5e-7, "user.device": "a=b%:|'é\u2003x", "words": ""},
    {"user.device": ""},
    {"age": None},
]
N = len(CONTEXTS)


def as_log(columns=COLUMNS, **known):
    schema = Schema(columns, LABELS)
    label = ["tech", "sport", "news"] * 2
    p = np.array([[0.25, 0.5, 0.25]] * N)
    propensity = p[np.arange(N), [LABELS.index(name) for name in label]]
    contexts = [{n: v for n, v in context.items() if n in columns} for context in CONTEXTS]
    contexts = [context or dict.fromkeys(columns) for context in contexts]
    return Log.of(contexts, label, propensity, np.linspace(0, 1, N), schema=schema, **known)


@pytest.mark.parametrize("suffix", ["vw", "dsjson", "vw.gz"])
@pytest.mark.parametrize("words", [False, True])
def test_rows_are_read_as_they_were_written(tmp_path, small_chunks, suffix, words):
    columns = {name: form for name, form in COLUMNS.items() if words or name != "words"}
    log = as_log(columns, event_id=[f"e{i}" for i in range(N)])
    log.write(tmp_path / f"log.{suffix}")
    back = Log.read(tmp_path / f"log.{suffix}", schema=log.schema, costs=(-1, 0))
    require_equal(log, back, ("X", "label", "propensity", "reward", "event_id"))
    assert (back.schema, back.labels, back.rewards) == (log.schema, tuple(LABELS), (0.0, 1.0))
    assert back.n_bad_lines == 0


def test_features_are_those_of_vowpal_wabbit(tmp_path):
    as_log().write(tmp_path / "log.vw")
    lines = (tmp_path / "log.vw").read_text(encoding="utf-8").splitlines()
    head, features = lines[0].split("|")
    assert head == "3:0.0:0.25 "
    assert features.startswith(" age:31.0 user.device=phone seen=yes city%20name=w")
    assert sorted(word.partition(":")[2] for word in features.split()[-2:]) == ["1", "2"]
    assert lines[1].split()[3] == "user.device=(other)"
    assert lines[3].split()[3] == "user.device=a%3Db%25%3A%7C%27é%E2%80%83x"
    X = Log.read(tmp_path / "log.vw", costs=(-1, 0)).events().X.toarray()  # hashed by others, too
    assert X[0, column("", "user.device=phone")] == 1.0
    assert X[0, column("", "age")] == 31.0


def test_dsjson_has_names_and_values(tmp_path):
    as_log().write(tmp_path / "log.dsjson")
    first, second = (
        json.loads(line) for line in (tmp_path / "log.dsjson").read_text().splitlines()[:2]
    )
    context = first["c"]
    assert (context["age"], context["user.device"], context["seen"]) == (31.0, "phone", "yes")
    assert len(context["words"].split()) == 3
    assert len(context["_multi"]) == 3
    assert second["c"]["seen"] is second["c"]["city name"] is None


def test_features_of_others_are_read_by_name(tmp_path):
    schema = Schema({"age": "number", "u.age": "number", "device": ["phone", "3"], "text": "text"})
    path = tmp_path / "log.vw"
    path.write_text(
        "1:0:0.5 |v:2 age:31 device=phone other |u age:3\n"
        "2:0:0.5 | device:3 unknown=x text=a:2 text=b |w:0.5 text=a:2 age\n"
    )
    log = Log.read(path, schema=schema)
    contexts = [
        {"age": 62, "u.age": 3, "device": "phone"}, {"device": 3, "text": "a a b a", "age": 0.5},
    ]  # fmt: skip
    expected = schema.encode_all(contexts).toarray()
    np.testing.assert_array_equal(log.events().X.toarray(), expected)
    assert log.labels == (1, 2)


@pytest.mark.parametrize(
    ("features", "reason"),
    [
        ("age=old", "column 'age' must be a number, got 'age=old'"),
        ("device=phone device=tv", "column 'device' must have one value, got 'device=tv' too"),
        ("text=a:0.5", "column 'text' must have words, text=word:times, got 'text=a:0.5'"),
        ("text=a:-1", "column 'text' must have words"),
        ("text=a:1e9", "column 'text' must have words"),
        ("text:3", "column 'text' must have words"),
    ],
)
def test_bad_features_are_left_out_and_named(tmp_path, features, reason):
    schema = Schema({"age": "number", "device": ["phone", "tv"], "text": "text"})
    path = tmp_path / "log.vw"
    path.write_text(f"1:0:0.5 | age:1\n1:0:0.5 | {features}\n2:0:0.5 | age:1\n")
    log = Log.read(path, schema=schema)
    assert (len(log), log.n_bad_lines) == (2, 1)
    assert reason in log.bad_lines[0]


@pytest.mark.parametrize("suffix", ["vw", "dsjson"])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_classes": 2}, "n_classes must be 3, the number of labels of the schema, got 2"),
        ({"hashed": False}, "by name with a schema of columns, got hashed=False"),
        ({"n_features": 8}, "by name with a schema of columns, got n_features=8"),
    ],
)
def test_options_that_contradict_a_schema_are_refused(tmp_path, suffix, options, words):
    log = as_log()
    log.write(tmp_path / f"log.{suffix}")
    with pytest.raises(ValueError, match=words):
        Log.read(tmp_path / f"log.{suffix}", schema=log.schema, costs=(-1, 0), **options)


def test_more_actions_than_the_schema_has_labels(tmp_path):
    (tmp_path / "log.vw").write_text("1:0:0.5 | age:1\n4:0:0.5 | age:1\n")
    log = Log.read(tmp_path / "log.vw", schema=as_log().schema)
    assert (len(log), log.n_classes) == (1, 3)
    assert "the label must be one of '1', '2', '3', got '4'" in log.bad_lines[0]


def test_a_column_that_would_hide_the_actions_is_refused(tmp_path):
    log = Log.of(
        [{"_multi": 1}], ["a"], [1.0], [0], schema=Schema({"_multi": "number"}, ["a", "b"])
    )
    with pytest.raises(ValueError, match=r"a column in \.dsjson must not be called '_multi'"):
        log.write(tmp_path / "log.dsjson")
