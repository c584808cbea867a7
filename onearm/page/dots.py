"""Dots: values with their intervals side by side on one linear axis, in percent of its width."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from onearm.page.text import number

TICKS = 6  # at most so many, and one more: names of two neighbours do not touch on a phone

Row = dict[str, Any]


class Axis:
    """A linear axis that shows all of some numbers, except those outside of what is possible.

    >>> axis = Axis([-0.02, 0.03])
    >>> [mark["text"] for mark in axis.marks]
    ['−0.02', '−0.01', '0.00', '0.01', '0.02', '0.03']
    >>> axis.percent(0.0), axis.percent(0.03)
    (41.38, 93.1)
    """

    def __init__(
        self, numbers: Iterable[float | None], least: float = -math.inf, most: float = math.inf
    ) -> None:
        known = [min(max(x, least), most) for x in numbers if x is not None and math.isfinite(x)]
        low, high = min(known, default=0.0), max(known, default=1.0)
        if low == high:
            low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
        room = 0.08 * (high - low)
        self.low, self.high = low - room, high + room

    def percent(self, x: float) -> float:
        """Return where a number is on the axis; what is outside is at its end."""
        return round(min(100.0, max(0.0, 100 * (x - self.low) / (self.high - self.low))), 2)

    @property
    def marks(self) -> list[Row]:
        """The numbers that are shown along the axis."""
        step = tick_step(self.high - self.low)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        ticks = [step * i for i in range(first, last + 1)]
        return [{"percent": self.percent(x), "text": number(x + 0.0, decimals)} for x in ticks]

    def dot(self, line: Row, title: str) -> Row:
        """Return the places of a value and its interval; None where one is not known."""
        places = {
            key: None if line[key] is None else self.percent(line[key])
            for key in ("value", "low", "high")
        }
        return places | {"colour": line["colour"], "title": title}


def tick_step(width: float) -> float:
    """Return the distance of ticks: 1, 2 or 5 times a power of ten.

    >>> tick_step(1.0), tick_step(0.06), tick_step(3000.0)
    (0.2, 0.01, 500.0)
    """
    rough = width / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))


def interval_text(line: Row, decimals: int, sign: str = "-") -> str:
    """Return a value with its interval in words.

    >>> interval_text({"value": 0.5, "low": 0.4, "high": 0.6}, 2)
    '0.50 (0.40 to 0.60)'
    >>> interval_text({"value": 0.5, "low": None, "high": None}, 2)
    '0.50'
    """
    value, low, high = (number(line[key], decimals, sign) for key in ("value", "low", "high"))
    return value if line["low"] is None else f"{value} ({low} to {high})"


def ends(lines: Sequence[Row]) -> list[float | None]:
    """Return all numbers of some values with intervals."""
    return [line[key] for line in lines for key in ("value", "low", "high")]
