"""What is told of a race: scores, files, figures, and lines while it runs."""

import json
import socket
import time

import numpy as np
import pytest
from rich.console import Console

from onearm.racing.live import Display
from onearm.racing.plan import Plan
from onearm.racing.race import race
from onearm.racing.summary import scores
from tests.racers import NAMES, ROUNDS


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
