"""The curves of AdaBoostMH and its peers as tables and a figure."""

from pathlib import Path
from typing import Any

import numpy as np

from bench.benchmark import Results
from papers.figures import subplots
from papers.markdown import table

PACKAGES = ("onearm", "numpy", "numba", "lightgbm", "xgboost", "scikit-learn")
FRACTIONS = (1 / 16, 1 / 4, 1.0)  # of the budget, at which errors are shown
GRID = 50  # times at which curves are compared


def error_at(curve: list[list[float]], seconds: float) -> float:
    """Return the error of the last point up to a time; nothing is known before the first."""
    known = [error for clock, error in curve if clock <= seconds]
    return known[-1] if known else np.nan


def is_ours(model: str) -> bool:
    return model.startswith("AdaBoostMH")


def ahead(curves: Results, model: str, budget: float) -> float:
    """Return the share of times, even in their logarithm, with a lower error than every peer."""
    times = np.geomspace(budget / 50, budget, GRID)
    peers = [curve["curve"] for name, curve in curves.items() if not is_ours(name)]
    lowest = [np.nanmin([1.0, *(error_at(curve, t) for curve in peers)]) for t in times]
    ours = [error_at(curves[model]["curve"], t) for t in times]
    return float(np.mean([a < b for a, b in zip(ours, lowest, strict=True)]))


def report(results: Results) -> str:
    data = results["data"]
    commands = {(run["command"], run["about"]["date"]) for run in data.values()}
    written = ", ".join(f"`{command}` on {date}" for command, date in sorted(commands))
    facts = next(iter(data.values()))["about"]
    shown = ("python", "onearm", "numba", "lightgbm", "xgboost", "scikit-learn")
    head = f"""# AdaBoostMH beside boosted trees and forests

Written by {written}; {facts["cpu"]};
{", ".join(f"{name} {facts[name]}" for name in shown)}.
One run, one thread, CPU seconds of training; usual splits, error on the test rows in per cent.
"Ahead" is the share of times, from a fiftieth of the budget on and even in their logarithm, at
which the error is below that of every peer. Ours are trained with `arms="recent"`; curves are of
one run and not smoothed."""
    return "\n\n".join([head, *(_section(name, run) for name, run in data.items())]) + "\n"


def _section(name: str, data: Results) -> str:
    curves, budget = data["curves"], data["budget"]
    head = ["model", "settings", *(f"at {budget * part:.3g} s" for part in FRACTIONS), "ahead"]
    rows = [
        [model, ", ".join(f"{k}={v}" for k, v in trained["settings"].items()) or "default",
         *(_percent(error_at(trained["curve"], budget * part)) for part in FRACTIONS),
         f"{ahead(curves, model, budget):.2f}" if is_ours(model) else ""]
        for model, trained in curves.items()
    ]  # fmt: skip
    return f"## {name}\n\n{table(head, rows)}"


def _percent(error: float) -> str:
    return "–" if np.isnan(error) else f"{100 * error:.2f}"


def draw(results: Results, path: Path) -> None:
    data = results["data"]
    figure, panels = subplots(1, len(data), (20, 5), squeeze=False)
    for axes, (name, run) in zip(panels[0], data.items(), strict=True):
        for number, (model, curve) in enumerate(run["curves"].items()):
            seconds, errors = np.array(curve["curve"]).T
            axes.loglog(seconds, 100 * errors, label=model, **_style(model, number))
        axes.set_title(name)
        axes.set_xlabel("CPU seconds of training")
        axes.set_xlim(run["budget"] / 100, run["budget"])
    panels[0, 0].set_ylabel("error on test rows, per cent")
    panels[0, 0].legend(fontsize=7)
    figure.savefig(path, dpi=110)


def _style(model: str, number: int) -> dict[str, Any]:
    """Return the style of a line: ours black, peers a colour each; dashed if tuned."""
    if is_ours(model):
        return {"color": "black", "lw": 2, "ls": ("-", "--", ":")[number]}
    return {"color": f"C{(number - 3) // 2}", "lw": 1.2, "ls": "--" if "tuned" in model else "-"}
