"""The ledger: what is stored is found again, what is damaged is no run."""

import errno
import json
import os

import pytest

from onearm.experiments.ledger import Ledger, name_in_errors


def stored(path, *records):
    with Ledger(path).writer() as write:
        for record in records:
            write(record)
    return Ledger(path)


def test_records_are_found_by_key_and_the_last_of_a_key_counts(tmp_path):
    path = tmp_path / "a" / "runs.jsonl"
    ledger = stored(path, {"key": "a", "x": 1}, {"key": "b", "x": 2}, {"key": "a", "x": 3})
    assert ledger.records() == {"a": {"key": "a", "x": 3}, "b": {"key": "b", "x": 2}}
    assert Ledger(tmp_path / "none").records() == {}


def test_without_a_path_nothing_is_stored():
    ledger = stored(None, {"key": "a"})
    assert ledger.records() == {}


def test_a_truncated_line_does_not_affect_the_next(tmp_path):
    path = tmp_path / "runs.jsonl"
    stored(path, {"key": "a"}, {"key": "b"})
    path.write_bytes(path.read_bytes()[:-4])
    assert set(stored(path, {"key": "c"}).records()) == {"a", "c"}


@pytest.mark.parametrize("line", [b"\xa3\xff", b'{"key": 7}', b'["key"]', b"7", b"[" * 100_000])
def test_a_damaged_line_is_no_record(tmp_path, line):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(line + b"\n" + json.dumps({"key": "a"}).encode())
    assert Ledger(path).records() == {"a": {"key": "a"}}


def test_faults_are_reported(tmp_path):
    stored(tmp_path / "runs", {"key": "a", "x": -1}, {"key": "b", "x": 1})
    ledger = Ledger(tmp_path / "runs", lambda r: "x must be positive" if r["x"] < 0 else None)
    assert set(ledger.records()) == {"b"}
    assert ledger.faults == {"a": "x must be positive"}


def test_a_full_disk_is_named(tmp_path):
    def full():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match=f"No space left.*{tmp_path}"), name_in_errors(tmp_path):
        full()
