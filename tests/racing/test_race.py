"""The race: same rows for all, nothing lost, nothing played twice, honest numbers."""

import io
import json

import numpy as np
import pytest
from rich.console import Console

import onearm
from onearm import metrics
from onearm.experiments.ledger import Ledger
from onearm.racing import run as running
from onearm.racing.race import RUNS, race
from onearm.racing.records import ALLOWED, fault
from onearm.racing.rows import resolve, rows
from tests.racing.racers import NAMES, ROUNDS


def test_a_run_is_what_play_gives(tmp_path):
    """A record's numbers are those of a learner that plays the repeat's rows by itself."""
    results = race("balance", "Banditron", repeats=2, rounds=ROUNDS, seed=7, on=1)
    assert len(results.runs) == 2
    for record in results.runs:
        stream = rows(resolve("balance"), ROUNDS, 7 + record["repeat"], False)
        learner = stream.learner(onearm.Banditron, seed=7 + record["repeat"])
        correct = learner.play(*stream.arrays()).correct
        assert record["error"] == round(metrics.error(correct), 8)
        assert record["last_tenth"] == round(metrics.last(correct), 8)
        assert record["area"] == round(metrics.area(correct), 8)
        assert record["n_rounds"] == len(correct) == ROUNDS
        assert record["curve"]["error"][-1] == round(metrics.error(correct), 6)
        assert record["bytes"] == sum(a.nbytes for a in learner.content().values())


def test_learners_of_a_repeat_see_the_same_rows(monkeypatch):
    seen = {}

    def play(learner, stream, progress):
        X, y = stream.arrays()
        key = getattr(X, "data", X).tobytes(), y.tobytes()
        seen.setdefault(learner.learner, []).append(key)
        return running.Played(y, np.ones(len(y), bool), y, 1.0)

    monkeypatch.setattr(running, "play_rows", play)
    race(["letter", "SynSep"], NAMES, repeats=2, rounds=50, on=1)
    assert seen["Perceptron"] == seen["Banditron"] == seen["SOBA"]
    assert len(set(seen["SOBA"])) == 4  # two streams, two repeats


def test_with_more_rounds_than_rows_they_are_played_again():
    stream = rows(resolve("balance"), 1500, 0, False)
    X, _ = stream.arrays()
    base = onearm.datasets.load("balance").arrays()[0]
    for part in (X[:625], X[625:1250]):
        np.testing.assert_array_equal(*(a[np.lexsort(a.T)] for a in (part, base)))
    assert (X[:625] != X[625:1250]).any()
    assert len(X) == 1500


def test_a_time_series_is_not_shuffled(monkeypatch):
    base = onearm.datasets.load("balance").arrays()[0]
    in_order = rows(resolve("balance"), 100, 0, True).arrays()[0]
    np.testing.assert_array_equal(in_order, base[:100])


def test_the_same_race_again_plays_nothing(tmp_path, monkeypatch):
    first = race("SynSep", NAMES, repeats=2, rounds=ROUNDS, on=1, out=tmp_path)
    assert len((tmp_path / RUNS).read_text().splitlines()) == 6
    monkeypatch.setattr(running, "play_rows", None)
    again = race("synsep", NAMES, repeats=2, rounds=ROUNDS, on=1, out=tmp_path)
    assert again.runs == first.runs
    assert not again.failures


def test_a_changed_parameter_is_a_new_run(tmp_path):
    learner = {"name": "banditron", "gamma": 0.1}
    race("SynSep", [learner], rounds=ROUNDS, on=1, out=tmp_path)
    race("SynSep", [learner | {"gamma": [0.1, 0.2]}], rounds=ROUNDS, on=1, out=tmp_path)
    race("SynSep", [learner], rounds=ROUNDS, seed=1, on=1, out=tmp_path)
    assert len(Ledger(tmp_path / RUNS).records()) == 3


def test_a_line_that_was_cut_off_is_played_again(tmp_path):
    race("SynSep", NAMES, rounds=ROUNDS, on=1, out=tmp_path)
    path = tmp_path / RUNS
    path.write_text(path.read_text()[:-200])
    again = race("SynSep", NAMES, rounds=ROUNDS, on=1, out=tmp_path)
    assert [run["learner"] for run in again.runs] == NAMES
    assert len(Ledger(path).records()) == 3


class Failing(onearm.Banditron):
    """A user's learner that fails."""

    def play(self, *args, **more):
        raise OSError("no more")


class Playing(onearm.Banditron):
    """Another that plays."""


def test_a_failure_does_not_stop_the_others(tmp_path):
    learners = ["Banditron", Failing, {"name": Playing, "gamma": [0.1, 0.2]}, onearm.SOBA]
    results = race("SynSep", learners, rounds=ROUNDS, on=1, out=tmp_path)
    names = ["Banditron", "Playing", "Playing", "SOBA"]
    assert [run["learner"] for run in results.runs] == names
    assert results.failures == ["Failing on SynSep, repeat 0: OSError: no more"]
    with pytest.raises(ValueError, match="no run has ended: Failing on SynSep"):
        race("SynSep", Failing, rounds=ROUNDS, on=1).write(tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "line", [b"\xa3\xff\x00", b'{"key": ["a"]}', b'{"key": "KEY"}', b'["key"]', b"7"]
)
def test_a_damaged_line_is_no_run(tmp_path, line):
    first = race("SynSep", ["SOBA"], rounds=ROUNDS, on=1, out=tmp_path)
    path = tmp_path / RUNS
    key = first.runs[0]["key"].encode()
    path.write_bytes(path.read_bytes() + line.replace(b"KEY", key) + b"\n")
    again = race("SynSep", ["SOBA"], rounds=ROUNDS, on=1, out=tmp_path)
    assert again.runs == first.runs


@pytest.fixture(scope="module")
def record():
    return race("SynSep", ["SOBA"], rounds=20, on=1).runs[0]


def test_faults_of_records_are_reported(record):
    assert fault(json.loads(json.dumps(record))) is None
    for name in [*ALLOWED, "curve"]:
        assert name in fault({key: value for key, value in record.items() if key != name})
        for value in (None, "seven", -1, 0.5, 10**30, [], {}, float("nan")):
            wrong = fault(record | {name: value})
            same_kind = type(value) is type(record[name]) or (name, value) in FINE
            assert same_kind or name in wrong, (name, value)
    for curve in ({"rounds": [1], "error": [0.5]}, {"rounds": record["curve"]["rounds"]}):
        assert "curve" in fault(record | {"curve": curve})
    assert "machine" in fault(record | {"machine": {"cpu": "Z80"}})


FINE = [("exploration", None), *((name, 0.5) for name in ("error", "last_tenth", "area")),
        ("seconds", 10**30), ("tuned", {})]  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [{"error": None}, {"curve": {}}, {"versions": 7}, {"n_rounds": "many"}, {"bytes": None},
     {"stream": {"name": "other"}}, {"repeat": 3}, {"name": "SOBE"}],
)  # fmt: skip
def test_a_record_that_cannot_be_used_is_played_again_with_a_warning(tmp_path, change):
    first = race("SynSep", ["SOBA"], rounds=20, on=1, out=tmp_path)
    path = tmp_path / RUNS
    path.write_text(json.dumps(json.loads(path.read_text()) | change) + "\n")
    with pytest.warns(UserWarning, match="SOBA on SynSep, repeat 0 is damaged and played again"):
        again = race("SynSep", ["SOBA"], rounds=20, on=1, out=tmp_path)
    assert [run["error"] for run in again.runs] == [run["error"] for run in first.runs]
    again.write(tmp_path)
    assert len(path.read_text().splitlines()) == 2  # what was there stays


def test_damaged_records_are_printed(tmp_path):
    race("SynSep", ["SOBA"], rounds=20, on=1, out=tmp_path)
    path = tmp_path / RUNS
    path.write_text(json.dumps(json.loads(path.read_text()) | {"error": "low"}) + "\n")
    shown = Console(file=io.StringIO())
    race("SynSep", ["SOBA"], rounds=20, on=1, out=tmp_path, console=shown)
    assert "played again: error must be in [0, 1], got 'low'" in shown.file.getvalue()
