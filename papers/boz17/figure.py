"""Figure 2 of BOZ17: errors against γ above, against rounds with the best γ below."""

from pathlib import Path
from typing import Any

import numpy as np

from papers.boz17.claims import Results
from papers.boz17.runs import DATA_SETS, FIRST, POINTS, powers
from papers.records import Record, evenly

LINES = {"Banditron": "C0", "PNewtron": "C1", "SOBAdiag": "C3", "Perceptron": "k"}
TITLES = {
    "synsep": "SynSep",
    "synnonsep": "SynNonSep",
    "covtype": "Covtype",
    "reuters": "Reuters-21578, for Reuters4",
    "rcv1": "Reuters4",
}


def draw(records: list[Record], path: Path) -> None:
    """Draw means over runs, and their range as a shade."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

    found = Results(records)
    names = [data for data in DATA_SETS if found.there(data)]
    n = max(len(names), 1)
    fig, panels = plt.subplots(2, n, figsize=(4 * n, 7.4), layout="constrained", squeeze=False)
    for (above, below), data in zip(panels.T, names, strict=False):
        for learner in found.there(data):
            _by_gamma(above, found, data, learner)
            _by_rounds(below, found, data, learner)
        above.set_title(TITLES[data], loc="left")
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
    panels[0, 0].set_ylabel("errors in all rounds")
    panels[1, 0].set_ylabel("errors so far, with the best γ")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    fig.savefig(path, dpi=90)
    plt.close(fig)


def _by_gamma(axes: Any, found: Results, data: str, learner: str) -> None:
    colour = LINES[learner]
    values = np.array([found.errors(data, learner, power) for power in powers(learner)])
    gammas = [2.0**-power for power in powers(learner)]
    if learner == "Perceptron":
        axes.axhline(values.mean(), color=colour, ls="--", lw=1.2, label=learner)
        return
    axes.plot(gammas, values.mean(axis=1), "o-", color=colour, ms=3, lw=1.4, label=learner)
    axes.fill_between(
        gammas, values.min(axis=1), values.max(axis=1), color=colour, alpha=0.15, lw=0
    )


def _by_rounds(axes: Any, found: Results, data: str, learner: str) -> None:
    power, colour = found.best(data, learner), LINES[learner]
    runs = found.chosen(data, learner, power)
    rounds = evenly(runs[0]["played"], POINTS, FIRST)
    values = np.array([run["curve"] for run in runs])
    label = f"{learner}, $\\gamma = 2^{{-{power}}}$" if power else learner
    style = "--" if learner == "Perceptron" else "-"
    axes.plot(rounds, values.mean(axis=0), style, color=colour, lw=1.5, label=label)
    axes.fill_between(
        rounds, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.12, lw=0
    )
