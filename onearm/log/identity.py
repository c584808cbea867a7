"""The identity of a log: by which learners know the events that they learnt from.

It has a SHA-256 of the first event, then 16 hexadecimal digits for the events up to the second, the
fourth, the eighth, …: contexts, labels and propensities, but no rewards, which may come later. So
the identity of the first events of a log begins that of the whole, and two identities tell up to
where two logs are equal, within a factor of 2. Events within that factor count as the same: a
learner is rather not judged on an event than judged on one that it has learnt from.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from onearm.log.events import Events

FIRST, DIGITS = 64, 16  # digits of the first event, and of further ones


def identity_of(chunks: Iterable[Events]) -> str:
    """Return the identity of a log of these events."""
    total, digests = hashlib.sha256(), ""
    for n, part in _doubling(chunks):
        total.update(_content(part))
        if n & (n - 1) == 0:  # a power of 2
            digests += total.hexdigest()[: FIRST if n == 1 else DIGITS]
    return digests


def _doubling(chunks: Iterable[Events]) -> Iterator[tuple[int, Events]]:
    """Yield events in parts that end at 1, 2, 4, 8, … or with a chunk, and how many there were."""
    n, end = 0, 1
    for events in chunks:
        begin = 0
        while begin < len(events):
            part = events.part(slice(begin, begin + end - n))
            begin, n = begin + len(part), n + len(part)
            yield n, part
            end = 2 * end if n == end else end


def _content(events: Events) -> bytes:
    """Return rows, labels and propensities, the same for dense rows and sparse ones."""
    rows, columns, values = _entries(events.X)
    lengths = np.bincount(rows, minlength=len(events)).astype(np.int64)
    numbers = np.where(np.isnan(values), np.nan, values)  # all of the same bits
    of_label = events.label.astype(np.float64), events.propensity.astype(np.float64)
    parts: tuple[Any, ...] = (columns.astype(np.int64), numbers, *of_label)
    content = b"".join(part.tobytes() for part in parts)
    return content if len(events) == 1 else lengths.tobytes() + content


def _entries(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, columns and values of what is not 0."""
    if not hasattr(X, "tocsr"):
        rows, columns = np.nonzero(X)
        return rows, columns, X[rows, columns].astype(np.float64)
    X = X.tocoo()
    at = np.flatnonzero(X.data)
    rows, columns, values = X.row[at], X.col[at], X.data[at].astype(np.float64)
    order = np.lexsort((columns, rows))
    return rows[order], columns[order], values[order]


def n_learnt(trained_on: dict[str, int] | None, identity: str) -> int:
    """Return up to which event of a log a learner may have learnt from it."""
    return max((_shared(own, n, identity) for own, n in (trained_on or {}).items()), default=0)


def _shared(own: str, n: int, other: str) -> int:
    for i, (a, b) in enumerate(zip(_digests(own), _digests(other), strict=False)):
        if a != b:
            return min(n, 2**i) if i else 0
    return n


def _digests(identity: str) -> list[str]:
    rest = range(FIRST, len(identity), DIGITS)
    return [identity[:FIRST], *(identity[at : at + DIGITS] for at in rest)]


def with_log(trained_on: dict[str, int] | None, identity: str, n: int) -> dict[str, int]:
    """Return what is remembered once the first n events of a log were learnt from, too.

    Of two parts of the same log the longer one counts.
    """
    known = dict(trained_on or {})
    same = [own for own in known if own.startswith(identity) or identity.startswith(own)]
    n = max([n, *(known.pop(own) for own in same)])
    return known | {max([identity, *same], key=len): n}
