"""Figure 2 of BOZ17 in numbers and words, in Markdown."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from papers.boz17.claims import NEAR, Results, claims, least, newtron
from papers.boz17.runs import DATA_SETS, LEARNERS, OTHERWISE, RUNS
from papers.claims import Claim, counted, percent
from papers.markdown import table
from papers.records import Record, written_by

NOTES = """\
The share of errors in percent, counted on the label that was said; ± half the width of a 95 %
interval over runs. γ is the one of 2⁻¹⁶ … 2⁻¹ with the least mean error over the same runs, as in
the paper. Runs draw SynSep and SynNonSep anew and shuffle the rows of the others. Reuters-21578,
the four largest topics, stands in for RCV1: {few:,} rounds where the paper has some hundred times
as many. PNewtron is not in the paper's panels for Reuters4, but in its words.

"Good γ" is for how many of the 16 the error is at most {near:g} points above the least that any
bandit learner has on the data set."""
WORDS = """\
The paper's numbers are curves alone, so what can be compared is what it says of them. Verdicts are
computed from the runs, by pairs that played the same rows: "holds" and "does not hold" are beyond
chance where two errors are compared, at the level of 95 %; else "open". What stands in brackets is
ours. Of the paper's "best on … data sets out of four" the number is lost in our copy; its words
name SynNonSep, Covtype and Reuters4."""

COVTYPE = """\
The paper says "Covtype from LibSVM", where it lies scaled and unscaled, and nothing of the order of
its rows. Above, columns are scaled and rows shuffled. Here columns are raw, or rows in the order of
the file; the latter runs differ in what learners draw alone."""


def write(records: list[Record], folder: Path, rounds: int | None) -> None:
    """Write figure2.md."""
    found = Results(records)
    asked = claims(found)
    parts = [_title(found, rounds), written_by("onearm papers boz17.figure2", records)]
    few = max((run["played"] for run in records if run["data"] == "reuters"), default=0)
    parts += [NOTES.format(few=few, near=100 * NEAR), _best(found, DATA_SETS)]
    parts += ["## What the paper says", WORDS, counted(asked)]
    parts += [_said(asked)]
    others = [data for data in OTHERWISE if len(found.there(data)) == len(LEARNERS)]
    if others:
        otherwise = [one for d in others for ask in (newtron, least) for one in ask(found, d)]
        parts += ["## Covtype otherwise", COVTYPE, _best(found, others), _said(otherwise)]
    (folder / "figure2.md").write_text("\n\n".join(parts) + "\n")


def _said(asked: list[Claim]) -> str:
    return table(["the paper says", "data", "verdict", "here, %"], [list(one) for one in asked])


def _title(found: Results, rounds: int | None) -> str:
    runs = [len(found.seeds(data, one)) for data in DATA_SETS for one in found.there(data)]
    span = sorted({min(runs), max(runs)}) if runs else [0]
    few = f"{' to '.join(map(str, span))} of {RUNS} runs" if span != [RUNS] else ""
    first = f"first {rounds:,} rounds" if rounds else ""
    said = ", ".join(one for one in (few, first) if one)
    return "# Figure 2 of BOZ17" + (f" ({said})" if said else "")


def _best(found: Results, names: Sequence[str]) -> str:
    rows = []
    for data in names:
        for learner in found.there(data):
            power = found.best(data, learner)
            runs = found.chosen(data, learner, power)
            last = percent([run["last"] for run in runs])
            explores = [f"2^-{power}", f"{found.good(data, learner)}"] if power else ["", ""]
            error = percent([run["error"] for run in runs])
            seconds = float(np.mean([run["cpu_seconds"] for run in runs]))
            rate = f"{runs[0]['played'] / seconds / 1000:,.0f}k" if seconds else "–"
            size = [f"{runs[0]['played']:,}", f"{len(runs)}"]
            rows.append([data, learner, explores[0], error, last, explores[1], rate, *size])
    head = ["data", "learner", "best γ", "error", "last tenth", "good γ", "rounds/s", "rounds"]
    return table([*head, "runs"], rows)
