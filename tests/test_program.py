"""The program, as a user runs it."""

import json
import re

import pytest
from typer.testing import CliRunner

import onearm
from onearm.cli import RACERS, app
from onearm.kernels import COMPILED

runner = CliRunner()


def test_help_shows_every_command():
    result = runner.invoke(app, ["--help"])
    assert result.exit_code == 0
    assert all(command in result.output for command in ("race", "check", "warm"))


def test_race(tmp_path):
    rounds = 3000 if COMPILED else 100
    names = "perceptron,Banditron,SOBA"
    result = runner.invoke(
        app,
        ["race", "synnonsep", "--learners", names, "--rounds", str(rounds), "--out", str(tmp_path)],
    )
    assert result.exit_code == 0, result.output
    assert re.search(r"Perceptron \(full information\)", result.output)
    assert (tmp_path / "error.png").read_bytes().startswith(b"\x89PNG")
    record = json.loads((tmp_path / "race.json").read_text())
    assert [run["learner"] for run in record["runs"]] == ["Perceptron", "Banditron", "SOBA"]
    assert all(run["rounds"] == rounds for run in record["runs"])
    assert record["versions"]["onearm"] == onearm.__version__


def test_demo_races_at_least_six():
    assert len(RACERS.split(",")) >= 6


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["race", "nowhere"], "no stream is called 'nowhere'"),
        (["race", "--learners", "bandit"], "no learner is called 'bandit'"),
        (["check", "nobody"], "no learner is called 'nobody'"),
        (["race", "--rounds", "1"], "--rounds"),
    ],
)
def test_mistakes_are_explained(arguments, says):
    result = runner.invoke(app, arguments)
    assert result.exit_code == 2
    assert says in re.sub(r"[\s│]+", " ", result.output)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "last"), [("soba", "compiled_equals_plain  "), ("ogd", "bad_rows_change_nothing")]
)
def test_check(name, last):
    result = runner.invoke(app, ["check", name])
    assert result.exit_code == 0
    assert f"{last}        passed" in result.output


def test_public_names_exist():
    for name in onearm.__all__:
        assert getattr(onearm, name) is not None
