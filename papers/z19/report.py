"""Tables 1 and 2 of Z19 with our numbers beside them, and learning curves.

D. Zhang, Y. H. Jung, A. Tewari. Online multiclass boosting with bandit feedback. AISTATS 2019.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from onearm.experiments.job import Record
from papers.markdown import table, written_by
from papers.replication import Options, Replication, Request
from papers.verdicts import BETTER, WITHIN, WORSE, Cell
from papers.z19 import claims, figure
from papers.z19.paper import DATA_SETS, LEARNERS, OURS, TABLES, TUNED
from papers.z19.runs import DEFAULTS, PAPER, SETTINGS, jobs, repeat, select

SLACK = 0.02  # below the paper's accuracy: so much is allowed
ROUNDED = 0.005
HEADS = {
    "asymptotic": "Table 1: asymptotic accuracy, that of the last 20 % of the stream",
    "total": "Table 2: total accuracy",
}
NOTES = """\
± is the standard error of the mean over runs. The paper prints none, and two decimals. A difference
is ours minus the paper's. The settings "paper" are those published for each data set, "ours" are
the defaults of the class, the same for all. Within: the paper's number lies in our 95 % interval,
or at most half of its last digit from our mean; otherwise we are better or worse. Met: the mean is
at most {within} below the paper's, or above it; required of the asymptotic accuracy of AdaBandit
and BanditBBM. A run is one shuffle of the stream, with the seeds 4 to 23 (Movement, Isolet: 4 to
13).

Our streams have {counts} rounds.
The paper's tables say {theirs} for Movement, and k = 4 for Nursery, whose file has 5 classes."""


class Mean(NamedTuple):
    """The mean of some runs."""

    runs: int
    value: float
    error: float  # standard; NaN of a single run

    def __str__(self) -> str:
        return f"{self.value:.3f}" + (f" ± {self.error:.3f}" if self.runs > 1 else "")


def mean(records: list[Record], of: str) -> Mean | None:
    """Return the mean of one of the numbers of these runs; None if there are no runs."""
    if not records:
        return None
    values = np.array([record[of] for record in records])
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
    return Mean(len(values), float(values.mean()), float(error))


def met(ours: Mean, printed: float) -> bool:
    """Whether we are as good as the paper."""
    return ours.value >= printed - SLACK


def verdict(ours: Mean, printed: float) -> str:
    """Return whether the paper's number lies in our 95 % interval or within half a digit."""
    if ours.runs < 2:
        return "one run"
    half = stdtrit(ours.runs - 1, 0.975) * ours.error
    difference = ours.value - printed
    if abs(difference) <= max(half, ROUNDED):
        return WITHIN
    return BETTER if difference > 0 else WORSE


def text(records: list[Record], request: Request) -> str:
    """Return the tables in Markdown."""
    counts = {r["data"]: r["rounds"] for r in records}
    rounds = ", ".join(f"{counts[data]:,} ({data})" for data in DATA_SETS if data in counts)
    theirs = f"{TABLES['movement'].stream_count:,}"
    title = "# Online multiclass boosting with bandit feedback (Z19): Tables 1 and 2"
    parts = [title + _incomplete(records), written_by(request.command, records)]
    parts += [summary(records), NOTES.format(within=SLACK, counts=rounds, theirs=theirs)]
    parts += [full_trees(records)]
    for of, head in HEADS.items():
        parts += [f"## {head}", compared(records, of)]
    parts += ["## Rounds per CPU second", speeds(records)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _incomplete(records: list[Record]) -> str:
    """Return how much of the table was played, if not all."""
    seeds = {data: {r["seed"] for r in records if r["data"] == data} for data in DATA_SETS}
    few = [f"{len(some)} of {len(TABLES[data].seeds)} runs of {data}"
           for data, some in seeds.items() if len(some) < len(TABLES[data].seeds)]  # fmt: skip
    return f" ({', '.join(few)})" if few else ""


def summary(records: list[Record]) -> str:
    """Return on how many data sets the requirement is met, by learner and settings."""
    lines = []
    for learner, settings in ((learner, s) for learner in TUNED for s in SETTINGS):
        means = {d: mean(select(records, d, learner, settings), "asymptotic") for d in DATA_SETS}
        played = {data: ours for data, ours in means.items() if ours is not None}
        missed = [d for d, ours in played.items() if not met(ours, TABLES[d].asymptotic[learner])]
        short = f"; not on {', '.join(missed)}" if missed else ""
        n = len(played) - len(missed)
        lines.append(f"- {learner}, {settings}: met on {n} of {len(played)} data sets{short}")
    return "\n".join(lines)


def full_trees(records: list[Record]) -> str:
    """Return where trees had used up their memory before the end; the paper's never do."""
    cells: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        cell = tuple(record[part] for part in ("data", "learner", "settings"))
        cells.setdefault(cell, []).append(record)
    shares = {", ".join(cell): full_share(runs) for cell, runs in cells.items()}
    lines = [f"- {cell}: {share:.0%}" for cell, share in shares.items() if share > 0]
    head = "Trees that had used up `max_bytes` by the end and split no more; the paper's never do:"
    return "\n".join([head, "", *lines]) if lines else ""


def full_share(records: list[Record]) -> float:
    """Return the share of trees without room, over some runs."""
    full, trees = (sum(record["nodes"][part] for record in records) for part in ("full", "trees"))
    return full / trees


def compared(records: list[Record], of: str) -> str:
    """Return one of the two tables, a line for each data set and algorithm."""
    head = ["data", "algorithm", "in the paper"]
    for settings in SETTINGS:
        head += [f"here, settings: {settings}", "difference", "verdict", "runs"]
    theirs = {ours: name for name, ours in OURS.items()}
    rows = []
    for data, learner in ((data, learner) for data in DATA_SETS for learner in LEARNERS):
        printed = getattr(TABLES[data], of)[learner]
        row = [data, f"{learner} ({theirs[learner]})", f"{printed:.2f}"]
        for settings in SETTINGS:
            ours = mean(select(records, data, learner, settings), of)
            required = learner in TUNED and of == "asymptotic"
            row += _cells(ours, printed, len(TABLES[data].seeds), required)
        rows.append(row)
    return table(head, rows)


def _cells(ours: Mean | None, printed: float, runs: int, required: bool) -> list[str]:
    if ours is None:
        return [""] * 4
    missed = " **(not met)**" if required and not met(ours, printed) else ""
    difference = f"{ours.value - printed:+.3f}"
    return [str(ours), difference, verdict(ours, printed) + missed, f"{ours.runs} of {runs}"]


def speeds(records: list[Record]) -> str:
    """Return how fast the learners are, by the mean of their runs."""
    columns = [(name, PAPER) for name in LEARNERS] + [(name, DEFAULTS) for name in TUNED]
    rows = []
    for data in DATA_SETS:
        cells = [select(records, data, *column) for column in columns]
        rows.append([data, *(_rate(cell) for cell in cells)])
    return table(["data", *(f"{learner}, {settings}" for learner, settings in columns)], rows)


def _rate(records: list[Record]) -> str:
    if not records:
        return ""
    rounds, seconds = (sum(r[part] for r in records) for part in ("rounds", "cpu_seconds"))
    return f"{rounds / max(seconds, 1e-3):,.0f}"


def printed_cells(records: list[Record], of: str) -> list[Cell]:
    """Return the errors of one of the two tables, with the published settings, beside ours."""
    cells = []
    for data, learner in ((data, learner) for data in DATA_SETS for learner in LEARNERS):
        ours = mean(select(records, data, learner, PAPER), of)
        printed = getattr(TABLES[data], of)[learner]
        if ours is not None:
            name = f"{data} {learner}"
            cells.append(Cell(name, 100 * (1 - ours.value), 100 * (1 - printed)))
    return cells


REPLICATION = Replication(
    stages=(jobs,), report="tables.md", text=text, figure="curves.png", draw=figure.draw,
    names=(DATA_SETS, LEARNERS, SETTINGS),
    defaults=Options(runs=max(len(table.seeds) for table in TABLES.values())),
    quick=Options(only=("balance", "car"), runs=1), repeat=repeat,
    cells={
        "z19.table1": partial(printed_cells, of="asymptotic"),
        "z19.table2": partial(printed_cells, of="total"),
    },
    claims={
        "z19.table1": claims.of_table, "z19.table2": claims.of_totals, **claims.FIGURES,
    },
)  # fmt: skip
