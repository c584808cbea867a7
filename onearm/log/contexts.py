"""Contexts by name of encoded rows: dicts that the schema encodes to the same numbers.

    number      itself
    category    its value; `(other)` of one that the schema has not
    hashed      a word with the same code, as w57: what the value was is lost
    text        such words, each as often as one of its bucket occurs

What is missing is None. Numbers that the schema cannot have made, as a code that is no whole
number, become `(other)`, or are refused in texts.
"""

from collections.abc import Iterator
from itertools import count, pairwise
from typing import Any
from zlib import crc32

import numpy as np

from onearm.schema.column import CATEGORY, NUMBER, TEXT, Column
from onearm.schema.schema import Schema

OTHER = "(other)"


def contexts_of(X: Any, schema: Schema) -> Iterator[dict[str, Any]]:
    """Yield the context of each row."""
    plain = [Decoded(column) for column in schema.columns if column.kind != TEXT]
    texts = [Decoded(column) for column in schema.columns if column.kind == TEXT]
    starts = np.cumsum([len(plain), *(text.column.n_buckets for text in texts)])
    sparse = hasattr(X, "tocsr")
    for i in range(X.shape[0]):
        if sparse:
            part = slice(*X.indptr[i : i + 2])
            at, values = X.indices[part], X.data[part]
        else:
            at, values = np.flatnonzero(X[i]), X[i][np.flatnonzero(X[i])]
        row = np.zeros(len(plain))
        row[at[at < len(plain)]] = values[at < len(plain)]
        context = {d.column.name: d.value(x) for d, x in zip(plain, row.tolist(), strict=True)}
        for text, (begin, end) in zip(texts, pairwise(starts), strict=True):
            own = (at >= begin) & (at < end)
            context[text.column.name] = text.words(at[own] - begin, values[own])
        yield {name: context[name] for name in schema.names}


class Decoded:
    """A column, and what its numbers stand for."""

    def __init__(self, column: Column) -> None:
        self.column, self.salt = column, crc32(column.name.encode())
        self.other = OTHER
        while self.other in column.values:
            self.other = f"({self.other})"
        self.known: dict[int, str] = {}  # a word of each bucket that was looked for
        self.numbers = count()

    def value(self, number: float) -> Any:
        """Return what a number or code stands for."""
        if number != number:
            return None
        if self.column.kind == NUMBER:
            return number
        code = int(number) if number.is_integer() else -1
        if not 0 <= code < self.column.n_codes:
            return self.other
        return self.column.values[code] if self.column.kind == CATEGORY else self._word(code)

    def words(self, buckets: np.ndarray, counts: np.ndarray) -> str:
        """Return a text of as many words of each bucket."""
        if not ((counts >= 0) & (counts == np.floor(counts))).all():
            allowed = f"column {self.column.name!r} must have whole numbers of words"
            raise ValueError(f"{allowed}, got {counts.min()}")
        pairs = zip(buckets.tolist(), counts.astype(int).tolist(), strict=True)
        return " ".join(word for bucket, n in pairs for word in [self._word(bucket)] * n)

    def _word(self, bucket: int) -> str:
        while bucket not in self.known:
            word = f"w{next(self.numbers)}"
            self.known.setdefault(crc32(word.encode(), self.salt) % self.column.n_buckets, word)
        return self.known[bucket]
