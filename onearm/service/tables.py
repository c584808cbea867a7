"""The tables of a service's file, and what is said to them more than once."""

FORMAT = 2  # 1: no checksums, and removed events are unknown
PROGRAM = 0x6F61726D  # by which a file is known
COUNT = "SELECT count(*) FROM sqlite_schema"
TABLES = """
CREATE TABLE IF NOT EXISTS log(
    seq INTEGER PRIMARY KEY, kind INTEGER NOT NULL, ts REAL NOT NULL, event_id TEXT,
    decision INTEGER, context BLOB, x BLOB, allowed BLOB, pmf BLOB, shadows BLOB, label INTEGER,
    greedy INTEGER, propensity REAL, policy TEXT, model_seq INTEGER, deferred INTEGER, reward REAL,
    source TEXT, body TEXT, checksum INTEGER) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS log_event ON log(event_id, kind) WHERE event_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS log_control ON log(seq) WHERE kind = 4;
CREATE INDEX IF NOT EXISTS log_outcome ON log(seq) WHERE kind = 2;
CREATE TABLE IF NOT EXISTS pending(
    seq INTEGER PRIMARY KEY, event_id TEXT NOT NULL, due REAL NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS pending_due ON pending(due, seq);
CREATE TABLE IF NOT EXISTS snapshot(
    seq INTEGER NOT NULL, part INTEGER NOT NULL, sha256 TEXT, data BLOB NOT NULL,
    PRIMARY KEY(seq, part)) STRICT;
CREATE TABLE IF NOT EXISTS reject(
    id INTEGER PRIMARY KEY, ts REAL NOT NULL, event_id TEXT NOT NULL, why TEXT NOT NULL,
    reward REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS removed(id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS reject_event ON reject(event_id, why, reward);
"""
OF_DECISION = (
    "seq, ts, event_id, context, x, allowed, pmf, shadows, label, greedy, propensity, policy, "
    "model_seq, deferred"
)
ROW = (  # what a checksum is of
    "seq, kind, ts, event_id, decision, context, x, allowed, pmf, shadows, label, greedy, "
    "propensity, policy, model_seq, deferred, reward, source, body"
)
INSERT = f"INSERT INTO log({ROW}, checksum) VALUES({', '.join('?' * 20)})"
ADD_CHECKSUM = "ALTER TABLE log ADD COLUMN checksum INTEGER"
REJECT = "INSERT OR IGNORE INTO reject(ts, event_id, why, reward) VALUES(?, ?, ?, ?)"
BY_DECISION = ", ".join(f"d.{name}" for name in OF_DECISION.split(", "))
FOR_LEARNING = BY_DECISION.replace("d.context", "NULL").replace("d.pmf, d.shadows", "x'', NULL")
