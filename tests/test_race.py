"""The race: same rows for all, nothing lost, nothing played twice, honest numbers."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import onearm
from onearm import metrics
from onearm.kernels import COMPILED
from onearm.racing import run as running
from onearm.racing import sources
from onearm.racing.live import Display
from onearm.racing.plan import Plan
from onearm.racing.race import RUNS, finished, race
from onearm.racing.sources import rows, source
from onearm.racing.summary import scores

ROUNDS = 2000 if COMPILED else 60
NAMES = ["Perceptron", "Banditron", "SOBA"]


def told(record):
    """What must be the same wherever a run is played."""
    return {k: v for k, v in record.items() if k not in ("seconds", "date", "versions")}


def test_a_run_is_what_play_gives(tmp_path):
    """A record's numbers are those of a learner that plays the repeat's rows by itself."""
    results = race("balance", "Banditron", repeats=2, rounds=ROUNDS, seed=7, on=1)
    assert len(results.runs) == 2
    for record in results.runs:
        stream = rows(source("balance"), ROUNDS, 7 + record["repeat"], False, "linear")
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

    def play(learner, stream, on_progress):
        X, y = stream.arrays()
        key = getattr(X, "data", X).tobytes(), y.tobytes()
        seen.setdefault(type(learner).__name__, []).append(key)
        return np.ones(len(y), bool), 1.0

    monkeypatch.setattr(running, "_played", play)
    race(["letter", "SynSep"], NAMES, repeats=2, rounds=50, on=1)
    assert seen["Perceptron"] == seen["Banditron"] == seen["SOBA"]
    assert len(set(seen["SOBA"])) == 4  # two streams, two repeats


def test_more_rounds_than_rows_go_over_them_again():
    stream = rows(source("balance"), 1500, 0, False, "as it is")
    X, _ = stream.arrays()
    base = onearm.datasets.load("balance").arrays()[0]
    for part in (X[:625], X[625:1250]):
        np.testing.assert_array_equal(*(a[np.lexsort(a.T)] for a in (part, base)))
    assert (X[:625] != X[625:1250]).any()
    assert len(X) == 1500


def test_a_time_series_is_not_shuffled(monkeypatch):
    base = onearm.datasets.load("balance").arrays()[0]
    in_order = rows(source("balance"), 100, 0, True, "as it is").arrays()[0]
    np.testing.assert_array_equal(in_order, base[:100])


def test_the_same_race_again_plays_nothing(tmp_path, monkeypatch):
    first = race("SynSep", NAMES, repeats=2, rounds=ROUNDS, on=1, out=tmp_path)
    assert len((tmp_path / RUNS).read_text().splitlines()) == 6
    monkeypatch.setattr(running, "_played", None)
    again = race("synsep", NAMES, repeats=2, rounds=ROUNDS, on=1, out=tmp_path)
    assert again.runs == first.runs
    assert not again.failures


def test_a_changed_parameter_is_a_new_run(tmp_path):
    learner = {"name": "banditron", "gamma": 0.1}
    race("SynSep", [learner], rounds=ROUNDS, on=1, out=tmp_path)
    race("SynSep", [learner | {"gamma": [0.1, 0.2]}], rounds=ROUNDS, on=1, out=tmp_path)
    race("SynSep", [learner], rounds=ROUNDS, seed=1, on=1, out=tmp_path)
    assert len(finished(tmp_path / RUNS)) == 3


def test_a_line_that_was_cut_off_is_played_again(tmp_path):
    race("SynSep", NAMES, rounds=ROUNDS, on=1, out=tmp_path)
    path = tmp_path / RUNS
    path.write_text(path.read_text()[:-200])
    again = race("SynSep", NAMES, rounds=ROUNDS, on=1, out=tmp_path)
    assert [run["learner"] for run in again.runs] == NAMES
    assert len(finished(path)) == 3


class Tired(onearm.Banditron):
    """A learner of one's own, which does not play."""

    def play(self, *args, **more):
        raise OSError("no more")


class Restless(onearm.Banditron):
    """Another, which does."""


def test_a_failure_does_not_stop_the_others(tmp_path):
    learners = ["Banditron", Tired, {"name": Restless, "gamma": [0.1, 0.2]}, onearm.SOBA]
    results = race("SynSep", learners, rounds=ROUNDS, on=1, out=tmp_path)
    names = ["Banditron", "Restless", "Restless", "SOBA"]
    assert [run["learner"] for run in results.runs] == names
    assert results.failures == ["Tired on SynSep, repeat 0: OSError: no more"]
    with pytest.raises(ValueError, match="no run has ended: Tired on SynSep"):
        race("SynSep", Tired, rounds=ROUNDS, on=1).write(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_what_learners_cannot_have_is_refused_before_anything_is_played(tmp_path):
    learners = ["Banditron", {"name": "Banditron", "gamma": 7.0}]
    with pytest.raises(ValueError, match="gamma must be a number in"):
        race("SynSep", learners, rounds=ROUNDS, on=1, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("on", [0, -1, 2.5, ""])
def test_where_it_cannot_be_played(on):
    with pytest.raises(ValueError, match="on must be all-cores, a number of at least 1"):
        race("SynSep", "SOBA", rounds=ROUNDS, on=on)


def test_streams_are_told_apart_by_all_that_they_are():
    X, y = np.eye(3)[[0, 1, 2] * 9], [0, 1, 2] * 9
    told = [{}, {"nominal": (2, 2, 2)}, {"n_classes": 5}]
    keys = {Plan([onearm.Stream.of(X, y, **one)], ["SOBA"]).jobs()[0].key() for one in told}
    assert len(keys) == 3
    with pytest.raises(ValueError, match="streams must have different names, got 'rows' twice"):
        race([onearm.Stream.of(X, y), onearm.Stream.of(X[::-1], y)], "SOBA", on=1)


def test_streams_of_ones_own_are_shuffled_too():
    results = race(onearm.SynSep(ROUNDS), "Perceptron", repeats=3, on=1)
    assert len({run["error"] for run in results.runs}) > 1
    results.plan.toml()
    with pytest.raises(ValueError, match="must have streams"):
        Plan.read(written(results.plan.toml()))


def written(text):
    path = Path(tempfile.mkdtemp()) / "plan.toml"
    path.write_text(text)
    return path


def test_a_file_may_have_a_name(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,label\n" + "\n".join(f"{i % 7},{i % 2}" for i in range(50)))
    results = race({"file": str(path), "name": "letter"}, "Banditron", on=1)
    assert results.runs[0]["n_rounds"] == 50
    with pytest.raises(ValueError, match=r"a file is read with file, label, .* got 'sep'"):
        race({"file": str(path), "sep": ","}, "Banditron", on=1)


def test_tuning_is_not_part_of_the_race():
    """Tuned or not, all learners are judged on the rows after the first part."""
    tuned = race("SynSep", ["Banditron", "Perceptron"], rounds=ROUNDS, tune=0.25, on=1)
    for record in tuned.runs:
        assert record["n_rounds"] == ROUNDS - ROUNDS // 4
    banditron, perceptron = tuned.runs
    assert banditron["tuned"]["gamma"] in [0.05 * 4.0**p for p in range(-3, 3)]
    assert perceptron["tuned"] == {}
    stream = rows(source("SynSep"), ROUNDS, 0, False, "linear")
    gamma = banditron["tuned"]["gamma"]
    learner = stream.learner(onearm.Banditron, gamma=gamma)
    correct = learner.play(*(a[ROUNDS // 4 :] for a in stream.arrays())).correct
    assert banditron["error"] == round(metrics.error(correct), 8)
    head = stream.first(ROUNDS // 4)
    errors = {
        rate: metrics.error(head.learner(onearm.Banditron, gamma=rate).play(head).correct)
        for rate in (0.05 * 4.0**p for p in range(-3, 3))
        if rate < 1
    }
    assert errors[gamma] == min(errors.values())


def test_a_rate_that_was_given_stays():
    results = race("SynSep", [{"name": "Banditron", "gamma": 0.3}], rounds=ROUNDS, tune=0.2, on=1)
    assert results.runs[0]["tuned"] == {}
    assert results.runs[0]["played"]["gamma"] == 0.3


def test_of_equal_rates_the_nearest_to_the_default_is_chosen():
    record = race("letter", ["Banditron"], rounds=20, tune=0.1, on=1).runs[0]
    assert record["tuned"] == {"gamma": 0.05}  # two rounds of 26 labels: all are wrong
    assert record["n_rounds"] == 18


def test_scores_by_hand():
    def record(name, repeat, error, full=False):
        curve = {"rounds": [1, 2], "error": [error, error]}
        return {"stream": {"name": "s"}, "name": name, "repeat": repeat, "error": error,
                "last_tenth": error, "area": error, "full_information": full, "curve": curve,
                "seconds": 2.0, "n_rounds": 10, "bytes": repeat, "learner": name,
                "parameters": {}, "exploration": None}  # fmt: skip

    runs = [record("A", 0, 0.2), record("A", 1, 0.4), record("B", 0, 0.3), record("B", 1, 0.6),
            record("told", 0, 0.0, True), record("told", 1, 0.1, True)]  # fmt: skip
    told, best, other = scores(runs)
    assert (told.name, best.name, other.name) == ("told", "A", "B")
    assert best.difference is None
    assert best.error.mean == pytest.approx(0.3)
    assert other.difference.mean == pytest.approx(0.15)  # of 0.1 and 0.2
    half = 12.706204736 * np.std([0.1, 0.2], ddof=1) / np.sqrt(2)  # Student's t, one degree
    assert other.difference.high - other.difference.mean == pytest.approx(half)
    assert told.difference.mean == pytest.approx(-0.25)
    assert best.rate == 5.0
    assert best.bytes == 1


def test_plans(tmp_path):
    text = """
repeats = 2
rounds = 50
tune = 0.1

[[streams]]
name = "synnonsep"
noise = 0.2

[[learners]]
name = "banditron"
gamma = [0.1, 0.2]

[[learners]]
name = "Perceptron"
"""
    path = tmp_path / "plan.toml"
    path.write_text(text)
    plan = Plan.read(path)
    jobs = plan.jobs()
    assert [(j.name, j.repeat) for j in jobs] == [
        (name, repeat) for repeat in (0, 1)
        for name in ("Banditron gamma=0.1", "Banditron gamma=0.2", "Perceptron")
    ]  # fmt: skip
    path.write_text(plan.toml())
    assert [job.key() for job in Plan.read(path).jobs()] == [job.key() for job in jobs]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"streams": ["nowhere"]}, "stream must be a file or one of SynSep, .* got 'nowhere'"),
        ({"streams": [{"name": "SynSep", "noise": 1}]}, "SynSep has no parameter 'noise'"),
        ({"streams": []}, "streams must be at least one"),
        ({"learners": ["bandit"]}, "learners must be among Chorus, Perceptron, .* got 'bandit'"),
        (
            {"learners": [{"name": "SOBA", "gama": 1}]},
            "SOBA has the parameters .*gamma.* got 'gama'",
        ),
        ({"learners": [{"gamma": 1}]}, "learners must have a name"),
        ({"repeats": 0}, "repeats must be a whole number of at least 1, got 0"),
        ({"repeats": "3"}, "repeats must be a whole number of at least 1, got '3'"),
        ({"rounds": 3}, "rounds must be a whole number of at least 10, got 3"),
        ({"rounds": 1e4}, "rounds must be a whole number of at least 10, got 10000.0"),
        ({"streams": [{"noise": 1}]}, "streams must be names, files or Streams"),
        ({"learners": [onearm.SOBA(3, 4)]}, "learners must be names or classes"),
        ({"tune": 0.9}, r"tune must be in \[0, 0.5\], got 0.9"),
    ],
)
def test_mistakes_in_a_plan_are_explained(change, says):
    told = {"streams": ["SynSep"], "learners": ["SOBA"], "repeats": 1} | change
    with pytest.raises(ValueError, match=says):
        Plan(**told).jobs()


def test_a_stream_of_ones_own_and_a_file(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int)
    path = tmp_path / "rows.csv"
    lines = [",".join(map(repr, [*map(float, x), int(c)])) for x, c in zip(X, y, strict=True)]
    path.write_text("a,b,c,label\n" + "\n".join(lines))
    own = race(onearm.Stream.of(X, y, name="mine"), "ConservativeOVA", on=1)
    file = race(path, "ConservativeOVA", on=1, console=Console(width=200))
    assert "rows.csv: 200 rows, 3 features" in capsys.readouterr().out
    assert own.runs[0]["error"] == file.runs[0]["error"] < 0.2


def test_a_file_larger_than_memory_is_played_as_it_lies(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    lines = [f"{i % 7},{i % 2}" for i in range(500)]
    path.write_text("a,label\n" + "\n".join(lines))
    monkeypatch.setattr(sources, "IN_MEMORY", 100)
    monkeypatch.setattr(sources, "HELD", 100)
    stream = rows(source(path), 700, 0, False, "as it is")
    X, y = stream.arrays()
    assert not stream.in_memory
    np.testing.assert_array_equal(X[:, 0], np.arange(700) % 500 % 7)
    np.testing.assert_array_equal(y, np.arange(700) % 500 % 2)
    assert race(path, "Banditron", rounds=700, on=1).runs[0]["n_rounds"] == 700


def test_numbers_and_figures_are_written(tmp_path):
    results = race("SynSep", NAMES, repeats=2, rounds=ROUNDS, exploration=(0.05, 0.2), on=1)
    written = results.write(tmp_path, figures=True)
    names = {path.name for path in written}
    assert {"race.html", "race.toml", "results.csv", "error-1.svg", "exploration-1.png"} <= names
    assert all(path.stat().st_size > 100 for path in written)
    table = np.genfromtxt(tmp_path / "results.csv", delimiter=",", names=True, dtype=None)
    np.testing.assert_allclose(table["error"], [row["error"] for row in results.rows()])
    plan = Plan.read(tmp_path / "race.toml")
    assert [job.key() for job in plan.jobs()] == [job.key() for job in results.plan.jobs()]
    assert "Banditron gamma=0.05" in (tmp_path / "race.html").read_text()


def test_lines_where_there_is_no_terminal(capsys):
    console = Console(force_terminal=False, width=200)
    race("SynSep", ["Banditron"], repeats=2, rounds=ROUNDS, on=1, console=console)
    said = capsys.readouterr().out.splitlines()
    assert said[-1].startswith("SynSep  Banditron: 2 of 2 runs, error 0.")


@pytest.mark.compiled
def test_cores_give_the_same_bits():
    how = {"repeats": 2, "rounds": ROUNDS, "seed": 3}
    one, two = (race(["SynSep", "car"], NAMES, on=on, **how) for on in (1, 2))
    assert list(map(told, one.runs)) == list(map(told, two.runs))


RACE = """
import sys
import onearm
results = onearm.race("SynNonSep", ["Banditron", "SOBA"], repeats=40, rounds=100_000,
                      on=2, out=sys.argv[1])
print(len(results.runs))
"""


def begun(folder):
    """A race in a process of its own that has ended some of its runs."""
    done = folder / RUNS
    process = subprocess.Popen([sys.executable, "-c", RACE, str(folder)], start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    while not done.exists() or done.read_bytes().count(b"\n") < 3:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    return process


@pytest.mark.compiled
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_what_had_ended_is_not_lost(tmp_path, how, ctrl_c):
    process = begun(tmp_path)
    os.killpg(process.pid, how)
    process.communicate()
    kept = finished(tmp_path / RUNS)
    assert 3 <= len(kept) < 80
    done = subprocess.run(
        [sys.executable, "-c", RACE, str(tmp_path)], capture_output=True, text=True
    )
    assert done.stdout == "80\n", done.stderr
    lines = [
        json.loads(line) for line in (tmp_path / RUNS).read_text().splitlines() if line[-1] == "}"
    ]
    keys = [line["key"] for line in lines]
    assert len(keys) == len(set(keys)) == 80


LOST = """
import psutil
from onearm.racing.plan import Plan
from onearm.racing.pool import play_all

jobs = Plan(["SynNonSep"], ["Banditron", "SOBA"], 20, 100_000).jobs()
ended = play_all(jobs, 2, ("127.0.0.1", 9))
keys = [next(ended)[0].key()]
children = psutil.Process().children(recursive=True)
next(child for child in children if "LokyProcess" in " ".join(child.cmdline())).kill()
keys += [job.key() for job, record in ended if record["n_rounds"] == 100_000]
print(len(keys), len(set(keys)))
"""


@pytest.mark.compiled
def test_the_runs_of_a_lost_worker_are_played_again():
    done = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True)
    assert done.stdout == "40 40\n", done.stderr


def test_runs_under_way_are_heard():
    jobs = Plan(["SynSep"], ["Banditron"], 2, 1000).jobs()
    console = Console(width=100, force_terminal=False)
    with Display(jobs, [], console) as shown, socket.socket(type=socket.SOCK_DGRAM) as voice:
        line = shown.line_of[jobs[0].key()]
        for _ in range(100):
            voice.sendto(b"not for us", shown.address)
            voice.sendto(json.dumps([jobs[0].key(), 400, 300, 0.5, 1000]).encode(), shown.address)
            if line.under_way:
                break
            time.sleep(0.02)
        assert line.cells() == ("800", "0.2500", "0:02")
        shown.end(jobs[1].key(), {"n_rounds": 1000, "error": 0.5, "seconds": 0.5})
        assert line.share() == pytest.approx((1 + 0.4) / 2)
        assert line.cells() == ("1,400", "0.4286", "0:00")
        assert shown.table().row_count == 1
