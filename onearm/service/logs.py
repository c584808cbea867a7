"""The log of a service as an `onearm.Log`: in chunks, up to the record that was the last then.

A service may go on writing: whoever reads a log several times reads the same events each time.
Probabilities of labels that were added later are 0. Events whose contexts were forgotten are left
out and counted; rows of earlier columns are encoded anew. Rewards that came after the default one
were not learnt from, but may count here: `late`.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from onearm.log.events import DEFAULT, NOT_ACTIVATED, PENDING, REPORTED, Events, as_events
from onearm.log.log import Log
from onearm.log.pieces import ROWS
from onearm.schema.schema import Schema
from onearm.service import records
from onearm.service.records import Logged, pack_row, unpack_row
from onearm.service.repeats import as_context
from onearm.service.replay import settings_at
from onearm.service.sqlite import SqliteStore
from onearm.service.store import Store


def read_log(source: str | Path | Store, upto: int | None = None, late: bool = False) -> Log:
    """Return the log of a service, of its file or of a store.

    `upto` is the last record to read; with `late`, late rewards count in place of the default.
    """
    if isinstance(source, str | Path):
        path = Path(source)
        with closing(SqliteStore(path, read_only=True)) as store:
            return _log(store, path, path.name, upto, late)
    return _log(source, None, "log", upto, late)


def read_service(path: Path, late: bool = False) -> Log:
    """Return the log of a service's file, for `Log.read`."""
    return read_log(path, late=late)


def _log(store: Store, path: Path | None, name: str, given: int | None, with_late: bool) -> Log:
    upto = store.last_seq() if given is None else given
    settings = settings_at(store, store.last_seq())
    if not settings:
        raise ValueError(f"{name} has no records: the service was never started")
    schema = Schema.from_json(settings["schema"]).with_labels(tuple(settings["labels"]))
    n_forgotten = sum(
        len(control.body["decisions"])
        for control in store.controls(0, upto)
        if control.what == "forget"
    )

    late = _late_rewards(store) if with_late else {}

    def chunks() -> Iterator[Events]:
        if path is None:
            yield from _chunks(store, schema, upto, late)
        else:
            with closing(SqliteStore(path, read_only=True)) as opened:
                yield from _chunks(opened, schema, upto, late)

    bad = (f"{n_forgotten} events: their contexts were forgotten",) if n_forgotten else ()
    return Log(
        chunks, len(schema.labels), schema.n_features, schema, feedback=settings["feedback"],
        name=name, bad_lines=bad, n_bad_lines=n_forgotten,
    )  # fmt: skip


def _late_rewards(store: Store) -> dict[str, float]:
    """Return the first late reward of events that have one."""
    late: dict[str, float] = {}
    for rejected in store.rejections():
        if rejected.why == "late":
            late.setdefault(rejected.event_id, rejected.reward)
    return late


def _with_late(row: Logged, late: dict[str, float]) -> Logged:
    if row.source != records.DEFAULT or row.event_id not in late:
        return row
    return row._replace(reward=late[row.event_id], source=records.REPORTED)


def _chunks(store: Store, schema: Schema, upto: int, late: dict[str, float]) -> Iterator[Events]:
    after, is_first = 0, True
    while rows := store.logged(after, upto, ROWS):
        after = rows[-1].seq
        rows = [_with_late(row, late) for row in rows] if late else rows
        yield _events([row for row in rows if row.x is not None], schema, store)
        is_first = False
    if is_first:
        yield _events([], schema, store)


def _events(rows: list[Logged], schema: Schema, store: Store) -> Events:
    columns: Any = Logged._make(zip(*rows, strict=True) if rows else [()] * len(Logged._fields))
    k, n = len(schema.labels), len(rows)
    sizes = np.array([len(pmf) // 8 for pmf in columns.pmf], int)
    return as_events(
        _rows(rows, schema, store), np.array(columns.label, int), np.array(columns.propensity),
        np.array([np.nan if r is None else r for r in columns.reward]), k, (0.0, 1.0),
        outcome=np.array([_outcome(row) for row in rows], int),
        greedy=np.array(columns.greedy, int), allowed=_allowed(columns.allowed, sizes, k),
        chances=_padded(columns.pmf, sizes, k), policy=columns.policy,
        version=np.array(columns.model_seq, int), event_id=columns.event_id,
        time=(1e6 * np.array(columns.ts).reshape(n)).astype("datetime64[us]"),
    )  # fmt: skip


def _outcome(row: Logged) -> int:
    if row.source is not None:
        return DEFAULT if row.source == records.DEFAULT else REPORTED
    return PENDING if row.is_event else NOT_ACTIVATED


def _padded(pmfs: Any, sizes: np.ndarray, k: int) -> np.ndarray:
    """Return probabilities as a matrix; labels that were not there yet have 0."""
    P = np.zeros((len(pmfs), k))
    for size in np.unique(sizes):
        which = np.flatnonzero(sizes == size)
        P[which, :size] = np.frombuffer(b"".join(pmfs[i] for i in which)).reshape(-1, size)
    return P


def _allowed(given: Any, sizes: np.ndarray, k: int) -> np.ndarray:
    mask = np.arange(k) < sizes[:, None]
    for i, ids in enumerate(given):
        if ids is not None:
            mask[i] = False
            mask[i, np.frombuffer(ids, np.int64)] = True
    return mask


def _rows(rows: list[Logged], schema: Schema, store: Store) -> Any:
    """Return the encoded contexts, dense, or CSR where the schema has texts."""
    d = schema.n_features
    if schema.n_words:
        return _sparse_rows([_row(row, schema, store) for row in rows], d)
    size = 1 + 8 * d
    right = [row.x if len(row.x or b"") == size else _row(row, schema, store) for row in rows]
    return np.frombuffer(b"".join(x[1:] for x in right if x is not None)).reshape(len(rows), d)


def _row(row: Logged, schema: Schema, store: Store) -> bytes:
    """Return a row of the schema of now; one of earlier columns is encoded anew."""
    x, decision = row.x or b"", None
    if schema.n_words and x[:1] == b"s":
        return x
    decision = store.decision(row.event_id)
    context = decision.context if decision is not None else None
    return pack_row(schema.encode(as_context(context or b"{}")))


def _sparse_rows(rows: list[bytes], d: int) -> Any:
    from scipy.sparse import csr_matrix

    parts = [unpack_row(x) for x in rows]
    ends = np.cumsum([0, *(len(indices) for indices, _ in parts)])
    indices = np.concatenate([i for i, _ in parts]) if parts else np.empty(0, np.int32)
    values = np.concatenate([v for _, v in parts]) if parts else np.empty(0)
    return csr_matrix((values, indices, ends), shape=(len(rows), d))
