"""Parquet files come back as they were written, in any chunks; wrong ones are refused."""

import sys
from datetime import datetime, timedelta

import numpy as np
import pytest

from onearm import Stream, read
from tests.streams.file_rows import FRUIT, sound


def test_parquet(tmp_path, small_chunks):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = {
        "whole": pa.array([1, None, 3, 4, 5]),
        "real": pa.array([0.5, 1.5, None, float("nan"), 2.0]),
        "bit": pa.array([True, False, None, True, True]),
        "word": pa.array(["b", "a", None, "b", "?"]),
        "side": pa.array(["l", "r", "l", "l", "r"]),
        "kind": pa.array(["u", "v", "u", None, "u"]).dictionary_encode(),
        "digits": pa.array(["1", "2", "", "4", "5"]),
        "label": pa.array([10, 9, 10, 9, 2]),
    }
    pq.write_table(pa.table(rows), tmp_path / "typed.parquet")
    stream = read(tmp_path / "typed.parquet")
    X, y = sound(stream)
    nan = np.nan
    expected = [
        [1, nan, 3, 4, 5], [0.5, 1.5, nan, nan, 2], [1, 0, nan, 1, 1],
        [1, 0, 2, 1, 2], [0, 1, 0, 0, 1], [0, 1, 0, 2, 0], [1, 2, nan, 4, 5],
    ]  # fmt: skip
    assert np.array_equal(X.T, expected, equal_nan=True)
    assert stream.nominal == (0, 0, 0, 3, 2, 3, 0)
    assert (y.tolist(), stream.class_names) == ([2, 1, 2, 1, 0], ("2", "9", "10"))
    assert stream.feature_names == ("whole", "real", "bit", "word", "side", "kind", "digits")
    assert [len(labels) for _, labels in stream.chunks()] == [3, 2]
    with pytest.raises(ValueError, match=r"typed.parquet, row 3, column 'bit': the label must not"):
        read(tmp_path / "typed.parquet", label="bit")
    given = read(tmp_path / "typed.parquet", label="side", nominal=["label", "kind", "word"])
    assert (given.class_names, given.nominal) == (("l", "r"), (0, 0, 0, 3, 3, 0, 3))


def test_dates_and_times_are_the_numbers_that_frames_have(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    times = [datetime(2024, 5, 1, 6, 0, 0, 7), None, datetime(1960, 2, 29)]
    days = [time and time.date() for time in times]
    hours, spans = [time and time.time() for time in times], [timedelta(1), None, -timedelta(2)]
    table = pa.table({
        "micro": pa.array(times, pa.timestamp("us")), "hour": pa.array(hours),
        "zone": pa.array(times, pa.timestamp("ns", "CET")), "day": pa.array(days),
        "span": pa.array(spans), "milli": pa.array(days, pa.date64()), "label": [1, 2, 1],
    })  # fmt: skip
    pq.write_table(table, tmp_path / "times.parquet")
    stream, same = read(tmp_path / "times.parquet"), Stream.from_frame(table, "label")
    assert stream.schema == same.schema
    assert np.array_equal(sound(stream)[0], same.arrays()[0], equal_nan=True)
    assert stream.arrays()[0][2, 3] == -3594
    assert read(tmp_path / "times.parquet", nominal=["day"]).values[3] == (
        "1960-02-29", "2024-05-01", "?",
    )  # fmt: skip


def test_invalid_parquet_files_are_refused(tmp_path, write, monkeypatch):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"a": [[1], [2]], "y": [0, 1]}), tmp_path / "nested.pq")
    with pytest.raises(ValueError, match=r"columns must be numbers, .* got 'a'"):
        read(tmp_path / "nested.pq")
    pq.write_table(pa.table({"a": [1.0, np.inf], "y": [0, 1]}), tmp_path / "large.pq")
    with pytest.raises(ValueError, match=r"large.pq, row 2, column 'a': must be finite .* inf"):
        read(tmp_path / "large.pq")
    with pytest.raises(ValueError, match=r"text.pq must be a Parquet file"):
        read(write("text.pq", FRUIT))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"large.pq: .*onearm\[parquet\]"):
        read(tmp_path / "large.pq")
