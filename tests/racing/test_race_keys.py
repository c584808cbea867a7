"""The key of a run: another way to prepare rows makes another run."""

import ast
import shutil

import pytest

from onearm.experiments.identity import PACKAGE, preparation, preparing_sources
from onearm.racing.plan import Plan
from tests.racing.racers import keys


@pytest.fixture
def package(tmp_path):
    """A copy of the package's sources."""
    shutil.copytree(PACKAGE, tmp_path / "onearm", ignore=lambda _, names: {"data", "__pycache__"})
    return tmp_path / "onearm"


@pytest.mark.parametrize(
    "name", ["streams/order.py", "racing/rows.py", "core/inputs.py", "core/rng.py"]
)
def test_a_change_of_preparation_makes_another_run(package, name, monkeypatch):
    plan = Plan(["SynSep"], ["SOBA"])
    before = keys(plan)
    monkeypatch.setattr("onearm.experiments.identity.PACKAGE", package)
    assert keys(plan) == before
    (package / name).write_text((package / name).read_text() + "\nSCALE = 2.0\n")
    preparation.cache_clear()
    assert keys(plan) != before


def test_a_change_elsewhere_or_a_comment_does_not(package):
    (package / "page" / "text.py").write_text("")
    inputs = package / "core/inputs.py"
    inputs.write_text(f"{inputs.read_text()}\n# a comment\n")
    assert preparation(package) == preparation(PACKAGE)


def test_all_code_that_prepares_rows_counts():
    """What these sources import of ours is among them, except compiling, digests, and what prepares
    rows for a learner, which is in the hash of its code."""
    others = (
        "core/kernels.py",
        "experiments/identity.py",
        "prepare/rows.py",
        "prepare/prepared.py",
    )
    known = {*preparing_sources(PACKAGE), *(PACKAGE / name for name in others)}
    for path in preparing_sources(PACKAGE):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("onearm"):
                continue
            where = PACKAGE.parent.joinpath(*node.module.split("."))
            names = [where / f"{alias.name}.py" for alias in node.names]
            for used in names if where.is_dir() else [where.with_suffix(".py")]:
                assert used in known, f"{path}: {used}"
