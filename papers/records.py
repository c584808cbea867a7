"""The runs of a table: those that its ledger has, whatever code played them, and some of them."""

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
    runs, pairs = list(Ledger(folder / plan.ledger).records().values()), list[Stored]()
    for stage in plan.stages:
        jobs: Any = stage(Request(plan.defaults, folder, ""), [pair.run for pair in pairs])
        fields = [name for name in jobs[0].values() if name != "earlier"] if jobs else []
        by_identity = {_identity(run, fields): run for run in runs}
        keys = [(job, _identity(job.values(), fields)) for job in jobs]
        pairs += [Stored(job, by_identity[key]) for job, key in keys if key in by_identity]
    return pairs


def _identity(values: Record, fields: list[str]) -> str:
    return json.dumps([values.get(field) for field in fields])


def select(records: list[Record], **fields: Any) -> list[Record]:
    """Return the runs that have these values, by seed."""
    runs = [run for run in records if fields.items() <= run.items()]
    return sorted(runs, key=lambda run: run.get("seed", 0))


def grouped(records: list[Record], *fields: str) -> dict[tuple[Any, ...], list[Record]]:
    """Return the runs by their values of some fields, in their order."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for run in records:
        groups.setdefault(tuple(run[field] for field in fields), []).append(run)
    return groups
