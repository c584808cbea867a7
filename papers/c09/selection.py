"""The runs of C09 that stand in a cell of a table."""

from onearm.experiments.job import Record
from papers.c09.runs import MAIN, Best, Changes

Cells = dict[tuple[str, str], list[float]]  # errors by data set and method


def select(
    records: list[Record], data: str, method: str, changes: Changes = (), rows: str = MAIN
) -> list[float]:
    """Return the errors of one cell, in the order of the seeds."""
    cell = (data, method, rows, [list(change) for change in changes])
    runs = [r for r in records if (r["data"], r["method"], r["rows"], r["changes"]) == cell]
    return [run["error"] for run in sorted(runs, key=lambda run: run["seed"])]


def main_changes(best: Best, data: str, method: str) -> Changes:
    """Return the parameter that was chosen for Table I: Banditron's γ."""
    return (("gamma", best.get((data, method))),) if method == "Banditron" else ()
