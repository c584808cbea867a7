"""Inference: the schema of a table from its values, and what will hardly be meant in it.

A column of numbers, truth values or dates is a number. A column of words is a category with its
values, or a hashed one where there are more than MANY; where values have several words and are
many or mostly differ, it is a text. A column that its frame calls categorical is a category
whatever its values. The labels are sorted, as numbers if all are.
"""

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

import onearm
from onearm.schema.column import CATEGORY, HASHED, NUMBER, TEXT, Column
from onearm.schema.contexts import as_floats, as_list, is_category, table_columns
from onearm.schema.names import counted, did_you_mean, listed
from onearm.schema.schema import Schema
from onearm.schema.values import as_number, as_word, is_too_large

KINDS = {
    NUMBER: ("number", "numbers"),
    CATEGORY: ("category", "categories"),
    HASHED: ("hashed category", "hashed categories"),
    TEXT: ("text", "texts"),
}
MANY = 100  # values: a category with more is hashed
SEVERAL = 3  # words of a value, on average: with more it is a text
FEW = 20  # rows that say nothing; labels: more of them, with decimals or gaps, are measurements
NEARLY = 0.9  # of the rows, in nearly every one
RARE = 0.1  # words for each number of a column: fewer look like mistakes
LOOKS = {  # of texts
    "numbers": re.compile(r"[+-]?\s*[$€£¥]?\s*\d[\d.,' ]*(e[+-]?\d+)?\s*[%$€£¥]?", re.I),
    "dates": re.compile(r"(\d{4}([./-])\d\d?\2\d\d?|\d\d?([./-])\d\d?\3\d{2,4})([T ].*)?"),
}
CODE = re.compile(r"0\d+")  # as 01067
IDENTIFIER = "an identifier is better left out"


def infer(data: Any, label: str | None, log: Callable[[str], Any]) -> Schema:
    """Return the schema of a table; `log` gets what was inferred."""
    if isinstance(data, str | Path):
        return _of_file(data, label, log)
    columns = table_columns(data)
    if label is not None and label not in columns:
        hint = did_you_mean(label, columns)
        raise ValueError(f"label must be one of {listed(columns)}, got {label!r}{hint}")
    notes: list[str] = []
    labels = [] if label is None else _labels(label, as_list(columns.pop(label)), notes)
    schema = Schema(
        {name: _form(name, c, notes) for name, c in columns.items()}, labels, label=label
    )
    return _announced(schema, notes, log)


def _announced(schema: Schema, notes: list[str], log: Callable[[str], Any]) -> Schema:
    for note in notes:
        warnings.warn(note, stacklevel=5)
    log(describe(schema))
    return schema


def _of_file(path: str | Path, label: str | None, log: Callable[[str], Any]) -> Schema:
    """Return the schema of a table in a file: that of its stream, without long lists of values."""
    stream = onearm.read(path, label=label, log=lambda sentence: None)  # warned of below
    schema, rows = stream.schema, stream.arrays()[0]
    if schema is None or not schema.columns:
        raise ValueError(f"a file must be a table with named columns, got {str(path)!r}")
    notes = notes_on_labels(f"{schema.label}", schema.labels, len(rows))
    forms: dict[str, Any] = {}
    for j, column in enumerate(schema.columns):
        if column.kind == CATEGORY:
            notes += notes_on_words(column.name, column.values, len(rows))
            forms[column.name] = word_form(column.values, len(rows))
        else:
            notes += _notes_on_numbers(column.name, rows[:, j])
            forms[column.name] = NUMBER
    return _announced(Schema(forms, schema.labels, label=schema.label), notes, log)


def _form(name: str, column: Any, notes: list[str]) -> Any:
    """Return the form of a column; note what is strange in it."""
    numbers = None if is_category(column) else as_floats(column)
    values = as_list(column) if numbers is None else []
    if values and not is_category(column):
        with suppress(ValueError):
            numbers = np.array([_finite(value) for value in values])
    if numbers is not None:
        are_dates = any(isinstance(value, date | np.datetime64) for value in values)
        notes += _notes_on_numbers(name, numbers, are_dates)
        return NUMBER
    words = [_word(name, i, value) for i, value in enumerate(values)]
    notes += notes_on_words(name, set(words), len(words))
    return word_form(set(words), len(words))


def _finite(value: Any) -> float:
    """Return a number, NaN for one that is too large: its column has numbers, and refuses it."""
    return np.nan if is_too_large(value) else as_number(value)


def word_form(values: Collection[str | None], n_rows: int) -> Any:
    """Return the form of a column with these words; None is a missing one."""
    words = {word for word in values if word is not None}
    n_words = sum(len(word.split()) for word in words)
    if n_words > SEVERAL * len(words) and (len(words) > MANY or _differ(values, n_rows)):
        return TEXT
    return HASHED if len(words) > MANY else [*in_order(words), *([None] if None in values else [])]


def _differ(values: Collection[str | None], n_rows: int) -> bool:
    """Whether nearly every row has another value."""
    return n_rows > FEW and len(values) > NEARLY * n_rows


def _notes_on_numbers(name: str, numbers: np.ndarray, are_dates: bool = False) -> list[str]:
    if len(np.unique(numbers)) == 1 < len(numbers):
        return [f"column {name!r} is constant: it tells nothing"]
    known = numbers[~np.isnan(numbers)]
    differ = len(np.unique(known)) == len(known) > MANY
    if differ and not are_dates and _are_whole(known):
        return [identifier_note(name)]
    return []


def identifier_note(name: str) -> str:
    """Return the note on a column of whole numbers, each of which occurs once."""
    return f"column {name!r} has another whole number in every row: {IDENTIFIER}"


def _are_whole(numbers: np.ndarray) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def notes_on_words(name: str, values: Collection[str | None], n_rows: int) -> list[str]:
    """Return what is strange in a column of words."""
    if len(values) == 1 < n_rows:
        return [f"column {name!r} is constant: it tells nothing"]
    looks = notes_on_looks(name, values)
    if not looks and _differ(values, n_rows) and word_form(values, n_rows) != TEXT:
        return [f"column {name!r} differs in nearly every row: {IDENTIFIER}"]
    return looks or notes_on_few_words(name, values)


def notes_on_looks(name: str, values: Collection[str | None]) -> list[str]:
    """Return whether all words of a category look like numbers, or like dates.

    >>> notes_on_looks("price", [f"{n},50 €" for n in range(30)])
    ["column 'price' is a category of texts that look like numbers, as '0,50 €': convert them ..."]
    >>> notes_on_looks("postcode", [f"0106{n}" for n in range(30)])
    []
    """
    words = [word for word in values if word is not None]
    if len(words) <= FEW or any(map(CODE.fullmatch, words)):
        return []
    for what, look in reversed(LOOKS.items()):
        if all(map(look.fullmatch, words)):
            like = f"is a category of texts that look like {what}, as {min(words)!r}"
            return [f"column {name!r} {like}: convert them if {what} are meant"]
    return []


def notes_on_few_words(name: str, values: Collection[str | None]) -> list[str]:
    """Return whether a column of numbers was taken for words because of a few of them.

    >>> notes_on_few_words("age", ["old", *map(str, range(18, 80))])
    ["column 'age' is a category because of 'old' among 62 numbers: is that a mistake in the data?"]
    """
    words = [word for word in values if word is not None and not _is_number(word)]
    n_numbers = sum(word is not None for word in values) - len(words)
    if not words or n_numbers <= FEW or len(words) > RARE * n_numbers:
        return []
    what = f"because of {listed(words)} among {n_numbers:,} numbers"
    return [f"column {name!r} is a category {what}: is that a mistake in the data?"]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _labels(name: str, values: Sequence[Any], notes: list[str]) -> list[str]:
    words = [_word(name, i, value) for i, value in enumerate(values)]
    if None in words:
        where = f"row {words.index(None)}: the label, column {name!r},"
        raise ValueError(f"{where} must not be missing")
    labels = in_order(word for word in set(words) if word is not None)
    notes += notes_on_labels(name, labels, len(words))
    return labels


def notes_on_labels(name: str, labels: Sequence[str], n_rows: int) -> list[str]:
    """Return whether labels look like measurements, or like identifiers.

    >>> notes_on_labels("price", [f"{n}.5" for n in range(500)], 1000)
    ["the label, column 'price', has 500 different numbers: ... fewer labels, as bins"]
    >>> notes_on_labels("letter", [f"{n}" for n in range(26)], 1000)
    []
    """
    if len(labels) <= FEW:
        return []
    try:
        numbers = np.array([float(label) for label in labels])
    except ValueError:
        numbers = np.array([])
    if len(numbers) and (len(numbers) > MANY or _has_gaps(numbers)):
        what, way_out = "numbers", "to predict a number, use a regressor or fewer labels, as bins"
    elif len(labels) > n_rows / 2 and not len(numbers):
        what, way_out = "values", "an identifier is no label"
    else:
        return []
    return [f"the label, column {name!r}, has {len(labels):,} different {what}: {way_out}"]


def _has_gaps(numbers: np.ndarray) -> bool:
    """Whether numbers have decimals, or are spread more widely than codes are."""
    return not _are_whole(numbers) or float(np.ptp(numbers)) > 2 * len(numbers)


def in_order(words: Iterable[str]) -> list[str]:
    """Return words in order, as numbers if all are."""
    words = sorted(words)
    try:
        return sorted(words, key=float)
    except ValueError:
        return words


def _word(name: str, i: int, value: Any) -> str | None:
    try:
        return as_word(value)
    except ValueError as error:
        raise ValueError(f"row {i}: column {name!r} {error}") from None


def describe(schema: Schema) -> str:
    """Return a sentence about the columns and labels of a schema.

    >>> describe(Schema({"age": "number", "device": ["phone", "desktop"]}, ["a", "b"], label="y"))
    "1 number: 'age'; 1 category: 'device' (2 values); label 'y': 2 labels"
    """
    parts = []
    for kind, names in KINDS.items():
        columns = [column for column in schema.columns if column.kind == kind]
        if columns:
            name = names[len(columns) > 1]
            parts.append(f"{len(columns)} {name}: {listed(columns, show=_shown)}")
    if schema.label is not None:
        parts.append(f"label {schema.label!r}: {counted(len(schema.labels), 'label')}")
    return "; ".join(parts)


def _shown(column: Column) -> str:
    gaps = None in column.values
    values = counted(len(column.values) - gaps, "value") + ", may be missing" * gaps
    return f"{column.name!r}" + (f" ({values})" if column.values else "")
