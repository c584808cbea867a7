"""Tables with values of rare types, nested and masked records, and what is no table."""

import warnings
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from onearm import Schema

SCHEMA = Schema({"age": "number", "device": ["phone", "desktop"], "pro": "number"})


def test_categories_may_be_intervals_periods_and_uuids():
    frame = pd.DataFrame({
        "size": pd.cut([1, 5, 9], [0, 4, 10]),
        "month": pd.period_range("2024-01", periods=3, freq="M"),
        "id": [UUID(int=3), UUID(int=1), None],
    })  # fmt: skip
    schema = Schema.infer(frame)
    assert schema.columns[0].values == ("(0, 4]", "(4, 10]")
    assert schema.encode_all(frame).tolist() == [[0, 0, 1], [1, 1, 0], [1, 2, 2]]


def test_masked_and_nested_records():
    masked = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]])
    schema = Schema({"a": "number", "b": "number"})
    np.testing.assert_array_equal(schema.encode_all(masked), [[1, np.nan], [3, 4]])
    np.testing.assert_array_equal(schema.encode(masked[0]), [1, np.nan])
    user = [("age", "i4"), ("city", "U9")]
    records = np.array([((31, "Bonn"), 9)], [("user", user), ("hour", "i4")])
    schema = Schema({"user.age": "number", "user.city": ["Bonn"], "hour": "number"})
    assert Schema.infer(records) == schema
    assert schema.encode_all(records).tolist() == [[31, 0, 9]]
    assert schema.encode(records[0]).tolist() == [31, 0, 9]


def test_a_dict_may_have_columns_of_any_library():
    kinds = [pd.Series, pl.Series, pa.array, np.array, list, tuple]
    for kind in kinds:
        table = {"n": kind([3, 1]), "c": kind(["x", "y"]), "i": range(2)}
        schema = Schema.infer(table)
        assert [column.form for column in schema.columns] == ["number", ["x", "y"], "number"]
        assert schema.encode_all(table).tolist() == [[3, 0, 0], [1, 1, 1]], kind


def test_texts_that_look_like_numbers_or_dates_are_warned_of():
    digits = [str(18 + t) for t in range(60)]
    for column in (digits, [f"{digit},50 €" for digit in digits], [f"$ {d}" for d in digits]):
        with pytest.warns(UserWarning, match=r"'x' is a category of texts that look like numbers"):
            Schema.infer({"x": column})
    for day in ("2024-05-{:02}", "{}.5.2024", "{}/5/24", "2024-05-{:02} 06:00:00"):
        with pytest.warns(UserWarning, match=r"'x' is a category of texts that look like dates"):
            Schema.infer({"x": [day.format(1 + t % 25) for t in range(60)]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for column in (
            ["01067", *digits],
            ["red", *digits[:1]],
            digits[:20],
            ["10:30"] * 30 + digits[:5],
        ):
            Schema.infer({"x": column * 2})


def test_columns_of_one_name_are_refused():
    frame = pd.DataFrame([[1, 2]], columns=[0, "0"])
    with pytest.raises(ValueError, match="columns must have different names, got '0' twice"):
        Schema.infer(frame)
    with pytest.raises(ValueError, match=r"[Ee]xpected unique column names"):
        Schema.infer(pd.DataFrame([[1, 2]], columns=["a", "a"]))


NO_TABLES = {
    "None": None, "a number": 3, "a text": "abc", "a sparse array": csr_array(np.eye(2)),
    "a vector": np.ones(2), "a dict": {"age": 31, "device": "phone"}, "a column": pd.Series([1, 2]),
    "a ragged dict": {"age": [1, 2], "device": ["phone"]},
}  # fmt: skip


@pytest.mark.parametrize("name", NO_TABLES)
def test_what_is_no_table_is_refused(name):
    for call in (SCHEMA.encode_all, Schema.infer if name != "a text" else SCHEMA.encode):
        with pytest.raises(ValueError, match="must"):
            call(NO_TABLES[name])
