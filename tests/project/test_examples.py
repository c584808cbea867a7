"""The examples run as a newcomer runs them, and print what they promise."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiled
EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name, folder):
    command = [sys.executable, str(EXAMPLES / name)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def last_number(line):
    return float(re.findall(r"\d\.\d+", line)[-1])


def test_shop(tmp_path):
    _, *thousands, cyclist = run("shop.py", tmp_path).splitlines()
    assert len(thousands) == 5
    assert last_number(thousands[0]) > 0.6
    assert last_number(thousands[-1]) > 0.9
    assert cyclist.endswith("coffee")


def test_compare_learners(tmp_path):
    _, first, *_, page = run("compare_learners.py", tmp_path).splitlines()
    assert first.split()[0] == "Chorus"
    assert last_number(first) < 0.05
    assert (tmp_path / page.removeprefix("curves: ")).exists()


def test_judge_policies(tmp_path):
    *tables, page = run("judge_policies.py", tmp_path).splitlines()
    verdicts = {line.split()[0]: line.split()[-1] for line in tables if line.endswith("better")}
    assert "inversegap" in verdicts
    assert (tmp_path / page.removeprefix("page: ")).exists()


def test_boosting(tmp_path):
    lines = run("boosting.py", tmp_path).splitlines()
    error = {line[:22].strip(): float(line[22:].split()[0]) for line in lines[1:-1]}
    assert error["AdaBoostMH, products"] < 0.04
    assert error["AdaBoostMH, products"] < error["AdaBoostClassifier"]


def test_every_example_is_listed_and_tested():
    scripts = {path.name for path in EXAMPLES.glob("*.py")}
    listed = set(re.findall(r"\]\((\w+\.py)\)", (EXAMPLES / "README.md").read_text()))
    assert scripts == listed
    assert all(f'run("{name}"' in Path(__file__).read_text() for name in scripts)


@pytest.mark.skipif(find_spec("coba") is None, reason="Coba is in the extra dev")
def test_coba_experiment(tmp_path):
    _, *lines = run("coba_experiment.py", tmp_path).splitlines()
    reward = {line[:20].strip(): last_number(line) for line in lines}
    assert list(reward) == ["onearm Chorus", "onearm InverseGap", "BanditEpsilon", "Random"]
    assert reward["onearm InverseGap"] > 0.7 > 0.6 > reward["BanditEpsilon"]
