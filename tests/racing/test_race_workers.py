"""Where runs are played: the same bits on any core, nothing lost with a worker or a Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import onearm
from onearm.experiments.ledger import Ledger
from onearm.racing.race import RUNS, race
from tests.racing.racers import NAMES, ROUNDS


def comparable(record):
    """What must be the same wherever a run is played."""
    return {k: v for k, v in record.items() if k not in ("seconds", "date", "versions", "machine")}


@pytest.mark.compiled
def test_cores_give_the_same_bits():
    how = {"repeats": 2, "rounds": ROUNDS, "seed": 3}
    single, double = (race(["SynSep", "car"], NAMES, on=on, **how) for on in (1, 2))
    assert list(map(comparable, single.runs)) == list(map(comparable, double.runs))


@pytest.mark.compiled
def test_workers_find_a_file_of_the_folder_that_is_current_when_it_is_raced(tmp_path, monkeypatch):
    race("SynSep", ["Perceptron"], rounds=20, repeats=2, on=2)  # its workers stay in this folder
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("size,kind\n" + "1,a\n2,b\n" * 20)
    results = race("rows.csv", ["Perceptron"], repeats=2, on=2)
    assert (results.failures, len(results.runs)) == ([], 2)
    assert results.runs[0]["stream"]["file"] == "rows.csv"  # as it was given


RACE = """
import sys
import onearm
results = onearm.race("SynNonSep", ["Banditron", "SOBA"], repeats=12, rounds=100_000,
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
def test_finished_runs_are_not_lost(tmp_path, how, ctrl_c):
    process = begun(tmp_path)
    os.killpg(process.pid, how)
    process.communicate()
    finished = Ledger(tmp_path / RUNS).records()
    assert 3 <= len(finished) < 24
    done = subprocess.run(
        [sys.executable, "-c", RACE, str(tmp_path)], capture_output=True, text=True
    )
    assert done.stdout == "24\n", done.stderr
    lines = [
        json.loads(line) for line in (tmp_path / RUNS).read_text().splitlines() if line[-1] == "}"
    ]
    keys = [line["key"] for line in lines]
    assert len(keys) == len(set(keys)) == 24


LOST = """
import psutil
from onearm.racing.plan import Plan
from onearm.experiments.pool import play_all

jobs = Plan(["SynNonSep"], ["Banditron", "SOBA"], 6, 100_000).jobs()
ended = play_all({str(job): job for job in jobs}, 2)
keys = [next(ended)[0]]
children = psutil.Process().children(recursive=True)
next(child for child in children if "LokyProcess" in " ".join(child.cmdline())).kill()
keys += [key for key, record in ended if record["n_rounds"] == 100_000]
print(len(keys), len(set(keys)))
"""


@pytest.mark.compiled
def test_the_runs_of_a_lost_worker_are_played_again():
    done = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True)
    assert done.stdout == "12 12\n", done.stderr


class Deadly(onearm.Banditron):
    """A learner that takes its worker with it."""

    def play(self, *args, **more):
        os._exit(3)


@pytest.mark.compiled
def test_a_run_that_kills_its_worker_is_identified(tmp_path):
    results = race("SynSep", ["Banditron", Deadly, "SOBA"], rounds=ROUNDS, on=2, out=tmp_path)
    assert [run["learner"] for run in results.runs] == ["Banditron", "SOBA"]
    assert len(Ledger(tmp_path / RUNS).records()) == 2
    (failure,) = results.failures
    assert failure.startswith("Deadly on SynSep, repeat 0: its worker was lost")
