"""A schema is its JSON; wrong ones are refused."""

import copy
import json
import pickle
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onearm import Schema

COLUMNS = {
    "age": "number",
    "device": ["phone", None, 3],
    "shop": "category",
    "site": {"category": 50},
    "title": "text",
    "note": {"text": 9},
}


def test_a_schema_is_its_json():
    schema = Schema(COLUMNS, ["sport", 7, np.int64(8)], label="kind")
    text = schema.to_json()
    for other in (
        Schema.from_json(text),
        copy.deepcopy(schema),
        pickle.loads(pickle.dumps(schema)),
    ):
        assert other == schema
        assert hash(other) == hash(schema)
        assert other.to_json() == text
    assert json.loads(text) == {
        "columns": COLUMNS | {"device": ["phone", None, "3"]}, "labels": ["sport", 7, 8],
        "label": "kind",
    }  # fmt: skip
    assert eval(repr(schema)) == schema
    assert schema != Schema(COLUMNS, ["sport", 7], label="kind")
    assert schema != Schema(dict(reversed(COLUMNS.items())), ["sport", 7, 8], label="kind")
    assert Schema({"s": {"category": 1024}}) == Schema({"s": "category"})


def test_labels_may_have_names_though_columns_have_none():
    schema = Schema({}, ["a", "b"])
    assert (schema.n_features, schema.nominal) == (0, ())
    assert Schema.from_json(schema.to_json()) == schema
    with pytest.raises(ValueError, match="a context must have at least one of the columns"):
        schema.encode({"a": 1})


def test_labels_have_codes():
    schema = Schema({"a": "number"}, ["sport", "news", 7])
    assert schema.encode_labels(["news", "sport", 7, "7", 7.0]).tolist() == [1, 0, 2, 2, 2]
    with pytest.raises(ValueError, match=r"row 1: the label must be one of .*did you mean 'news'"):
        schema.encode_labels(["news", "nwes"])


WRONG = [
    ([], {}, "columns must be forms by name"),
    ({"a": "numbr"}, {}, """column 'a' must be "number", .* got 'numbr'"""),
    ({"a": 3}, {}, "got 3"),
    ({"a": {"text": 0}}, {}, "got {'text': 0}"),
    ({"a": {"text": 2**24 + 1}}, {}, "got {'text': 16777217}"),
    ({"a": {"text": True}}, {}, "got {'text': True}"),
    ({"a": {"text": 1, "category": 2}}, {}, "column 'a' must be"),
    ({"a": []}, {}, "column 'a' must have different values, at least one, got"),
    ({"a": ["1", 1]}, {}, "must have different values"),
    ({"a": [[1]]}, {}, "values of column 'a' must be a text, a number or missing"),
    ({"a": ["\ud800"]}, {}, "values of column 'a' must be Unicode texts"),
    ({"\ud800": "number"}, {}, "names of columns must be Unicode texts"),
    ({1: "number"}, {}, "names of columns must be texts, got 1"),
    ({"a": "number"}, {"label": "a"}, "label must be None or the name of another column, got 'a'"),
    ({"a": "number"}, {"label": 3}, "label must be None or"),
    ({"a": "number"}, {"labels": ["x", "x"]}, "labels must be different texts or integers"),
    ({"a": "number"}, {"labels": ["1", 1]}, "labels must be different texts"),
    ({"a": "number"}, {"labels": [True]}, "labels must be different texts"),
    ({"a": "number"}, {"labels": [None]}, "labels must be different texts"),
    ({"a": "number"}, {"labels": [["x"]]}, "labels must be different texts"),
]


@pytest.mark.parametrize(("columns", "others", "wrong"), WRONG)
def test_a_wrong_schema_is_refused(columns, others, wrong):
    with pytest.raises(ValueError, match=wrong):
        Schema(columns, **others)


GOOD = {"columns": {"a": "number"}, "labels": [], "label": None}
HOSTILE = [
    "", "[]", "null", "{}", "[" * 100_000, '{"a":' * 100_000, "1" * 5000, '"x"', "NaN", "{",
    '"\\ud800"',
    json.dumps(GOOD | {"more": 1}), json.dumps(GOOD | {"columns": []}),
    json.dumps(GOOD | {"columns": None}),
    json.dumps(GOOD | {"labels": None}), json.dumps(GOOD | {"labels": {"a": 1}}),
    json.dumps(GOOD | {"labels": "ab"}), json.dumps(GOOD | {"labels": [{}]}),
    json.dumps(GOOD | {"labels": [1.5]}), json.dumps(GOOD | {"label": {}}),
    json.dumps(GOOD | {"label": ["a"]}), json.dumps(GOOD | {"columns": {"a": None}}),
    json.dumps(GOOD | {"columns": {"a": {"text": 10**30}}}),
    json.dumps(GOOD | {"columns": {"a": {"text": 1e3}}}),
    json.dumps(GOOD | {"columns": {"a": {"text": -1}}}),
    json.dumps(GOOD | {"columns": {"a": [{}]}}), json.dumps(GOOD | {"columns": {"a": {}}}),
    json.dumps(GOOD | {"columns": {"a": {"text": {"text": 3}}}}),
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_json_gets_a_value_error(text):
    with pytest.raises(ValueError, match=r".") as refused:
        Schema.from_json(text)
    assert len(str(refused.value)) < 400


leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3),
    st.sampled_from(["number", "category", "text", "a", 2**24, 2**70]),
)  # fmt: skip
contents = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "text", "b"]), inner)
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(st.fixed_dictionaries({"columns": contents, "labels": contents, "label": contents}))
def test_any_json_is_a_schema_or_gets_a_value_error(content):
    try:
        schema = Schema.from_json(json.dumps(content))
    except ValueError:
        return
    assert Schema.from_json(schema.to_json()) == schema
    assert schema.n_features >= len(schema.columns)
    with suppress(ValueError):
        schema.encode({"a": content["label"], "b": 1})


@given(st.binary(max_size=40), st.integers(0, 200))
def test_damaged_json_is_a_schema_or_gets_a_value_error(more, at):
    text = Schema(COLUMNS, ["sport", 7], label="kind").to_json().encode()
    with suppress(ValueError):
        Schema.from_json(text[:at] + more + text[at + len(more) :])


def test_dicts_need_no_library_of_frames():
    code = """
import sys, onearm
assert "numpy" not in sys.modules
onearm.Schema({"age": "number"}).encode_all([{"age": 3}])
assert not {"narwhals", "pandas", "polars", "numba", "scipy"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
