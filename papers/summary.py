"""What came out the same: every table and figure of the five papers in one page.

`onearm papers summary` counts the numbers that a paper prints and that we have computed, by one
rule for all, and the claims of its text that our runs decide. It plays nothing: all is computed
from the stored runs.
"""

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from papers import PUBLISHED, RESULTS, find_replication
from papers.claims import FAILS, HOLDS, OPEN, Claim
from papers.markdown import table
from papers.records import stored_runs
from papers.verdicts import POINTS, SHARE, WORSE, Cell, count_outcomes

OUT = "papers.md"
CURVES = "Curves with neither printed numbers nor tested claims"
HEAD = f"""\
Written by `onearm papers summary` from the stored runs. A cell is an error or a loss that a paper
prints and that was computed again. Within: at most {100 * SHARE:g} % of the paper's number from it
or, of percentages, at most {POINTS:g} points; better: lower than that; worse: higher. Accuracies
are counted as errors. There is no tolerance for chance, so a cell may be worse or better by the
noise of a single run. Other data: the paper's rows or answers were not to be had, so nothing is
decided. Claims are sentences of a paper about its table or figure, tested on our runs. Tables of
data sets and settings, and figures of pseudocode, are not results and not here."""


class Outcome(NamedTuple):
    """A table or figure of a paper, its cells and its claims."""

    name: str
    cells: list[Cell]
    claims: list[Claim]


def outcomes(results: Path = RESULTS) -> list[Outcome]:
    """Return all tables and figures of the papers with what our stored runs say of them."""
    every = []
    for name in (name for name, published in PUBLISHED.items() if not published.ours):
        plan = find_replication(name)
        tests: list[Any] = [plan.cells.get(name), plan.claims.get(name)]
        stored = stored_runs(plan, results / name.split(".")[0]) if any(tests) else []
        records = [run for _, run in stored]
        every.append(Outcome(name, *(test(records) if test else [] for test in tests)))
    return every


def text(every: list[Outcome]) -> str:
    """Return the page in Markdown."""
    rows, curves = [], [f"`{name}`" for name, cells, claims in every if not cells + claims]
    for name, cells, claims in every:
        if not cells + claims:
            continue
        counts = [str(n) for n in count_outcomes(cells).values()] if cells else [""] * 4
        verdicts = [claim.verdict for claim in claims]
        tested = [str(verdicts.count(v)) for v in (HOLDS, FAILS, OPEN)] if claims else [""] * 3
        rows.append([f"`{name}`", str(len(cells) or ""), *counts, *tested])
    head = ["table or figure", "cells", *count_outcomes([]), "claims hold", "do not", "open"]
    total = [cell for _, cells, _ in every for cell in cells]
    outcome = ", ".join(f"{n} {kind}" for kind, n in count_outcomes(total).items())
    parts = ["# What came out the same", HEAD, f"Of {len(total)} cells: {outcome}."]
    parts += [table(head, rows), f"{CURVES}: {', '.join(curves) or 'none'}."]
    parts += [_papers(every), "## Cells that are worse", _worse(every)]
    parts += ["## Claims that do not hold", _failed(every)]
    return "\n\n".join(parts) + "\n"


def _papers(every: list[Outcome]) -> str:
    """Return which papers the first parts of the names stand for."""
    folders = dict.fromkeys(outcome.name.split(".")[0] for outcome in every)
    return "\n".join(f"- {name}: {import_module(f'papers.{name}').__doc__}" for name in folders)


def _worse(every: list[Outcome]) -> str:
    rows = [
        [f"`{name}`", cell.name, f"{cell.theirs:.4g}", f"{cell.ours:.4g}"]
        for name, cells, _ in every
        for cell in cells
        if cell.outcome() == WORSE
    ]
    return table(["table", "cell", "the paper's", "here"], rows)


def _failed(every: list[Outcome]) -> str:
    rows = [
        [f"`{name}`", claim.statement, claim.data, claim.numbers]
        for name, _, claims in every
        for claim in claims
        if claim.verdict == FAILS
    ]
    return table(["table or figure", "the paper says", "data", "here"], rows)


def write(results: Path = RESULTS) -> Path:
    """Write the page and return its path."""
    path = results / OUT
    path.write_text(text(outcomes(results)))
    return path
