"""Every sync fails, or is the last thing that a process does: nothing acknowledged is lost."""

import json
import subprocess
import sys

import pytest

from tests.service.sync_points import MISSING

pytestmark = pytest.mark.compiled  # programs of their own


def rows(*words):
    """Return what the tests print, run in a process without threads, which can be forked."""
    command = [sys.executable, "-m", "tests.service.sync_points", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    if printed[0][0] == "left out":
        pytest.skip(MISSING)
    return {what: rest for what, *rest in printed}


def test_a_sync_that_fails_or_is_the_last_loses_nothing():
    found = rows("--every", "4")
    assert [*found] == ["error", "kill", "onearm serve"]
    for what, (n, ended, wrong) in found.items():
        assert wrong == [], what
        assert 2 <= ended <= n, what
    assert found["kill"][1] == found["kill"][0] >= 5


def test_an_error_that_is_ignored_is_found():
    ((_, _, wrong),) = rows("--bug", "failed commit ignored").values()
    assert wrong
