"""Figure 2 of BOZ17: errors against γ above, against rounds with the best γ below."""

from pathlib import Path
from typing import Any

import numpy as np

from onearm.experiments.job import Record
from papers.boz17.paper import DATA_SETS, powers
from papers.boz17.results import Results
from papers.boz17.runs import FIRST, POINTS
from papers.figures import mean_and_range, subplots
from papers.playing import curve_rounds

LINES = {"Banditron": "C0", "PNewtron": "C1", "SOBAdiag": "C3", "Perceptron": "k"}


def draw(records: list[Record], path: Path) -> None:
    """Draw means over runs, and their range as a shade."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

    results = Results(records)
    names = [data for data in DATA_SETS if results.played(data)]
    n = max(len(names), 1)
    figure, panels = subplots(2, n, (4 * n, 7.4), squeeze=False)
    for (above, below), data in zip(panels.T, names, strict=False):
        for learner in results.played(data):
            _by_gamma(above, results, data, learner)
            _by_rounds(below, results, data, learner)
        above.set_title(DATA_SETS[data], loc="left")
        above.set(xlabel="γ", ylim=(0, 1))
        above.set_xscale("log", base=2)
        above.yaxis.set_major_formatter(PercentFormatter(1.0))
        below.set(xlabel="rounds", xscale="log", yscale="log")
        few = below.get_ylim()[0] > 1e-3
        below.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5) if few else (1,)))
        below.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g}%"))
        below.yaxis.set_minor_formatter(NullFormatter())
        below.legend(frameon=False, fontsize=8, loc="best")
        for axes in (above, below):
            axes.grid(alpha=0.2)
    panels[0, 0].set_ylabel("error over all rounds")
    panels[1, 0].set_ylabel("error so far, with the best γ")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, dpi=90)


def _by_gamma(axes: Any, results: Results, data: str, learner: str) -> None:
    colour = LINES[learner]
    values = np.array([results.errors(data, learner, power) for power in powers(learner)]).T
    gammas = [2.0**-power for power in powers(learner)]
    if learner == "Perceptron":
        axes.axhline(values.mean(), color=colour, ls="--", lw=1.2, label=learner)
        return
    mean_and_range(axes, gammas, values, "o-", color=colour, ms=3, lw=1.4, label=learner)


def _by_rounds(axes: Any, results: Results, data: str, learner: str) -> None:
    power, colour = results.best(data, learner), LINES[learner]
    runs = results.chosen(data, learner, power)
    rounds = curve_rounds(runs[0]["played"], POINTS, FIRST)
    values = np.array([run["curve"] for run in runs])
    label = f"{learner}, $\\gamma = 2^{{-{power}}}$" if power else learner
    style = "--" if learner == "Perceptron" else "-"
    mean_and_range(axes, rounds, values, style, color=colour, lw=1.5, label=label)
