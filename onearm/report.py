"""The report: what a race came to, as a table, a picture, and a record to run it again."""

import json
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

import onearm
from onearm import metrics
from onearm.race import Run


def table(runs: list[Run], title: str = "") -> Table:
    """Return a line per run: error in all and over the last tenth, and speed."""
    lines = Table(title=title, title_justify="left")
    lines.add_column("learner", no_wrap=True)
    for column in ("rounds", "error", "last tenth", "rounds/s"):
        lines.add_column(column, justify="right")
    for run in runs:
        done = run.correct is not None
        lines.add_row(
            run.name,
            f"{run.rounds:,}" if run.rounds else "",
            f"{run.error:.4f}" if run.rounds else "",
            f"{run.last:.4f}" if done else "",
            f"{run.rate:,.0f}" if run.rounds else "",
        )
    return lines


def record(runs: list[Run], path: str | Path) -> None:
    """Write what was run, with which versions and when, and what it came to, as JSON."""
    import numba

    said = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "onearm": onearm.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "numba": numba.__version__,
        },
        "stream": runs[0].stream.name,
        "runs": [
            {
                "learner": type(run.learner).__name__,
                "parameters": run.learner.params(),
                "rounds": run.rounds,
                "error": run.error,
                "last_tenth": run.last,
                "rounds_per_second": run.rate,
            }
            for run in runs
        ],
    }
    Path(path).write_text(json.dumps(said, indent=2) + "\n")


def figure(runs: list[Run], path: str | Path) -> None:
    """Draw the error so far over the rounds, both on logarithmic axes, into an image file."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    fig, axes = plt.subplots(figsize=(9, 5.5), layout="constrained")
    runs = sorted(runs, key=lambda run: -run.error)
    colours = plt.get_cmap("tab20").colors
    for i, run in enumerate(runs):
        rounds, error = metrics.curve(_known(run))
        style = "--" if run.learner.full_information else "-"
        label = f"{run.name}  {run.error:.3f}"
        axes.plot(rounds, error, style, color=colours[i % len(colours)], label=label, lw=1.6)
    axes.set(xscale="log", yscale="log", xlabel="rounds", ylabel="error so far", xlim=(10, None))
    axes.set_title(f"{runs[0].stream.name}: share of wrong labels", loc="left")
    axes.grid(which="both", alpha=0.2)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=9)
    fig.savefig(path, dpi=130)
    plt.close(fig)


def _known(run: Run) -> Any:
    if run.correct is None:
        raise ValueError(f"the run of {run.name} has not ended")
    return run.correct
