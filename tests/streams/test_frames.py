"""Streams of frames: of any library, with an inferred schema or a given one."""

import numpy as np
import pandas as pd
import polars as pl
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


def test_wrong_frames_are_refused():
    with pytest.raises(
        ValueError, match=r"label must be one of .*, got 'kid' .did you mean 'kind'"
    ):
        Stream.from_frame(FRAME, label="kid")
    with pytest.raises(ValueError, match=r"label must be one of 'age', .*, got None"):
        Stream.from_frame(FRAME)
    with pytest.raises(ValueError, match=r"row 1: the label must be one of 'sport', got 'news'"):
        Stream.from_frame(FRAME, label="kind", schema=Schema({"age": "number"}, ["sport"]))


def test_a_frame_must_have_two_labels():
    with pytest.raises(ValueError, match="the label, column 'y', must have at least 2 labels, got"):
        Stream.from_frame(pd.DataFrame({"a": [1, 2], "y": ["u", "u"]}), label="y")


def test_a_given_schema_need_have_no_labels():
    stream = Stream.from_frame(FRAME, label="kind", schema=Schema({"age": "number"}))
    assert stream.schema == Schema({"age": "number"}, ["news", "sport"], label="kind")
    assert stream.arrays()[1].tolist() == [1, 0, 0, 1]
