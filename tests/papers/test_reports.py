"""The committed reports are what the committed runs say, in every number and word."""

import json
from pathlib import Path

import pytest

from papers import PUBLISHED, RESULTS, replication
from papers.replication import Request

pytest.importorskip("matplotlib")
pytest.importorskip("sklearn")
REPORTS = {
    "c09.table1": "table1.md", "boz17.figure2": "figure2.md", "z19.table1": "tables.md",
    "z19.boosting": "boosting.md", "b10.table1": "table1.md", "b10.figure3": "features.md",
    "b10.usps": "usps.md", "bh20.table1": "table1.md", "bh20.table2": "table2.md",
}  # fmt: skip


def identity(values, fields):
    """Return what tells a run from others of its table, whatever code played it."""
    return json.dumps([values[field] for field in fields])


def committed_runs(name):
    """Return the runs of a table in the order of its jobs, and how many the ledger has."""
    plan, folder = replication(name), RESULTS / name.split(".")[0]
    lines = (folder / plan.ledger).read_text().splitlines()
    runs, records = list(map(json.loads, lines)), []
    for stage in plan.stages:
        jobs = stage(Request(plan.defaults, folder, ""), records)
        fields = [field for field in jobs[0]._fields if field != "earlier"]
        by_identity = {identity(run, fields): run for run in runs}
        keys = [identity(job._asdict(), fields) for job in jobs]
        records = records + [by_identity[key] for key in keys if key in by_identity]
    return records, len(runs)


def without_origin(text):
    """Return a report without the line that says when and by what it was written."""
    return [line for line in text.splitlines() if not line.startswith("Written by `onearm papers")]


def test_every_module_has_its_report():
    modules = {published.module for published in PUBLISHED.values()}
    assert {PUBLISHED[name].module for name in REPORTS} == modules


@pytest.mark.parametrize("name", REPORTS)
def test_reports_are_what_the_committed_runs_say(name, tmp_path, monkeypatch):
    plan, report = replication(name), RESULTS / name.split(".")[0] / REPORTS[name]
    records, n_runs = committed_runs(name)
    assert len(records) == n_runs > 0
    for module in ("draw", "_draw", "figure"):
        monkeypatch.setattr(f"papers.{PUBLISHED[name].module}.{module}", NoFigure, raising=False)
    written = plan.write(records, Request(plan.defaults, tmp_path, f"onearm papers {name}"))
    assert written == tmp_path / REPORTS[name]
    assert without_origin(written.read_text()) == without_origin(report.read_text())
    origin = [line for line in Path(report).read_text().splitlines() if "Written by" in line]
    assert f"from {n_runs:,} runs" in origin[0]


class NoFigure:
    """In place of a module or function that draws."""

    def __init__(self, *_):
        pass

    @staticmethod
    def draw(*_):
        """Draw nothing."""
