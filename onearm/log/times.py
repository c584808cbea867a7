"""Times of events, in microseconds of UTC: ISO 8601, seconds since 1970, or a column of times."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from onearm.schema.contexts import as_floats, as_list
from onearm.schema.values import is_missing, shown

NAT = int(np.iinfo(np.int64).min)  # not a time
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
ALLOWED = "the time must be ISO 8601 or seconds since 1970"


def microseconds(value: Any) -> int:
    """Return a time in microseconds since 1970; without a zone it is UTC.

    >>> microseconds("1970-01-01T00:00:01.5Z"), microseconds(1.5), microseconds(None) == NAT
    (1500000, 1500000, True)
    """
    if is_missing(value):
        return NAT
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value.strip())
        elif isinstance(value, int | float) and not isinstance(value, bool):
            return (EPOCH + timedelta(seconds=value) - EPOCH) // MICROSECOND
        if isinstance(value, date) and not isinstance(value, datetime):
            value = datetime(value.year, value.month, value.day)
        if isinstance(value, datetime):
            zoned = value if value.tzinfo else value.replace(tzinfo=UTC)
            return (zoned - EPOCH) // MICROSECOND
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"{ALLOWED}, got {shown(value)}")


def as_times(values: Any) -> np.ndarray:
    """Return microseconds as times."""
    return np.asarray(values).astype(np.int64).view("datetime64[us]")


def column_times(column: Any) -> tuple[np.ndarray, dict[int, str]]:
    """Return the times of a column, and what is wrong with some of them, by place."""
    if isinstance(column, np.ndarray) and column.dtype.kind == "M":
        return column.astype("datetime64[us]"), {}
    if type(getattr(column, "dtype", None)).__name__ == "Datetime":  # a Series of narwhals
        numbers = column.dt.timestamp("us").to_numpy().astype(np.float64)  # exact until 2255
        return as_times(np.where(np.isnan(numbers), NAT, numbers)), {}
    floats = as_floats(column)
    times, wrong = [], {}
    for i, value in enumerate(as_list(column) if floats is None else floats.tolist()):
        try:
            times.append(microseconds(value))
        except ValueError as error:
            times.append(NAT)
            wrong[i] = str(error)
    return as_times(times), wrong


def iso(times: np.ndarray) -> list[str | None]:
    """Return times as ISO 8601 of UTC, None where there is none."""
    texts = np.datetime_as_string(times.astype("datetime64[us]"))
    return [None if text == "NaT" else f"{text}Z" for text in texts.tolist()]
