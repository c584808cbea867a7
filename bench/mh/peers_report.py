"""The curves of `python -m bench.mh_peers` as a table and a picture."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from bench.speed.report import table

PARTS = (1 / 16, 1 / 4, 1.0)  # of the budget, at which errors are shown
GRID = 50  # times at which it is asked who is ahead


def versions() -> dict[str, str]:
    return {name: version(name) for name in ("lightgbm", "xgboost", "scikit-learn")}


def at(curve: list[list[float]], seconds: float) -> float:
    """The error of the last point up to a time; nothing is known before the first."""
    known = [error for clock, error in curve if clock <= seconds]
    return known[-1] if known else np.nan


def is_ours(who: str) -> bool:
    return who.startswith("AdaBoostMH")


def ahead(curves: dict[str, Any], who: str, budget: float) -> float:
    """The share of times, even in their logarithm, at which one of ours has the least error."""
    times = np.geomspace(budget / 50, budget, GRID)
    others = [one["curve"] for name, one in curves.items() if not is_ours(name)]
    least = [np.nanmin([1.0, *(at(curve, t) for curve in others)]) for t in times]
    mine = [at(curves[who]["curve"], t) for t in times]
    return float(np.mean([m < o for m, o in zip(mine, least, strict=True)]))


def write(results: dict[str, Any], folder: Path) -> None:
    """Write mh_peers.md and mh_peers.png."""
    (folder / "mh_peers.md").write_text(_text(results))
    _draw(results, folder / "mh_peers.png")


def _text(results: dict[str, Any]) -> str:
    commands = {(one["command"], one["about"]["date"]) for one in results.values()}
    written = ", ".join(f"`{command}` on {date}" for command, date in sorted(commands))
    facts = next(iter(results.values()))["about"]
    shown = ("python", "onearm", "numba", "lightgbm", "xgboost", "scikit-learn")
    parts = [
        f"""# AdaBoostMH against boosted trees and forests

Written by {written}; {facts["cpu"]};
{", ".join(f"{name} {facts[name]}" for name in shown)}.
One run, one thread, CPU seconds of training; usual splits, error on the test rows in percent.
"Ahead" is the share of times, from a fiftieth of the budget on and even in their logarithm, at
which the error is below that of every peer. Ours are searched with `arms="recent"`; curves are of
one run and not smoothed."""
    ]
    for name, one in results.items():
        curves, budget = one["curves"], one["budget"]
        head = ["who", "settings", *(f"at {budget * part:.3g} s" for part in PARTS), "ahead"]
        rows = [
            [who, ", ".join(f"{k}={v}" for k, v in each["settings"].items()) or "default",
             *(_percent(at(each["curve"], budget * part)) for part in PARTS),
             f"{ahead(curves, who, budget):.2f}" if is_ours(who) else ""]
            for who, each in curves.items()
        ]  # fmt: skip
        parts.append(f"## {name}\n\n{table(head, rows)}")
    return "\n\n".join(parts) + "\n"


def _percent(error: float) -> str:
    return "–" if np.isnan(error) else f"{100 * error:.2f}"


def _draw(results: dict[str, Any], path: Path) -> None:
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(
        1, len(results), figsize=(20, 5), layout="constrained", squeeze=False
    )
    for axes, (name, one) in zip(panels[0], results.items(), strict=True):
        for number, (who, each) in enumerate(one["curves"].items()):
            seconds, errors = np.array(each["curve"]).T
            axes.loglog(seconds, 100 * errors, label=who, **_look(who, number))
        axes.set_title(name)
        axes.set_xlabel("CPU seconds of training")
        axes.set_xlim(one["budget"] / 100, one["budget"])
    panels[0, 0].set_ylabel("error on test rows, percent")
    panels[0, 0].legend(fontsize=7)
    figure.savefig(path, dpi=110)


def _look(who: str, number: int) -> dict[str, Any]:
    """Ours black, of others a colour each; dashed if tuned."""
    if is_ours(who):
        return {"color": "black", "lw": 2, "ls": ("-", "--", ":")[number]}
    return {"color": f"C{(number - 3) // 2}", "lw": 1.2, "ls": "--" if "tuned" in who else "-"}
