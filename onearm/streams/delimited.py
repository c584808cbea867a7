"""CSV and similar tables: fields with a comma, semicolon, tab or bar between them.

The delimiter, whether the first row is a header, and whether numbers are written as 1.234,5, are
inferred from the first lines. Blocks of lines without quotes go through NumPy's reader; what it
refuses, and blocks with quotes or decimal commas, through the csv module, which reports what is
wrong in which line.
"""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from onearm.core.vectors import LARGEST
from onearm.schema.column import NUMBER
from onearm.schema.schema import Schema
from onearm.streams.chunks import ROWS
from onearm.streams.codes import is_missing, is_number, number
from onearm.streams.columns import Columns
from onearm.streams.naming import unique_names
from onearm.streams.text_lines import lines

# of several that fit equally the first; commas last, which may be within numbers
DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}
HEAD = 100  # lines to infer from
STATED = re.compile(r"\W?sep=(.)\s*")  # the line in which Excel states the delimiter
WITH_COMMAS = re.compile(r"\s*[+-]?(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d+)?\s*")  # 1.234,5
THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*")  # 1,234 may be either
CALLED = ("label", "class")  # target and y may as well be values
ABOVE = ({"number"}, {"number", "missing"})  # kinds of values that a word above does not fit


class Delimited:
    """A table of rows of delimited fields.

    `known` are columns that the user or a model named: a first row with such a name is a header,
    even of a single column.
    """

    def __init__(self, path: Path, known: Sequence[Any] = ()):
        self.path, self.file = path, path.name
        rest = lines(path)
        head = list(islice(rest, HEAD))
        self.begun: Iterator[str] | None = chain(head, rest)  # the first pass goes on from here
        stated = STATED.fullmatch(head[0]) if head else None
        head = head[1:] if stated else head
        self.delimiter = _stated(stated) or max(DELIMITERS, key=lambda mark: _fit(head, mark))
        numbered = self._head(head)
        rows = [row for _, row in numbered]
        self.has_commas = self.delimiter != "," and _has_decimal_commas(rows)
        rows = [[*map(_with_point, row)] for row in rows] if self.has_commas else rows
        first = [field.strip() for field in rows[0]]
        self.named = any(name in first for name in known) or _is_header(rows)
        self.skipped = numbered[0][0] * self.named + bool(stated)
        names = first if self.named else [""] * len(first)
        self.names = tuple(field or f"c{j}" for j, field in enumerate(names))
        if len(self.names) < 2 and self.names[0] not in known:
            marks = ", ".join(DELIMITERS.values())
            wrong = f"must have at least 2 columns with one of {marks} between them"
            raise ValueError(f"{self.file}: {wrong}, got {first[0][:80]!r}")

    def _head(self, head: list[str]) -> list[tuple[int, list[str]]]:
        """Return the rows to infer from, at least one; the last may be cut off."""
        numbered = list(_whole_rows(head, self.delimiter))
        try:
            if not numbered and not list(_rows(_reader(head, self.delimiter))):
                raise ValueError(f"{self.file} is empty: it has no rows")
        except csv.Error as error:
            end = f"; the first row must end within {HEAD} lines" if len(head) == HEAD else ""
            raise ValueError(f"{self.file}, line 1: {_csv_fault(error)}{end}") from None
        return numbered

    def sentence(self) -> str:
        first = "names the columns" if self.named else "is an example: there is no header"
        commas = "numbers with decimal commas; " * self.has_commas
        fields = f"{DELIMITERS[self.delimiter]} between fields"
        return f"{self.file}: {fields}; {commas}the first row {first}"

    def blocks(self, columns: Columns) -> Iterator[np.ndarray]:
        rest, done = self._rest()
        while some := list(islice(rest, ROWS)):
            X, n = None, len(some)
            if not self.has_commas and not any('"' in line for line in some):
                X = self._numbers(some, columns)
            if X is None:
                X, n = self._fields(some, rest, done, columns)
            done += n
            if len(X):
                yield X

    def frames(self, schema: Schema) -> Iterator[tuple[dict[str, list[Any]], Callable[[int], str]]]:
        """Yield columns of numbers and words by name, and the place of each row, for messages."""
        numeric = {column.name for column in schema.columns if column.kind == NUMBER}
        for columns, at in self.texts():
            where = partial(_place, self.file, at)
            yield (
                {
                    name: _numbers(name, texts, where) if name in numeric else [*map(_word, texts)]
                    for name, texts in columns.items()
                },
                where,
            )

    def texts(self) -> Iterator[tuple[dict[str, Sequence[str]], list[int]]]:
        """Yield columns of texts by name, and the line of each row."""
        rest, done = self._rest()
        while some := list(islice(rest, ROWS)):
            rows, at, n = self._texts(some, rest, done)
            done += n
            if rows:
                names, columns = unique_names(self.names), zip(*rows, strict=True)
                yield dict(zip(names, columns, strict=True)), at

    def _rest(self) -> tuple[Iterator[str], int]:
        """Return the lines after the header, and how many it has."""
        rest, self.begun = self.begun or lines(self.path), None
        for _ in islice(rest, self.skipped):
            pass
        return rest, self.skipped

    def _numbers(self, some: list[str], columns: Columns) -> np.ndarray | None:
        """Return what NumPy's reader makes of lines, if it can."""
        some = [line for line in some if not line.isspace()]
        if not some:
            return np.empty((0, len(self.names)))
        convert: dict[int, Any] = dict.fromkeys(columns.gaps, number)
        convert |= {j: codes.__getitem__ for j, codes in columns.codes.items()}
        options: Any = {"delimiter": self.delimiter, "comments": None, "converters": convert}
        try:
            X = np.loadtxt(some, np.float64, ndmin=2, **options)
        except ValueError:
            return None
        fine = X.shape[1] == len(self.names) and not (abs(X) > LARGEST).any()
        return X if fine else None

    def _fields(
        self, some: list[str], rest: Iterator[str], done: int, columns: Columns
    ) -> tuple[np.ndarray, int]:
        """Return what the csv module makes of lines and those that end the last row; how many."""
        rows, at, n = self._texts(some, rest, done)
        X = np.empty((len(rows), len(self.names)))
        for j, texts in enumerate(zip(*rows, strict=True)):
            X[:, j] = columns.encode(j, texts, lambda i: f"line {at[i]}")
        return X, n

    def _texts(
        self, some: list[str], rest: Iterator[str], done: int
    ) -> tuple[list[list[str]], list[int], int]:
        """Return rows of texts and their last lines, and how many lines were read."""
        reader = _reader(chain(some, rest), self.delimiter)
        at, rows = [], []
        try:
            for row in _rows(reader) if len(self.names) > 1 else filter(None, reader):
                at.append(done + reader.line_num)
                rows.append([*map(_with_point, row)] if self.has_commas else row)
                if len(row) != len(self.names):
                    wrong = f"must have {len(self.names)} fields, got {len(row)}"
                    raise ValueError(f"{self.file}, line {at[-1]}: {wrong}")
                if reader.line_num >= len(some):
                    break
        except csv.Error as error:
            place = f"{self.file}, line {done + reader.line_num}"
            raise ValueError(f"{place}: {_csv_fault(error)}") from None
        return rows, at, reader.line_num


def _place(file: str, at: list[int], i: int) -> str:
    return f"{file}, line {at[i]}: "


def _word(text: str) -> str | None:
    return None if is_missing(text.strip()) else text


def _numbers(name: str, texts: Sequence[str], where: Callable[[int], str]) -> list[float]:
    """Return the numbers of a column, or an error that names the place."""
    values = []
    for i, text in enumerate(texts):
        try:
            values.append(number(text))
        except ValueError as error:
            raise ValueError(f"{where(i)}column {name!r} {error}") from None
    return values


def _csv_fault(error: csv.Error) -> str:
    return f"{error}; csv.field_size_limit raises it" if "limit" in str(error) else str(error)


def _reader(some: Any, delimiter: str) -> Any:
    return csv.reader(some, delimiter=delimiter, skipinitialspace=True, strict=True)


def _rows(reader: Any) -> Iterator[list[str]]:
    """Yield the rows that are not blank."""
    return (row for row in reader if len(row) > 1 or "".join(row).strip())


def _whole_rows(head: list[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of the first lines with the number of their last line; one may be cut off."""
    reader = _reader(head, delimiter)
    with suppress(csv.Error):
        for row in _rows(reader):
            yield reader.line_num, row


def _fit(head: list[str], delimiter: str) -> tuple[bool, int]:
    """How well a delimiter fits: whether all rows are equally long, and how long rows are."""
    widths = [len(row) for _, row in _whole_rows(head, delimiter)]
    return len(set(widths)) == 1 and widths[0] > 1, max(widths, default=0)


def _stated(stated: re.Match[str] | None) -> str | None:
    return stated[1] if stated and stated[1] in DELIMITERS else None


def _has_decimal_commas(rows: list[list[str]]) -> bool:
    """Whether some column below the first row has numbers as 1,5, and none has any as 1.5."""
    fields = [field for row in rows for field in row]
    if any("." in text and is_number(text) and not WITH_COMMAS.fullmatch(text) for text in fields):
        return False
    rows = [row for row in rows[1:] if len(row) == len(rows[0])]
    return any(map(_are_with_commas, zip(*rows, strict=True)))


def _are_with_commas(texts: Sequence[str]) -> bool:
    known = [text for text in texts if not is_missing(text.strip())]
    decimal = any("," in text and not THOUSANDS.fullmatch(text) for text in known)
    return decimal and all(map(WITH_COMMAS.fullmatch, known))


def _with_point(text: str) -> str:
    """Return a number as 1.234,5 with a point in the place of the comma; other texts as they are.

    >>> [_with_point(text) for text in ("1,5", "-1.234,50", "1.234", "7", "1,5 kg")]
    ['1.5', '-1234.50', '1234', '7', '1,5 kg']
    """
    is_written = WITH_COMMAS.fullmatch(text)
    return text.replace(".", "").replace(",", ".") if is_written else text


def _is_header(rows: list[list[str]]) -> bool:
    """Whether row 0 names the columns.

    It does if it names a label; or if it has only words, above some number or nowhere repeated.
    """
    first = [field.strip() for field in rows[0]]
    below = [row for row in rows[1:] if len(row) == len(first)]
    columns = list(zip(first, zip(*below, strict=True), strict=True)) if below else []
    if any(field.lower() in CALLED and field not in under for field, under in columns):
        return True
    if any(_kind(field) != "word" for field in first if field):
        return False
    if any(field and set(map(_kind, under)) in ABOVE for field, under in columns):
        return True
    return len(set(first)) == len(first) and all(field not in under for field, under in columns)


def _kind(field: str) -> str:
    if not is_number(field):
        return "word"
    return "missing" if is_missing(field.strip()) else "number"
