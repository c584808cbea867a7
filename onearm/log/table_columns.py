"""Columns of a table as fields of records, and what is wrong with some of their values."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from onearm.log.text import number_in
from onearm.schema.contexts import as_floats, as_list
from onearm.schema.schema import Schema
from onearm.schema.values import as_number, as_word, is_missing, is_too_large, shown
from onearm.streams.codes import is_missing as is_marker
from onearm.streams.codes import number

Wrong = dict[int, str]  # the reason by row


def floats(column: Any, what: str, wrong: Wrong, instead: float = np.nan) -> np.ndarray:
    """Return numbers, NaN where they are missing, and another one instead of what is no number."""
    known = as_floats(column)
    if known is not None:
        return known
    return np.array(_each(column, _number, what, wrong, instead), np.float64)


def _number(value: Any) -> float:
    """Return a number; one that is too large is infinite, which the ranges of a log refuse."""
    if isinstance(value, str):
        return number_in(value)
    if is_too_large(value):
        return math.inf if value > 0 else -math.inf
    return as_number(value)


def words(column: Any, what: str, wrong: Wrong) -> list[str | None]:
    """Return words, None where they are missing."""
    return _each(column, as_word, what, wrong, None)


def versions(column: Any, what: str, wrong: Wrong) -> list[int]:
    """Return whole numbers, -1 where they are missing."""
    return _each(column, _version, what, wrong, -1)


def _version(value: Any) -> int:
    if is_missing(value):
        return -1
    whole = _number(value)
    if whole != whole:
        return -1
    if not (float(whole).is_integer() and abs(whole) < 2**63):
        raise ValueError(f"must be a whole number, got {shown(value)}")
    return int(value)


def lists(column: Any, what: str, wrong: Wrong) -> list[list[str] | None]:
    """Return lists of words, None where they are missing."""
    return _each(column, _list, what, wrong, None)


def _list(value: Any) -> list[str] | None:
    if value is None or (np.ndim(value) == 0 and is_missing(value)):
        return None
    value = value.to_list() if hasattr(value, "to_list") else value
    if not isinstance(value, list | tuple | np.ndarray):
        raise ValueError(f"must be a list of labels, got {shown(value)}")
    return [f"{as_word(label)}" for label in value] or None


def _each(
    column: Any, convert: Callable[[Any], Any], what: str, wrong: Wrong, instead: Any
) -> list[Any]:
    """Return converted values; a row where that fails is wrong."""
    values = as_list(column)
    try:
        return [convert(value) for value in values]
    except ValueError:
        pass
    converted = []
    for i, value in enumerate(values):
        try:
            converted.append(convert(value))
        except ValueError as error:
            converted.append(instead)
            wrong.setdefault(i, f"{what} {error}")
    return converted


def encoded(columns: Mapping[str, Any], schema: Schema, n: int, wrong: Wrong) -> Any:
    """Return encoded rows; one that cannot be is wrong, and missing."""
    if not schema.columns:
        return np.ones((n, 1))
    known = {name: columns[name] for name in schema.names if name in columns}
    try:
        return schema.encode_all(known)
    except ValueError:
        values = {name: as_list(column) for name, column in known.items()}
    contexts = [dict.fromkeys(values) for _ in range(n)]
    for i, context in enumerate(contexts):
        own = {name: column[i] for name, column in values.items()}
        try:
            schema.encode(own)
            context.update(own)
        except ValueError as error:
            wrong.setdefault(i, f"{error}")
    return schema.encode_all(contexts)


def typed(texts: Sequence[str]) -> list[Any]:
    """Return texts of a file as numbers if all are, else as words; None where one is missing."""
    try:
        return [number(text) for text in texts]
    except ValueError:
        return as_words(texts)


def as_words(texts: Sequence[str]) -> list[str | None]:
    """Return texts of a file as words, None where one marks a missing value."""
    return [None if is_marker(text.strip()) else text for text in texts]


def as_numbers(texts: Sequence[str]) -> list[Any]:
    """Return texts of a file as numbers; one that is no number stays a text."""
    try:
        return [number(text) for text in texts]
    except ValueError:
        return [_number_or_text(text) for text in texts]


def _number_or_text(text: str) -> float | str:
    try:
        return number(text)
    except ValueError:
        return text
