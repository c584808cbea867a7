"""The program, as a user runs it."""

import json
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

import onearm
from bench.bakeoff.command import OPTIONS
from bench.benchmark import parse
from onearm.cli.arguments import RACERS
from onearm.cli.program import app
from onearm.core.kernels import COMPILED
from onearm.racing.run import Job
from papers import PUBLISHED, find_replication
from papers.replication import Options

runner = CliRunner()


def test_help_shows_every_command():
    result = runner.invoke(app, ["--help"])
    assert result.exit_code == 0
    commands = ("race", "fit", "predict", "evaluate", "inspect", "datasets", "papers", "check")
    assert all(command in result.output for command in (*commands, "warm"))


def test_what_is_not_needed_is_not_imported():
    code = """
import sys, onearm.cli.program
assert "numpy" not in sys.modules
onearm.race
assert not {"scipy.sparse", "jinja2"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_race(tmp_path):
    rounds = 3000 if COMPILED else 60
    command = ["race", "synnonsep", "balance", "--learners", "perceptron,Banditron,SOBA"]
    command += ["--rounds", str(rounds), "--repeats", "2", "--on", "1", "--out", str(tmp_path)]
    result = runner.invoke(app, command)
    assert result.exit_code == 0, result.output
    assert re.search(r"Perceptron\*", result.output)
    assert "* full information" in " ".join(result.output.split())
    assert "SynNonSep: " in result.output
    assert (tmp_path / "race.html").as_uri() in result.output
    records = list(map(json.loads, (tmp_path / "runs.jsonl").read_text().splitlines()))
    assert len(records) == 2 * 3 * 2
    assert all(record["n_rounds"] == rounds for record in records)
    assert records[0]["versions"]["onearm"] == onearm.__version__
    before = (tmp_path / "runs.jsonl").read_bytes()
    again = runner.invoke(app, ["race", str(tmp_path / "race.toml"), "--out", str(tmp_path)])
    assert again.exit_code == 0, again.output
    assert (tmp_path / "runs.jsonl").read_bytes() == before


def test_a_plan_excludes_other_options(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('streams = ["balance"]\nlearners = [{name = "Banditron", gamma = 7}]')
    command = ["race", str(plan), "--on", "1", "--out", str(tmp_path / "out")]
    result = runner.invoke(app, command)
    assert result.exit_code == 2
    assert "gamma must be a number in" in re.sub(r"[\s│]+", " ", result.output)
    result = runner.invoke(app, [*command, "--repeats", "2"])
    assert result.exit_code == 2
    assert "leave out --repeats" in re.sub(r"[\s│]+", " ", result.output)
    assert not (tmp_path / "out").exists()


def test_a_race_with_a_failure_reports_it_and_fails(tmp_path, monkeypatch):
    def play(job, progress):
        if job.cls.__name__ == "SOBA":
            raise OSError("no more")
        return really(job, progress)

    really = Job.play
    monkeypatch.setattr(Job, "play", play)
    command = ["race", "balance", "--learners", "soba,banditron", "--rounds", "60", "--on", "1"]
    result = runner.invoke(app, [*command, "--repeats", "1", "--out", str(tmp_path)])
    assert result.exit_code == 1
    assert "failed SOBA on balance, repeat 0: OSError: no more" in result.output
    assert (tmp_path / "race.html").exists()


def test_datasets():
    result = runner.invoke(app, ["datasets"])
    assert result.exit_code == 0
    assert re.search(r"letter +│ +20,000", result.output)
    assert "shipped" in result.output
    result = runner.invoke(app, ["datasets", "car"])
    assert "doi:10.24432/C5JP48" in result.output


def test_papers_are_listed():
    result = runner.invoke(app, ["papers"])
    assert result.exit_code == 0
    for name in ("c09.table1", "c09.figure4", "boz17.figure2", "z19.figure2", "b10.table1"):
        assert name in result.output


@pytest.mark.parametrize("name", PUBLISHED)
def test_papers_can_be_run(name):
    assert find_replication(name).stages


def test_a_paper_is_run_with_the_options_of_the_command(monkeypatch):
    calls = []
    monkeypatch.setattr("papers.run", lambda *arguments: calls.append(arguments) or 3)
    command = ["papers", "Z19.table1", "--quick", "--only", "balance, AdaBandit", "--runs", "2"]
    result = runner.invoke(app, [*command, "--out", "here"])
    assert result.exit_code == 3
    options = Options(("balance", "AdaBandit"), runs=2, quick=True)
    assert calls == [("z19.table1", options, Path("here"))]


def test_outside_a_clone_papers_explains_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr("onearm.cli.papers.CLONE", tmp_path)
    result = runner.invoke(app, ["papers"])
    assert result.exit_code == 2
    assert "clone the repository" in re.sub(r"[\s│]+", " ", result.output)


def test_the_bakeoff_is_played_with_the_options_of_the_command(monkeypatch):
    calls = []
    monkeypatch.setattr("bench.bakeoff.command.main", lambda words: calls.append(words) or 3)
    command = ["bakeoff", "--only", "letter, car", "--learners", "VW bag,SLB", "--dry-run"]
    result = runner.invoke(app, [*command, "--half", "development", "--on", "2", "--out", "here"])
    assert result.exit_code == 3, result.output
    options = parse("bakeoff", "", OPTIONS, calls[0])
    assert (options.only, options.learners) == (["letter", "car"], ["VW bag", "SLB"])
    assert (options.half, options.on, options.out) == ("development", "2", Path("here"))
    assert (options.stages, options.repeats, options.rounds) == (3, 0, 0)
    assert (options.dry_run, options.render) == (True, False)


def test_outside_a_clone_the_bakeoff_explains_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr("onearm.cli.papers.CLONE", tmp_path)
    result = runner.invoke(app, ["bakeoff", "--dry-run"])
    assert result.exit_code == 2
    assert "clone the repository" in re.sub(r"[\s│]+", " ", result.output)


def test_demo_races_both_families():
    racers = RACERS.split(",")
    assert len(racers) >= 6
    assert {"banditron", "soba", "adabandit", "banditbbm"} <= set(racers)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["race", "nowhere"], "stream must be a file or one of SynSep"),
        (["race", "car", "--learners", "bandit"], "no learner is called 'bandit'"),
        (["check", "nobody"], "no learner is called 'nobody'"),
        (["race", "car", "--rounds", "1"], "--rounds"),
        (["race", "car", "--exploration", "a,b"], "must be comma-separated numbers"),
        (["bakeoff", "--half", "both"], "half must be development or reported, got 'both'"),
        (["bakeoff", "--learners", "VW bags"], "got 'VW bags'"),
        (["papers", "z18.table1"], "no table or figure is called 'z18.table1'"),
        (["papers", "b10.usps", "--quick"], "b10.usps has one size"),
        (["papers", "z19.table1", "--cap", "3"], "z19.table1 has no option --cap, got 3"),
        (["papers", "z19.table1", "--only", "letter"], "only must be of balance, car,"),
        (["papers", "bh20.table1", "--only", "ogd"], "bh20.table1 has no option --only"),
        (["papers", "z19.table1", "--seeds", "3"], "No such option: --seeds"),
        (["datasets", "cars"], "name must be one of balance"),
    ],
)
def test_mistakes_are_explained(arguments, message):
    result = runner.invoke(app, arguments)
    assert result.exit_code == 2
    assert message in re.sub(r"[\s│]+", " ", result.output)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "last"), [("soba", "compiled_equals_plain  "), ("ogd", "bad_rows_change_nothing")]
)
def test_check(name, last):
    result = runner.invoke(app, ["check", name])
    assert result.exit_code == 0
    assert f"{last}        passed" in result.output


@pytest.mark.parametrize("name", ["metrics", "convex", "datasets", "streams"])
def test_public_modules_come_with_the_package(name):
    """In a process of its own: here they may have been imported already."""
    program = f"import onearm; print(onearm.{name}.__name__)"
    came = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert came.stdout.strip().endswith(name), came.stderr


def test_public_names_exist():
    for name in onearm.__all__:
        assert getattr(onearm, name) is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["race", "car", "--figures"], "figures need Matplotlib: pip install 'onearm[plots]'"),
        (["papers", "c09.table1"], "c09.table1 needs matplotlib: pip install 'onearm[plots]'"),
    ],
)
def test_figures_need_matplotlib(arguments, message, monkeypatch, tmp_path):
    for module in ("papers", "onearm.racing.figures"):
        monkeypatch.setattr(f"{module}.find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    result = runner.invoke(app, arguments)
    assert result.exit_code == 2
    assert message in re.sub(r"[\s│]+", " ", result.output)


def test_the_handler_of_sigterm_is_restored(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    command = ["race", "balance", "--learners", "soba", "--rounds", "50", "--out", str(tmp_path)]
    with ThreadPoolExecutor(1) as threads:  # where signals cannot be caught
        assert threads.submit(runner.invoke, app, command).result().exit_code == 0
    assert runner.invoke(app, command).exit_code == 0
    assert signal.getsignal(signal.SIGTERM) == before
