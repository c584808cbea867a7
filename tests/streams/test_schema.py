"""A learner that was made for a file refuses another with other columns or values."""

import copy
import pickle

import numpy as np
import pytest

import onearm
from onearm import HoeffdingTree, Schema, Stream, read
from onearm.streams.files import read_rows
from tests.streams.file_rows import sound

COLOURS = ("red", "blue", "green", "grey")


def rows(order, answers="nyny", name="colour", n=200):
    """A table whose label hangs on the colour alone, which comes in this order."""
    lines = [f"{t % 7},{COLOURS[order[t % 4]]},{answers[order[t % 4]]}" for t in range(n)]
    return f"size,{name},class\n" + "\n".join(lines) + "\n"


def test_the_same_values_in_another_order_have_the_same_codes(write):
    first = read(write("one.csv", rows((0, 1, 2, 3))))
    other = read(write("other.csv", rows((3, 2, 0, 1))))
    assert first.values == other.values == ((), ("blue", "green", "grey", "red"))
    assert first.schema == other.schema
    learner = first.learner(HoeffdingTree)
    learner.play(first.repeated(10))
    X, y = sound(other)
    assert (learner.predict(X) == y).mean() == 1.0
    assert (learner.predict(other) == y).mean() == 1.0


@pytest.mark.parametrize("late", [False, True])
def test_values_are_sorted_in_files_of_several_chunks(write, small_chunks, late):
    words = ["b", "10", "a", "9", "?", "c", "a", "b"]
    text = (
        "v,y\n"
        + ("1,0\n" * 5 if late else "")
        + "".join(f"{w},{t % 2}\n" for t, w in enumerate(words))
    )
    stream = read(write("some.csv", text))
    expected = ["1"] * late + ["10", "9", "a", "b", "c", "?"]
    assert sorted(stream.values[0][:-1]) == sorted(expected[:-1])
    assert stream.values == (tuple(expected),)
    X, _ = sound(stream)
    assert [stream.values[0][int(code)] for code in X[:, 0]] == ["1"] * 5 * late + words


def test_codes_that_are_numbers_are_sorted_as_numbers(write):
    text = "v,y\n10,0\n9,1\n-1,0\n9.5,1\n9.0,0\n"
    stream = read(write("some.csv", text), nominal=["v"])
    assert stream.values == (("-1", "9", "9.0", "9.5", "10"),)
    assert sound(stream)[0][:, 0].tolist() == [4, 1, 0, 3, 2]


@pytest.fixture
def trained(write):
    stream = read(write("train.csv", rows((0, 1, 2, 3))))
    learner = stream.learner(HoeffdingTree, max_bytes=2**20)
    learner.play(stream)
    return learner


OTHERS = {
    "value": (
        rows((0, 1, 2, 3)).replace("red", "pink"),
        "column 'colour' has other values: 'pink' is new, 'red' is missing",
    ),
    "fewer": (rows((0, 1, 2, 2)), "column 'colour' has other values: 'grey' is missing"),
    "name": (rows((0, 1, 2, 3), name="hue"), "column 1 is called 'hue', not 'colour'"),
    "class": (
        rows((0, 1, 2, 3), "noon"),
        "the label has other classes: 'o' is new, 'y' is missing",
    ),
    "numbers": (
        "size,colour,class\n" + "".join(f"1,{t},{'ny'[t % 2]}\n" for t in range(9)),
        "column 'colour' has other values: numbers, not words",
    ),
}  # fmt: skip


@pytest.mark.parametrize("other", OTHERS)
def test_a_stream_of_other_columns_or_values_is_refused(write, trained, other):
    text, wrong = OTHERS[other]
    stream = read(write("test.csv", text))
    truth = np.zeros(stream.n_rows, int)
    trace = onearm.Trace(truth, truth, np.ones(len(truth)), truth == 0)
    before = {name: array.copy() for name, array in trained.arrays().items()}
    copies = copy.copy(trained), copy.deepcopy(trained), pickle.loads(pickle.dumps(trained))
    for learner in (trained, *copies):
        for call in (learner.play, learner.predict, learner.scores, learner.chances):
            with pytest.raises(ValueError, match=wrong):
                call(stream)
        with pytest.raises(ValueError, match=wrong):
            learner.learn(stream, trace, truth)
    for name, array in trained.arrays().items():
        np.testing.assert_array_equal(array, before[name])


def test_unknown_names_are_not_compared(write, trained):
    X, y = sound(read(write("test.csv", rows((3, 1, 2, 0)))))
    trained.play(X, y)
    trained.play(Stream.of(X, y))
    trained.play(Stream.of(X, y, feature_names=("size", "colour")))
    made = HoeffdingTree(2, 2, nominal=(0, 4))
    made.play(read(write("test.csv", OTHERS["value"][0])))


def test_hashed_columns_and_texts_are_compared(write):
    path = write("some.csv", "a,y\none,0\ntwo,1\n")
    learner = read(path, schema=Schema({"a": "category"}), label="y").learner(HoeffdingTree)
    learner.predict(read(path, schema=Schema({"a": "category"}), label="y"))
    other = read(path, schema=Schema({"a": {"category": 7}}), label="y")
    wrong = "column 'a' has other values: {'category': 7}, not 'category'"
    with pytest.raises(ValueError, match=wrong):
        learner.predict(other)


def test_columns_of_the_same_name_get_numbers(write):
    stream = read(write("twice.csv", "a,b,a,y\n1,2,x,0\n3,4,z,1\n"))
    assert stream.schema == Schema(
        {"a": "number", "b": "number", "a (2)": ["x", "z"]}, "01", label="y"
    )
    assert (
        next(read_rows(write("twice.csv", "a,b,a,y\n1,2,z,0\n3,4,z,1\n"), stream.schema))[0, 2] == 1
    )
    assert Stream.of([[1.0, 2.0]], [0], feature_names=("a", "a")).schema.names == ["a", "a (1)"]


def test_numbers_may_be_written_differently(write):
    learner = read(write("one.csv", "a,y\n1,0\n2,1\n")).learner(HoeffdingTree)
    learner.play(read(write("other.csv", "a,y\n1,0.0\n2,1.0\n")))
    with pytest.raises(ValueError, match="the label has other classes: '2' is new, '1' is missing"):
        learner.play(read(write("other.csv", "a,y\n1,0\n2,2\n")))
