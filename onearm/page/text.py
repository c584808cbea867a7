"""Text: numbers as the page shows them. What is not known is a dash."""

import json
import math
from datetime import datetime
from typing import Any

UNKNOWN = "–"


def known(x: float | None) -> float | str:
    """Return a number to sort by, or nothing."""
    return "" if x is None else x


def number(x: float | None, decimals: int = 4, sign: str = "-") -> str:
    """Return a number with so many decimals, and a true minus.

    >>> number(-1234.5, 1), number(0.02, 4, sign="+"), number(float("nan")), number(None)
    ('−1,234.5', '+0.0200', '–', '–')
    """
    if x is None or math.isnan(x):
        return UNKNOWN
    return f"{x:{sign},.{decimals}f}".replace("-", "−")


def decimals_for(width: float) -> int:
    """Return how many decimals the numbers of a range need, to tell 10,000 of them apart.

    >>> decimals_for(1), decimals_for(50), decimals_for(1e6), decimals_for(0.002)
    (4, 3, 0, 7)
    """
    return min(12, max(0, 4 - math.floor(math.log10(width))))


def weight(x: float | None) -> str:
    """Return a weight to three digits.

    >>> weight(1.2345), weight(1234567.0), weight(0), weight(3e9), weight(None)
    ('1.23', '1,230,000', '0', '3e+09', '–')
    """
    if x is None:
        return UNKNOWN
    return f"{x:.3g}" if x < 1000 or x >= 1e9 else f"{float(f'{x:.3g}'):,.0f}"


def percent(x: float | None) -> str:
    """Return a share in percent, to three digits.

    >>> percent(0.95), percent(0.9875), percent(0.0), percent(None)
    ('95 %', '98.8 %', '0 %', '–')
    """
    return UNKNOWN if x is None else f"{100 * x:.3g} %"


def half(interval: dict[str, float | None] | None) -> str:
    """Return half the width of an interval, or nothing where there was but one run.

    >>> half({"mean": 0.2, "low": 0.19, "high": 0.21}), half({"low": None, "high": None})
    ('± 0.0100', '')
    """
    low, high = (interval or {}).get("low"), (interval or {}).get("high")
    return "" if low is None or high is None else f"± {(high - low) / 2:.4f}"


def count(x: float | None) -> str:
    """Return a number of things.

    >>> count(1234567.8), count(None)
    ('1,234,568', '–')
    """
    return UNKNOWN if x is None else f"{x:,.0f}"


def size(n: float | None) -> str:
    """Return a number of bytes in the unit that leaves one to three digits before the point.

    >>> size(640), size(12345), size(3_200_000), size(None)
    ('640 B', '12.3 kB', '3.2 MB', '–')
    """
    if n is None:
        return UNKNOWN
    for unit in ("B", "kB", "MB", "GB"):
        if n < 999.5 or unit == "GB":
            break
        n /= 1000
    return f"{n:.0f} {unit}" if unit == "B" or n >= 99.95 else f"{n:.1f} {unit}"


def decade(x: float) -> str:
    """Return a power of ten, in short.

    >>> decade(100), decade(10**4), decade(10**7), decade(0.1)
    ('100', '10K', '10M', '0.1')
    """
    for unit, letter in ((1e9, "B"), (1e6, "M"), (1e3, "K")):
        if x >= unit:
            return f"{x / unit:.0f}{letter}"
    return f"{x:g}"


def value(x: Any) -> str:
    """Return a parameter as one would write it.

    >>> value(0.02), value("unit"), value(True), value([1, 2])
    ('0.02', 'unit', 'true', '[1, 2]')
    """
    return x if isinstance(x, str) else json.dumps(x, ensure_ascii=False)


def moment(date: str) -> str:
    """Return an ISO date to the minute.

    >>> moment("2026-11-16T16:00:00+00:00")
    '2026-11-16 16:00 UTC'
    """
    return f"{datetime.fromisoformat(date):%Y-%m-%d %H:%M %Z}".rstrip()
