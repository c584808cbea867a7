"""Figures 1 to 4 of C09, their left panels: errors over the stream, a panel for each data set."""

from pathlib import Path
from typing import Any

import numpy as np

from onearm.papers.c09_paper import DATA_SETS, STAND_IN, printed
from onearm.papers.c09_run import FIRST, POINTS, SIZES, TOLD
from onearm.papers.c09_table import own
from onearm.papers.runs import Record, evenly

LINES = {"Perceptron": "k", "Banditron": "C0", "OVA PA-I": "C3", "tree PA-I": "C2"}


def draw(records: list[Record], best: dict[tuple[str, str], float], path: Path) -> None:
    """Draw means over runs and their range; a triangle is what Table I prints."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import PercentFormatter

    names = [data for data in SIZES if any(run["data"] == data for run in records)]
    fig, panels = plt.subplots(
        1, max(len(names), 1), figsize=(15, 4.2), layout="constrained", squeeze=False
    )
    for axes, data in zip(panels.flat, names, strict=False):
        for method, colour in LINES.items():
            changes = [list(change) for change in own(best, data, method)]
            cell = (data, method, TOLD, changes)
            _line(axes, [r for r in records if _cell(r) == cell], data, method, colour)
        axes.set(xscale="log", xlabel="rounds", ylim=(0, 1))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.set_title(DATA_SETS.get(data, "Reuters-21578, for RCV1"), loc="left")
        axes.grid(alpha=0.2)
    panels.flat[0].set_ylabel("errors so far")
    panels.flat[-1].plot([], [], "<", color="grey", label="in Table I")
    handles, labels = panels.flat[-1].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
    fig.savefig(path, dpi=110)
    plt.close(fig)


def _cell(run: Record) -> tuple[str, str, str, list[list[Any]]]:
    return run["data"], run["method"], run["rows"], run["changes"]


def _line(axes: Any, runs: list[Record], data: str, method: str, colour: str) -> None:
    if not runs:
        return
    rounds = evenly(runs[0]["played"], POINTS, FIRST)
    values = np.array([run["curve"] for run in runs])
    axes.plot(rounds, values.mean(axis=0), color=colour, label=method, lw=1.6)
    axes.fill_between(
        rounds, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.15, lw=0
    )
    if data not in STAND_IN:
        axes.plot([1.15 * rounds[-1]], [printed(data, method)], "<", color=colour)
