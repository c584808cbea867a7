"""Chunks of rows: their sizes, segments between rounds, and streams by turns."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import numpy as np

Chunks = Iterator[tuple[Any, np.ndarray]]
ROWS = 8192  # in a chunk that is made
GENERATED, REORDERED = 2, 3  # generators of a seed; a learner with the same seed has 0 and 1


def chunk_sizes(n_rows: int) -> Iterator[int]:
    """Cut a number of rows into the sizes of chunks."""
    for start in range(0, n_rows, ROWS):
        yield min(ROWS, n_rows - start)


def cut(rows: Iterable[tuple[Any, np.ndarray]], at: list[int]) -> Iterator[tuple[int, Any, Any]]:
    """Cut chunks at the given rounds and number the segments between them."""
    ends, segment, start = [*at, np.inf], 0, 0
    for X, y in rows:
        used = 0
        while used < len(y):
            while start + used >= ends[segment]:
                segment += 1
            stop = int(min(len(y), ends[segment] - start))
            yield segment, X[used:stop], y[used:stop]
            used = stop
        start += len(y)


def by_turns(rows: Chunks, others: Chunks, at: list[int]) -> Chunks:
    """Yield rows up to the first of the rounds `at`, the others up to the second, and so on."""
    segments = (groupby(cut(some, at), key=lambda piece: piece[0]) for some in (rows, others))
    for (segment, these), (_, those) in zip(*segments, strict=False):
        for _, X, y in those if segment % 2 else these:
            yield X, y
