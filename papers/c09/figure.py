"""Figures 1 to 4 of C09: errors over the stream, a row of panels for each data set.

As in the paper the left panel has four learners, the middle one the three forms of conservative
OVA, the right one those of the offset tree.
"""

from pathlib import Path
from typing import Any

import numpy as np

from onearm.experiments.job import Record
from papers.c09.paper import DATA_SETS, OVA, STAND_IN, TREES, printed
from papers.c09.runs import ENTRIES, FIRST, POINTS, cell_runs, main_changes, split
from papers.figures import mean_and_range, subplots
from papers.playing import curve_rounds

FORMS = ("C0", "C3", "C2")  # PA, PA-I, PA-II
PANELS = (
    {"Perceptron": "k", "Banditron": "C1", "OVA PA-I": "C3", "tree PA-I": "C4"},
    dict(zip(OVA, FORMS, strict=True)),
    dict(zip(TREES, FORMS, strict=True)),
)


def draw(records: list[Record], path: Path) -> None:
    """Draw means over runs and their range; a triangle is what Table I prints."""
    from matplotlib.ticker import PercentFormatter

    runs, best = split(records)
    names = [data for data in ENTRIES if any(run["data"] == data for run in runs)]
    n = max(len(names), 1)
    figure, grid = subplots(n, len(PANELS), (13, 3.4 * n), squeeze=False)
    for data, row in zip(names, grid, strict=False):
        for axes, lines in zip(row, PANELS, strict=True):
            for method, colour in lines.items():
                some = cell_runs(runs, data, method, main_changes(best, data, method))
                _line(axes, some, data, method, colour)
            axes.set(xscale="log", xlabel="rounds", ylim=(0, 1))
            axes.yaxis.set_major_formatter(PercentFormatter(1.0))
            axes.grid(alpha=0.2)
            axes.legend(frameon=False, fontsize="small")
        row[0].set_title(DATA_SETS.get(data, "Reuters-21578 in place of RCV1"), loc="left")
        row[0].set_ylabel("error so far")
    figure.savefig(path, dpi=90)


def _line(axes: Any, runs: list[Record], data: str, method: str, colour: str) -> None:
    if not runs:
        return
    rounds = curve_rounds(runs[0]["played"], POINTS, FIRST)
    values = np.array([run["curve"] for run in runs])
    mean_and_range(axes, rounds, values, color=colour, label=method, lw=1.6)
    if data not in STAND_IN:
        axes.plot([1.15 * rounds[-1]], [printed(data, method)], "<", color=colour)
