"""Upkeep of a service's file: back it up, remove old events, erase what a person wants forgotten.

    backup    a copy of one moment, while the service runs
    compact   old events go to an export; a replay then begins at a base, a verified snapshot
    forget    contexts and rows of some decisions are erased; what was learnt from them stays

The last two need the file for themselves.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw

from onearm.core.saving import sync_folder
from onearm.log.events import PENDING, Events
from onearm.service.core import Core
from onearm.service.integrity import damages, removed_id
from onearm.service.logs import read_log
from onearm.service.models import Models
from onearm.service.records import DECISION, Control, Decision
from onearm.service.replay import recover, settings_at
from onearm.service.requests import Change
from onearm.service.snapshots import pieces
from onearm.service.sqlite import SqliteStore
from onearm.service.store import Batch
from onearm.service.verify import DEPENDING, verify

_OF_EVENT = "SELECT 1 FROM log o WHERE o.event_id = log.event_id AND o.kind ="
_IS_OPEN = (
    f"NOT EXISTS({_OF_EVENT} 2 AND o.seq <= ?1) "
    f"AND EXISTS({_OF_EVENT} 1 AND (NOT o.deferred OR EXISTS("
    "SELECT 1 FROM log a WHERE a.event_id = o.event_id AND a.kind = 3)))"
)
GONE = f"seq <= ?1 AND kind < 4 AND NOT ({_IS_OPEN})"  # what a compaction up to ?1 removes


def backup(path: str | Path, out: str | Path) -> None:
    """Write a copy of a service's file; the service may run meanwhile."""
    out = Path(out)
    if out.exists():
        raise FileExistsError(f"out must be a new file, got {str(out)!r}")
    unfinished = out.with_name(f".{out.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        with (
            closing(SqliteStore(path, read_only=True)) as source,
            closing(apsw.Connection(str(unfinished))) as target,
        ):
            with target.backup("main", source.connection, "main") as copying:
                while not copying.done:
                    copying.step()
            target.execute("PRAGMA journal_mode = DELETE")  # all in one file, and on the disk
            damaged = damages(target)
            if damaged:
                raise ValueError(f"{path} is damaged, there is no backup: {'; '.join(damaged)}")
        unfinished.replace(out)
        sync_folder(out.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def compact(path: str | Path, before: float, export: str | Path) -> int:
    """Replace events before a time (seconds since 1970) by a base; return how many were removed."""
    export = Path(export)
    if export.exists():
        raise FileExistsError(f"export must be a new file, got {str(export)!r}")
    with closing(SqliteStore(path)) as store:
        removed = store.one("SELECT max(seq) FROM log WHERE ts < ?", (before,))[0] or 0
        if not store.one(f"SELECT EXISTS(SELECT 1 FROM log WHERE {GONE})", (removed,))[0]:
            raise ValueError("there are no events before that time")
        report = verify(store)
        if not report.is_sound:
            raise ValueError(f"the log is not sound, nothing was removed:\n{report}")
        base, models = _base(store, removed)
        log = read_log(store, removed)
        finished = replace(log, source=lambda: _finished(log.chunks()))
        finished.write(export)
        digest = _synced(export)
        body = {"removed": removed, "base": base, "export": export.name, "sha256": digest}
        _add_base(store, models, body)
        return _remove(store, removed)


def _synced(path: Path) -> str:
    """Have a file on the disk, since the only other copy will be removed; return its SHA-256."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    sync_folder(path.parent)
    return digest


def _finished(chunks: Iterable[Events]) -> Iterator[Events]:
    return (events.part(events.outcome != PENDING) for events in chunks)


def _base(store: SqliteStore, removed: int) -> tuple[int, Models]:
    """Return the record that no replay needs anything before, and the models after it.

    Where events before it were forgotten, the next snapshot has what was learnt from them.
    """
    last = store.last_seq()
    depending = [c.seq for c in store.controls(0, last) if c.what in DEPENDING]
    base = max(removed, *depending, settings_at(store, last).get("base", 0), 1)
    later = sorted(seq for seq in store.snapshots() if seq > base)
    for seq in (base, *later):
        models = recover(store, seq)[1]
        if not models.forgotten:
            return seq, models
    raise ValueError("events were forgotten after the last snapshot: start and stop the service")


def _add_base(store: SqliteStore, models: Models, body: dict[str, Any]) -> None:
    """Commit a snapshot as the base, and the record that says so."""
    for piece in pieces(models.moment().dumps(), body["base"]):
        store.commit(Batch(pieces=[piece]))
    store.commit(Batch([Control(store.last_seq() + 1, store.last_ts(), "compact", body)]))


def _remove(store: SqliteStore, removed: int) -> int:
    """Remove events up to a record, except those whose outcome comes later."""
    with store.connection:
        store.connection.execute("DELETE FROM snapshot WHERE seq < ?", (removed,))
        rows = list(
            store.connection.execute(
                f"SELECT seq, kind, event_id FROM log WHERE {GONE}", (removed,)
            )
        )
        many = store.connection.executemany
        many("DELETE FROM log WHERE seq = ?", ((seq,) for seq, _, _ in rows))
        events = [event for _, kind, event in rows if kind == DECISION]
        many("INSERT INTO removed(id) VALUES(?)", ((removed_id(event),) for event in events))
    _clean(store)
    return len(events)


def forget(
    path: str | Path, events: Iterable[str] = (), where: dict[str, str] | None = None
) -> int:
    """Erase contexts by event, or by values of their columns; return how many there were."""
    with closing(SqliteStore(path)) as store:
        wanted = {*events}
        _require_known(store, wanted, where or {})
        found = [d.seq for d in _contexts(store) if d.event_id in wanted or _matches(d, where)]
        if found:
            store.connection.execute("PRAGMA secure_delete = ON")
            settings = settings_at(store, store.last_seq())
            core = Core(store, settings | settings["given"], store.last_ts)
            (answer,) = core.handle([Change("forget", {"decisions": found})])
            if answer.status != 200:
                raise ValueError(answer.body["reason"])
            _clean(store)
        return len(found)


def _require_known(store: SqliteStore, events: set[str], where: dict[str, str]) -> None:
    """Refuse events and columns that there are not: nobody must believe that they are erased."""
    unknown = sorted(event for event in events if store.decision(event) is None)
    if unknown:
        raise ValueError(f"there is no event {unknown[0]!r}: nothing was erased")
    for name in where:
        if not any(name in json.loads(d.context or b"{}") for d in _contexts(store)):
            raise ValueError(f"no context has a column {name!r}: nothing was erased")


def _contexts(store: SqliteStore) -> Iterator[Decision]:
    for record in store.records():
        if isinstance(record, Decision) and record.context is not None:
            yield record


def _matches(decision: Decision, where: dict[str, str] | None) -> bool:
    if not where:
        return False
    context = json.loads(decision.context or b"{}")
    return all(name in context and _text(context[name]) == value for name, value in where.items())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _clean(store: SqliteStore) -> None:
    """Write the file anew, so that nothing of what was removed is left in it."""
    store.connection.execute("VACUUM")
    store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
