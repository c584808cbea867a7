"""Files and schemas: what is inferred of a file, and files that are read with a given schema."""

import numpy as np
import pandas as pd
import pytest

from onearm import HoeffdingTree, Monitor, Schema, Stream, race, read
from onearm.streams.files import read_rows

TEXT = """age,device,title,kind
31,phone,a long title,x
?,desktop,"another, longer",y
44,,,x
"""
SCHEMA = Schema(
    {"age": "number", "device": ["phone", "desktop"], "title": {"text": 4}}, label="kind"
)


@pytest.fixture(params=["csv", "parquet"])
def table(request, tmp_path, write):
    """The table as a file of each format."""
    csv = write("table.csv", TEXT)
    if request.param == "csv":
        return csv
    pytest.importorskip("pyarrow")
    pd.read_csv(csv, na_values="?").to_parquet(tmp_path / "table.parquet")
    return tmp_path / "table.parquet"


def test_a_file_has_the_schema_of_its_frame(table):
    frame = (
        pd.read_parquet(table) if table.suffix == ".parquet" else pd.read_csv(table, na_values="?")
    )
    sentences = []
    schema = Schema.infer(table, label="kind", log=sentences.append)
    assert schema == Schema.infer(frame, label="kind") == read(table, label="kind").schema
    assert schema == Schema.infer(str(table))  # the last is the label
    assert [column.form for column in schema.columns][:2] == ["number", ["desktop", "phone", None]]
    assert "label 'kind': 2 labels" in sentences[-1]
    np.testing.assert_array_equal(
        Stream.from_frame(frame, label="kind").arrays()[0], read(table).arrays()[0]
    )


def test_long_lists_of_values_are_not_inferred(write):
    rows = "".join(
        f"shop{t % 150},the title of row {t % 170} is long,{t % 2}\n" for t in range(400)
    )
    path = write("long.csv", "shop,title,y\n" + rows)
    forms = [column.form for column in Schema.infer(path).columns]
    assert forms == ["category", "text"]
    assert [len(column.values) for column in read(path).schema.columns] == [150, 170]


def test_strange_columns_of_a_file_are_warned_of(write):
    rows = "".join(f"{t},7,id{t},{t / 7},{t % 3}\n" for t in range(300))
    path = write("strange.csv", "n,c,i,x,y\n" + rows)
    sentences = []
    with pytest.warns(UserWarning, match="column") as warned:
        Schema.infer(path, label="x", log=sentences.append)
    text = "\n".join(str(warning.message) for warning in warned)
    assert "column 'n' has another whole number" in text
    assert "column 'c' is constant" in text
    assert "column 'i' differs in nearly every row" in text
    assert "the label, column 'x', has 300 different numbers" in text
    read(path, label="x", log=sentences.append)
    assert sentences[-3].endswith("; constant: 'c'")
    warning = "the label, column 'x', has 300 different numbers: to predict a number"
    assert sentences[-2].startswith(f"warning: strange.csv: {warning}")
    assert sentences[-1].startswith("warning: strange.csv: column 'n' has another whole number")
    unlabelled = Schema({"n": "number"})
    for play in (
        lambda: read(path, label="x"),
        lambda: read(path, label="x", schema=unlabelled),
        lambda: race({"file": str(path), "label": "x"}, "Banditron", on=1),
    ):
        with pytest.warns(UserWarning, match="strange.csv: ") as warned:
            play()
        texts = [str(message.message) for message in warned]
        assert texts[0].startswith(f"strange.csv: {warning}")
        assert len(texts) == len(set(texts))


def test_a_table_is_read_with_a_schema(table):
    sentences = []
    stream = read(table, schema=SCHEMA, log=sentences.append)
    X, y = stream.arrays()
    rows = [
        {"age": 31, "device": "phone", "title": "a long title"},
        {"device": "desktop", "title": "another, longer"},
        {"age": 44},
    ]
    np.testing.assert_array_equal(X.toarray(), SCHEMA.encode_all(rows).toarray())
    assert y.tolist() == [0, 1, 0]
    assert stream.schema == Schema.from_json(stream.schema.to_json())
    assert (stream.schema.labels, stream.schema.label) == (("x", "y"), "kind")
    assert (stream.n_rows, stream.n_classes, stream.n_features) == (3, 2, 6)
    assert "3 rows; 1 number: 'age'" in sentences[0]
    narrow = read(
        table, schema=Schema({"device": ["phone"], "more": "number"}), label="kind",
        log=sentences.append,
    )  # fmt: skip
    assert "column 'more' of the schema is not in the table: it is" in sentences[-1]
    assert sentences[-2].endswith(
        "absent columns: 'more' (3); extra columns: 'age' (3), 'title' (3)"
    )
    np.testing.assert_array_equal(narrow.arrays()[0], [[0, np.nan], [1, np.nan], [np.nan, np.nan]])
    assert narrow.learner(HoeffdingTree).schema.names == ["device", "more"]


def test_rows_without_labels_are_read(table):
    monitor = Monitor()
    schema = Schema({"age": "number", "device": ["phone"]}, ["x"], label="kind")
    rows = np.concatenate(list(read_rows(table, schema, monitor)))
    np.testing.assert_array_equal(rows, [[31, 0], [np.nan, 1], [44, np.nan]])
    assert (monitor.rows, monitor.unseen, monitor.extra) == (3, {"device": 1}, {"title": 3})


def test_headers_are_optional(write):
    path = write("plain.csv", "1,a,x\n2,b,y\n3,a,x\n")
    stream = read(path, label=1)
    assert stream.schema == Schema({"c0": "number", "c2": ["x", "y"]}, ["a", "b"], label="c1")
    rows = next(read_rows(path, stream.schema))
    np.testing.assert_array_equal(rows, stream.arrays()[0])


def test_what_is_wrong_is_placed(write):
    path = write("wrong.csv", "age,device,kind\n1,phone,x\nold,phone,y\n")
    with pytest.raises(ValueError, match=r"^wrong.csv, line 3: column 'age' must be a number"):
        read(path, schema=SCHEMA)
    path = write("wrong.csv", "age,device,kind\n1,phone,x\n2,phone,z\n")
    with pytest.raises(
        ValueError, match=r"wrong.csv, line 3: the label must be one of 'x', 'y', got"
    ):
        read(path, schema=Schema({"age": "number"}, ["x", "y"], label="kind"))
    path = write("wrong.csv", "age,device,kind\n1,phone,x\n2,phone,\n")
    with pytest.raises(
        ValueError, match=r"wrong.csv, line 3: the label, column 'kind', must not be"
    ):
        read(path, schema=SCHEMA)
    with pytest.raises(ValueError, match=r"got 'Kin' .did you mean 'kind'\?"):
        read(path, schema=SCHEMA, label="Kin")
    with pytest.raises(ValueError, match="nominal must be None beside a schema, got"):
        read(path, schema=SCHEMA, nominal=["device"])
