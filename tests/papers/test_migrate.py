"""Runs get new keys only if those that are played again have the results of before."""

import json
from dataclasses import dataclass

import pytest

from onearm.experiments.job import key
from papers.migrate import migrate
from papers.replication import Options, Replication
from papers.stored import stored_runs
from papers.trial import Trial


@dataclass(frozen=True, order=True)
class Job(Trial):
    data: str
    seed: int

    def constants(self):
        return {"code": "new"}

    def play(self, progress):
        played.append(self)
        return {"error": self.seed / 10, "cpu_seconds": 9.0, "curve": {"seconds": [3.0], "e": [1]}}


played: list[Job] = []
JOBS = [Job("iris", seed) for seed in range(3)]
PLAN = Replication(
    stages=(lambda *_: JOBS,), report="", text=lambda *_: "", defaults=Options(runs=3)
)


@pytest.fixture
def ledger(tmp_path):
    """Three runs of code that has changed since, and one of a job that is no more."""
    played.clear()
    lines = []
    for job in (*JOBS, Job("car", 0)):
        old = {**job.values(), "code": "old"}
        result = {"error": job.seed / 10, "cpu_seconds": 3.0 - job.seed}
        result["curve"] = {"seconds": [1.0], "e": [1]}
        lines.append(json.dumps({"key": key(old), **old, **result}))
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_confirmed_runs_get_the_present_keys(ledger):
    before = records(ledger)
    runs = stored_runs(PLAN, ledger.parent)
    assert migrate(ledger, runs, 2) == {("old", "new"): True}
    assert played == [JOBS[2], JOBS[1]]  # the shortest
    after = records(ledger)
    assert [run["key"] for run in after[:3]] == [key(job.configuration()) for job in JOBS]
    assert after[3] == before[3]
    changed = [{**run, "key": "", "code": ""} for run in after]
    assert changed == [{**run, "key": "", "code": ""} for run in before]
    assert migrate(ledger, stored_runs(PLAN, ledger.parent)) == {}


@pytest.mark.parametrize("field", ["error", "curve"])
def test_runs_with_other_results_stay_as_they_are(ledger, field):
    runs = records(ledger)
    runs[2][field] = 0.3 if field == "error" else {"seconds": [1.0], "e": [2]}
    ledger.write_text("\n".join(map(json.dumps, runs)) + "\n")
    before = ledger.read_bytes()
    assert migrate(ledger, stored_runs(PLAN, ledger.parent)) == {("old", "new"): False}
    assert ledger.read_bytes() == before
