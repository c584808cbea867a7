"""Figures of a race for papers: error curves with intervals, as SVG and PNG."""

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from onearm.racing.summary import Score, exploration

EARLY = 10  # the rounds before are noise
STYLES = ("-", ":", "-.")  # one for each time round the colours
LONG = 24  # lines of a column of the legend


def write_figures(found: Sequence[Score], folder: Path) -> list[Path]:
    """Draw the errors of each stream over the rounds, and over the rates where there are some."""
    needed()
    import matplotlib

    matplotlib.use("Agg")
    written = []
    for number, stream in enumerate(dict.fromkeys(score.stream for score in found), 1):
        scores = [score for score in found if score.stream == stream]
        written += _saved(_curves(scores, stream), folder / f"error-{number}")
        if exploration(scores):
            written += _saved(_rates(scores, stream), folder / f"exploration-{number}")
    return written


def needed() -> None:
    """Refuse to draw without Matplotlib."""
    if find_spec("matplotlib") is None:
        raise ImportError("figures need Matplotlib: pip install 'onearm[plots]'")


def is_figure(path: Path) -> bool:
    """Whether a file is one of those that are written here."""
    return path.is_file() and bool(re.fullmatch(r"(error|exploration)-\d+\.(svg|png)", path.name))


def _curves(scores: list[Score], stream: str) -> Any:
    from matplotlib import pyplot as plt

    size = (9 + 3 * ((len(scores) - 1) // LONG), 5.5)
    figure, axes = plt.subplots(figsize=size, layout="constrained")
    colours = plt.get_cmap("tab20").colors
    rounds = scores[0].records[0]["n_rounds"]
    first = EARLY if rounds >= 10 * EARLY else 1
    shown = []
    for i, score in enumerate(scores):
        curve = {key: np.array(values) for key, values in score.curve().items()}
        shown += [mean for mean in curve["mean"][curve["rounds"] >= first] if mean > 0]
        style = "--" if score.full_information else STYLES[i // len(colours) % len(STYLES)]
        label = _plain(f"{score.name}  {score.error.mean:.3f}")
        colour = colours[i % len(colours)]
        axes.plot(curve["rounds"], curve["mean"], style, color=colour, label=label, lw=1.6)
        if np.isfinite(curve["low"]).all():
            low = np.maximum(curve["low"], 1e-6)
            axes.fill_between(curve["rounds"], low, curve["high"], color=colour, alpha=0.15, lw=0)
    axes.set(xscale="log", yscale="log", xlabel="rounds", ylabel="error so far")
    axes.set(xlim=(first, rounds), ylim=(min(shown, default=0.1) / 1.2, 1.0))
    _dressed(axes, f"{stream}: share of wrong labels")
    return figure


def _rates(scores: list[Score], stream: str) -> Any:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 5.5), layout="constrained")
    for learner, points in exploration(scores).items():
        rates = [rate for rate, _ in points]
        means = np.array([error.mean for _, error in points])
        half = np.nan_to_num([error.high - error.mean for _, error in points])
        axes.errorbar(
            rates, means, half, label=_plain(learner), marker="o", ms=3, capsize=2, lw=1.4
        )
    least = min(rate for points in exploration(scores).values() for rate, _ in points if rate > 0)
    if any(rate == 0 for points in exploration(scores).values() for rate, _ in points):
        axes.set_xscale("symlog", linthresh=least)
    else:
        axes.set_xscale("log")
    axes.set(yscale="log", xlabel="exploration parameter", ylabel="error")
    axes.set_ylim(top=min(1.0, axes.get_ylim()[1]))
    _dressed(axes, f"{stream}: error by exploration")
    return figure


def _dressed(axes: Any, title: str) -> None:
    axes.set_title(_plain(title), loc="left")
    axes.grid(which="both", alpha=0.2)
    columns = 1 + (len(axes.get_legend_handles_labels()[0]) - 1) // LONG
    place = {"loc": "center left", "bbox_to_anchor": (1, 0.5), "frameon": False}
    axes.legend(**place, fontsize=9 if columns == 1 else 8, ncols=columns)


def _plain(text: str) -> str:
    """Text that Matplotlib does not take for a formula, or for none to be shown."""
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def _saved(figure: Any, path: Path) -> list[Path]:
    from matplotlib import pyplot as plt

    paths = [path.with_suffix(suffix) for suffix in (".svg", ".png")]
    for one in paths:
        figure.savefig(one, dpi=150)
    plt.close(figure)
    return paths
