"""Columns of a table: which is the label, which are nominal, and how values become numbers.

A table has `names` and `blocks(columns)`: matrices whose columns are numbers, NaN where a value is
missing, or codes. A first pass learns the words of the label and of nominal columns; every reading
is another pass. If a column turns out to be nominal only after the first block, learning starts
again, since the words of the blocks before are not known. Only the words stay in memory. They are
sorted, so that files with the same values have the same codes.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from onearm.schema.inference import (
    identifier_note,
    notes_on_few_words,
    notes_on_labels,
    notes_on_looks,
)
from onearm.schema.names import counted, did_you_mean, listed
from onearm.schema.schema import Schema
from onearm.streams.chunks import Chunks
from onearm.streams.codes import CHANGED, MISSED, Codes, NotANumberError, classes, is_number, number
from onearm.streams.naming import named_columns
from onearm.streams.stream import Stream

LABELS = ("label", "class", "target", "y")  # default names of the column of labels
WITH_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
MANY = 100  # values of a nominal column: their number is logged, and may be near that of rows
WARNING = "warning: "  # begins a logged sentence that is one
Column = str | int | None


class Table(Protocol):
    """Rows of a file with named columns."""

    file: str  # its name, for messages
    names: tuple[str, ...]
    named: bool  # whether the file itself has the names

    def blocks(self, columns: "Columns") -> Iterator[np.ndarray]:
        """Yield all rows from the start, as numbers and codes, some at a time."""


class Columns:
    """The columns of a table, and how their texts become numbers."""

    def __init__(self, table: Table, label: Column, nominal: Sequence[str | int] | None):
        self.file, self.names = table.file, table.names
        if len(self.names) < 2:
            raise ValueError(f"{self.file} must have at least 2 columns, got {len(self.names)}")
        self.label = _inferred(self.names) if label is None else self._index("label", label)
        self.inferred = nominal is None
        chosen = {self._index("nominal", given) for given in nominal or ()}
        if self.label in chosen:
            raise ValueError(f"nominal must not have the label, {self.names[self.label]!r}")
        self.codes = {j: Codes() for j in chosen} | {self.label: Codes(gaps=False)}
        self.gaps: set[int] = set()  # numeric columns with missing values
        self.n_rows = 0
        self.low = np.full(len(self.names), np.inf)  # the least value or code of a column
        self.high = -self.low
        self.rises = np.ones(len(self.names), bool)  # by whole numbers, from each row to the next
        self.late = False  # whether a column turned out to be nominal after the first block

    def _index(self, what: str, given: Any) -> int:
        d = len(self.names)
        if isinstance(given, str) and self.names.count(given) == 1:
            return self.names.index(given)
        if isinstance(given, int | np.integer) and not isinstance(given, bool) and -d <= given < d:
            return int(given) % d
        if isinstance(given, str) and given in self.names:
            raise ValueError(f"{self.file}: {what} {given!r} is the name of several columns")
        allowed = f"one of the columns of {self.file} ({listed(self.names)}) or an index"
        hint = did_you_mean(given, self.names)
        raise ValueError(f"{what} must be {allowed} in [{-d}, {d - 1}], got {given!r}{hint}")

    def encode(self, j: int, texts: Sequence[str], where: Callable[[int], str]) -> np.ndarray:
        """Return the numbers or codes of texts of column j; `where` names a row of them."""
        convert = self.codes[j].__getitem__ if j in self.codes else number
        try:
            values = np.fromiter(map(convert, texts), np.float64, len(texts))
        except ValueError as error:
            if self.inferred and isinstance(error, NotANumberError):
                self._refuse_commas(j, texts)
                self.codes[j] = Codes()
                self.late = self.late or self.n_rows > 0
                return self.encode(j, texts, where)
            raise self._located(j, texts, where, convert) from None
        if j not in self.codes and np.isnan(values).any():
            self.gaps.add(j)
        return values

    def _refuse_commas(self, j: int, texts: Sequence[str]) -> None:
        """Refuse a column of 1,5 and 2,5, which would be taken for a nominal one."""
        words = [text for text in texts if not is_number(text)]
        if all(map(WITH_COMMA.fullmatch, words)):
            wrong = f"numbers must have a point, not a comma, got {words[0].strip()!r}"
            hint = "; if these are words, list the column in nominal"
            raise ValueError(f"{self.file}, column {self.names[j]!r}: {wrong}{hint}")

    def _located(self, j: int, texts: Sequence[str], where: Any, convert: Any) -> ValueError:
        for i, text in enumerate(texts):
            try:
                convert(text)
            except ValueError as error:
                is_word = isinstance(error, NotANumberError)
                hint = "; columns of words must be listed in nominal" if is_word else ""
                place = f"{self.file}, {where(i)}, column {self.names[j]!r}"
                return ValueError(f"{place}: {error}{hint}")
        return ValueError(f"{self.file}: {CHANGED}")

    def learn(self, table: Table) -> None:
        """Learn the size of the table and its words."""
        above = np.full(len(self.names), -np.inf)
        for X in table.blocks(self):
            self.n_rows += len(X)
            steps = np.diff(X, axis=0, prepend=above[None])
            self.rises &= (steps > 0).all(axis=0) & (X == np.floor(X)).all(axis=0)
            above = X[-1]
            self.low = np.fmin(self.low, np.fmin.reduce(X))
            self.high = np.fmax(self.high, np.fmax.reduce(X))
            self.gaps.update(np.flatnonzero(np.isnan(X).any(axis=0)).tolist())
        if not self.n_rows:
            raise ValueError(f"{self.file} is empty: it has no rows")
        if self.late:
            self.codes = {j: Codes(codes.gaps) for j, codes in self.codes.items()}
            self.late, self.n_rows = False, 0
            self.learn(table)

    def close(self) -> None:
        """Sort the values; from now on no word and no nominal column may be new."""
        self.inferred = False
        for j, codes in self.codes.items():
            codes.closed = True
            if j != self.label:  # which is sorted by `classes`
                codes.sort()

    def sentence(self, given: bool, n_classes: int) -> str:
        """Return what was learned, and whether the label was given."""
        label, last = self.names[self.label], len(self.names) - 1
        why = "given" if given else "the last" if self.label == last else "by its name"
        words = [j for j in sorted(self.codes) if j != self.label]
        gaps = sorted(self.gaps | {j for j in words if MISSED in self.codes[j].known})
        nominal = listed(words, show=self._with_count) or "none"
        missing = listed(self.names[j] for j in gaps) or "none"
        size = f"{counted(self.n_rows, 'row')}, {counted(last, 'feature')}"
        unique = [self.names[j] for j in words if len(self.codes[j].words) > self.n_rows / 2 > MANY]
        hint = f"; nearly as many values as rows: {listed(unique)}" if unique else ""
        constant = [self.names[j] for j in np.flatnonzero(self.low == self.high) if j != self.label]
        hint += f"; constant: {listed(constant)}" if constant else ""
        return (
            f"{self.file}: {size}; label: column {label!r} ({why}), {n_classes:,} classes; "
            f"nominal: {nominal}; missing: {missing}{hint}"
        )

    def _with_count(self, j: int) -> str:
        n = len(self.codes[j].words)
        return f"{self.names[j]!r}" + (f" ({n:,} values)" if n > MANY else "")


def _inferred(names: Sequence[str]) -> int:
    """Return the index of the column named as a label, or else of the last."""
    lower = [name.lower() for name in names]
    return next((lower.index(word) for word in LABELS if word in lower), len(names) - 1)


def table_stream(table: Table, label: Column, nominal: Any, name: str, log: Any) -> Stream:
    """Return a stream that reads the rows of a table each time."""
    columns = Columns(table, label, nominal)
    columns.learn(table)
    columns.close()
    at = columns.label
    what = f"{table.file}: the label, column {table.names[at]!r},"
    of_word, class_names = classes(columns.codes[at].words, what)
    log(columns.sentence(label is not None, len(class_names)))
    notes = notes_on_labels(table.names[at], class_names, columns.n_rows)
    if nominal is None:
        for j in sorted(columns.codes.keys() - {at}):
            words = [word for word in columns.codes[j].words if word != MISSED]
            column = table.names[j]
            notes += notes_on_looks(column, words) or notes_on_few_words(column, words)
    numeric = columns.rises & [j not in columns.codes for j in range(len(table.names))]
    if columns.n_rows > MANY:
        notes += [identifier_note(table.names[j]) for j in np.flatnonzero(numeric)]
    for note in notes:
        log(f"{WARNING}{table.file}: {note}")

    def source() -> Chunks:
        n = 0
        for X in table.blocks(columns):
            n += len(X)
            yield np.delete(X, at, axis=1), of_word[X[:, at].astype(np.int64)]
        if n != columns.n_rows:
            raise ValueError(f"{table.file} had {columns.n_rows:,} rows, now {n:,}: {CHANGED}")

    features = [j for j in range(len(table.names)) if j != at]
    values = tuple(tuple(columns.codes[j].words) if j in columns.codes else () for j in features)
    sizes = tuple(map(len, values))
    return Stream(
        name,
        len(class_names),
        len(features),
        source,
        columns.n_rows,
        nominal=sizes if any(sizes) else (),
        feature_names=tuple(table.names[j] for j in features) if table.named else (),
        class_names=class_names,
        values=values,
        encoded_by=_schema(columns, class_names),
    )


def _schema(columns: Columns, class_names: Sequence[str]) -> Schema:
    values = [
        columns.codes[j].words if j in columns.codes else () for j in range(len(columns.names))
    ]
    forms = named_columns(columns.names, values)
    label = list(forms)[columns.label]
    del forms[label]
    return Schema(forms, class_names, label=label)
