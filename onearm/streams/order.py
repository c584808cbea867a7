"""Orders in which the rows of a stream are played, pass by pass until there are enough."""

from dataclasses import replace
from itertools import chain

import numpy as np

from onearm.core.rng import pick, seeded
from onearm.streams.chunks import REORDERED, ROWS
from onearm.streams.stream import Stream


def in_passes(stream: Stream, n_rounds: int, n_tuning: int) -> Stream:
    """Return the rows in the order of their source; the first `n_tuning` come once only."""
    n_passes = -(-(n_rounds - n_tuning) // (stream.count() - n_tuning))
    played = stream.after(n_tuning).repeated(n_passes).first(n_rounds - n_tuning)
    if not n_tuning:
        return played
    first = stream.first(n_tuning)
    return replace(played, source=lambda: chain(first.chunks(), played.chunks()), n_rows=n_rounds)


def shuffled_passes(stream: Stream, n_rounds: int, n_tuning: int, seed: int) -> Stream:
    """Return the rows shuffled, in another order in each pass."""
    X, y = stream.arrays()
    rng, order = seeded(seed, REORDERED), np.arange(len(y))
    pick(len(order), order, rng)
    again, passes = np.sort(order[n_tuning:]), [order]
    while sum(map(len, passes)) < n_rounds:
        passes.append(again.copy())
        pick(len(again), passes[-1], rng)
    order = np.concatenate(passes)[:n_rounds]
    parts = [order[start : start + ROWS] for start in range(0, n_rounds, ROWS)]
    return replace(stream, source=lambda: ((X[p], y[p]) for p in parts), n_rows=n_rounds)
