"""Tables 1 and 2 of Z19 with ours beside them, in Markdown."""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from papers.markdown import table
from papers.verdicts import BETTER, WITHIN, WORSE
from papers.z19.paper import DATA_SETS, LEARNERS, OURS, TABLES, TUNED
from papers.z19.runs import DEFAULTS, PAPER, SETTINGS, Record

SHORT = 0.02  # of the paper's accuracy: so much is allowed
ROUNDED = 0.005
HEADS = {
    "asymptotic": "Table 1: asymptotic accuracy, that of the last 20 % of the stream",
    "total": "Table 2: total accuracy",
}
NOTES = """\
± is the standard error of the mean over runs. The paper prints none, and two decimals. A difference
is ours less the paper's. The settings "paper" are those published for each data set, "ours" are
the defaults of the class, the same for all. Within: the paper's number lies in our 95 % interval,
or at most half of its last digit from our mean; else we are better or worse. Met: the mean is at
most {within} below the paper's, or above it; asked of AdaBandit and BanditBBM, asymptotic. A run is
one shuffle of the stream, with the seeds 4 to 23 (Movement, Isolet: 4 to 13).

Our streams have {counts} rounds.
The paper's tables say {theirs} for Movement, and k = 4 for Nursery, whose file has 5 classes."""


class Mean(NamedTuple):
    """Of some runs."""

    runs: int
    value: float
    error: float  # standard; NaN of a single run

    def __str__(self) -> str:
        return f"{self.value:.3f}" + (f" ± {self.error:.3f}" if self.runs > 1 else "")


def mean(records: list[Record], of: str) -> Mean | None:
    """The mean of one of the numbers of these runs."""
    if not records:
        return None
    values = np.array([record[of] for record in records])
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
    return Mean(len(values), float(values.mean()), float(error))


def select(records: list[Record], data: str, learner: str, settings: str) -> list[Record]:
    """The runs of one cell of the tables."""
    wanted = (data, learner, settings)
    return [r for r in records if (r["data"], r["learner"], r["settings"]) == wanted]


def met(found: Mean, printed: float) -> bool:
    """Whether we are as good as the paper."""
    return found.value >= printed - SHORT


def judged(found: Mean, printed: float) -> str:
    """Whether the paper's number lies in our 95 % interval, or within half of its last digit."""
    if found.runs < 2:
        return "one run"
    half = stdtrit(found.runs - 1, 0.975) * found.error
    off = found.value - printed
    if abs(off) <= max(half, ROUNDED):
        return WITHIN
    return BETTER if off > 0 else WORSE


def text(records: list[Record], about: str) -> str:
    """The whole file."""
    counts = {r["data"]: r["rounds"] for r in records}
    said = ", ".join(f"{counts[data]:,} ({data})" for data in DATA_SETS if data in counts)
    theirs = f"{TABLES['movement'].stream_count:,}"
    title = "# Online multiclass boosting with bandit feedback (Z19): Tables 1 and 2"
    parts = [title + _less(records), about]
    parts += [summary(records), NOTES.format(within=SHORT, counts=said, theirs=theirs)]
    parts += [cramped(records)]
    for of, head in HEADS.items():
        parts += [f"## {head}", compared(records, of)]
    parts += ["## Rounds per CPU second", speeds(records)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _less(records: list[Record]) -> str:
    """How much less than all of it was played."""
    seeds = {data: {r["seed"] for r in records if r["data"] == data} for data in DATA_SETS}
    few = [f"{len(some)} of {len(TABLES[data].seeds)} runs of {data}"
           for data, some in seeds.items() if len(some) < len(TABLES[data].seeds)]  # fmt: skip
    return f" ({', '.join(few)})" if few else ""


def summary(records: list[Record]) -> str:
    """How often the demand is met, a line for each learner and settings."""
    lines = []
    for learner, settings in ((learner, s) for learner in TUNED for s in SETTINGS):
        found = {d: mean(select(records, d, learner, settings), "asymptotic") for d in DATA_SETS}
        there = {data: one for data, one in found.items() if one is not None}
        missed = [d for d, one in there.items() if not met(one, TABLES[d].asymptotic[learner])]
        short = f"; short on {', '.join(missed)}" if missed else ""
        n = len(there) - len(missed)
        lines.append(f"- {learner}, {settings}: met on {n} of {len(there)} data sets{short}")
    return "\n".join(lines)


def cramped(records: list[Record]) -> str:
    """Where trees had used up their memory before the end, which the paper's never do."""
    cells: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        cells.setdefault(tuple(record[p] for p in ("data", "learner", "settings")), []).append(
            record
        )
    shares = {cell: mean_share(some) for cell, some in cells.items()}
    lines = [
        f"- {data}, {learner}, {settings}: {share:.0%}"
        for (data, learner, settings), share in shares.items()
        if share > 0
    ]
    head = "Trees that had used up `max_bytes` by the end and split no more; the paper's never do:"
    return "\n".join([head, "", *lines]) if lines else ""


def mean_share(records: list[Record]) -> float:
    """Of trees without room, over some runs."""
    full, trees = (sum(record["nodes"][part] for record in records) for part in ("full", "trees"))
    return full / trees


def compared(records: list[Record], of: str) -> str:
    """One of the two tables, a line for each data set and algorithm."""
    head = ["data", "algorithm", "in the paper"]
    for settings in SETTINGS:
        head += [f"here, settings: {settings}", "difference", "verdict", "runs"]
    theirs = {ours: name for name, ours in OURS.items()}
    rows = []
    for data, learner in ((data, learner) for data in DATA_SETS for learner in LEARNERS):
        printed = getattr(TABLES[data], of)[learner]
        row = [data, f"{learner} ({theirs[learner]})", f"{printed:.2f}"]
        for settings in SETTINGS:
            found = mean(select(records, data, learner, settings), of)
            row += _beside(found, printed, len(TABLES[data].seeds), _asked(learner, of))
        rows.append(row)
    return table(head, rows)


def _asked(learner: str, of: str) -> bool:
    return learner in TUNED and of == "asymptotic"


def _beside(found: Mean | None, printed: float, runs: int, asked: bool) -> list[str]:
    if found is None:
        return [""] * 4
    answer = judged(found, printed) + (
        " **(not met)**" if asked and not met(found, printed) else ""
    )
    return [str(found), f"{found.value - printed:+.3f}", answer, f"{found.runs} of {runs}"]


def speeds(records: list[Record]) -> str:
    """How fast the learners are, by the mean of their runs."""
    columns = [(learner, PAPER) for learner in LEARNERS] + [(one, DEFAULTS) for one in TUNED]
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
