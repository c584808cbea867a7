"""What a race shows: scores, files, figures, and lines while it runs."""

import io
import json
import socket
import time

import numpy as np
import pytest
from matplotlib import pyplot
from rich.console import Console

import onearm
from onearm.page.plots import line_styles
from onearm.racing import figures, report
from onearm.racing.live import Display
from onearm.racing.plan import Plan
from onearm.racing.race import race
from onearm.racing.summary import scores
from tests.racing.racers import NAMES, ROUNDS, keys


def test_scores_by_hand():
    def record(name, repeat, error, full=False):
        curve = {"rounds": [1, 2], "error": [error, error]}
        return {"stream": {"name": "s"}, "name": name, "repeat": repeat, "error": error,
                "last_tenth": error, "area": error, "full_information": full, "curve": curve,
                "seconds": 2.0, "n_rounds": 10, "bytes": repeat, "learner": name,
                "parameters": {}, "exploration": None}  # fmt: skip

    runs = [record("A", 0, 0.2), record("A", 1, 0.4), record("B", 0, 0.3), record("B", 1, 0.6),
            record("full", 0, 0.0, True), record("full", 1, 0.1, True)]  # fmt: skip
    full_information, best, other = scores(runs)
    assert (full_information.name, best.name, other.name) == ("full", "A", "B")
    assert best.difference is None
    assert best.error.mean == pytest.approx(0.3)
    assert other.difference.mean == pytest.approx(0.15)  # of 0.1 and 0.2
    half = 12.706204736 * np.std([0.1, 0.2], ddof=1) / np.sqrt(2)  # Student's t, one degree
    assert other.difference.high - other.difference.mean == pytest.approx(half)
    assert full_information.difference.mean == pytest.approx(-0.25)
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
    assert keys(plan) == keys(results.plan)
    assert "Banditron gamma=0.05" in (tmp_path / "race.html").read_text()


def test_lines_where_there_is_no_terminal(capsys):
    console = Console(force_terminal=False, width=200)
    race("SynSep", ["Banditron"], repeats=2, rounds=ROUNDS, on=1, console=console)
    printed = capsys.readouterr().out.splitlines()
    assert printed[-1].startswith("SynSep  Banditron: 2 of 2 runs, error 0.")


def test_progress_of_unfinished_runs_is_received():
    jobs = dict(zip("ab", Plan(["SynSep"], ["Banditron"], 2, 1000).jobs(), strict=True))
    console = Console(width=100, force_terminal=False)
    with Display(jobs, [], console) as shown, socket.socket(type=socket.SOCK_DGRAM) as sender:
        line = shown.line_of["a"]
        for _ in range(100):
            sender.sendto(b"not for us", shown.address)
            sender.sendto(json.dumps(["a", 400, 300, 0.5, 1000]).encode(), shown.address)
            if line.under_way:
                break
            time.sleep(0.02)
        assert line.cells() == ("800", "0.2500", "0:02")
        shown.end("b", {"n_rounds": 1000, "error": 0.5, "seconds": 0.5})
        assert line.share() == pytest.approx((1 + 0.4) / 2)
        assert line.cells() == ("1,400", "0.4286", "0:00")
        assert shown.table().row_count == 1


def test_foreign_datagrams_are_ignored(capsys):
    jobs = {"a": Plan(["SynSep"], ["Banditron"], 1, 1000).jobs()[0]}
    with Display(jobs, [], Console(width=100, force_terminal=False)) as shown:
        with socket.socket(type=socket.SOCK_DGRAM) as sender:
            for word in ([["a"], 1, 1, 1, 1], [1, 2], {"a": 1}, ["a", "b", "c", "d", "e"], None):
                sender.sendto(json.dumps(word).encode(), shown.address)
            line, key = shown.line_of["a"], "a"
            for _ in range(100):
                sender.sendto(json.dumps([key, 400, 300, 0.5, 1000]).encode(), shown.address)
                if line.under_way:
                    break
                time.sleep(0.02)
        assert line.under_way == {key: (400, 300, 0.5)}
    assert "Traceback" not in capsys.readouterr().err


class Sleepy(onearm.Banditron):
    """Plays in the first repeat only."""

    def play(self, *args, **more):
        if self.seed > 0:
            raise OSError("no [more]")
        return super().play(*args, **more)


@pytest.mark.parametrize("name", ["[/] odd", "sales[bold]", "cost $_$ <b>"])
def test_names_are_shown_as_they_are(name, tmp_path, capsys):
    X, y = np.eye(3)[np.arange(60) % 3], np.arange(60) % 3
    stream = onearm.Stream.of(X, y, name=name)
    console = Console(width=200, force_terminal=False)
    results = race(stream, [Sleepy, "SOBA"], repeats=2, on=1, console=console)
    console.print(report.table(results.scores(), name))
    printed = capsys.readouterr().out
    assert f"{name}  SOBA: 2 of 2 runs" in printed
    assert f"failed Sleepy on {name}, repeat 1: OSError: no [more]" in printed
    assert f"{name}: 60 rounds, 2 repeats" in printed
    assert "Sleepy (1 of 2)" in printed
    results.write(tmp_path, figures=True)
    assert "Failed: Sleepy on " in (tmp_path / "race.html").read_text()
    moving = Console(width=200, force_terminal=True, file=io.StringIO())
    with Display({"a": results.plan.jobs()[0]}, [], moving) as shown:
        moving.print(shown.table())
    assert name in moving.file.getvalue()


def test_numbers_stay_whole_where_it_is_narrow(capsys):
    learner = {"name": "EpsilonGreedy", "epsilon": 0.123456, "estimator": "dr"}
    results = race("SynSep", learner, repeats=2, rounds=ROUNDS, on=1)
    (score,) = results.scores()
    Console(width=60, force_terminal=False).print(report.table([score], "SynSep"))
    printed = capsys.readouterr().out
    assert "…" not in printed
    assert f"{score.last_tenth.mean:.4f}" in printed


def test_a_dumb_terminal_gets_lines(monkeypatch, capsys):
    monkeypatch.setenv("TERM", "dumb")
    console = Console(width=200, force_terminal=True)
    race("SynSep", ["Banditron"], rounds=ROUNDS, on=1, console=console)
    assert "SynSep  Banditron: 1 of 1 runs" in capsys.readouterr().out


def test_only_figures_of_races_are_replaced(tmp_path):
    theirs = [tmp_path / name for name in ("error-analysis.txt", "exploration-notes.md", "error-1")]
    for path in theirs:
        path.write_text("precious")
    (tmp_path / "error-old").mkdir()
    (tmp_path / "error-9.png").write_text("of a race before")
    race("SynSep", ["SOBA"], rounds=ROUNDS, on=1).write(tmp_path)
    assert all(path.read_text() == "precious" for path in theirs)
    assert (tmp_path / "error-old").is_dir()
    assert not (tmp_path / "error-9.png").exists()


@pytest.mark.parametrize(("rounds", "first"), [(ROUNDS, 10 if ROUNDS >= 100 else 1), (12, 1)])
def test_figures_show_where_the_curves_are(rounds, first):
    scored = race("balance", ["Perceptron", "SOBA"], repeats=4, rounds=rounds, on=1).scores()
    styles = line_styles([(score.name, score.full_information) for score in scored])
    figure = figures._curves(scored, "balance", styles)
    (low, high), (left, right) = figure.axes[0].get_ylim(), figure.axes[0].get_xlim()
    curves = [score.curve() for score in scored]
    points = [point for c in curves for point in zip(c["rounds"], c["mean"], strict=True)]
    assert (left, right) == (first, rounds)
    assert high == 1.0
    assert low == pytest.approx(min(mean for r, mean in points if r >= first and mean > 0) / 1.2)
    pyplot.close(figure)


def test_who_is_best():
    def record(name, repeat, error, full=False):
        return {"stream": {"name": "s"}, "name": name, "repeat": repeat, "error": error,
                "last_tenth": error, "area": error, "full_information": full}  # fmt: skip

    full_information = [record("full", 0, 0.1, True), record("full", 1, 0.1, True)]
    few, all_ = [record("few", 0, 0.2)], [record("all", 0, 0.3), record("all", 1, 0.5)]
    assert [(s.name, s.best) for s in scores(full_information + few + all_)] == [
        ("full", False), ("few", False), ("all", True)
    ]  # fmt: skip
    assert [(s.name, s.best) for s in scores(full_information + few)] == [
        ("full", False),
        ("few", True),
    ]
    assert [(s.name, s.best) for s in scores(full_information)] == [("full", False)]


def test_seconds_are_those_of_a_run(tmp_path):
    results = race("SynSep", ["SOBA"], repeats=3, rounds=ROUNDS, on=1)
    (learner,) = report.page_data(results.plan, results.scores(), [], "")["streams"][0]["learners"]
    assert learner["seconds"] == pytest.approx(np.mean([run["seconds"] for run in results.runs]))


def test_the_tuned_rate_of_every_run_is_shown():
    results = race("SynSep", ["Banditron"], repeats=2, rounds=ROUNDS, tune=0.2, on=1)
    data = report.page_data(results.plan, results.scores(), [], "")
    (learner,) = data["streams"][0]["learners"]
    rates = [run["tuned"]["gamma"] for run in results.runs]
    assert learner["tuned"] == f"gamma, tuned in each run: {rates[0]:g}, {rates[1]:g}"
    assert "gamma" not in learner["parameters"]
    assert data["streams"][0]["about"].startswith("The linearly separable texts of")
