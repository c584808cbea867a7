"""The benchmark of the service runs at a small size, and its report says what is required."""

import json
import shutil

import pytest

from bench.serve import command, report
from bench.serve.daemon import _adf, _plain
from bench.serve.disk import fdatasync
from bench.serve.program import contexts

RUN = {
    "connections": 16, "requests": 3000, "seconds": 1.0, "p50_ms": 4.0, "p99_ms": 9.0,
    "most_ms": 9.0, "refused_or_failed": 0, "socket_errors": 0, "cpu_seconds": 0.25,
    "decisions": 1500, "outcomes": 1490, "refused": 0.0, "lost": 0, "fdatasync_ms": [0.5, 1.5],
}  # fmt: skip


def loaded(**changes):
    runs = [RUN | changes | {"connections": n} for n in (1, 16, 64)]
    part = {"time": "2026", "load_average": 0.1, "results": {"rss_mib": 200, "runs": runs}}
    return {"parts": {"inversegap": part}}


def met(results):
    return {bound.what.split(",")[1].strip(): bound.met for bound in report.requirements(results)}


def test_requirements_of_the_load():
    good = loaded(decisions=2000)
    assert all(met(good).values())
    assert not met(loaded())["durable decisions per second"]
    assert not met(loaded(p50_ms=4.1))["p50 in ms"]  # 2.5 * 1 ms + 1.5 ms
    assert not met(loaded(cpu_seconds=0.31))["requests per second of server CPU"]
    assert not met(loaded(lost=1))["answers lost"]
    assert not met(loaded(refused_or_failed=1))["answers lost"]


@pytest.mark.parametrize(("mib", "failed"), [(480, 0), (700, 1), (1100, 2)])
def test_requirements_of_evaluations(mib, failed):
    """1,024 MiB, and 200 bytes for each event of each of two policies: 343 MiB for 900,000."""
    runs = [{"events": 100_000, "rss_mib": 300}, {"events": 1_000_000, "rss_mib": mib}]
    part = {"time": "2026", "load_average": 0.1, "results": dict(enumerate(runs))}
    bounds = report.requirements({"parts": {"evaluate": part}})
    assert sum(not bound.met for bound in bounds) == failed


def test_rows_of_the_daemon():
    text = "x0:0.5 x1:1"
    assert _plain(text, None) == b"|f x0:0.5 x1:1\n"
    assert _plain(text, (2, 0.25)) == b"3:0:0.25 |f x0:0.5 x1:1\n"
    lines = _adf(text, (2, 0.25)).decode().split("\n")
    assert lines[0] == "shared |c x0:0.5 x1:1"
    assert lines[1:5] == ["|a a0", "|a a1", "0:0:0.25 |a a2", "|a a3"]
    assert lines[11:] == ["", ""]


def test_disk_and_contexts(tmp_path):
    assert fdatasync(tmp_path, 3) > 0
    assert not [*tmp_path.iterdir()]
    assert len(json.loads(contexts(2)[1])) == 20


@pytest.mark.compiled
def test_a_small_run_of_parts_leaves_those_of_others(tmp_path, monkeypatch):
    small = {"seconds": 1, "events": 1500, "chorus_events": 200, "pending": 1000}
    monkeypatch.setattr(command, "QUICK", small)
    given = ["--quick", "--out", str(tmp_path), "--folder", str(tmp_path / "logs"), "--only"]
    only = ["inversegap", "recovery"] if shutil.which("wrk") else ["recovery"]
    command.main([*given, *only])
    command.main([*given, "memory", "evaluate"])
    results = json.loads((tmp_path / "serve.json").read_text())
    assert [*results["parts"]] == [*only, "memory", "evaluate"]
    assert results["errors"] == []
    parts = {name: part["results"] for name, part in results["parts"].items()}
    if "inversegap" in parts:
        assert all(
            run["lost"] + run["refused_or_failed"] == 0 for run in parts["inversegap"]["runs"]
        )
        assert all(run["outcomes"] > 0 for run in parts["inversegap"]["runs"])
    assert all(part["same_models"] for part in parts["recovery"].values())
    assert parts["recovery"]["InverseGap"]["replay"]["events"] == 1500
    assert parts["memory"]["1000"]["pending"] == 1001  # and one that was asked for
    assert parts["evaluate"]["1500"]["rss_mib"] > 100
    assert "| InverseGap | 1,500 |" in (tmp_path / "serve.md").read_text()
    assert not [*(tmp_path / "logs").iterdir()]
