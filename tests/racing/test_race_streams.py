"""The user's streams in a race: how far they are read, data frames, and files."""

import numpy as np
import pytest
from rich.console import Console

import onearm
from onearm.racing import rows as race_rows
from onearm.racing.plan import Plan
from onearm.racing.race import race
from onearm.racing.rows import resolve, rows
from onearm.streams.stream import Stream

X, Y = np.eye(3)[[0, 1, 2, 0, 1]], np.array([0, 1, 2, 0, 1])


def endless(chunks):
    """A stream that does not end, of which a test may read so many chunks of five rows."""

    def source():
        for _ in range(chunks):
            yield X, Y
        raise AssertionError("read too far")

    return Stream("endless", 3, 3, source)


def test_a_stream_that_may_never_end_needs_rounds():
    error = r"rounds must be a whole number .* stream endless has no n_rows .* got None"
    with pytest.raises(ValueError, match=error):
        race(endless(0), "Banditron", on=1)


@pytest.mark.parametrize("rounds", [20, 18])
@pytest.mark.parametrize("in_order", [True, False])
def test_a_stream_that_may_never_end_is_read_as_far_as_it_is_played(tmp_path, rounds, in_order):
    results = race(
        endless(4), ["Banditron", "HoeffdingTree"], rounds=rounds, on=1, in_order=in_order
    )
    assert not results.failures
    assert [run["n_rounds"] for run in results.runs] == [rounds, rounds]
    assert results.write(tmp_path)


def test_a_stream_shorter_than_the_rounds_is_played_again():
    stream = Stream("short", 3, 3, lambda: iter([(X, Y), (X, Y)]))
    (job,) = Plan([stream], ["Banditron"], rounds=25).jobs()
    y = job.stream().arrays()[1]
    assert len(y) == 25
    for part in (y[:10], y[10:20]):
        assert sorted(part) == sorted([*Y, *Y])


def test_the_first_rows_are_read_no_further():
    X, y = endless(2).first(10).arrays()
    assert len(X) == len(y) == 10
    assert onearm.Stream.of(X, y).first(3).n_rows == 3


def test_a_data_frame_is_raced_as_its_numbers_are():
    pandas = pytest.importorskip("pandas")
    X, y = onearm.datasets.load("balance").first(60).arrays()
    names = ["left", "arm", "right", "other arm"]
    frame = pandas.DataFrame(X, columns=names, index=range(60, 0, -1)).astype({"arm": float})
    labels = pandas.Series(y, index=range(100, 160))
    stream = Stream.of(frame, labels)
    assert stream.feature_names == tuple(names)
    assert Stream.of(frame, labels, feature_names=list("abcd")).feature_names == tuple("abcd")
    np.testing.assert_array_equal(stream.arrays()[0], X)
    learners = ["Banditron", "HoeffdingTree"]
    runs = [race(rows, learners, on=1).runs for rows in (stream, Stream.of(X.astype(float), y))]
    assert [run["key"] for run in runs[0]] == [run["key"] for run in runs[1]]
    assert [run["error"] for run in runs[0]] == [run["error"] for run in runs[1]]


def test_a_data_frame_of_words_is_refused():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    with pytest.raises(ValueError, match="X must be numbers of type float64, got dtype object"):
        Stream.of(frame, [0, 1])


def test_a_given_stream_and_a_file(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int)
    path = tmp_path / "rows.csv"
    lines = [",".join(map(repr, [*map(float, x), int(c)])) for x, c in zip(X, y, strict=True)]
    path.write_text("a,b,c,label\n" + "\n".join(lines))
    given = race(onearm.Stream.of(X, y, name="mine"), "ConservativeOVA", on=1)
    file = race(path, "ConservativeOVA", on=1, console=Console(width=200))
    assert "rows.csv: 200 rows, 3 features" in capsys.readouterr().out
    assert given.runs[0]["error"] == file.runs[0]["error"] < 0.2


def test_a_file_larger_than_memory_is_played_in_file_order(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    lines = [f"{i % 7},{i % 2}" for i in range(500)]
    path.write_text("a,label\n" + "\n".join(lines))
    monkeypatch.setattr(race_rows, "IN_MEMORY", 100)
    monkeypatch.setattr(race_rows, "CACHED", 100)
    stream = rows(resolve(path), 700, 0, False)
    X, y = stream.arrays()
    assert not stream.in_memory
    np.testing.assert_array_equal(X[:, 0], np.arange(700) % 500 % 7)
    np.testing.assert_array_equal(y, np.arange(700) % 500 % 2)
    assert race(path, "Banditron", rounds=700, on=1).runs[0]["n_rounds"] == 700
