"""Sparse rows from lines of text: a label, then features with their values.

A format has `parse(line)`, which returns a label, whether that label was wrong, the indices and
the values, or raises a ValueError. A first pass learns the size and the labels; every reading is
another pass. Only the labels stay in memory.

The format svmlight, or libsvm, has rows `label index:value index:value … # comment`. Indices count
from 1, or from 0 if an index 0 occurs. What a row does not name is 0.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from onearm.core.sparse_check import MOST_FEATURES
from onearm.core.vectors import LARGEST
from onearm.schema.names import counted
from onearm.streams.chunks import ROWS, Chunks
from onearm.streams.codes import CHANGED, Codes, classes
from onearm.streams.stream import Stream
from onearm.streams.text_lines import lines

Row = tuple[str, bool, Any, Any]  # label, whether it was wrong, indices, values
SVMLIGHT = re.compile(r"\s*([^\s:,]+)((?:\s+[0-9]{1,10}:[^\s:_]+)*)\s*")
PAIR = re.compile(r"[0-9]{1,10}:[^\s:_]+")


class Sparse:
    """A file of sparse rows, and what the first pass learned of it."""

    def __init__(self, path: Path, parse: Callable[[str], Row | None]):
        self.path, self.parse = path, parse  # which returns None for a line without a row
        self.codes = Codes(gaps=False)
        self.n_rows = 0
        self.least, self.most = MOST_FEATURES, -1  # index
        self.wrong: int | None = None  # the first line whose label was wrong
        for n, _, wrong, indices, _ in self._parsed():
            self.n_rows += 1
            if len(indices):
                self.least = min(self.least, int(indices[0]))
                self.most = max(self.most, int(indices[-1]))
            if wrong and self.wrong is None:
                self.wrong = n
        if not self.n_rows:
            raise ValueError(f"{path.name} is empty: it has no rows")
        self.codes.closed = True

    def _parsed(self) -> Iterator[tuple[int, int, bool, np.ndarray, np.ndarray]]:
        """Yield the line, the code of the label, whether that is wrong, indices and values."""
        n_rows = 0
        for n, line in enumerate(lines(self.path), 1):
            try:
                row = self.parse(line)
                if row is None:
                    continue
                label, wrong, indices, values = row
                yield n, self.codes[label], wrong, *_checked(indices, values)
            except ValueError as error:
                raise ValueError(f"{self.path.name}, line {n}: {error}") from None
            n_rows += 1
        if n_rows != self.n_rows:  # which the first pass counts meanwhile
            before = f"{self.path.name} had {self.n_rows:,} rows, now {n_rows:,}"
            raise ValueError(f"{before}: {CHANGED}")

    def stream(self, name: str, n_features: int, first: int) -> Stream:
        """Return a stream that reads the rows each time; index `first` is column 0."""
        of_word, names = classes(self.codes.words, f"{self.path.name}: the label")
        if self.wrong is not None and len(names) != 2:
            allowed = "an action of cost 0, or one of 2 actions in all"
            place = f"{self.path.name}, line {self.wrong}"
            raise ValueError(f"{place}: the label must be known: {allowed}, got {len(names)}")

        def source() -> Chunks:
            rows = self._parsed()
            while some := list(islice(rows, ROWS)):
                yield _chunk(some, of_word, n_features, first)

        return Stream(name, len(names), n_features, source, self.n_rows, class_names=names)


def _checked(indices: Any, values: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return indices and values by ascending index, checked."""
    indices, values = np.asarray(indices, np.int64), np.asarray(values, np.float64)
    if len(indices) and (np.diff(indices) <= 0).any():
        order = np.argsort(indices, kind="stable")
        indices, values = indices[order], values[order]
        same = indices[1:] == indices[:-1]
        if same.any():
            raise ValueError(f"an index must occur once, got {indices[1:][same][0]} again")
    if len(indices) and indices[-1] >= MOST_FEATURES:
        raise ValueError(f"an index must be below {MOST_FEATURES}, got {indices[-1]}")
    large = abs(values) > LARGEST
    if large.any():
        allowed = f"finite and within ±{LARGEST:g}"
        at = int(large.argmax())
        raise ValueError(f"values must be {allowed}, got {values[at]} for index {indices[at]}")
    return indices, values


def _chunk(some: list, of_word: np.ndarray, d: int, first: int) -> tuple[Any, np.ndarray]:
    from scipy.sparse import csr_array

    _, codes, wrong, indices, values = zip(*some, strict=True)
    labels = of_word[np.array(codes)]
    starts = np.zeros(len(some) + 1, np.int32)
    starts[1:] = np.cumsum([len(row) for row in indices])
    columns = np.concatenate(indices) - first
    if len(columns) and (columns.min() < 0 or columns.max() >= d):
        raise ValueError(f"an index is new: {CHANGED}")
    parts = (np.concatenate(values), columns.astype(np.int32), starts)
    return csr_array(parts, shape=(len(some), d)), np.where(wrong, 1 - labels, labels)


def parse_svmlight(line: str) -> Row | None:
    """Return the label, the indices and the values of a line.

    >>> parse_svmlight("2 1:0.5 7:1 # a comment")
    ('2', False, array([1, 7]), array([0.5, 1. ]))
    """
    line = line.partition("#")[0]
    if not line.strip():
        return None
    row = SVMLIGHT.fullmatch(line)
    if row is None:
        raise ValueError(_complaint(line.split()))
    label, pairs = row.groups()
    try:
        numbers = np.array(pairs.replace(":", " ").split(), np.float64)
    except ValueError as error:
        raise ValueError(f"values must be numbers: {error}") from None
    return label, False, numbers[::2].astype(np.int64), numbers[1::2]


def _complaint(words: list[str]) -> str:
    if ":" in words[0]:
        return f"must begin with a label, got {words[0]!r}"
    if "," in words[0]:
        return f"must have one label, got {words[0]!r}"
    wrong = next(word for word in words[1:] if not PAIR.fullmatch(word))
    return f"features must be index:value with an index of at least 0, got {wrong!r}"


def svmlight_stream(path: Path, n_features: int | None, name: str, log: Any) -> Stream:
    rows = Sparse(path, parse_svmlight)
    first = 0 if rows.least == 0 else 1
    seen = max(rows.most - first + 1, 1)
    if n_features is not None and n_features < seen:
        allowed = f"at least {seen}, the largest index of {path.name}"
        raise ValueError(f"n_features must be {allowed}, got {n_features}")
    stream = rows.stream(name, n_features or seen, first)
    size = f"{counted(rows.n_rows, 'row')}, {counted(stream.n_features, 'feature')}"
    origin = "given" if n_features else "the largest index"
    log(f"{path.name}: {size} ({origin}), indices from {first}; {stream.n_classes:,} classes")
    return stream
