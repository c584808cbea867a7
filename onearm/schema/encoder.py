"""The encoder of a schema: from contexts and tables to rows of numbers.

A context (a dict, a tuple, a record, a row of a frame) becomes one number per column, or, with
columns of text, a sparse row that also has the counts of hashed words. Rules for contexts that are
not as expected, each counted by a Monitor:

    a value that a category has not     gets the category's spare code
    a column that a context has not     is missing
    a column that the schema has not    is left out
"""

from collections.abc import Callable, Collection, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Any

import numpy as np

from onearm.schema.codes import Codes, Words
from onearm.schema.column import CATEGORY, NUMBER, TEXT, Column
from onearm.schema.contexts import as_columns, as_contexts, as_floats, as_list, as_mapping
from onearm.schema.monitor import Monitor
from onearm.schema.names import listed
from onearm.schema.values import LARGEST, as_number

# what NumPy converts to the number that it is
PLAIN = {float, int, bool, type(None), np.float64, np.int64, np.float32, np.int32, np.bool_}

Where = Callable[[int], str]  # returns what a message about row i begins with


def row_place(i: int) -> str:
    """Return what a message about row i begins with."""
    return f"row {i}: "


class Encoder:
    """What encodes contexts with certain columns; they may have the column `label`, too.

    The numbers and codes of all columns but texts come first, in the order of the columns; then,
    of every text, the counts of its buckets.
    """

    def __init__(self, columns: Sequence[Column], label: str | None = None) -> None:
        self.names, self.label = [column.name for column in columns], label
        self.plain = [c for c in columns if c.kind != TEXT]
        self.codes = {c.name: Codes(c) for c in self.plain if c.kind != NUMBER}
        self.spare = np.array([c.n_codes if c.kind == CATEGORY else np.nan for c in self.plain])
        self.has_categories = any(c.kind == CATEGORY for c in self.plain)
        self.words = {c.name: Words(c) for c in columns if c.kind == TEXT}
        sizes = [words.n_buckets for words in self.words.values()]
        *self.starts, self.n_features = accumulate([len(self.plain), *sizes])
        # of a dict, all numbers are asked at once, and all values that have codes
        numbers = [c.name for c in self.plain if c.kind == NUMBER]
        order = [*numbers, *self.codes]
        self.get_numbers, self.get_values = _getter(numbers), _getter(list(self.codes))
        self.arrange = _getter([order.index(c.name) for c in self.plain])
        self.tables = list(self.codes.values())

    def row(self, context: Any, monitor: Monitor | None = None, where: str = "") -> Any:
        """Return the numbers of a context: an array, or sparse (indices, values)."""
        x = self._usual(context) if self.names and type(context) is dict else None
        if x is None:
            try:
                context = as_mapping(context, self.names)
            except ValueError as error:
                raise ValueError(f"{where}{error}") from None
            self._require_columns(context, where)
            values = {name: context.get(name, np.nan) for name in self.names}
            x = self._usual(values)
            if x is None:
                x = np.array([self._number(c.name, values[c.name], where) for c in self.plain])
        if self.words:
            words = self._count_words([context.get(name) for name in self.words], where)
        if monitor is not None:
            self._count(context, x[None], monitor)
        return self._with_words(x, *words) if self.words else x

    def _usual(self, context: dict[str, Any]) -> np.ndarray | None:
        """Encode a dict that has all columns, with values of ordinary types; None for others."""
        try:
            numbers, values = self.get_numbers(context), self.get_values(context)
            if not PLAIN.issuperset(map(type, numbers)):
                return None
            codes = [table[value] for table, value in zip(self.tables, values)]  # noqa: B905 slower
            x = np.array(self.arrange((*numbers, *codes)), np.float64)
        except (KeyError, TypeError, ValueError, OverflowError):
            return None
        with np.errstate(over="ignore"):
            if x.dot(x) <= LARGEST:  # the usual case, in a sixth of the time
                return x
        return None if (np.abs(x) > LARGEST).any() else x

    def _with_words(self, x: np.ndarray, at: list[int], counts: list[int]) -> tuple:
        """Return numbers and codes, followed by counts of words, as (indices, values)."""
        return np.append(np.arange(len(x)), at).astype(np.int32), np.append(x, counts)

    def _number(self, name: str, value: Any, where: str) -> float:
        """Return the number or code of a value, or an error that names the column."""
        try:
            return self.codes[name].code(value) if name in self.codes else as_number(value)
        except ValueError as error:
            raise ValueError(f"{where}column {name!r} {error}") from None

    def _count_words(self, texts: Sequence[Any], where: str) -> tuple[list[int], list[int]]:
        """Return the indices and counts of the words of all texts of a context."""
        at: list[int] = []
        counts: list[int] = []
        for start, name, text in zip(self.starts, self.words, texts, strict=True):
            of_text = self._word_counts(name, text, where)
            at += [start + bucket for bucket, _ in of_text]
            counts += [count for _, count in of_text]
        return at, counts

    def _word_counts(self, name: str, text: Any, where: str) -> list[tuple[int, int]]:
        try:
            return self.words[name].count(text)
        except ValueError as error:
            raise ValueError(f"{where}column {name!r} {error}") from None

    def rows(self, data: Any, monitor: Monitor | None = None, where: Where = row_place) -> Any:
        """Return the rows of a table, or of many contexts: an array, or a sparse one."""
        columns = as_columns(data, self.names)
        if columns is None:
            contexts = enumerate(as_contexts(data))
            return self._stacked([self.row(x, monitor, where(i)) for i, x in contexts])
        self._require_columns(columns, "" if where is row_place else where(0))
        n = len(next(iter(columns.values())))
        absent = [None] * n
        X = np.empty((n, len(self.plain)))
        for j, column in enumerate(self.plain):
            X[:, j] = self._column(column.name, columns.get(column.name, absent), where)
        texts = [
            self._text_counts(name, as_list(columns.get(name, absent)), where)
            for name in self.words
        ]
        if monitor is not None:
            self._count(columns, X, monitor)
        return self._joined(X, texts) if self.words else X

    def _text_counts(self, name: str, texts: list[Any], where: Where) -> Any:
        try:
            return self.words[name].count_all(texts)
        except ValueError:
            for i, text in enumerate(texts):
                self._word_counts(name, text, where(i))
            raise

    def _joined(self, X: np.ndarray, texts: list[Any]) -> Any:
        """Return numbers and codes, all of them stored, followed by counts of words."""
        from scipy.sparse import csr_array

        n, width = X.shape
        lengths = [np.full(n, width), *(np.diff(counts.indptr) for counts in texts)]
        ends = np.append(0, np.cumsum(sum(lengths)))
        at, values = np.empty(ends[-1], np.int32), np.empty(ends[-1])
        begin = ends[:-1].copy()  # of the next part in each row
        plain = begin[:, None] + np.arange(width)
        at[plain], values[plain] = np.arange(width), X
        for start, length, counts in zip(self.starts, lengths[:-1], texts, strict=True):
            begin += length
            place = np.repeat(begin - counts.indptr[:-1], np.diff(counts.indptr))
            place += np.arange(counts.nnz)
            at[place], values[place] = start + counts.indices, counts.data
        return csr_array((values, at, ends), shape=(n, self.n_features))

    def _column(self, name: str, column: Any, where: Where) -> Any:
        """Return the numbers of a column; what is wrong is looked for where something is."""
        if name not in self.codes:
            floats = as_floats(column)
            if floats is not None and not (np.abs(floats) > LARGEST).any():
                return floats
        values = as_list(column)
        encode = self.codes[name].__getitem__ if name in self.codes else as_number
        try:
            return np.fromiter(map(encode, values), np.float64, len(values))
        except (TypeError, ValueError):
            return [self._number(name, value, where(i)) for i, value in enumerate(values)]

    def _stacked(self, rows: list[Any]) -> Any:
        if not self.words:
            return np.array(rows).reshape(-1, self.n_features)
        from scipy.sparse import csr_array

        ends = np.cumsum([0, *(len(at) for at, _ in rows)])
        at, values = (np.concatenate([row[part] for row in rows] or [()]) for part in (0, 1))
        return csr_array((values, at.astype(np.int32), ends), shape=(len(rows), self.n_features))

    def _require_columns(self, names: Collection[str], where: str) -> None:
        if not any(name in names for name in self.names):
            known, got = listed(self.names), listed(names) or "nothing"
            wrong = f"a context must have at least one of the columns {known}, got {got}"
            raise ValueError(f"{where}{wrong}")

    def _count(self, names: Collection[str], X: np.ndarray, monitor: Monitor) -> None:
        by_column: dict[str, int] = {}
        if self.has_categories and np.count_nonzero(is_unseen := X == self.spare):
            unseen = is_unseen.sum(axis=0)
            by_column = {self.plain[j].name: int(unseen[j]) for j in np.flatnonzero(unseen)}
        absent = [name for name in self.names if name not in names]
        n_known = len(self.names) - len(absent) + (self.label in names)
        extra: list[str] = []
        if len(names) > n_known:
            known = {*self.names, self.label}
            extra = [name for name in names if name not in known]
        monitor.add(len(X), by_column, absent, extra)


def _getter(keys: Sequence[Any]) -> Callable[[Any], tuple]:
    if len(keys) == 1:
        return lambda row: (row[keys[0]],)
    return itemgetter(*keys) if keys else lambda row: ()
