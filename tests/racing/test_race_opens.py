"""A stream is resolved once: a file is hashed once, learned once, and read once by each worker."""

import sys

import pytest

from onearm.racing import rows as race_rows
from onearm.racing.race import race
from onearm.streams.delimited import Delimited

OPENED = []
sys.addaudithook(lambda event, args: OPENED.append(str(args[0])) if event == "open" else None)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{i % 7},{'abc'[i % 3]},{i % 2}" for i in range(300)]
    path.write_text("a,b,label\n" + "\n".join(lines))
    return path


def test_one_hash_one_learning_pass_one_reading_pass(table, tmp_path, monkeypatch):
    passes = []
    blocks, digest = Delimited.blocks, race_rows.file_digest
    monkeypatch.setattr(Delimited, "blocks", lambda *a: passes.append("pass") or blocks(*a))
    monkeypatch.setattr(race_rows, "file_digest", lambda p: passes.append("hash") or digest(p))
    OPENED.clear()
    results = race(table, ["Perceptron", "Banditron", "HoeffdingTree"], repeats=2, on=1)
    assert passes == ["hash", "pass", "pass"]  # on one core this process learns and reads
    results.write(tmp_path / "out")
    assert passes == ["hash", "pass", "pass"]
    assert OPENED.count(str(table)) == 3


@pytest.mark.compiled  # what measures coverage cannot be sent to workers
def test_workers_read_what_was_learned_here(table):
    """In this process, two workers read for it: a hash and a learning pass, no reading."""
    OPENED.clear()
    results = race(table, ["Perceptron", "Banditron"], repeats=2, on=2)
    assert not results.failures
    assert OPENED.count(str(table)) == 2


def test_a_file_that_changed_is_another_run(table, tmp_path):
    first = race(table, "Banditron", on=1, out=tmp_path / "out")
    table.write_text(table.read_text() + "\n1,a,1\n")
    again = race(first.plan, on=1, out=tmp_path / "out")
    assert again.runs[0]["n_rounds"] == first.runs[0]["n_rounds"] + 1
    assert again.runs[0]["key"] != first.runs[0]["key"]
