"""The promises of a service are kept, and each of their tests finds the bugs it is there for."""

import json
import subprocess
import sys
from functools import cache

import pytest

from tests.service import detectors, planted, promises
from tests.service.detectors import DETECTORS
from tests.service.planted import BUGS

ROUNDS = 20
CHEAP = [
    (bug.name, name) for bug in BUGS.values() for name in bug.caught_by[:1] if name != "crash loop"
]
CRASHING = [bug.name for bug in BUGS.values() if "crash loop" in bug.caught_by]


@pytest.mark.parametrize("name", [name for name in DETECTORS if name != "state machine"])
def test_promises_are_kept(name):
    DETECTORS[name]()


def test_a_disk_may_fail_at_any_call():
    detectors.failing_disk(every=2, only="all")


@cache
def crash(bugs=""):
    """Run the crash loop in a process without threads, which can be forked; lines of results."""
    command = [sys.executable, "-m", "tests.service.crash", "--rounds", str(ROUNDS), "--bugs", bugs]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.compiled
def test_a_service_that_is_killed_keeps_what_it_acknowledged():
    (result,) = crash()
    assert result["violations"] == []
    assert result["rounds"] == ROUNDS
    assert result["acknowledged"] > 20 * ROUNDS
    assert min(result["kills"].values()) >= ROUNDS // 5


@pytest.mark.compiled
@pytest.mark.parametrize("bug", CRASHING)
def test_the_crash_loop_finds_bugs(bug):
    results = {result["bug"]: result for result in crash(",".join(CRASHING))}
    assert results[bug]["violations"]


@pytest.mark.parametrize(("bug", "name"), CHEAP)
def test_planted_bugs_are_found(bug, name):
    with BUGS[bug].planted(), pytest.raises(Exception):  # noqa: B017, PT011 # any will do
        DETECTORS[name]()


def test_nothing_stays_planted():
    for where, name, right in planted.ORIGINALS:
        assert getattr(where, name) is right


def test_the_table_of_the_documentation_has_every_bug():
    rows = promises.written()
    assert rows.keys() == BUGS.keys()
    for bug in BUGS.values():
        assert {*bug.caught_by} <= {*rows[bug.name]}, bug.name
    assert {word.strip() for bug in BUGS.values() for word in bug.promises.split(",")} == {
        f"I{i}" for i in range(1, 14)
    }
