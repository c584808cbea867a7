"""make test installs nothing unasked, and says in its last line what it left out."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAKE = shutil.which("make")
pytestmark = pytest.mark.skipif(MAKE is None, reason="there is no make")


@pytest.fixture
def tools(tmp_path):
    """A folder with all programs that `make test` may find: those here do nothing and say so."""
    (tmp_path / "sh").symlink_to(shutil.which("sh"))
    for name in ("onearm", "python"):
        _program(tmp_path / name, f"{name} ran")
    for name in ("apt-get", "sudo", "env", "id"):
        _program(tmp_path / name, "INSTALLING")
    return tmp_path


def _program(path, says):
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)


def made(tools, target):
    command = [MAKE, "--no-print-directory", "-o", ".venv/ready", f"BIN={tools}", target]
    environment = {**os.environ, "PATH": str(tools)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True).stdout


def test_without_a_browser_its_tests_are_left_out_and_nothing_is_installed(tools):
    output = made(tools, "test")
    assert "python ran" in output
    assert "INSTALLING" not in output
    last = output.splitlines()[-1]
    assert last.startswith("browser tests were left out")
    assert last.endswith("make browser installs them")


def test_half_a_browser_is_none(tools):
    _program(tools / "chromium", "")
    assert made(tools, "test").splitlines()[-1].startswith("browser tests were left out")


def test_with_a_browser_nothing_is_left_out(tools):
    for name in ("chromium", "chromedriver"):
        _program(tools / name, "")
    assert made(tools, "test").splitlines()[-1] == "python ran"
    assert "INSTALLING" not in made(tools, "browser")


def test_a_browser_is_installed_where_it_is_asked_for(tools):
    assert "INSTALLING" in made(tools, "browser")
    steps = (ROOT / ".ci" / "run").read_text()
    assert steps.index("make browser") < steps.index("make test")
