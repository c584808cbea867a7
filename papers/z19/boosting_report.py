"""What becomes of AdaBandit's weak learners: a table, and a row of panels for each data set.

boosting.md     the last fifth of the streams
boosting.png    over time: the α, and the edge of the weak learners, which is how often they
                are right less 1/k; over the last fifth: the accuracy of expert i against i
"""

from pathlib import Path
from typing import Any

import numpy as np

from onearm.experiments.job import Record
from papers.figures import subplots
from papers.markdown import table
from papers.records import grouped, select
from papers.replication import Options, Replication
from papers.z19.boosting import DATA_SETS, SEEDS, jobs
from papers.z19.paper import TABLES
from papers.z19.report import mean
from papers.z19.runs import DEFAULTS, PAPER, repeat

SPREAD = ("min", "median", "max")
HEAD = ["data", "settings", "accuracy", "vote of all", "with equal α", "weak learner, mean", "best",
        "α", "two disagree"]  # fmt: skip


def text(records: list[Record], _: Options) -> list[str]:
    """Return the last fifth of the streams in Markdown."""
    rows = [_row(*cell, runs) for cell, runs in grouped(records, "data", "settings").items()]
    seeds = ", ".join(map(str, _seeds(records)))
    notes = f"""\
Accuracy over the last fifth of the stream, mean over seeds {seeds} (± standard
error of the accuracy)."""
    return [notes, table(HEAD, rows)]


def _seeds(records: list[Record]) -> list[int]:
    return sorted({run["seed"] for run in records})


def _cut(records: list[Record], _: Options) -> list[str]:
    n = len(_seeds(records))
    return [f"{n} of {SEEDS} runs"] * (n < SEEDS)


def _row(data: str, settings: str, runs: list[Record]) -> list[str]:
    votes = [_mean(runs, lambda run, of=of: run[of][-1]) for of in ("expert", "equal_votes")]
    weak = [_mean(runs, lambda run, way=way: way(run["weak"])) for way in (np.mean, max)]
    low, high = (_mean(runs, lambda run, way=way: way(run["alpha"])) for way in (min, max))
    plain = [f"{value:.3f}" for value in (*votes, *weak)]
    apart = f"{_mean(runs, lambda run: run['disagreement']):.2f}"
    accuracy = mean([run["accuracy"] for run in runs])
    return [data, settings, accuracy, *plain, f"{low:.3f} to {high:.3f}", apart]


def draw(records: list[Record], path: Path) -> None:
    """Draw means over the seeds."""
    data_sets = list(dict.fromkeys(run["data"] for run in records))
    figure, panels = subplots(len(data_sets), 3, (16, 4.2 * len(data_sets)), squeeze=False)
    for row, data in zip(panels, data_sets, strict=True):
        for number, settings in enumerate((PAPER, DEFAULTS)):
            some = select(records, data=data, settings=settings)
            if not some:
                continue
            _spread(row[0], some, "alpha", f"C{number}", settings)
            _spread(row[1], some, "edge", f"C{number}", settings)
            _experts(row[2], some, f"C{number}", settings)
        _name(row, data, next(r for r in records if r["data"] == data))
    figure.savefig(path, dpi=120)


def _spread(axes: Any, runs: list[Record], what: str, colour: str, label: str) -> None:
    rounds = runs[0]["over_time"]["rounds"]
    low, middle, high = (_mean(runs, lambda r, s=s: r["over_time"][what][s]) for s in SPREAD)
    axes.plot(rounds, middle, color=colour, label=f"{label}: median, least to largest")
    axes.fill_between(rounds, low, high, color=colour, alpha=0.2, lw=0)


def _experts(axes: Any, runs: list[Record], colour: str, label: str) -> None:
    first = np.arange(1, len(runs[0]["expert"]) + 1)
    axes.plot(first, _mean(runs, lambda r: r["expert"]), "-", color=colour, label=label)
    equal = _mean(runs, lambda r: r["equal_votes"])
    axes.plot(first, equal, ":", color=colour, label=f"{label}: with equal α")
    weak = _mean(runs, lambda r: r["weak"])
    axes.plot(first, weak, ".", color=colour, label=f"{label}: weak learner i alone")


def _name(row: Any, data: str, run: Record) -> None:
    alphas, edges, experts = row
    k = run["parameters"]["n_classes"]
    edges.axhline(run["commonest_class"] - 1 / k, color="grey", lw=0.8, label="commonest class")
    alphas.set_yscale("symlog", linthresh=1e-3)
    alphas.set_title(f"{data}: α of the weak learners", loc="left")
    edges.set_title(f"{data}: how often weak learners are right, less 1/{k}", loc="left")
    experts.set_title(f"{data}: accuracy of the first i learners' vote", loc="left")
    experts.xaxis.get_major_locator().set_params(integer=True)
    for axes in (alphas, edges):
        axes.locator_params(axis="x", nbins=6)
    for axes, below in zip(row, ("rounds", "rounds", "i"), strict=True):
        axes.set_xlabel(below)
        axes.grid(alpha=0.2)
        axes.legend(frameon=False, fontsize=8)


def _mean(runs: list[Record], of: Any) -> np.ndarray:
    return np.mean([of(run) for run in runs], axis=0)


REPLICATION = Replication(
    stages=(jobs,), title="Does AdaBandit boost?", report="boosting.md", text=text, cut=_cut,
    figure="boosting.png", draw=draw, names=(tuple(TABLES),), defaults=Options(runs=SEEDS),
    quick=Options(only=("balance", "car"), runs=1), ledger="boosting.jsonl",
    on_request=tuple(name for name in TABLES if name not in DATA_SETS), repeat=repeat,
)  # fmt: skip
