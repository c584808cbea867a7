"""The difference of two schemas, so that a learner is not used on other columns than its own.

Two files may have equal sizes but other columns, or other values behind the same codes. A learner
that was made for one must refuse the other. What has no names is not compared: columns that are
called c0, c1, … as in a file without a header, values that are their codes, and unknown labels.
"""

import re
from collections.abc import Sequence
from typing import Any

from onearm.schema.column import CATEGORY, NUMBER, Column
from onearm.schema.names import listed
from onearm.schema.schema import Schema

UNNAMED = re.compile(r"c\d+")


def difference(expected: Schema, other: Schema, values: bool = True) -> str | None:
    """Return how the columns, values or labels of another schema differ, or None.

    Without `values`, those of its columns are not known, only their names.

    >>> two = Schema({"hour": "number", "page": ["home", "sport"]}, ["left", "read"])
    >>> difference(two, Schema({"hour": "number", "page": ["home", "news"]}))
    "column 'page' has other values: 'news' is new, 'sport' is missing"
    >>> difference(two, Schema({"hour": "number", "site": ["home", "sport"]}))
    "column 1 is called 'site', not 'page'"
    """
    for j, (mine, its) in enumerate(zip(expected.columns, other.columns, strict=False)):
        if mine.name != its.name and not any(map(UNNAMED.fullmatch, (mine.name, its.name))):
            return f"column {j} is called {its.name!r}, not {mine.name!r}"
    for mine, its in zip(expected.columns, other.columns, strict=False):
        wrong = _column_difference(mine, its)
        if wrong and values:
            return f"column {mine.name!r} has other values: {wrong}"
    if expected.labels and other.labels:
        wrong = _value_difference(expected.labels, other.labels)
        return f"the label has other classes: {wrong}" if wrong else None
    return None


def _column_difference(mine: Column, its: Column) -> str:
    if mine.kind == its.kind == CATEGORY:
        known = not (_are_codes(mine) or _are_codes(its)) or len(mine.values) != len(its.values)
        return _value_difference(mine.values, its.values) if known else ""
    if mine.kind != its.kind and {mine.kind, its.kind} == {NUMBER, CATEGORY}:
        return "words, not numbers" if its.kind == CATEGORY else "numbers, not words"
    return "" if mine.form == its.form else f"{its.form!r}, not {mine.form!r}"


def _are_codes(column: Column) -> bool:
    return all(value == f"{code}" for code, value in enumerate(column.values))


def _value_difference(mine: Sequence[Any], its: Sequence[Any]) -> str:
    """Return how values differ from the expected ones; numbers may be written differently."""
    if tuple(mine) == tuple(its) or _same_numbers(mine, its):
        return ""
    expected, given = set(mine), set(its)
    new = _listed([word for word in its if word not in expected], "new")
    gone = _listed([word for word in mine if word not in given], "missing")
    return ", ".join(filter(None, (new, gone))) or "they have other codes"


def _listed(words: list[Any], what: str) -> str:
    return f"{listed(words)} {'is' if len(words) == 1 else 'are'} {what}" if words else ""


def _same_numbers(mine: Sequence[Any], its: Sequence[Any]) -> bool:
    try:
        return list(map(float, mine)) == list(map(float, its))
    except (TypeError, ValueError):
        return False
