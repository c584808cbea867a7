"""Papers need only the data sets that are asked for, and play no finished run again."""

import json

import pytest
from typer.testing import CliRunner

from onearm.cli.program import app
from onearm.experiments.pool import play_job
from papers.replication import Options, Request
from papers.z19 import data
from papers.z19.report import REPLICATION
from papers.z19.runs import Job

runner = CliRunner()


@pytest.fixture(autouse=True)
def only_shipped_data(empty_cache):
    data.load.cache_clear()


def played_jobs(monkeypatch, arguments):
    """Return the jobs that a command would play."""
    played = []

    def play(jobs, ledger, console):
        played.extend(jobs)
        return type("Played", (), {"failures": []})

    monkeypatch.setattr(Job, "configuration", lambda job: job.values())  # without digests
    monkeypatch.setattr("papers.replication.play_missing", play)
    result = runner.invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return played


def in_this_process(monkeypatch, play):
    """Play jobs here instead of in workers."""
    plays = lambda jobs, *_: (play(key, job, None) for key, job in jobs.items())  # noqa: E731
    monkeypatch.setattr("onearm.experiments.run.play_all", plays)


@pytest.mark.compiled  # the hash of compiled code is part of a configuration
def test_z19_quick_needs_only_shipped_data(monkeypatch, tmp_path):
    played = played_jobs(monkeypatch, ["papers", "z19.table1", "--quick", "--out", str(tmp_path)])
    assert {job.data for job in played} == {"balance", "car"}
    assert {job.seed for job in played} == {4}


@pytest.mark.compiled
def test_quick_and_only(monkeypatch, tmp_path):
    command = ["papers", "z19.table1", "--quick", "--only", "CAR,adabandit,ours", "--runs", "2"]
    played = played_jobs(monkeypatch, [*command, "--out", str(tmp_path)])
    assert sorted(played) == [Job("car", "AdaBandit", "ours", seed) for seed in (4, 5)]


@pytest.mark.parametrize("name", data.ENTRIES)
def test_sizes_are_known_without_the_data(name):
    sizes = data.sizes(name)
    assert set(sizes) == {"n_classes", "n_features", "nominal"}
    if name in ("balance", "car", "nursery", "mice"):
        stream = data.load(name)
        assert (stream.n_classes, stream.n_features) == (sizes["n_classes"], sizes["n_features"])
        assert stream.nominal == sizes["nominal"]


def test_a_missing_data_set_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(Job, "configuration", lambda job: job.values())
    in_this_process(monkeypatch, play_job)
    command = ["papers", "z19.table1", "--only", "movement,BinBandit", "--runs", "1"]
    result = runner.invoke(app, [*command, "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert "movement_har.csv.xz" in result.output
    assert "ONEARM_DATA" in result.output


def test_a_finished_run_is_not_played_again(monkeypatch, tmp_path):
    command = ["papers", "z19.table1", "--quick", "--only", "balance,BinBandit"]
    monkeypatch.setattr(Job, "configuration", lambda job: job.values())
    result = {"rounds": 100, "total": 0.5, "asymptotic": 0.5, "cpu_seconds": 1.0, "versions": {}}
    result |= {"curve": {"rounds": [1], "accuracy": [0.5]}, "nodes": {"full": 0, "trees": 1}}
    in_this_process(monkeypatch, lambda key, job, address: (key, result))
    for _ in range(2):
        assert runner.invoke(app, [*command, "--out", str(tmp_path)]).exit_code == 0
    lines = (tmp_path / "runs.jsonl").read_text().splitlines()
    assert [json.loads(line)["data"] for line in lines] == ["balance"]
    assert "1 of 20 runs of balance" in (tmp_path / "tables.md").read_text()


def test_options_have_the_defaults_of_the_table():
    assert REPLICATION.complete("z19.table1", Options()).runs == 20
    quick = REPLICATION.complete("z19.table1", Options(quick=True, runs=3))
    assert (quick.only, quick.runs) == (("balance", "car"), 3)
    jobs = REPLICATION.stages[0](Request(quick, None, ""), [])
    assert sum(REPLICATION.selects(job, quick) for job in jobs) == 2 * 7 * 3


def test_shipped_files_come_first(monkeypatch, tmp_path):
    (tmp_path / "car.csv.xz").write_bytes(b"another file of that name")
    monkeypatch.setenv("ONEARM_DATA", str(tmp_path))
    assert data.load("car").n_rows == 1728
