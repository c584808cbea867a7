"""Figure 2 of BOZ17 as tables and claims, and the figure."""

from collections.abc import Iterable

import numpy as np

from onearm.experiments.job import Record
from papers.boz17 import figure
from papers.boz17 import runs as plan
from papers.boz17.claims import claims, lowest, newtron
from papers.boz17.paper import DATA_SETS, LEARNERS
from papers.boz17.results import NEAR, Results
from papers.boz17.runs import RUNS, jobs
from papers.claims import claims_table, count, percent
from papers.markdown import table
from papers.replication import Options, Replication

NOTES = """\
Error in percent, counted on the chosen label; ± half the width of a 95 % interval over runs. γ is
the one of 2⁻¹⁶ … 2⁻¹ with the least mean error over the same runs, as in the paper. Runs resample
SynSep and SynNonSep and shuffle the rows of the others. Reuters-21578, the four largest topics,
stands in for RCV1: {few:,} rounds where the paper has some hundred times as many. PNewtron is not
in the paper's panels for Reuters4, but in its words.

"Good γ" is the number of the 16 values for which the error is at most {near:g} points above the
least of any bandit learner on the data set."""
WORDS = """\
The paper's numbers are only curves, so what can be compared is what it says of them. Verdicts are
computed from the runs, by pairs that played the same rows: where two errors are compared, "holds"
and "does not hold" are significant at the level of 95 %; otherwise "open". Bounds in brackets are
ours. Of the paper's "best on … data sets out of four" the number is lost in our copy; its words
name SynNonSep, Covtype and Reuters4."""

COVTYPE = """\
The paper says "Covtype from LibSVM", which has it scaled and unscaled, and does not give the order
of its rows. Above, columns are scaled and rows shuffled. Here columns are raw, or rows in the order
of the file; the latter runs differ only in the random numbers of the learners."""


def text(records: list[Record], _: Options) -> list[str]:
    """Return tables and claims in Markdown."""
    results = Results(records)
    tested = claims(results)
    few = max((run["played"] for run in records if run["data"] == "reuters"), default=0)
    parts = [NOTES.format(few=few, near=100 * NEAR), _best(results, DATA_SETS)]
    parts += ["## What the paper says", WORDS, count(tested), claims_table(tested)]
    others = [data for data in plan.ALTERNATIVES if len(results.played(data)) == len(LEARNERS)]
    if others:
        tested = [c for d in others for test in (newtron, lowest) for c in test(results, d)]
        parts += ["## Other readings of Covtype", COVTYPE]
        parts += [_best(results, others), claims_table(tested)]
    return parts


def _cut(records: list[Record], options: Options) -> list[str]:
    results = Results(records)
    runs = [len(results.seeds(data, name)) for data in DATA_SETS for name in results.played(data)]
    span = sorted({min(runs), max(runs)}) if runs else [0]
    few = [f"{' to '.join(map(str, span))} of {RUNS} runs"] * (span != [RUNS])
    return few + [f"first {plan.QUICK_ROUNDS:,} rounds"] * options.quick


def _best(results: Results, names: Iterable[str]) -> str:
    rows = []
    for data in names:
        for learner in results.played(data):
            power = results.best(data, learner)
            runs = results.chosen(data, learner, power)
            last = percent([run["last"] for run in runs])
            gamma = [f"2^-{power}", f"{results.good(data, learner)}"] if power else ["", ""]
            error = percent([run["error"] for run in runs])
            seconds = float(np.mean([run["cpu_seconds"] for run in runs]))
            rate = f"{runs[0]['played'] / seconds / 1000:,.0f}k" if seconds else "–"
            size = [f"{runs[0]['played']:,}", f"{len(runs)}"]
            rows.append([data, learner, gamma[0], error, last, gamma[1], rate, *size])
    head = ["data", "learner", "best γ", "error", "last tenth", "good γ", "rounds/s", "rounds"]
    return table([*head, "runs"], rows)


REPLICATION = Replication(
    stages=(jobs,), title="Figure 2 of BOZ17", report="figure2.md", text=text, cut=_cut,
    figure="figure2.png", draw=figure.draw, names=(tuple(plan.SIZES), tuple(LEARNERS)),
    defaults=Options(runs=RUNS), quick=Options(runs=2), on_request=(plan.FETCHED,),
    claims={"boz17.figure2": lambda records: claims(Results(records))},
)  # fmt: skip
