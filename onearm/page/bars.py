"""Bars: histograms of weights, both axes logarithmic, in percent of their width and height."""

import math
from typing import Any

from onearm.page.text import count, decade, weight

SINGLE = 0.3  # height of a single event, in decades

Row = dict[str, Any]


def bars(edges: list[float], counts: list[int]) -> Row:
    """Return the bars of a histogram whose first bin begins at 0, and the marks of its axis.

    >>> shown = bars([0.0, 0.01, 0.1, 1.0, 10.0], [90, 0, 9, 1])
    >>> [bar["height"] for bar in shown["bars"]]
    [100.0, 0.0, 55.64, 13.31]
    >>> [(mark["text"], mark["percent"]) for mark in shown["marks"]]
    [('0', 12.5), ('0.1', 50.0), ('1', 75.0), ('10', 100.0)]
    """
    most, n = max(max(counts), 1), len(counts)
    heights = []
    for low, high, m in zip(edges[:-1], edges[1:], counts, strict=True):
        height = (SINGLE + math.log10(m)) / (SINGLE + math.log10(most)) if m else 0.0
        title = f"weights {weight(low)} to {weight(high)}: {count(m)} event{'' if m == 1 else 's'}"
        heights.append({"height": round(100 * height, 2), "title": title})
    return {"bars": heights, "marks": _marks(edges, n)}


def _marks(edges: list[float], n: int) -> list[Row]:
    low, high = math.log10(edges[1]), math.log10(edges[-1])
    step = max(1, math.ceil((high - low) / 6))

    def percent(x: float) -> float:
        return round(100 * (1 + (n - 1) * (x - low) / (high - low)) / n, 2)

    first = math.ceil(low) + 1  # where the first bins end, names would touch that of 0
    decades = range(first, math.floor(high + 1e-6) + 1)
    marks = [
        {"text": decade(10.0**e), "percent": percent(e)} for e in decades if (e - first) % step == 0
    ]
    return [{"text": "0", "percent": round(50 / n, 2)}, *marks]
