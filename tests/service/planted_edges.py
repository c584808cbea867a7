"""Planted bugs of the edges: store, disk, queue, file format."""

from onearm.service import sqlite
from onearm.service.sqlite import SqliteStore
from onearm.service.work import Work
from onearm.service.writer import Writer

prepare, commit, submit = SqliteStore._prepare, SqliteStore.commit, Writer.submit


def not_synced(store, read_only):
    prepare(store, read_only)
    store.connection.execute("PRAGMA synchronous = NORMAL")


def never_synced(store, read_only):
    prepare(store, read_only)
    store.connection.execute("PRAGMA synchronous = OFF")


def lose_record(store, batch):
    """Lose the second record of a commit."""
    if len(batch.records) > 2:
        batch.records = [batch.records[0], *batch.records[2:]]
    commit(store, batch)


def half_batches(store, batch):
    """Commit the records of a batch, and what is pending afterwards."""
    records = batch.records
    commit(store, type(batch)(records))
    batch.records = []
    commit(store, batch)
    batch.records = records


def drop_when_full(writer, requests, done):
    submit(writer, requests, done)
    return True


def unbounded(writer, requests, done):
    writer.room = 10**9
    return submit(writer, requests, done)


def strict_format(store, read_only):
    (found,) = store.one("PRAGMA user_version")
    if found not in (0, sqlite.FORMAT):
        raise ValueError(f"{store.path} has format {found}, not {sqlite.FORMAT}")
    prepare(store, read_only)


def undamaged(connection):
    return []


def free_again(work, event_id):
    return False


BUGS = (
    ("damage not looked for", "I13", "a file whose bytes have changed is started",
     ((sqlite, "damages", undamaged),), ("damaged file",)),
    ("ids free again", "I2", "an event that was compacted is decided anew",
     ((Work, "_is_removed", free_again),), ("old events",)),
    ("commit not synced", "I1", "synchronous is NORMAL: a commit is not on the disk",
     ((SqliteStore, "_prepare", not_synced),), ("power loss",)),
    ("nothing synced", "I1", "synchronous is OFF",
     ((SqliteStore, "_prepare", never_synced),), ("power loss",)),
    ("lost record", "I5, I1", "a commit loses its second record",
     ((SqliteStore, "commit", lose_record),), ("crash loop", "power loss")),
    ("batch in two commits", "I2, I6", "records are committed before what is pending",
     ((SqliteStore, "commit", half_batches),), ("power loss",)),
    ("requests dropped when full", "I10", "a request without room is accepted and forgotten",
     ((Writer, "submit", drop_when_full),), ("overload",)),
    ("unbounded queue", "I10", "the queue takes all that comes",
     ((Writer, "submit", unbounded),), ("overload",)),
    ("old format refused", "I12", "files of an earlier version are refused",
     ((SqliteStore, "_prepare", strict_format), (sqlite, "FORMAT", sqlite.FORMAT + 1)),
     ("golden file",)),
)  # fmt: skip
