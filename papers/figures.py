"""What the figures of all papers share."""

from typing import Any

import numpy as np


def pyplot() -> Any:
    """Return matplotlib's pyplot, drawing into files."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def mean_and_range(axes: Any, x: Any, values: np.ndarray, style: str = "-", **line: Any) -> None:
    """Draw the mean over the first axis of values, and their range as a shade."""
    axes.plot(x, values.mean(axis=0), style, **line)
    low, high = values.min(axis=0), values.max(axis=0)
    axes.fill_between(x, low, high, color=line["color"], alpha=0.15, lw=0)
