"""Races on a real Ray of this machine: the same to the bit, also when a worker is killed."""

import os
import threading
import time

import psutil
import pytest
import ray

from onearm.racing.race import race

pytestmark = pytest.mark.compiled
HOW = {"repeats": 3, "rounds": 100_000, "seed": 5}
NAMES = ["Banditron", "SOBA", "Newtron"]


@pytest.fixture(scope="module", autouse=True)
def local_ray():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def alone():
    return race("SynNonSep", NAMES, on=1, **HOW)


def comparable(results):
    different = ("seconds", "date")
    return [{k: v for k, v in run.items() if k not in different} for run in results.runs]


def test_ray_is_bit_identical_to_one_process(alone, tmp_path):
    assert comparable(race("SynNonSep", NAMES, on="ray", out=tmp_path, **HOW)) == comparable(alone)
    again = race("SynNonSep", NAMES, on=1, out=tmp_path, **HOW)
    assert comparable(again) == comparable(alone)
    assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == len(alone.runs)


def kill_a_worker(killed):
    """Kill a process that plays, as soon as there is one."""
    while not killed:
        for process in psutil.process_iter(["cmdline"]):
            if "ray::play_job" in " ".join(process.info["cmdline"] or ()):
                time.sleep(0.2)  # into the run
                process.kill()
                killed.append(process.pid)
                return
        time.sleep(0.02)


def test_the_runs_of_a_lost_worker_are_played_again(alone):
    killed = []
    killer = threading.Thread(target=kill_a_worker, args=(killed,))
    killer.start()
    results = race("SynNonSep", NAMES, on="ray", **HOW)
    killer.join()
    assert killed
    assert killed[0] != os.getpid()
    assert not results.failures
    assert comparable(results) == comparable(alone)


FILE = """
import onearm

class Ours(onearm.Banditron):
    pass

class Always:
    def choose(self, x):
        return 1

    def update(self, x, choice, correct):
        pass
"""


def test_ray_gets_the_code_of_a_file(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    names = [f"{tmp_path}/mine.py:{name}" for name in ("Ours", "Always")]
    alone, workers = (race("balance", names, rounds=50, on=on) for on in (1, "ray"))
    assert not workers.failures
    assert comparable(workers) == comparable(alone)


def test_another_ray_than_the_one_in_use_is_refused():
    with pytest.raises(ValueError, match=r"on must be ray or .*, where Ray is in use"):
        race("balance", ["SOBA"], rounds=100, on="127.0.0.1:1")
