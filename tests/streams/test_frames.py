"""Streams of frames: of any library, with an inferred schema or a given one."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import onearm
from onearm import Schema, Stream

FRAME = pd.DataFrame(
    {
        "age": [31.0, np.nan, 44.0, 18.0],
        "device": ["phone", "tv", None, "phone"],
        "title": ["two goals", "a vote", None, "two votes"],
        "kind": ["sport", "news", "news", "sport"],
    }
)
SCHEMA = Schema({"device": ["phone", "tv"], "title": {"text": 8}}, ["news", "sport"], label="kind")


@pytest.mark.parametrize(
    "data",
    [FRAME, pl.from_pandas(FRAME), pl.from_pandas(FRAME).to_arrow(), FRAME.to_dict("records")],
)
def test_frames_of_all_libraries_are_the_same_stream(data):
    sentences = []
    stream = Stream.from_frame(data, label="kind", name="rows", log=sentences.append)
    X, y = stream.arrays()
    np.testing.assert_array_equal(X[:, :2], [[31, 0], [np.nan, 1], [44, 2], [18, 0]])
    assert y.tolist() == [1, 0, 0, 1]
    assert stream.schema == Schema.infer(FRAME, label="kind")
    assert (stream.name, stream.n_classes, stream.nominal) == ("rows", 2, (0, 3, 4))
    assert stream.feature_names == ("age", "device", "title")
    assert stream.class_names == ("news", "sport")
    assert len(sentences) == 1


def test_a_frame_is_encoded_by_a_given_schema():
    stream = Stream.from_frame(FRAME, schema=SCHEMA)
    X, y = stream.arrays()
    assert X.shape == (4, 9)
    assert (X.toarray()[:, 0] == [0, 1, X.toarray()[2, 0], 0])[[0, 1, 3]].all()
    assert y.tolist() == [1, 0, 0, 1]
    assert stream.schema == SCHEMA
    learner = stream.learner(onearm.Banditron)
    learner.play(stream)
    assert learner.schema == SCHEMA
    assert set(learner.predict(SCHEMA.encode_all(FRAME))) <= {0, 1}


def test_columns_and_values_that_a_table_has_not_are_warned_of(write):
    frame, sentences = (
        pd.DataFrame({"age": [3, 4, 5], "day": ["Mo", "Tu", "x"], "y": [0, 1, 0]}),
        [],
    )
    schema = {"agge": "number", "day": ["mo", "tu", "x"]}
    path = write("table.csv", frame.to_csv(index=False))
    absent = "column 'agge' of the schema is not in the table (did you mean 'age'?): it is always"
    unknown = "column 'day': 2 of 3 values are none that the schema has"
    with pytest.warns(UserWarning, match="column") as caught:
        stream = Stream.from_frame(frame, "y", schema, log=sentences.append)
    texts = [str(warning.message) for warning in caught]
    assert texts[0].startswith(absent)
    assert texts[1:] == [unknown]
    logged = []
    same = onearm.read(path, label="y", schema=schema, log=logged.append)
    assert logged[1:] == [f"warning: table.csv: {text}" for text in texts]
    assert sentences[0].endswith("absent columns: 'agge' (3); extra columns: 'age' (3)")
    assert np.array_equal(stream.arrays()[0], same.arrays()[0], equal_nan=True)


def test_wrong_frames_are_refused():
    with pytest.raises(
        ValueError, match=r"label must be one of .*, got 'kid' .did you mean 'kind'"
    ):
        Stream.from_frame(FRAME, label="kid")
    with pytest.raises(ValueError, match=r"label must be one of 'age', .*, got None"):
        Stream.from_frame(FRAME)
    with pytest.raises(ValueError, match=r"row 1: the label must be one of 'sport', got 'news'"):
        Stream.from_frame(FRAME, label="kind", schema=Schema({"age": "number"}, ["sport"]))


def test_learners_take_frames_and_dicts_by_the_names_of_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=90), "b": rng.normal(size=90)})
    stream = Stream.from_frame(frame.assign(y=np.where(frame["a"] > 0, "u", "v")), label="y")
    X, y = stream.arrays()
    learner = stream.learner(onearm.ConservativeOVA)
    trace = learner.play(frame[["b", "a"]], y)
    expected = stream.learner(onearm.ConservativeOVA)
    assert np.array_equal(trace.label, expected.play(X, y).label)
    scores = expected.scores(X)
    other = frame.assign(c="new")[["b", "c", "a"]]
    dicts = other.to_dict("records")
    for table in (other, pl.from_pandas(other), pa.Table.from_pandas(other), dicts):
        assert np.array_equal(learner.scores(table), scores)
    for row in (other.iloc[7], other.iloc[7].to_dict()):
        assert np.array_equal(learner.scores(row), expected.scores(X[7]))
        choice = learner.choose(row)
        assert choice == expected.choose(X[7])
        learner.update(row, choice, True)
        expected.update(X[7], choice, True)
    assert np.array_equal(learner.content()["weights"], expected.content()["weights"])
    with pytest.raises(ValueError, match="at least one of the columns 'a', 'b', got '0', '1'"):
        learner.predict(pd.DataFrame(X))
    bare = onearm.ConservativeOVA(2, 2)  # which knows no names
    bare.play(frame, y)
    assert np.array_equal(bare.scores(frame[["a", "b"]]), bare.scores(X))


def test_a_frame_must_have_two_labels():
    with pytest.raises(ValueError, match="the label, column 'y', must have at least 2 labels, got"):
        Stream.from_frame(pd.DataFrame({"a": [1, 2], "y": ["u", "u"]}), label="y")


def test_a_given_schema_need_have_no_labels():
    stream = Stream.from_frame(FRAME, label="kind", schema=Schema({"age": "number"}))
    assert stream.schema == Schema({"age": "number"}, ["news", "sport"], label="kind")
    assert stream.arrays()[1].tolist() == [1, 0, 0, 1]
