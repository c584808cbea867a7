"""Papers need the data sets that are asked for, and no other."""

import pytest
from typer.testing import CliRunner

from onearm.cli.program import app
from papers.z19 import command as z19
from papers.z19 import data

runner = CliRunner()


@pytest.fixture(autouse=True)
def nothing_but_what_is_shipped(own_cache):
    data.load.cache_clear()


@pytest.mark.compiled  # the hash of compiled code is part of a configuration
def test_z19_quick_needs_only_what_is_shipped(monkeypatch, tmp_path):
    played = []
    monkeypatch.setattr("papers.RESULTS", tmp_path)
    monkeypatch.setattr(z19, "ready", lambda job: None)
    monkeypatch.setattr(z19, "play_all", lambda play, todo, *more: played.extend(todo) or [])
    result = runner.invoke(app, ["papers", "z19.table1", "--quick"])
    assert result.exit_code == 0, result.output
    assert {job.data for job in played} == {"balance", "car"}


def test_a_data_set_that_is_asked_for_and_not_there_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("papers.RESULTS", tmp_path)
    told = ["papers", "z19.table1", "--only", "movement", "--out", str(tmp_path)]
    result = runner.invoke(app, told)
    assert result.exit_code == 2
    assert "movement_har.csv.xz" in result.output
    assert "ONEARM_DATA" in result.output


def test_what_is_shipped_is_found_first(monkeypatch, tmp_path):
    (tmp_path / "car.csv.xz").write_bytes(b"another file of that name")
    monkeypatch.setenv("ONEARM_DATA", str(tmp_path))
    assert data.load("car").n_rows == 1728
