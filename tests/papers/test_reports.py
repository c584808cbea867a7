"""The committed reports are what the committed runs say, in every number and word."""

import json

import pytest

from papers import PUBLISHED, RESULTS, find_replication
from papers.replication import Request

pytest.importorskip("sklearn")
TABLES = {published.module: name for name, published in PUBLISHED.items()}.values()


def identity(values, fields):
    """Return what tells a run from others of its table, whatever code played it."""
    return json.dumps([values[field] for field in fields])


def committed_runs(name):
    """Return the runs of a table in the order of its jobs, and how many the ledger has."""
    plan, folder = find_replication(name), RESULTS / name.split(".")[0]
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


@pytest.mark.parametrize("name", TABLES)
def test_reports_are_what_the_committed_runs_say(name):
    plan, folder = find_replication(name), RESULTS / name.split(".")[0]
    records, n_runs = committed_runs(name)
    assert len(records) == n_runs > 0
    written = plan.text(records, Request(plan.defaults, folder, f"onearm papers {name}"))
    committed = (folder / plan.report).read_text()
    assert without_origin(written) == without_origin(committed)
    assert f"from {n_runs:,} runs" in committed
