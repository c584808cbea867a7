"""Learners of files: found by name, sent to workers with their code, played again if it changes."""

import sys
from collections import Counter

import pytest
from typer.testing import CliRunner

from onearm.cli.program import app
from onearm.racing.named import find
from onearm.racing.plan import Plan
from onearm.racing.race import race
from tests.racing.racers import keys
from tests.racing.test_race_foreign import Linear

FILE = """
import numpy as np
from helper import step

class Mine:
    def __init__(self, n_classes, n_features, seed=0):
        self.W = np.zeros((n_classes, n_features))

    def choose(self, x):
        return int((self.W @ x).argmax())

    def update(self, x, choice, correct):
        self.W[choice] += step(correct) * x

def small():
    return Mine(3, 5)
"""
HELPER = "def step(correct):\n    return {} if correct else -1.0\n"


@pytest.fixture
def mine(tmp_path):
    """Give the name of the learner of a file."""

    def write(step=1.0, comment="", text=FILE):
        (tmp_path / "helper.py").write_text(HELPER.format(step))
        (tmp_path / "mine.py").write_text(text + comment)
        sys.modules.pop("helper", None)
        return f"{tmp_path}/mine.py:Mine"

    yield write
    sys.modules.pop("helper", None)


def test_changed_code_is_another_run_and_a_comment_is_not(mine):
    first = keys(Plan(["balance"], [mine()], rounds=50))
    again = keys(Plan(["balance"], [mine(comment="# more\n")], rounds=50))
    other = keys(Plan(["balance"], [mine(comment="# x\n", step=2.0)], rounds=50))
    text = FILE.replace("argmax", "argmin")
    third = keys(Plan(["balance"], [mine(step=2.0, text=text)], rounds=50))
    assert first == again
    assert len({*first, *other, *third}) == 3


def test_the_state_of_an_object_is_part_of_its_run():
    plans = [Plan(["balance"], [Linear(3, 5, rate=rate)], rounds=50) for rate in (1.0, 1.0, 2.0)]
    first, same, other = map(keys, plans)
    assert first == same != other


def test_a_plan_with_a_file_is_written_and_read_again(mine, tmp_path):
    plan = Plan(["balance"], [mine(), "SOBA"], rounds=50)
    (tmp_path / "race.toml").write_text(plan.toml())
    assert keys(Plan.read(tmp_path / "race.toml")) == keys(plan)
    assert (
        "# a class of Python: Linear, rate = 0.5"
        in Plan(["balance"], [{"name": Linear, "rate": 0.5}]).toml()
    )


def test_workers_get_the_code_of_a_file(mine):
    name = mine()
    alone, workers = (race("balance", [name], repeats=2, rounds=30, on=on) for on in (1, 2))
    assert not workers.failures
    assert [r["error"] for r in alone.runs] == [r["error"] for r in workers.runs]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (("Mine", "Mien"), r"has no learner 'Mien'; it has Mine, small.*did you mean 'Mine'\?"),
        ((":Mine", ":"), "has no learner ''; it has Mine, small"),
        (("mine.py", "mime.py"), r"there is no file '.*mime.py'.*did you mean '.*mine.py'\?"),
        (("mine.py", "none/mine.py"), "there is no file '.*none/mine.py'$"),
        (("mine.py", ""), "there is no file"),
        ((None, ":Mine"), "learners of a file are given as file.py:Class, got ':Mine'"),
    ],
)  # fmt: skip
def test_wrong_names_of_files_are_explained(mine, change, wrong):
    with pytest.raises(ValueError, match=wrong):
        race("balance", mine().replace(*change) if change[0] else change[1], rounds=20)


@pytest.mark.parametrize("text", ["1/0", "def f(:", "import sys; sys.exit(2)", "import nothing_"])
def test_a_file_that_raises_is_reported(mine, text):
    with pytest.raises(ValueError, match=r"mine.py raised \w+: "):
        race("balance", mine(text=text), rounds=20)


def test_names_of_modules(tmp_path):
    with pytest.raises(ValueError, match="there is no module 'nothing_' for 'nothing_'"):
        race("balance", "nothing_:Learner", rounds=20)
    assert find("collections:Counter") is Counter


def test_the_program_races_a_file_beside_ours(mine, tmp_path):
    command = ["race", "balance", "--learners", f"{mine()},soba", "--rounds", "30", "--on", "1"]
    result = CliRunner().invoke(app, [*command, "--repeats", "1", "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert {line.split()[0] for line in result.output.splitlines() if line} >= {"Mine", "SOBA"}
