"""What the figures of papers and benchmarks share."""

from typing import Any

import numpy as np


def subplots(
    rows: int, columns: int, size: tuple[float, float], layout: Any = "constrained", **shared: Any
) -> tuple[Any, Any]:
    """Return a figure of so many inches and its panels, to be saved to a file."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout=layout)
    return figure, figure.subplots(rows, columns, **shared)


def mean_and_range(axes: Any, x: Any, values: np.ndarray, style: str = "-", **line: Any) -> None:
    """Draw the mean over the first axis of values, and their range as a shade."""
    axes.plot(x, values.mean(axis=0), style, **line)
    low, high = values.min(axis=0), values.max(axis=0)
    axes.fill_between(x, low, high, color=line["color"], alpha=0.15, lw=0)
