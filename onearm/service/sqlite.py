"""A store in one SQLite file: WAL, synchronous FULL, so that a commit survives a loss of power.

APSW brings a SQLite of its own: that of Python may have the bug of WAL files that are reset while
another connection reads.
"""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any

import apsw

from onearm.core.locking import lock_file
from onearm.service.integrity import (
    as_row,
    damages,
    has_checksums,
    removed_id,
    with_checksum,
)
from onearm.service.records import (
    ACTIVATION,
    CONTROL,
    DECISION,
    OUTCOME,
    Activation,
    Control,
    Decision,
    Judged,
    Logged,
    Outcome,
    Record,
    Rejected,
    Sampled,
)
from onearm.service.store import Batch
from onearm.service.tables import (
    ADD_CHECKSUM,
    BY_DECISION,
    COUNT,
    FOR_LEARNING,
    FORMAT,
    INSERT,
    OF_DECISION,
    PROGRAM,
    REJECT,
    ROW,
    TABLES,
)


class SqliteStore:
    """A Store in a file."""

    def __init__(
        self, path: str | Path, *, read_only: bool = False, vfs: str | None = None
    ) -> None:
        self.path = str(path)
        self.lock = None if read_only else _locked(self.path)
        self.connection: Any = None
        flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE
        flags |= 0 if read_only else apsw.SQLITE_OPEN_CREATE
        try:
            self.connection = apsw.Connection(self.path, flags=flags, vfs=vfs)
            self._prepare(read_only)
        except (apsw.NotADBError, apsw.CorruptError) as error:
            self.close()
            raise ValueError(
                f"{self.path} cannot be opened as the log of a service: {error}"
            ) from error
        except apsw.Error as error:  # of the disk, or of rights
            self.close()
            raise OSError(f"{self.path} cannot be opened: {error}") from error
        except BaseException:
            self.close()
            raise

    def _prepare(self, read_only: bool) -> None:
        self.connection.set_busy_timeout(5000)
        (found,) = self.one("PRAGMA user_version")
        (program,), (tables,) = map(self.one, ("PRAGMA application_id", COUNT))
        if program != PROGRAM and (read_only or tables):
            raise ValueError(f"{self.path} is not the log of a service")
        if found > FORMAT:
            raise ValueError(f"{self.path} has format {found}, this version reads up to {FORMAT}")
        if read_only:
            return
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        if (found, program) == (FORMAT, PROGRAM):  # a start on a damaged file changes nothing
            return
        with self.connection:
            if tables and not has_checksums(self.connection):
                self.connection.execute(ADD_CHECKSUM)
            self.connection.execute(TABLES)
            self.connection.execute(f"PRAGMA user_version = {FORMAT}")
            self.connection.execute(f"PRAGMA application_id = {PROGRAM}")

    def hold(self) -> None:
        """Let all that is read from now on be of this moment, though a service may write."""
        self.connection.execute("BEGIN")
        self.last_seq()

    def one(self, sql: str, values: tuple = ()) -> Any:
        """Return the first row of an answer, or None."""
        return next(iter(self.connection.execute(sql, values)), None)

    def commit(self, batch: Batch) -> None:
        execute, many = self.connection.execute, self.connection.executemany
        execute("BEGIN IMMEDIATE")
        try:
            if batch.records and batch.records[0].seq != self.last_seq() + 1:
                got = batch.records[0].seq
                raise ValueError(f"seq must be {self.last_seq() + 1}, got {got}")
            for record in batch.records:
                execute(INSERT, with_checksum(as_row(record)))
            many("INSERT INTO pending(seq, event_id, due) VALUES(?, ?, ?)", batch.pending)
            many("DELETE FROM pending WHERE seq = ?", ((seq,) for seq in batch.settled))
            many(REJECT, batch.rejected)
            for piece in batch.pieces:  # an unfinished one of the same record may be there
                execute("DELETE FROM snapshot WHERE seq = ? AND part >= ?", piece[:2])
                execute("INSERT INTO snapshot(seq, part, data, sha256) VALUES(?, ?, ?, ?)", piece)
            for seq in batch.forgotten:
                self._forget(seq)
            execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                execute("ROLLBACK")
            raise

    def _forget(self, seq: int) -> None:
        """Erase the context of a decision; its record has another checksum then."""
        self.connection.execute("UPDATE log SET context = NULL, x = NULL WHERE seq = ?", (seq,))
        row = with_checksum(self.one(f"SELECT {ROW} FROM log WHERE seq = ?", (seq,)))
        self.connection.execute("UPDATE log SET checksum = ? WHERE seq = ?", (row[-1], seq))

    def damages(self) -> list[str]:
        return damages(self.connection)

    def is_removed(self, event_id: str) -> bool:
        return self.one("SELECT 1 FROM removed WHERE id = ?", (removed_id(event_id),)) is not None

    def last_seq(self) -> int:
        return self.one("SELECT max(seq) FROM log")[0] or 0

    def last_ts(self) -> float:
        return (self.one("SELECT ts FROM log ORDER BY seq DESC LIMIT 1") or (0.0,))[0]

    def decision(self, event_id: str) -> Decision | None:
        sql = f"SELECT {OF_DECISION} FROM log WHERE event_id = ? AND kind = {DECISION}"
        row = self.one(sql, (event_id,))
        return None if row is None else _decision(row)

    def outcome(self, event_id: str) -> Outcome | None:
        columns = "seq, ts, event_id, decision, reward, source"
        sql = f"SELECT {columns} FROM log WHERE event_id = ? AND kind = {OUTCOME}"
        row = self.one(sql, (event_id,))
        return None if row is None else Outcome(*row)

    def is_activated(self, event_id: str) -> bool:
        sql = f"SELECT 1 FROM log WHERE event_id = ? AND kind = {ACTIVATION}"
        return self.one(sql, (event_id,)) is not None

    def due(self, now: float, most: int) -> list[tuple[int, str]]:
        sql = "SELECT seq, event_id FROM pending WHERE due <= ? ORDER BY due, seq LIMIT ?"
        return list(self.connection.execute(sql, (now, most)))

    def next_due(self) -> float | None:
        return self.one("SELECT min(due) FROM pending")[0]

    def n_pending(self) -> int:
        return self.one("SELECT count(*) FROM pending")[0]

    def records(self, after: int = 0, before: int | None = None) -> Iterator[Record]:
        columns = f"kind, {OF_DECISION}, decision, reward, source, body"
        sql = f"SELECT {columns} FROM log WHERE seq > ? AND seq < ? ORDER BY seq"
        for kind, *row in self.connection.execute(sql, (after, before or 2**62)):
            decision, reward, source, body = row[14:]
            if kind == DECISION:
                yield _decision(row[:14])
            elif kind == OUTCOME:
                yield Outcome._make([*row[:3], decision, reward, source])
            elif kind == ACTIVATION:
                yield Activation._make([*row[:3], decision])
            else:
                yield Control._make([*row[:2], source, json.loads(body)])

    def controls(self, after: int, upto: int) -> list[Control]:
        sql = (
            f"SELECT seq, ts, source, body FROM log WHERE kind = {CONTROL} AND seq > ? AND seq <= ?"
        )
        rows = self.connection.execute(f"{sql} ORDER BY seq", (after, upto))
        return [Control(seq, ts, what, json.loads(body)) for seq, ts, what, body in rows]

    def learnt(
        self, after: int, upto: int, contexts: bool = False
    ) -> Iterator[tuple[Outcome, Decision]]:
        of_outcome = "o.seq, o.ts, o.event_id, o.decision, o.reward, o.source"
        of_decision = BY_DECISION if contexts else FOR_LEARNING
        sql = (
            f"SELECT {of_outcome}, {of_decision} FROM log o JOIN log d ON d.seq = o.decision "
            f"WHERE o.kind = {OUTCOME} AND o.seq > ? AND o.seq <= ? ORDER BY o.seq"
        )
        outcome, decision = Outcome._make, Decision._make
        for row in self.connection.execute(sql, (after, upto)):
            yield outcome(row[:6]), decision(row[6:])

    def sampled(self, after: int, most: int) -> list[Sampled]:
        sql = f"SELECT seq, pmf, label FROM log WHERE kind = {DECISION} AND seq > ?"
        rows = self.connection.execute(f"{sql} ORDER BY seq LIMIT ?", (after, most))
        return [Sampled._make(row) for row in rows]

    def judged(self, after: int, most: int) -> list[Judged]:
        sql = (
            "SELECT b.seq, d.seq, d.pmf, d.shadows, d.label, d.policy, o.reward FROM log b "
            "JOIN log d ON d.seq = coalesce(b.decision, b.seq) "
            f"LEFT JOIN log o ON o.event_id = b.event_id AND o.kind = {OUTCOME} "
            f"WHERE (b.kind = {DECISION} AND NOT b.deferred OR b.kind = {ACTIVATION}) "
            "AND b.seq > ? ORDER BY b.seq LIMIT ?"
        )
        return [Judged(*row) for row in self.connection.execute(sql, (after, most))]

    def logged(self, after: int, upto: int, most: int) -> list[Logged]:
        same = "event_id = d.event_id AND {0}.kind = {1} AND {0}.seq <= ?2"
        active = f"EXISTS(SELECT 1 FROM log a WHERE a.{same.format('a', ACTIVATION)})"
        sql = (
            "SELECT d.seq, d.ts, d.event_id, d.x, d.allowed, d.pmf, d.label, d.greedy, "
            f"d.propensity, d.policy, d.model_seq, NOT d.deferred OR {active}, o.reward, o.source "
            f"FROM log d LEFT JOIN log o ON o.{same.format('o', OUTCOME)} "
            f"WHERE d.kind = {DECISION} AND d.seq > ?1 AND d.seq <= ?2 ORDER BY d.seq LIMIT ?3"
        )
        rows = self.connection.execute(sql, (after, upto, most))
        return [Logged._make(row) for row in rows]

    def snapshots(self) -> list[int]:
        sql = "SELECT seq FROM snapshot WHERE sha256 IS NOT NULL ORDER BY seq DESC"
        return [seq for (seq,) in self.connection.execute(sql)]

    def snapshot(self, seq: int) -> tuple[bytes, str]:
        sql = "SELECT data, sha256 FROM snapshot WHERE seq = ? ORDER BY part"
        try:
            parts = list(self.connection.execute(sql, (seq,)))
        except apsw.CorruptError as error:
            raise ValueError(f"the snapshot at {seq} is damaged: {error}") from None
        return b"".join(data for data, _ in parts), parts[-1][1] or ""

    def keep_snapshots(self, n: int, also: Collection[int] = ()) -> None:
        kept = self.snapshots()[:n]
        if kept:
            marks = ", ".join("?" * (len(kept) + len(also)))
            sql = f"DELETE FROM snapshot WHERE seq < ? AND seq NOT IN ({marks})"
            self.connection.execute(sql, (kept[0], *kept, *also))

    def rejections(self) -> Iterator[Rejected]:
        rows = self.connection.execute("SELECT ts, event_id, why, reward FROM reject ORDER BY id")
        return (Rejected(*row) for row in rows)

    def reader(self) -> "SqliteStore":
        return SqliteStore(self.path, read_only=True)

    def close(self) -> None:
        try:
            if self.connection is not None:
                self.connection.close()
        finally:
            if self.lock is not None:
                self.lock.close()
                self.lock = None


def _locked(path: str) -> IO[bytes]:
    """Refuse a file that another service writes; the lock ends with its process."""
    try:
        file = Path(f"{path}-lock").open("ab")  # noqa: SIM115 # closed with the store
    except OSError as error:
        raise OSError(f"{path} cannot be written: {error.strerror}") from error
    if not lock_file(file.fileno()):
        file.close()
        raise OSError(f"{path} is used by another process: a service that runs, or a command")
    return file


def _decision(row: Any) -> Decision:
    return Decision._make([*row[:-1], bool(row[-1])])
