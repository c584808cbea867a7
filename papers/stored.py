"""The runs of a table that its ledger has, whatever code played them."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from onearm.experiments.job import Record
from onearm.experiments.ledger import Ledger
from papers.replication import Replication, Request


class Stored(NamedTuple):
    """A job of a table and its run."""

    job: Any
    run: Record


def stored_runs(plan: Replication, folder: Path) -> list[Stored]:
    """Return the runs in the order of the jobs; jobs are told apart by their own fields."""
    runs, found = list(Ledger(folder / plan.ledger).records().values()), list[Stored]()
    for stage in plan.stages:
        jobs: Any = stage(Request(plan.defaults, folder, ""), [pair.run for pair in found])
        fields = [name for name in jobs[0].values() if name != "earlier"] if jobs else []
        by_identity = {_identity(run, fields): run for run in runs}
        keys = [(job, _identity(job.values(), fields)) for job in jobs]
        found += [Stored(job, by_identity[key]) for job, key in keys if key in by_identity]
    return found


def _identity(values: Record, fields: list[str]) -> str:
    return json.dumps([values.get(field) for field in fields])
