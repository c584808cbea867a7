"""Tables 1 and 2 of Z19 with our numbers beside them, and learning curves."""

from functools import partial
from itertools import product

import numpy as np

from onearm.experiments.job import Record
from papers import verdicts
from papers.claims import Values
from papers.markdown import table
from papers.records import grouped, select
from papers.replication import Options, Replication
from papers.verdicts import Cell
from papers.z19 import claims, figure
from papers.z19.paper import DATA_SETS, LEARNERS, OURS, TABLES, TUNED
from papers.z19.runs import DEFAULTS, PAPER, SETTINGS, jobs, repeat

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


def of_cell(records: list[Record], of: str, data: str, learner: str, settings: str) -> Values:
    """Return one of the numbers of the runs of a cell."""
    return [run[of] for run in select(records, data=data, learner=learner, settings=settings)]


def mean(values: Values) -> str:
    """Return the mean with its standard error, if there are several values."""
    error = f" ± {np.std(values, ddof=1) / len(values) ** 0.5:.3f}" if len(values) > 1 else ""
    return f"{np.mean(values):.3f}{error}"


def met(ours: Values, printed: float) -> bool:
    """Whether we are as good as the paper."""
    return float(np.mean(ours)) >= printed - SLACK


def verdict(ours: Values, printed: float) -> str:
    """Return how our accuracies compare with the paper's, which has two decimals."""
    if len(ours) < 2:
        return "one run"
    return verdicts.verdict([-value for value in ours], -printed, ROUNDED)


def text(records: list[Record], _: Options) -> list[str]:
    """Return the tables in Markdown."""
    counts = {r["data"]: r["rounds"] for r in records}
    rounds = ", ".join(f"{counts[data]:,} ({data})" for data in DATA_SETS if data in counts)
    theirs = f"{TABLES['movement'].stream_count:,}"
    tables = [part for of, head in HEADS.items() for part in (f"## {head}", compared(records, of))]
    return [
        summary(records), NOTES.format(within=SLACK, counts=rounds, theirs=theirs),
        full_trees(records), *tables, "## Rounds per CPU second", speeds(records),
    ]  # fmt: skip


def _cut(records: list[Record], _: Options) -> list[str]:
    seeds = {data: {r["seed"] for r in records if r["data"] == data} for data in DATA_SETS}
    return [f"{len(some)} of {len(TABLES[data].seeds)} runs of {data}"
            for data, some in seeds.items() if len(some) < len(TABLES[data].seeds)]  # fmt: skip


def summary(records: list[Record]) -> str:
    """Return on how many data sets the requirement is met, by learner and settings."""
    lines = []
    for learner, settings in product(TUNED, SETTINGS):
        cells = {d: of_cell(records, "asymptotic", d, learner, settings) for d in DATA_SETS}
        played = {data: ours for data, ours in cells.items() if ours}
        missed = [d for d, ours in played.items() if not met(ours, TABLES[d].asymptotic[learner])]
        short = f"; not on {', '.join(missed)}" if missed else ""
        n = len(played) - len(missed)
        lines.append(f"- {learner}, {settings}: met on {n} of {len(played)} data sets{short}")
    return "\n".join(lines)


def full_trees(records: list[Record]) -> str:
    """Return where trees had used up their memory before the end; the paper's never do."""
    cells = grouped(records, "data", "learner", "settings")
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
    rows = []
    for data, (theirs, learner) in product(DATA_SETS, OURS.items()):
        printed = getattr(TABLES[data], of)[learner]
        row = [data, f"{learner} ({theirs})", f"{printed:.2f}"]
        for settings in SETTINGS:
            ours = of_cell(records, of, data, learner, settings)
            required = learner in TUNED and of == "asymptotic"
            row += _cells(ours, printed, len(TABLES[data].seeds), required)
        rows.append(row)
    return table(head, rows)


def _cells(ours: Values, printed: float, runs: int, required: bool) -> list[str]:
    if not ours:
        return [""] * 4
    missed = " **(not met)**" if required and not met(ours, printed) else ""
    difference = f"{np.mean(ours) - printed:+.3f}"
    return [mean(ours), difference, verdict(ours, printed) + missed, f"{len(ours)} of {runs}"]


def speeds(records: list[Record]) -> str:
    """Return how fast the learners are, by the mean of their runs."""
    columns = [(name, PAPER) for name in LEARNERS] + [(name, DEFAULTS) for name in TUNED]
    runs = grouped(records, "data", "learner", "settings")
    rows = [[data, *(_rate(runs.get((data, *c), [])) for c in columns)] for data in DATA_SETS]
    return table(["data", *(f"{learner}, {settings}" for learner, settings in columns)], rows)


def _rate(records: list[Record]) -> str:
    if not records:
        return ""
    rounds, seconds = (sum(r[part] for r in records) for part in ("rounds", "cpu_seconds"))
    return f"{rounds / max(seconds, 1e-3):,.0f}"


def printed_cells(records: list[Record], of: str) -> list[Cell]:
    """Return the errors of one of the two tables, with the published settings, beside ours."""
    cells = []
    for data, learner in product(DATA_SETS, LEARNERS):
        ours = of_cell(records, of, data, learner, PAPER)
        printed = getattr(TABLES[data], of)[learner]
        if ours:
            error = 100 * (1 - float(np.mean(ours)))
            cells.append(Cell(f"{data} {learner}", error, 100 * (1 - printed)))
    return cells


REPLICATION = Replication(
    stages=(jobs,), title="Online multiclass boosting with bandit feedback (Z19): Tables 1 and 2",
    report="tables.md", text=text, cut=_cut, figure="curves.png", draw=figure.draw,
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
