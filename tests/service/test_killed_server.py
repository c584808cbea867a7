"""A server that is killed under clients that retry keeps what it answered."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.compiled  # programs of their own
ROUNDS = 3


def killed(*words):
    command = [sys.executable, "-m", "tests.service.killed_server", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_server_that_is_killed_keeps_what_it_answered():
    result = killed("--rounds", str(ROUNDS))
    assert result["violations"] == []
    assert result["rounds"] == ROUNDS
    assert result["decisions"] > result["rewards"] > 10 * ROUNDS


def test_a_planted_bug_is_found():
    assert killed("--rounds", "1", "--bug", "lost record")["violations"]
