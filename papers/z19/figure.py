"""Figures 1 and 2 of Z19: learning curves, a panel for each data set."""

from pathlib import Path
from typing import Any

import numpy as np

from onearm.experiments.job import Record
from papers.figures import subplots
from papers.records import select
from papers.z19.paper import DATA_SETS, LEARNERS, TABLES, TUNED
from papers.z19.runs import DEFAULTS, PAPER

LINES = [(learner, PAPER) for learner in LEARNERS] + [(learner, DEFAULTS) for learner in TUNED]
STYLES = {PAPER: "-", DEFAULTS: "--"}


def draw(records: list[Record], path: Path) -> None:
    """Draw the mean over runs with its standard error; a triangle is what Table 1 prints."""
    figure, panels = subplots(2, 3, (15, 8.5))
    for axes, data in zip(panels.flat, DATA_SETS, strict=True):
        for learner, settings in LINES:
            runs = select(records, data=data, learner=learner, settings=settings)
            if runs:
                colour = f"C{LEARNERS.index(learner)}"
                _line(axes, runs, STYLES[settings], colour, f"{learner}, {settings}")
        _printed(axes, data)
        axes.set(xlabel="rounds", ylabel="accuracy of the latest 20 %")
        axes.set_title(data, loc="left")
        axes.grid(alpha=0.2)
    seen = {label: line for axes in panels.flat for line, label in _legend(axes)}
    figure.legend(seen.values(), seen.keys(), loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, dpi=130)


def _line(axes: Any, runs: list[Record], style: str, colour: str, label: str) -> None:
    rounds = runs[0]["curve"]["rounds"]
    values = np.array([run["curve"]["accuracy"] for run in runs])
    middle = values.mean(axis=0)
    axes.plot(rounds, middle, style, color=colour, label=label, lw=1.6)
    if len(runs) > 1:
        error = values.std(axis=0, ddof=1) / len(runs) ** 0.5
        axes.fill_between(rounds, middle - error, middle + error, color=colour, alpha=0.2, lw=0)


def _printed(axes: Any, data: str) -> None:
    """What the paper has at the end of its curves."""
    for number, learner in enumerate(LEARNERS):
        value, end = TABLES[data].asymptotic[learner], 1.02 * TABLES[data].stream_count
        axes.plot([end], [value], "<", color=f"C{number}", label="in Table 1")


def _legend(axes: Any) -> zip:
    return zip(*axes.get_legend_handles_labels(), strict=True)
