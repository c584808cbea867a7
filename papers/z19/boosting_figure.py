"""What became of AdaBandit's weak learners, a row of panels for each data set."""

from pathlib import Path
from typing import Any

import numpy as np

from papers.z19.runs import DEFAULTS, PAPER, Record

SPREAD = ("min", "median", "max")


def draw(records: list[Record], path: Path) -> None:
    """Draw means over the seeds."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    data_sets = list(dict.fromkeys(run["data"] for run in records))
    size = (16, 4.2 * len(data_sets))
    fig, panels = plt.subplots(len(data_sets), 3, figsize=size, squeeze=False, layout="constrained")
    for row, data in zip(panels, data_sets, strict=True):
        for number, settings in enumerate((PAPER, DEFAULTS)):
            some = [r for r in records if (r["data"], r["settings"]) == (data, settings)]
            _spread(row[0], some, "alpha", f"C{number}", settings)
            _spread(row[1], some, "edge", f"C{number}", settings)
            _experts(row[2], some, f"C{number}", settings)
        _name(row, data, next(r for r in records if r["data"] == data))
    fig.savefig(path, dpi=120)
    plt.close(fig)


def _spread(axes: Any, runs: list[Record], what: str, colour: str, label: str) -> None:
    rounds = runs[0]["over_time"]["rounds"]
    low, middle, high = (_mean(runs, lambda r, s=s: r["over_time"][what][s]) for s in SPREAD)
    axes.plot(rounds, middle, color=colour, label=f"{label}: median, least to largest")
    axes.fill_between(rounds, low, high, color=colour, alpha=0.2, lw=0)


def _experts(axes: Any, runs: list[Record], colour: str, label: str) -> None:
    first = np.arange(1, len(runs[0]["expert"]) + 1)
    axes.plot(first, _mean(runs, lambda r: r["expert"]), "-", color=colour, label=label)
    equal = _mean(runs, lambda r: r["equal_votes"])
    axes.plot(first, equal, ":", color=colour, label=f"{label}: were all α equal")
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
