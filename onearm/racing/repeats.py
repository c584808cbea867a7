"""The rows of a repeat: in an order of its own, over and over, as learners want to see them."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from typing import Any

import numpy as np

from onearm.core.rng import pick, seeded
from onearm.racing.sources import Source, drawn, how
from onearm.streams import datasets
from onearm.streams.stream import REORDERED, ROWS, Chunks, Stream
from onearm.streams.views import as_it_is, filling, scaling

VIEWS = {"linear": scaling, "filled": filling, "as it is": as_it_is}
IN_MEMORY = 2**30  # bytes of numbers: a stream of more is played as it lies, chunk by chunk
HELD = 2**28  # bytes of a repeat's rows that stay in memory from one learner to the next


def held(one: Source, rounds: int | None, tune: float) -> int:
    """Return how many rows are for tuning alone: a share of those there are, at the beginning."""
    if not tune:
        return 0
    stream = drawn(one, rounds, 0) if one.made else one.given or _loaded(_text(one.told))
    n = stream.n_rows or sum(len(y) for _, y in stream.chunks())
    return min(max(1, round(tune * min(n, rounds or n))), n - 1)


def rows(
    one: Source, rounds: int | None, seed: int, in_order: bool, view: str, apart: int = 0
) -> Stream:
    """Return what is played in a repeat: every learner of it sees these rows in this order.

    The first `apart` rows do not come again where rows are gone over several times.
    """
    if one.given:
        given = _in_memory(one.given, IN_MEMORY)
        return _repeat(given, rounds, seed, in_order, view, apart)
    return _held(_text(one.told), rounds, seed, in_order, view, apart)


@lru_cache(maxsize=3)  # one of each view
def _held(
    told: str, rounds: int | None, seed: int, in_order: bool, view: str, apart: int
) -> Stream:
    one = Source(json.loads(told))
    if one.made:
        stream = drawn(one, rounds, seed)
        return _in_memory(VIEWS[view](stream)(stream), HELD)
    stream = _loaded(told)
    in_order = in_order or (one.data is not None and one.data.ordered)
    return _in_memory(_repeat(stream, rounds, seed, in_order, view, apart), HELD)


@lru_cache(maxsize=1)
def _loaded(told: str) -> Stream:
    one = json.loads(told)
    if "file" not in one:
        return datasets.load(one["name"])
    return _in_memory(datasets.read(one["file"], **how(one)), IN_MEMORY)


@lru_cache(maxsize=2)
def _view(stream: Stream, view: str) -> Callable[[Stream], Stream]:
    return VIEWS[view](stream)


def _repeat(
    stream: Stream, rounds: int | None, seed: int, in_order: bool, view: str, apart: int
) -> Stream:
    n = stream.n_rows or sum(len(y) for _, y in stream.chunks())
    lies = in_order or not stream.in_memory
    ordered = _as_it_lies if lies else partial(_shuffled, seed=seed)
    return _view(stream, view)(ordered(stream, n, rounds or n, apart))


def _as_it_lies(stream: Stream, n: int, rounds: int, apart: int) -> Stream:
    """Return the rows in their order, over and over until there are enough."""
    times = -(-(rounds - apart) // (n - apart))
    played = stream.after(apart).repeated(times).first(rounds - apart)
    if not apart:
        return played
    first = stream.first(apart)
    return replace(played, source=lambda: chain(first.chunks(), played.chunks()), n_rows=rounds)


def _shuffled(stream: Stream, n: int, rounds: int, apart: int, seed: int) -> Stream:
    """Return the rows shuffled, over and over until there are enough, anew each time."""
    X, y = stream.arrays()
    rng, order = seeded(seed, REORDERED), np.arange(n)
    pick(n, order, rng)
    again, passes, so_far = np.sort(order[apart:]), [order], n
    while so_far < rounds:
        passes.append(again.copy())
        pick(len(again), passes[-1], rng)
        so_far += len(again)
    order = np.concatenate(passes)[:rounds]

    def parts() -> Chunks:
        for start in range(0, rounds, ROWS):
            some = order[start : start + ROWS]
            yield X[some], y[some]

    return replace(stream, source=parts, n_rows=rounds)


def shuffles(one: Source, in_order: bool) -> bool:
    """Whether repeats have rows of their own, or their own order; large files have not."""
    if one.made:
        return True
    if in_order or (one.data and one.data.ordered):
        return False
    stream = _in_memory(one.given, IN_MEMORY) if one.given else _loaded(_text(one.told))
    return stream.in_memory


def _text(told: dict[str, Any]) -> str:
    return json.dumps(told, sort_keys=True)


def _in_memory(stream: Stream, most: int) -> Stream:
    """Return the stream with its rows in memory, unless they take more bytes than that."""
    kept, size = [], 0
    for X, y in stream.chunks():
        size += X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes
        if size > most:
            return stream
        kept.append((X, y))
    return replace(stream, source=lambda: iter(kept), in_memory=True)
