"""Figures of a race for papers: error curves with intervals, as SVG and PNG."""

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from onearm.page.plots import COLOURS, line_styles
from onearm.racing.summary import Score, baselines, by_stream, exploration

EARLY = 10  # the rounds before are noise
LONG = 24  # lines of a column of the legend
GREYS = ("#5c6168", "#1d1f22")  # of the baselines


def write_figures(scores: Sequence[Score], folder: Path) -> list[Path]:
    """Draw the errors of each stream over the rounds, and over exploration rates if several."""
    require_matplotlib()
    import matplotlib

    matplotlib.use("Agg")
    styles = line_styles([(score.name, score.full_information) for score in scores])
    written = []
    for number, (stream, some) in enumerate(by_stream(scores).items(), 1):
        written += _save(_curves(some, stream, styles), folder / f"error-{number}")
        if exploration(some):
            written += _save(_rates(some, stream), folder / f"exploration-{number}")
    return written


def require_matplotlib() -> None:
    if find_spec("matplotlib") is None:
        raise ImportError("figures need Matplotlib: pip install 'onearm[plots]'")


def is_figure(path: Path) -> bool:
    return path.is_file() and bool(re.fullmatch(r"(error|exploration)-\d+\.(svg|png)", path.name))


def _curves(scores: list[Score], stream: str, styles: dict[tuple[str, bool], Any]) -> Any:
    from matplotlib import pyplot as plt

    width = 9 + 3 * ((len(scores) - 1) // LONG)
    figure, axes = plt.subplots(figsize=(width, 5.5), layout="constrained")
    rounds = scores[0].records[0]["n_rounds"]
    first = EARLY if rounds >= 10 * EARLY else 1
    shown = []
    for (name, line), grey in zip(baselines(scores).items(), GREYS, strict=False):
        axes.plot(line["rounds"], line["mean"], color=grey, lw=0.8, label=name)
    for score in scores:
        curve = {key: np.array(values) for key, values in score.curve().items()}
        shown += [mean for mean in curve["mean"][curve["rounds"] >= first] if mean > 0]
        look = styles[score.name, score.full_information]
        colour, dash = COLOURS[int(look["colour"][1:])], "--" if look["dash"] else "-"
        label = _plain(f"{score.name}  {score.error.mean:.4f}")
        axes.plot(curve["rounds"], curve["mean"], dash, color=colour, label=label, lw=look["width"])
        if np.isfinite(curve["low"]).all():
            low = np.maximum(curve["low"], 1e-6)
            axes.fill_between(curve["rounds"], low, curve["high"], color=colour, alpha=0.15, lw=0)
    axes.set(xscale="log", yscale="log", xlabel="rounds", ylabel="error so far")
    axes.set(xlim=(first, rounds), ylim=(min(shown, default=0.1) / 1.2, 1.0))
    _finish(axes, f"{stream}: fraction of wrong labels")
    return figure


def _rates(scores: list[Score], stream: str) -> Any:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 5.5), layout="constrained")
    axes.set_prop_cycle(color=COLOURS)
    errors = exploration(scores)
    for (learner, _), points in errors.items():
        rates = [rate for rate, _ in points]
        means = np.array([error.mean for _, error in points])
        half = np.nan_to_num([error.high - error.mean for _, error in points])
        style = {"marker": "o", "ms": 3, "capsize": 2, "lw": 1.4}
        axes.errorbar(rates, means, half, label=_plain(learner), **style)
    rates = [rate for points in errors.values() for rate, _ in points]
    if 0 in rates:
        axes.set_xscale("symlog", linthresh=min(rate for rate in rates if rate > 0))
    else:
        axes.set_xscale("log")
    axes.set(yscale="log", xlabel="exploration parameter", ylabel="error")
    axes.set_ylim(top=min(1.0, axes.get_ylim()[1]))
    _finish(axes, f"{stream}: error by exploration")
    return figure


def _finish(axes: Any, title: str) -> None:
    axes.set_title(_plain(title), loc="left")
    axes.grid(which="both", alpha=0.2)
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter(lambda x, _: f"{x:g}" if f"{x:e}"[0] in "25" and x < 1 else "")
    columns = 1 + (len(axes.get_legend_handles_labels()[0]) - 1) // LONG
    place = {"loc": "center left", "bbox_to_anchor": (1, 0.5), "frameon": False}
    axes.legend(**place, fontsize=9 if columns == 1 else 8, ncols=columns)


def _plain(text: str) -> str:
    """Return text that Matplotlib takes neither for a formula nor for a hidden label."""
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def _save(figure: Any, path: Path) -> list[Path]:
    from matplotlib import pyplot as plt

    paths = [path.with_suffix(suffix) for suffix in (".svg", ".png")]
    for file in paths:
        figure.savefig(file, dpi=150)
    plt.close(figure)
    return paths
