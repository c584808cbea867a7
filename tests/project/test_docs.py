"""The docs say what the code does: the table of checks, and the worked example."""

import importlib.util
import re
from pathlib import Path

import pytest

import onearm

ROOT = Path(__file__).parents[2]


def module(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_table_of_checks_is_current():
    written = module(ROOT / "docs" / "check_table.py", "check_table").table()
    assert (ROOT / "docs" / "check_table.md").read_text() == written


@pytest.mark.compiled
def test_worked_example_keeps_every_contract(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.S)
    file = tmp_path / "nearest_mean.py"
    file.write_text(next(block for block in blocks if "class NearestMean" in block))
    onearm.check_learner(module(file, "nearest_mean").NearestMean, lambda line: None)


def test_every_learner_has_a_page():
    pages = {path.stem for path in (ROOT / "docs" / "learners").glob("*.md")}
    assert {place.rsplit(".", 1)[1] for place in onearm.LEARNERS.values()} <= pages
