"""An experiment: what is missing is played and recorded, failures stop nothing."""

import io
import os
from typing import NamedTuple

import pytest
from rich.console import Console

from onearm.experiments.job import key
from onearm.experiments.ledger import Ledger
from onearm.experiments.pool import play_all
from onearm.experiments.run import Experiment, play_missing


class Square(NamedTuple):
    """A run that squares a number."""

    number: int
    error: type | None = None

    def configuration(self):
        return {"number": self.number}

    def play(self, progress):
        if self.error:
            raise self.error("no number")
        progress(1, 1, 1)
        return {"square": self.number**2}

    def summary(self, record):
        return f"the square of {record['number']} is {record['square']}"


def played(jobs, path):
    shown = Console(file=io.StringIO(), width=200)
    return *play_missing(jobs, Ledger(path), shown, on=1), shown.file.getvalue()


def test_records_have_key_configuration_and_results_in_the_order_of_jobs(tmp_path):
    records, failures, shown = played([Square(3), Square(2)], tmp_path / "runs")
    assert records == [
        {"key": key({"number": n}), "number": n, "square": n * n} for n in (3, 2)
    ]  # fmt: skip
    assert not failures
    assert "the square of 3 is 9" in shown


def test_only_what_is_missing_is_played(tmp_path):
    played([Square(2)], tmp_path / "runs")
    records, failures, shown = played([Square(2, ValueError), Square(3)], tmp_path / "runs")
    assert [record["square"] for record in records] == [4, 9]
    assert not failures
    assert "square of 2" not in shown
    assert len((tmp_path / "runs").read_text().splitlines()) == 2


def test_a_failure_does_not_stop_the_others(tmp_path):
    jobs = [Square(1), Square(2, ValueError), Square(3)]
    records, failures, _ = played(jobs, tmp_path / "runs")
    assert [record["number"] for record in records] == [1, 3]
    assert failures == [f"{jobs[1]}: ValueError: no number"]


def test_missing_data_are_raised_after_the_others_are_played(tmp_path):
    with pytest.raises(FileNotFoundError, match="no number"):
        played([Square(1, FileNotFoundError), Square(2)], tmp_path / "runs")
    assert len(Ledger(tmp_path / "runs").records()) == 1


def test_ctrl_c_leaves_what_is_finished(tmp_path):
    jobs = [Square(1), Square(2, KeyboardInterrupt), Square(3)]
    records, failures, _ = played(jobs, tmp_path / "runs")
    assert [record["number"] for record in records] == [1]
    assert failures == ["stopped before the end; the same command resumes"]
    assert [r["number"] for r in played([Square(1), Square(3)], tmp_path / "runs")[0]] == [1, 3]


def test_a_record_of_another_configuration_than_its_key_is_damaged(tmp_path):
    with Ledger(tmp_path / "runs").writer() as write:
        write({"key": key({"number": 2}), "number": 5, "square": 25})
    experiment = Experiment([Square(2)], Ledger(tmp_path / "runs"))
    (text,) = experiment.damaged
    assert "is damaged and played again: it is of another configuration than its key" in text
    assert experiment.missing()


def test_values_outside_json_are_refused():
    with pytest.raises(ValueError, match="numbers, strings or lists of them, got <object"):
        key({"number": object()})


class Deadly(Square):
    """A run that takes its worker with it."""

    def play(self, progress):
        os._exit(3)


def test_a_job_that_kills_its_worker_is_identified():
    results = dict(play_all({"a": Square(1), "b": Deadly(2), "c": Square(3)}, on=2))
    assert (results["a"], results["c"]) == ({"square": 1}, {"square": 9})
    assert str(results["b"]).startswith("its worker was lost")
