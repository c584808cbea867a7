"""Integrity: whether a file is what was written. A disk may flip bytes, and SQLite reads on.

Every record of the log has a checksum, every id of a removed event, too; snapshots have a SHA-256.
The rest stands in a table and in an index, which SQLite compares: when a decision is due, and
which event it is. A million records take some seconds.
"""

import json
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any
from zlib import crc32

import apsw
import msgspec

from onearm.service.records import (
    ACTIVATION,
    CONTROL,
    DECISION,
    OUTCOME,
    Activation,
    Control,
    Decision,
    Outcome,
    Record,
)
from onearm.service.tables import ROW

MOST = 10  # damages that are reported
ID = 12  # bytes of the hash of an id; its checksum has 4 more
_encode = msgspec.msgpack.Encoder().encode


def as_row(record: Record) -> tuple:
    """Return a record as a row of the log."""
    if isinstance(record, Decision):
        seq, ts, event_id, *rest, propensity, policy, model_seq, deferred = record
        end = (float(propensity), policy, model_seq, int(deferred), None, None, None)
        return (seq, DECISION, float(ts), event_id, None, *rest, *end)
    if isinstance(record, Outcome):
        seq, ts, event_id, decision, reward, source = record
        begin = (seq, OUTCOME, float(ts), event_id, decision)
        return (*begin, *[None] * 11, float(reward) + 0.0, source, None)  # SQLite has no -0.0
    if isinstance(record, Activation):
        seq, ts, event_id, decision = record
        return (seq, ACTIVATION, float(ts), event_id, decision, *[None] * 14)
    assert isinstance(record, Control)
    body = json.dumps(record.body)
    return (record.seq, CONTROL, float(record.ts), *[None] * 14, record.what, body)


def with_checksum(row: tuple) -> tuple:
    """Return a row of the log with its checksum."""
    return (*row, crc32(_encode(row)))


def removed_id(event_id: str) -> bytes:
    """Return what is kept of the id of an event that was removed: a hash and its checksum."""
    hashed = blake2b(event_id.encode(), digest_size=ID).digest()
    return hashed + crc32(hashed).to_bytes(4, "big")


def has_checksums(connection: Any) -> bool:
    """Whether the log has checksums; in a file of format 1 it has none."""
    sql = "SELECT 1 FROM pragma_table_info('log') WHERE name = 'checksum'"
    return any(connection.execute(sql))


def damages(connection: Any) -> list[str]:
    """Return what is damaged, the first of it; nothing if all is as it was written."""
    found: list[str] = []
    try:
        checked = connection.execute(f"PRAGMA integrity_check({MOST})")
        found += [text for (text,) in checked if text != "ok"]
        found += _without_decision(connection)
        if has_checksums(connection):
            found += _wrong_records(connection.execute(f"SELECT {ROW}, checksum FROM log"))
            found += _wrong_ids(connection.execute("SELECT id FROM removed"))
    except (apsw.Error, UnicodeDecodeError) as error:
        found.append(str(error))
    return found[:MOST]


def _wrong_records(rows: Iterable[tuple]) -> Iterator[str]:
    """Records of a file of format 1 come first, and have no checksums."""
    is_before = True
    for row in rows:
        *values, checksum = row
        is_before = is_before and checksum is None
        if not is_before and crc32(_encode(values)) != checksum:
            yield f"record {values[0]} is not what was written"


def _wrong_ids(rows: Iterable[tuple]) -> Iterator[str]:
    for (known,) in rows:
        if crc32(known[:ID]).to_bytes(4, "big") != known[ID:]:
            yield "the id of a removed event is not what was written"


def _without_decision(connection: Any) -> Iterator[str]:
    sql = (
        "SELECT seq FROM pending p WHERE NOT EXISTS(SELECT 1 FROM log d "
        f"WHERE d.seq = p.seq AND d.event_id = p.event_id AND d.kind = {DECISION})"
    )
    for (seq,) in connection.execute(sql):
        yield f"decision {seq} waits for feedback, but is not in the log"
