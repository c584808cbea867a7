"""The committed reports are what the committed runs say, in every number and word."""

import pytest

from papers import PUBLISHED, RESULTS, find_replication
from papers.records import stored_runs
from papers.replication import Request

pytest.importorskip("sklearn")
TABLES = {published.module: name for name, published in PUBLISHED.items()}.values()


def without_origin(text):
    """Return a report without the line that says when and by what it was written."""
    return [line for line in text.splitlines() if not line.startswith("Written by `onearm papers")]


@pytest.mark.parametrize("name", TABLES)
def test_reports_are_what_the_committed_runs_say(name):
    plan, folder = find_replication(name), RESULTS / name.split(".")[0]
    records = [run for _, run in stored_runs(plan, folder)]
    n_runs = len((folder / plan.ledger).read_text().splitlines())
    assert len(records) == n_runs > 0
    written = plan.page(records, Request(plan.defaults, folder, f"onearm papers {name}"))
    committed = (folder / plan.report).read_text()
    assert without_origin(written) == without_origin(committed)
    assert f"from {n_runs:,} runs" in committed
