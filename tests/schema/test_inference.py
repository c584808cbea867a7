"""What is inferred from frames and dicts, how it is described, and what is warned of."""

import warnings
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pytest

from onearm import Schema
from onearm.schema.inference import notes_on_few_words

N = 300


def table(**columns):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"n": rng.normal(size=N), "kind": ["ab"[i % 2] for i in range(N)]} | columns
    )


def forms(schema):
    return {column.name: column.form for column in schema.columns}


def test_columns_are_inferred_and_described():
    sentences = []
    frame = table(
        flag=[i % 3 == 0 for i in range(N)],
        device=["phone", None, "desktop"] * 100,
        shop=[f"shop {i % 150}" for i in range(N)],
        title=[f"the title of row {i} is long" for i in range(N)],
        day=pd.date_range("2024-01-01", periods=N),
        grade=pd.Categorical([1 + i % 3 for i in range(N)]),
    )
    as_words = frame.astype({"grade": str})
    for data in (frame, pl.from_pandas(as_words), as_words.to_dict("records")):
        schema = Schema.infer(data, label="kind", log=sentences.append)
        assert forms(schema) == {
            "n": "number", "flag": "number", "device": ["desktop", "phone", None],
            "shop": "category", "title": "text", "day": "number", "grade": ["1", "2", "3"],
        }  # fmt: skip
        assert (schema.labels, schema.label) == (("a", "b"), "kind")
    assert set(sentences) == {
        "3 numbers: 'n', 'flag', 'day'; 2 categories: 'device' (2 values, may be missing), "
        "'grade' (3 values); 1 hashed category: 'shop'; 1 text: 'title'; label 'kind': 2 labels"
    }


STRANGE = {
    "ids": ([f"user-{i}" for i in range(N)], "column 'x' differs in nearly every row"),
    "counter": (range(N), "column 'x' has another whole number in every row: an identifier"),
    "keys": (np.random.default_rng(0).permutation(10 * N)[:N], "another whole number in every row"),
    "constant": ([7] * N, "column 'x' is constant: it tells nothing"),
    "one word": (["a"] * N, "column 'x' is constant"),
    "nothing": ([None] * N, "column 'x' is constant"),
    "uuids": ([str(UUID(int=i * 2**100 + 1)) for i in range(N)], "differs in nearly every row"),
    "gaps": ([i or None for i in range(N)], "another whole number in every row"),
    "typo": (["old", *(str(i % 60) for i in range(N - 1))], "because of 'old' among 60 numbers"),
    "times": (
        [f"2024-01-01 10:{i // 60:02}:{i % 60:02}" for i in range(N)],
        "texts that look like dates",
    ),
}


CODES = {
    "few numbers": [*"ABCD", *map(str, range(20))],
    "many words": [*"ABCDEFG", *map(str, range(60))],
    "gaps": [None, *map(str, range(60))],
}


@pytest.mark.parametrize("name", CODES)
def test_codes_are_no_numbers_with_mistakes(name):
    assert notes_on_few_words("x", CODES[name]) == []


@pytest.mark.parametrize("name", STRANGE)
def test_columns_that_tell_nothing_are_warned_of(name):
    values, warning = STRANGE[name]
    with pytest.warns(UserWarning, match=warning):
        Schema.infer(table(x=values), label="kind")


def test_small_tables_have_identifiers_and_texts_too():
    n = 50
    frame = pd.DataFrame(
        {"title": [f"the title of row {i} is long" for i in range(n)], "kind": ["a", "b"] * 25}
    )
    assert forms(Schema.infer(frame, label="kind")) == {"title": "text"}
    ids = frame.assign(title=[f"user {i}" for i in range(n)])
    with pytest.warns(UserWarning, match="'title' differs in nearly every row: an identifier"):
        schema = Schema.infer(ids, label="kind")
    assert len(schema.columns[0].values) == n
    repeated = frame.assign(title=["the first of two titles", "the other of two titles"] * 25)
    assert len(Schema.infer(repeated, label="kind").columns[0].values) == 2


MEASUREMENTS = {
    "decimals": [i % 30 + 0.5 for i in range(N)],
    "numbers in nearly every row": [i % 200 for i in range(N)],
    "a wide range": [10 * (i % 101) for i in range(N)],
    "whole numbers with few gaps": np.random.default_rng(0).normal(500, 100, N).round(),
    "few numbers with gaps": [10 * (i % 30) for i in range(N)],
    "many numbers": [i % 101 for i in range(N)],
}
CLASSES = {
    "letters": [i % 26 for i in range(N)],
    "a hundred ids": [i % 100 for i in range(N)],
    "few decimals": [(i % 5) / 2 for i in range(N)],
    "words": [f"w{i % 120}" for i in range(N)],
}


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_labels_that_are_measurements_are_warned_of(name):
    with pytest.warns(
        UserWarning, match="the label, column 'kind', has .* different numbers: .* regressor"
    ):
        Schema.infer(table(kind=MEASUREMENTS[name]), label="kind")


@pytest.mark.parametrize("name", CLASSES)
def test_labels_that_are_classes_are_not(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema = Schema.infer(table(kind=CLASSES[name]), label="kind")
    assert len(schema.labels) == len(set(CLASSES[name]))
    if name != "words":
        assert [float(label) for label in schema.labels] == sorted(set(CLASSES[name]))


def test_labels_that_are_identifiers_are_warned_of():
    with pytest.warns(UserWarning, match="has 300 different values: an identifier is no label"):
        Schema.infer(table(kind=[f"w{i}" for i in range(N)]), label="kind")


def test_wrong_data_are_refused():
    with pytest.raises(
        ValueError, match=r"label must be one of 'n', 'kind', got 'Kin' .did you mean 'kind'\?"
    ):
        Schema.infer(table(), label="Kin")
    with pytest.raises(ValueError, match="row 3: the label, column 'kind', must not be missing"):
        Schema.infer(table(kind=["a", "b", "a", None] * 75), label="kind")
    with pytest.raises(ValueError, match="row 1: column 'a' must be a text, a number or missing"):
        Schema.infer([{"a": "x"}, {"a": [1]}])
    for nothing in ([], {}, pd.DataFrame(), pd.DataFrame({"a": []})):
        with pytest.raises(ValueError, match="at least one column and one row"):
            Schema.infer(nothing)
    with pytest.raises(ValueError, match="a context must be a dict, a row of a frame or a named"):
        Schema.infer([(1, 2)])


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e200, 10**400])
def test_a_number_that_is_too_large_makes_no_category(value):
    """The column has numbers, and the row is refused when it is encoded."""
    rows = [{"age": float(i % 50)} for i in range(N)] + [{"age": value}]
    schema = Schema.infer(rows)
    assert forms(schema) == {"age": "number"}
    with pytest.raises(ValueError, match=f"row {N}: column 'age' must be finite and within"):
        schema.encode_all(rows)


def test_columns_that_some_dicts_have_not_may_be_missing():
    schema = Schema.infer([{"a": 1, "b": "x"}, {"b": "y", "c": {"d": True}}])
    assert forms(schema) == {"a": "number", "b": ["x", "y"], "c.d": "number"}
    np.testing.assert_array_equal(schema.encode({"b": "y"}), [np.nan, 1, np.nan])
