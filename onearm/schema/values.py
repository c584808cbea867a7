"""One value of a column: as a number, as a word, as a text, or missing."""

import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any
from uuid import UUID

import numpy as np

LARGEST = 1e100  # of a value of a row: squares and their sums must stay finite
LONG = 60  # characters of a value in a message
DAY = 86400.0  # seconds
EPOCH = date(1970, 1, 1)
MISSING_TYPES = ("NAType", "NaTType")  # of pandas
SPANS = ("Interval", "Period")  # of pandas
WORDS = (bool, int, float, Decimal, date, time, timedelta, UUID)  # values that categories may have


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NA, NaT or masked."""
    if value is None or value is np.ma.masked or type(value).__name__ in MISSING_TYPES:
        return True
    if isinstance(value, float | np.floating | Decimal | np.datetime64 | np.timedelta64):
        return bool(value != value)
    return False


def is_too_large(value: Any) -> bool:
    """Whether a value is a number beyond the largest, as infinity is."""
    number: Any = value if isinstance(value, Real) else 0
    return bool(abs(number) > LARGEST)


def as_number(value: Any) -> float:
    """Return a number, NaN if it is missing; a text is none, and a date is in days since 1970.

    >>> [as_number(value) for value in (31, 0.5, True, None, date(1970, 1, 2), time(6))]
    [31.0, 0.5, 1.0, nan, 1.0, 0.25]
    """
    if is_missing(value):
        return math.nan
    try:
        number = _converted(value)
    except OverflowError:
        number = math.inf
    if not abs(number) <= LARGEST:
        raise ValueError(f"must be finite and within ±{LARGEST:g}, got {shown(value)}")
    return number


def _converted(value: Any) -> float:
    if isinstance(value, np.timedelta64):  # before integers, which NumPy takes it for
        return float(value / np.timedelta64(1, "D"))
    if isinstance(value, np.datetime64):
        return float((value - np.datetime64(0, "D")) / np.timedelta64(1, "D"))
    if isinstance(value, Real | Decimal | np.bool_):
        return float(value)
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp() / DAY
    if isinstance(value, date):
        return float((value - EPOCH).days)
    if isinstance(value, time):
        value = datetime.combine(date.min, value.replace(tzinfo=None)) - datetime.min
    if isinstance(value, timedelta):
        return value.total_seconds() / DAY
    raise ValueError(f"must be a number or missing, got {shown(value)}")


def as_word(value: Any) -> str | None:
    """Return a value of a category as a text, None if it is missing.

    >>> [as_word(value) for value in ("red", " red", 1, 1.0, True, 0.5, None)]
    ['red', 'red', '1', '1', 'True', '0.5', None]
    """
    if isinstance(value, str):
        return value.strip()
    if is_missing(value):
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        return _decoded(value).strip()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, WORDS) or type(value).__name__ in SPANS:
        return str(value)
    raise ValueError(f"must be a text, a number or missing, got {shown(value)}")


def _decoded(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise ValueError(f"must be a text in UTF-8, got {shown(value)}") from None


def as_text(value: Any) -> str:
    """Return a text, empty if it is missing."""
    if isinstance(value, str):
        return value
    if is_missing(value):
        return ""
    raise ValueError(f"must be a text or missing, got {shown(value)}")


def shown(value: Any) -> str:
    """Return a value for a message, cut if it is long."""
    text = repr(value)
    return text if len(text) <= LONG else f"{text[:LONG]}…"
