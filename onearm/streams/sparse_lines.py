"""Sparse rows from lines of text: a label, then features with their values.

A format has `parse(line)`, which returns a label, whether that label was wrong, the indices and
the values, or raises a ValueError. A first pass learns the size and the labels; every reading is
another pass. Only the labels stay in memory.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from onearm.core.vectors import LARGEST
from onearm.streams.chunks import ROWS, Chunks
from onearm.streams.codes import CHANGED, Codes, classes
from onearm.streams.stream import Stream
from onearm.streams.text_lines import lines

Row = tuple[str, bool, Any, Any]  # label, whether it was wrong, indices, values
MOST_FEATURES = 2**31 - 1


@dataclass
class Sparse:
    """A file of sparse rows, and what the first pass learned of it."""

    path: Path
    parse: Callable[[str], Row | None]  # None for a line without a row
    codes: Codes = field(default_factory=lambda: Codes(gaps=False))
    n_rows: int = 0
    least: int = MOST_FEATURES  # index
    most: int = -1
    wrong: int | None = None  # the first line whose label was wrong

    def rows(self) -> Iterator[tuple[int, int, bool, np.ndarray, np.ndarray]]:
        """Yield the line, the code of the label, whether that is wrong, indices and values."""
        for n, line in enumerate(lines(self.path), 1):
            try:
                row = self.parse(line)
                if row is None:
                    continue
                label, wrong, indices, values = row
                yield n, self.codes[label], wrong, *_arrays(indices, values)
            except ValueError as error:
                raise ValueError(f"{self.path.name}, line {n}: {error}") from None

    def learn(self) -> None:
        """Learn the size and the labels."""
        for n, _, wrong, indices, _ in self.rows():
            self.n_rows += 1
            if len(indices):
                self.least = min(self.least, int(indices[0]))
                self.most = max(self.most, int(indices[-1]))
            if wrong and self.wrong is None:
                self.wrong = n
        if not self.n_rows:
            raise ValueError(f"{self.path.name} is empty: it has no rows")
        self.codes.closed = True

    def stream(self, name: str, n_features: int, first: int) -> Stream:
        """Return a stream that reads the rows each time; index `first` is column 0."""
        of_word, names = classes(self.codes.words, f"{self.path.name}: the label")
        if self.wrong is not None and len(names) != 2:
            allowed = "an action of cost 0, or one of 2 actions in all"
            place = f"{self.path.name}, line {self.wrong}"
            raise ValueError(f"{place}: the label must be known: {allowed}, got {len(names)}")

        def source() -> Chunks:
            n, some = 0, []
            for row in self.rows():
                some.append(row)
                n += 1
                if len(some) == ROWS:
                    yield _chunk(some, of_word, n_features, first)
                    some = []
            if n != self.n_rows:
                before = f"{self.path.name} had {self.n_rows:,} rows, now {n:,}"
                raise ValueError(f"{before}: {CHANGED}")
            if some:
                yield _chunk(some, of_word, n_features, first)

        return Stream(name, len(names), n_features, source, self.n_rows, class_names=names)


def _arrays(indices: Any, values: Any) -> tuple[np.ndarray, np.ndarray]:
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
