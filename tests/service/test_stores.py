"""Every store keeps the same contract: one suite for all of them."""

import pytest

from onearm.service.memory import MemoryStore
from onearm.service.records import Activation, Control, Decision, Outcome, Piece, Rejected, Sampled
from onearm.service.sqlite import SqliteStore
from onearm.service.store import Batch


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    opened = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "log.db")
    yield opened
    opened.close()


def decision(seq, event_id="e", deferred=False, **changes):
    values = {
        "seq": seq, "ts": float(seq), "event_id": event_id, "context": b"{}", "x": b"d" + bytes(8),
        "allowed": None, "pmf": bytes(16), "shadows": None, "label": 1, "greedy": 0,
        "propensity": 0.1 + 0.2, "policy": "p", "model_seq": 1, "deferred": deferred,
    }  # fmt: skip
    return Decision(**values | changes)


def outcome(seq, of, event_id="e", reward=0.5, source="reported"):
    return Outcome(seq, float(seq), event_id, of, reward, source)


START = Control(1, 1.0, "start", {"labels": ["ä", 1], "nested": {"a": [1.5, None]}})


def filled(store):
    records = [START, decision(2), outcome(3, 2), decision(4, "f", True)]
    store.commit(Batch(records, pending=[(2, "e", 12.0)]))
    store.commit(Batch([Activation(5, 5.0, "f", 4)], [(4, "f", 15.0)], settled=[2]))
    return [*records, Activation(5, 5.0, "f", 4)]


def test_an_empty_store(store):
    assert (store.last_seq(), store.last_ts(), store.n_pending()) == (0, 0.0, 0)
    assert store.decision("e") is None
    assert store.outcome("e") is None
    assert store.next_due() is None
    assert list(store.records()) == store.controls(0, 9) == store.snapshots() == []
    assert list(store.learnt(0, 9)) == store.judged(0, 9) == store.logged(0, 9, 9) == []


def test_records_come_back_as_they_were(store):
    records = filled(store)
    assert list(store.records()) == records
    assert list(store.records(2, 5)) == records[2:4]
    assert (store.last_seq(), store.last_ts()) == (5, 5.0)
    assert store.controls(0, 5) == [START]
    assert store.controls(1, 5) == []


def test_events_are_found_by_id(store):
    filled(store)
    assert store.decision("e") == decision(2)
    assert store.outcome("e") == outcome(3, 2)
    assert store.decision("f").deferred
    assert store.outcome("f") is None
    assert store.is_activated("f")
    assert not store.is_activated("e")


def test_decisions_wait_until_they_are_settled(store):
    filled(store)
    assert store.n_pending() == 1
    assert store.next_due() == 15.0
    assert store.due(14.9, 9) == []
    assert store.due(15.0, 9) == [(4, "f")]
    store.commit(Batch([outcome(6, 4, "f")], settled=[4]))
    assert (store.n_pending(), store.next_due()) == (0, None)


def test_the_earliest_are_due_first(store):
    events = [(seq, f"e{seq}", due) for seq, due in [(1, 9.0), (2, 7.0), (3, 7.0), (4, 8.0)]]
    store.commit(Batch([decision(seq, event) for seq, event, _ in events], events))
    assert [seq for seq, _ in store.due(9.0, 3)] == [2, 3, 4]


def test_outcomes_come_with_their_decisions(store):
    filled(store)
    store.commit(Batch([outcome(6, 4, "f", 1.0)], settled=[4]))
    pairs = list(store.learnt(0, 9, contexts=True))
    assert pairs == [
        (outcome(3, 2), decision(2)),
        (outcome(6, 4, "f", 1.0), decision(4, "f", True)),
    ]
    assert [o.seq for o, _ in store.learnt(3, 6)] == [6]
    assert [o.seq for o, _ in store.learnt(0, 5)] == [3]
    learnt = next(iter(store.learnt(0, 5)))[1]
    names = ("seq", "x", "label", "greedy", "propensity", "policy")
    assert all(getattr(learnt, name) == getattr(decision(2), name) for name in names)


def test_what_became_of_decisions(store):
    filled(store)
    store.commit(Batch([decision(6, "g", True)]))
    assert [r.seq for r in store.sampled(0, 9)] == [2, 4, 6]
    assert store.sampled(2, 1) == [Sampled(4, decision(4).pmf, decision(4).label)]
    assert [(r.seq, r.decision, r.reward) for r in store.judged(0, 9)] == [
        (2, 2, 0.5), (5, 4, None),
    ]  # fmt: skip
    assert [r.seq for r in store.judged(0, 1)] == [2]
    assert [r.seq for r in store.judged(2, 9)] == [5]
    rows = store.logged(0, 6, 9)
    assert [(r.seq, r.source, bool(r.is_event)) for r in rows] == [
        (2, "reported", True), (4, None, True), (6, None, False),
    ]  # fmt: skip
    assert rows[0].reward == 0.5
    assert rows[0].x == decision(2).x
    assert [r.seq for r in store.logged(2, 6, 1)] == [4]


def test_what_comes_after_the_last_record_to_read_is_not_known(store):
    filled(store)
    assert [(r.seq, r.source, bool(r.is_event)) for r in store.logged(0, 4, 9)] == [
        (2, "reported", True), (4, None, False),
    ]  # fmt: skip
    assert store.logged(0, 2, 9)[0].reward is None


@pytest.mark.parametrize(
    "wrong",
    [
        [decision(6, "new"), decision(7, "e")],
        [decision(6, "new"), outcome(7, 2)],
        [decision(6, "new"), decision(6, "other")],
        [decision(6, "new"), decision(2, "other")],
        [decision(7, "new")],
    ],
    ids=["decision twice", "outcome twice", "number twice", "old number", "gap"],
)
def test_a_batch_is_committed_as_a_whole_or_not_at_all(store, wrong):
    records = filled(store)
    with pytest.raises(Exception):  # noqa: B017, PT011 # each store has its own
        store.commit(Batch(wrong, [(6, "new", 9.0)], rejected=[Rejected(1.0, "e", "late", 1.0)]))
    assert list(store.records()) == records
    assert store.decision("new") is None
    assert store.n_pending() == 1
    assert list(store.rejections()) == []


def test_feedback_that_was_rejected_is_kept_once(store):
    late = Rejected(1.0, "e", "late", 1.0)
    store.commit(Batch(rejected=[late, late._replace(reward=0.5)]))
    store.commit(Batch(rejected=[late._replace(ts=2.0), late._replace(why="conflict")]))
    assert [(r.why, r.reward) for r in store.rejections()] == [
        ("late", 1.0), ("late", 0.5), ("conflict", 1.0),
    ]  # fmt: skip


def put(store, seq, parts, complete=True):
    for i, data in enumerate(parts):
        last = complete and i == len(parts) - 1
        store.commit(Batch(pieces=[Piece(seq, i, data, "sha" if last else None)]))


def test_a_snapshot_is_there_when_its_last_part_is(store):
    put(store, 5, [b"a", b"b"])
    put(store, 9, [b"c"], complete=False)
    assert store.snapshots() == [5]
    assert store.snapshot(5) == (b"ab", "sha")


def test_a_snapshot_replaces_an_unfinished_one_of_the_same_record(store):
    put(store, 5, [b"a", b"b", b"c"], complete=False)
    put(store, 5, [b"d", b"e"])
    assert store.snapshot(5) == (b"de", "sha")


def test_the_newest_snapshots_are_kept(store):
    for seq in (1, 2, 4, 5):
        put(store, seq, [b"x"])
    put(store, 3, [b"x"], complete=False)
    put(store, 6, [b"x"], complete=False)
    store.keep_snapshots(2, {1})
    assert store.snapshots() == [5, 4, 1]
    put(store, 6, [b"y", b"z"])
    assert store.snapshot(6) == (b"yz", "sha")


def test_contexts_are_erased(store):
    filled(store)
    store.commit(Batch([Control(6, 6.0, "forget", {"decisions": [2]})], forgotten=[2]))
    assert store.decision("e") == decision(2, context=None, x=None)
    assert store.decision("f") == decision(4, "f", True)


def test_a_file_is_read_again(tmp_path):
    store = SqliteStore(tmp_path / "log.db")
    records = filled(store)
    put(store, 5, [b"a", b"b"])
    store.close()
    for read_only in (True, False):
        again = SqliteStore(tmp_path / "log.db", read_only=read_only)
        assert list(again.records()) == records
        assert again.due(99.0, 9) == [(4, "f")]
        assert again.snapshot(5) == (b"ab", "sha")
        again.close()


def test_a_file_has_one_writer_and_any_number_of_readers(tmp_path):
    store = SqliteStore(tmp_path / "log.db")
    filled(store)
    with pytest.raises(OSError, match="used by another process"):
        SqliteStore(tmp_path / "log.db")
    reader = SqliteStore(tmp_path / "log.db", read_only=True)
    assert reader.last_seq() == 5
    reader.close()
    store.close()
    SqliteStore(tmp_path / "log.db").close()


@pytest.mark.parametrize("content", [b"not a database at all" * 99, b""])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "other.db"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"other\.db"):
        SqliteStore(path, read_only=True)


def test_databases_of_other_programs_and_later_versions_are_refused(tmp_path):
    import apsw

    connection = apsw.Connection(str(tmp_path / "other.db"))
    connection.execute("CREATE TABLE log(x)")
    connection.close()
    with pytest.raises(ValueError, match="not the log of a service"):
        SqliteStore(tmp_path / "other.db")
    store = SqliteStore(tmp_path / "new.db")
    store.connection.execute("PRAGMA user_version = 99")
    store.close()
    with pytest.raises(ValueError, match="has format 99, this version reads up to"):
        SqliteStore(tmp_path / "new.db")


def test_every_commit_is_synced(tmp_path):
    store = SqliteStore(tmp_path / "log.db")
    assert store.one("PRAGMA journal_mode") == ("wal",)
    assert store.one("PRAGMA synchronous") == (2,)
    store.close()
