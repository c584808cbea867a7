"""Encoding: dicts, tuples, records and frames give the rows of the reference, to the bit."""

from collections import namedtuple
from datetime import date, datetime, time

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onearm import Monitor, Schema
from tests.reference.schema import encoded

WORDS = ["red", "blue", "Gr\u00fcn", "1", "", " x ", "naïve café", "a b b"]
words = st.one_of(st.none(), st.sampled_from(WORDS), st.text(max_size=5).filter(str.isprintable))
numbers = st.one_of(st.none(), st.floats(-1e100, 1e100), st.integers(-(10**6), 10**6))
FORMS = {
    "number": numbers,
    "category": words,
    "text": words,
}


@st.composite
def tables(draw):
    """A schema's columns with their forms, and contexts that have them all."""
    forms = draw(st.lists(st.sampled_from([*FORMS, "values", "gaps"]), min_size=1, max_size=4))
    columns, kinds = {}, {}
    for j, kind in enumerate(forms):
        values = {"values": ["red", "1"], "gaps": [None, "blue", "x"]}
        small = {kind: 7} if kind in ("category", "text") else kind
        columns[f"c{j}"] = values.get(kind, small)
        kinds[f"c{j}"] = FORMS.get(kind, words)
    contexts = draw(st.lists(st.fixed_dictionaries(kinds), min_size=1, max_size=4))
    return columns, contexts


def dense(X, n_features):
    """Return rows as lists, sparse or not."""
    if isinstance(X, tuple):
        row = np.zeros(n_features)
        np.add.at(row, X[0], X[1])
        return row.tolist()
    return (X.toarray() if hasattr(X, "toarray") else X).tolist()


def frames(contexts, columns):
    """Return the contexts as frames of all libraries, and as columns."""
    by_name = {name: [context[name] for context in contexts] for name in columns}
    typed = {
        name: [None if v is None else float(v) for v in values]
        if columns[name] == "number"
        else values
        for name, values in by_name.items()
    }
    types = {name: pl.Float64 if form == "number" else pl.String for name, form in columns.items()}
    frame = pl.DataFrame(typed, schema=types)
    return [
        pd.DataFrame(typed),
        frame,
        frame.to_arrow(),
        pd.DataFrame(by_name, dtype=object),
        by_name,
    ]


@settings(max_examples=60, deadline=None)
@given(tables())
def test_dicts_tuples_and_frames_have_the_rows_of_the_reference(table):
    columns, contexts = table
    schema = Schema(columns)
    expected = [encoded(list(columns.items()), context) for context in contexts]
    d = schema.n_features
    one_by_one = [dense(schema.encode(context), d) for context in contexts]
    np.testing.assert_array_equal(one_by_one, expected)
    tuples = [
        dense(schema.encode(tuple(context[name] for name in columns)), d) for context in contexts
    ]
    np.testing.assert_array_equal(tuples, expected)
    for data in (contexts, *frames(contexts, columns)):
        np.testing.assert_array_equal(dense(schema.encode_all(data), d), expected)
    again = Schema.from_json(schema.to_json())
    np.testing.assert_array_equal(dense(again.encode_all(contexts), d), expected)


SCHEMA = Schema({"age": "number", "device": ["phone", "desktop"], "pro": "number"})
ROW = {"age": 31, "device": "desktop", "pro": True}


def test_rows_of_every_library_are_the_same():
    frame = pd.DataFrame([ROW])
    batch = pa.RecordBatch.from_pylist([ROW])
    record = np.array([(31, "desktop", True)], [("age", "i4"), ("device", "U9"), ("pro", "?")])
    contexts = [
        ROW, tuple(ROW.values()), list(ROW.values()), dict(reversed(ROW.items())),
        namedtuple("Row", ROW)(**ROW), frame.iloc[0], frame, next(frame.itertuples(index=False)),
        frame.to_dict("records")[0], pl.from_pandas(frame).row(0), pl.from_pandas(frame)[0],
        pl.from_pandas(frame).row(0, named=True), batch.to_pylist()[0], batch.to_struct_array()[0],
        pa.table(batch.to_pydict()), record[0],
        {"age": np.float32(31), "device": b"desktop", "pro": 1},
        np.array([31, "desktop", True], object),
    ]  # fmt: skip
    for context in contexts:
        assert SCHEMA.encode(context).tolist() == [31.0, 1.0, 1.0], type(context)
    tables = [frame, pl.from_pandas(frame), pl.from_pandas(frame).to_arrow(), batch, record, [ROW]]
    for table in tables:
        assert SCHEMA.encode_all(table).tolist() == [[31.0, 1.0, 1.0]], type(table)


def test_every_kind_of_missing_value_is_missing():
    gaps = [
        None,
        float("nan"),
        np.nan,
        np.float32("nan"),
        pd.NA,
        pd.NaT,
        np.datetime64("NaT"),
        np.ma.masked,
    ]
    schema = Schema(
        {"n": "number", "c": ["a"], "h": "category", "g": ["a", None], "t": {"text": 2}}
    )
    for gap in gaps:
        row = dense(schema.encode(dict.fromkeys("nchgt", gap)), schema.n_features)
        np.testing.assert_array_equal(row, [np.nan, np.nan, np.nan, 1, 0, 0])


def test_nullable_categorical_and_dummy_columns():
    frame = pd.DataFrame({
        "nullable": pd.array([1, None, 3], dtype="Int64"),
        "flag": pd.array([True, None, False], dtype="boolean"),
        "arrow": pd.array([1.5, None, 2.5], dtype="double[pyarrow]"),
        "coded": pd.Categorical([3, 1, 3]),
        "string": pd.array(["x", None, "y"], dtype="string"),
    })  # fmt: skip
    schema = Schema.infer(frame)
    forms = [column.form for column in schema.columns]
    assert forms == ["number", "number", "number", ["1", "3"], ["x", "y", None]]
    expected = [[1, 1, 1.5, 1, 0], [np.nan, np.nan, np.nan, 0, 2], [3, 0, 2.5, 1, 1]]
    np.testing.assert_array_equal(schema.encode_all(frame), expected)
    for i, row in enumerate(frame.to_dict("records")):
        np.testing.assert_array_equal(schema.encode(row), expected[i])
    dummies = pd.get_dummies(pd.DataFrame({"c": ["x", "y", "x"], "n": [1, 2, 3]}))
    X = Schema.infer(dummies).encode_all(dummies)
    assert X.tolist() == [[1, 1, 0], [2, 0, 1], [3, 1, 0]]
    enum = pl.DataFrame({"c": ["x", "y"]}, schema={"c": pl.Enum(["y", "x"])})
    assert Schema.infer(enum).encode_all(enum).tolist() == [[0.0], [1.0]]


def test_values_are_compared_as_texts_in_frames_and_dicts():
    schema = Schema({"flag": [True, False], "id": [2**60 + 1, 2**60]})
    rows = [{"flag": True, "id": 2**60 + 1}, {"flag": False, "id": 2**60}]
    assert schema.encode_all(pd.DataFrame(rows)).tolist() == [[0, 0], [1, 1]]
    assert schema.encode_all(rows).tolist() == [[0, 0], [1, 1]]
    assert schema.encode({"flag": "True", "id": str(2**60)}).tolist() == [0, 1]
    assert schema.encode({"flag": 1, "id": 0}).tolist() == [2, 2]


def test_dates_are_days():
    days = [date(1970, 1, 3), datetime(1970, 1, 3), np.datetime64("1970-01-03"), pd.Timedelta("2D")]
    for day in days:
        assert Schema({"day": "number"}).encode({"day": day}).tolist() == [2.0]
    noon = pl.DataFrame({"at": [time(12), None]})
    np.testing.assert_array_equal(Schema.infer(noon).encode_all(noon), [[0.5], [np.nan]])
    frame = pd.DataFrame({"day": pd.to_datetime(["1970-01-03", None])})
    for table in (frame, pl.from_pandas(frame), frame.to_records()):
        np.testing.assert_array_equal(
            Schema({"day": "number"}).encode_all(table), [[2.0], [np.nan]]
        )


def test_nested_contexts_have_dotted_names():
    schema = Schema({"user.age": "number", "user.at.city": ["Bonn"], "hour": "number"})
    nested = {"user": {"age": 31, "at": {"city": "Bonn"}}, "hour": 9}
    assert schema.encode(nested).tolist() == [31, 0, 9]
    assert Schema.infer([nested, {}]) == Schema(
        {"user.age": "number", "user.at.city": ["Bonn", None], "hour": "number"}
    )
    for table in (pl.DataFrame([nested]), pa.Table.from_pylist([nested])):
        assert schema.encode_all(table).tolist() == [[31, 0, 9]]
    deep: dict = {}
    for _ in range(2000):
        deep = {"a": deep}
    with pytest.raises(ValueError, match="at most 20 levels"):
        schema.encode(deep)


WRONG = [
    ({"age": "old"}, "column 'age' must be a number or missing, got 'old'"),
    ({"age": [1]}, r"column 'age' must be a number or missing, got \[1\]"),
    ({"age": float("inf")}, r"column 'age' must be finite and within ±1e\+100, got inf"),
    ({"age": 10**400}, "column 'age' must be finite and within"),
    ({"device": ["phone"]}, "column 'device' must be a text, a number or missing, got .'phone'"),
    ({"device": 1j}, "column 'device' must be a text, a number or missing, got 1j"),
    ({"device": b"\xff"}, r"column 'device' must be a text in UTF-8, got b'.xff'"),
    ({"title": 3}, "column 'title' must be a text or missing, got 3"),
    ({}, "a context must have at least one of the columns 'age', .* got nothing"),
    ({"Age": 1}, "got 'Age'"),
    ((1, 2), "3 values in the order of the columns, got 2 values"),
    (7, "got a int"),
]


@pytest.mark.parametrize(("context", "wrong"), WRONG)
def test_a_wrong_value_is_named_with_its_column_and_row(context, wrong):
    schema = Schema({"age": "number", "device": ["phone"], "title": "text"})
    right = {"age": 1, "device": "phone", "title": "some words"}
    known = isinstance(context, dict) and 0 < len(context.keys() & right.keys())
    whole = right | context if known else context
    with pytest.raises(ValueError, match=wrong):
        schema.encode(whole)
    with pytest.raises(ValueError, match=f"row 1: .*{wrong}"):
        schema.encode_all([right, whole])


def test_frames_of_every_make():
    frame = pd.DataFrame({"age": [31.0], "device": ["phone"]})
    for table in (pl.from_pandas(frame).lazy(), nw.from_native(frame), iter([ROW])):
        assert SCHEMA.encode_all(table)[0, 0] == 31.0, type(table)
    plain = pd.DataFrame([[1, "x"], [2, "y"]])  # columns 0 and 1
    assert Schema.infer(plain, label="1").names == ["0"]
    assert Schema.infer(plain, label="1").encode_all(plain).tolist() == [[1.0], [2.0]]


def test_a_wrong_value_of_a_frame_is_named():
    frame = pd.DataFrame({"age": [1.0, np.inf], "device": ["phone", "x"]})
    with pytest.raises(ValueError, match="row 1: column 'age' must be finite"):
        SCHEMA.encode_all(frame)
    with pytest.raises(
        ValueError, match="row 1: column 'age' must be a number or missing, got 'b'"
    ):
        SCHEMA.encode_all(pd.DataFrame({"age": [1, "b"]}))
    with pytest.raises(
        ValueError, match="at least one of the columns 'age', 'device', 'pro', got 'x'"
    ):
        SCHEMA.encode_all(pd.DataFrame({"x": [1]}))


def test_a_monitor_counts_what_is_not_expected():
    schema = Schema({"age": "number", "device": ["phone"], "h": "category"}, ["a"], label="y")
    rows = [
        {"age": -1, "device": "phone", "h": "x", "y": "a"},
        {"age": 0, "device": "watch", "h": "x"},
        {"age": 2, "y": "a", "h": 1, "hour": 3},
    ]
    one_by_one, at_once = Monitor(), Monitor()
    for row in rows:
        schema.encode(row, one_by_one)
    assert (one_by_one.rows, one_by_one.unseen, one_by_one.absent, one_by_one.extra) == (
        3, {"device": 1}, {"device": 1}, {"hour": 1},
    )  # fmt: skip
    frame = pd.DataFrame({"age": [-1, 0], "device": ["x", None], "z": [1, 1]})
    schema.encode_all(frame, at_once)
    schema.encode_all(frame)
    assert (at_once.rows, at_once.unseen, at_once.absent, at_once.extra) == (
        2, {"device": 1}, {"h": 2}, {"z": 2},
    )  # fmt: skip
    assert schema == Schema.from_json(schema.to_json())
    assert "monitor" not in schema.to_json()


def test_sparse_rows_store_the_same_entries_at_once_and_one_by_one():
    schema = Schema({"t": {"text": 50}, "n": "number", "u": {"text": 3}, "c": ["a"]})
    frame = pd.DataFrame({"t": ["to be or not to be", None], "n": [0, 1], "u": ["x x y z", "q"]})
    X = schema.encode_all(frame)
    for i, row in enumerate(frame.to_dict("records")):
        indices, values = schema.encode(row)
        stored = slice(X.indptr[i], X.indptr[i + 1])
        np.testing.assert_array_equal(X.indices[stored], indices)
        np.testing.assert_array_equal(X.data[stored], values)
        assert (np.diff(indices) > 0).all()


def test_nominal_and_features():
    schema = Schema({"t": {"text": 5}, "n": "number", "c": ["a", "b"], "h": {"category": 9}})
    assert (schema.n_features, schema.nominal) == (8, (0, 2, 9, 0, 0, 0, 0, 0))
    assert Schema({"n": "number"}).nominal == ()
    indices, values = schema.encode({"n": 3, "c": "b", "t": "to be or to be"})
    assert indices.dtype == np.int32
    assert sorted(values[3:]) in ([1, 2, 2], [1, 4], [2, 3], [5])
    assert schema.encode_all(pd.DataFrame({"n": []})).shape == (0, 8)
    assert schema.encode_all([]).shape == (0, 8)
