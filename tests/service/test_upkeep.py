"""Living with a file: backups, compaction, forgetting, and reading it as a log."""

import hashlib
import json
import os
from contextlib import closing

import numpy as np
import pytest
from typer.testing import CliRunner

import onearm
from onearm.cli.program import app
from onearm.service import upkeep
from onearm.service.logs import read_log
from onearm.service.records import Decision
from onearm.service.requests import Activate, Change, Decide, Feedback
from onearm.service.sqlite import SqliteStore
from onearm.service.verify import verify
from tests.service import making, power
from tests.service.making import Clock, context


@pytest.fixture
def path(tmp_path):
    return tmp_path / "shop.db"


def play(path, n=30, seed=5, begin=1000.0):
    """Let a service run on a file; return its SHA-256 and its last record."""
    clock = Clock(begin)
    with closing(SqliteStore(path)) as store:
        service = making.core(store, clock, wait=40.0)
        for i, requests in enumerate(power.batches(seed, n)):
            clock.now += 5.0
            service.handle([r._replace(event_id=f"{seed}-{r.event_id}") for r in requests])
            if i == n // 2:
                service.save_snapshot()
        return service.models.sha256(), service.seq


def sound(path):
    with closing(SqliteStore(path, read_only=True)) as store:
        report = verify(store)
        assert report.is_sound, str(report)
        return report


def control(path, what):
    """Return the body of a control record."""
    with closing(SqliteStore(path, read_only=True)) as store:
        return store.one("SELECT body FROM log WHERE kind = 4 AND source = ?", (what,))[0]


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_backup_of_a_file_in_use_is_that_of_one_moment(path, tmp_path):
    play(path)
    with closing(SqliteStore(path)) as store:
        service = making.core(store, Clock(2000.0), wait=40.0)
        service.handle([Decide("live", context())])
        done = run("backup", path, tmp_path / "copy.db")
        assert done.exit_code == 0, done.output
        service.handle([Decide("later", context())])
    with closing(SqliteStore(tmp_path / "copy.db", read_only=True)) as copy:
        assert copy.decision("live") is not None
        assert copy.decision("later") is None
    sound(tmp_path / "copy.db")
    assert [p.name for p in tmp_path.glob("*copy*")] == ["copy.db"]
    again = run("backup", path, tmp_path / "copy.db")
    assert again.exit_code == 2
    assert "must be a new file" in again.output


def test_old_events_go_to_an_export_and_the_rest_is_verified_from_a_base(path, tmp_path):
    _, seq = play(path)
    whole = read_log(path).events()
    n = upkeep.compact(path, 1080.0, tmp_path / "old.parquet")
    kept, old = read_log(path).events(), onearm.Log.read(tmp_path / "old.parquet").events()
    assert n == len(old) > 10
    assert {*kept.event_id, *old.event_id} == {*whole.event_id}
    assert len(kept) + len(old) == len(whole)
    assert old.time.max() < np.datetime64(1080, "s")
    assert sound(path).counts["decisions equal to the bit"] > 10
    with closing(SqliteStore(path)) as store:
        service = making.core(store, Clock(2000.0), wait=40.0)
        assert service.seq >= seq + 1
        (answer,) = service.handle([Change("rollback", {"policy": "first", "seq": 5})])
        assert answer.status == 422
    sound(path)


def test_nothing_is_removed_before_its_export_is_on_the_disk(path, tmp_path, monkeypatch):
    play(path)
    export, synced, sync, remove = tmp_path / "old.parquet", [], os.fsync, upkeep._remove

    def noted(number):
        synced.append((os.fstat(number).st_ino, os.fstat(number).st_size))
        sync(number)

    def after_sync(store, removed):
        assert (export.stat().st_ino, export.stat().st_size) in synced
        assert tmp_path.stat().st_ino in {inode for inode, _ in synced}
        return remove(store, removed)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(upkeep, "_remove", after_sync)
    assert upkeep.compact(path, 1080.0, export) > 10
    assert (
        json.loads(control(path, "compact"))["sha256"]
        == hashlib.sha256(export.read_bytes()).hexdigest()
    )


def test_a_backup_has_its_name_on_the_disk(path, tmp_path, monkeypatch):
    play(path)
    synced, sync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda n: (synced.append(os.fstat(n).st_ino), sync(n)))
    upkeep.backup(path, tmp_path / "copy.db")
    assert tmp_path.stat().st_ino in synced


def test_compaction_keeps_what_has_no_outcome_yet_and_can_be_repeated(path, tmp_path):
    with closing(SqliteStore(path)) as store:
        clock = Clock()
        service = making.core(store, clock, wait=1e6)
        service.handle([Decide(f"e{i}", context(i), None, i % 3 == 0) for i in range(9)])
        service.handle([Activate("e0"), Feedback("e1", 1.0), Feedback("e2", 0.0)])
        clock.now += 100.0
        service.handle([Decide("new", context()), Feedback("e4", 1.0)])
    assert upkeep.compact(path, 1050.0, tmp_path / "1.parquet") == 4  # e1, e2 and e3, e6 not shown
    with closing(SqliteStore(path)) as store:
        service = making.core(store, Clock(1100.0), wait=1e6)
        (answer,) = service.handle([Feedback("e5", 1.0)])
        assert answer.body["status"] == "applied"
    sound(path)
    assert upkeep.compact(path, 1e9, tmp_path / "2.parquet") == 2  # e4, e5
    sound(path)
    with pytest.raises(ValueError, match="no events before"):
        upkeep.compact(path, 1050.0, tmp_path / "3.parquet")


def test_a_compacted_file_without_its_base_cannot_be_started(path, tmp_path):
    play(path)
    upkeep.compact(path, 1080.0, tmp_path / "old.parquet")
    with closing(SqliteStore(path)) as store:
        store.connection.execute("DELETE FROM snapshot")
        with pytest.raises(ValueError, match="restore a backup"):
            making.core(store, Clock(2000.0), wait=40.0)


def test_a_log_that_is_not_sound_is_not_compacted(path, tmp_path):
    play(path)
    with closing(SqliteStore(path)) as store:
        store.connection.execute("UPDATE log SET propensity = 0.5 WHERE seq = 2")
    done = run("compact", path, "--before", "2030-01-01", "--export", tmp_path / "old.parquet")
    assert done.exit_code == 2
    assert "nothing was removed" in done.output
    assert run("verify", path).exit_code == 1


def test_forgotten_contexts_are_gone_and_what_was_learnt_stays(path):
    sha256, _ = play(path)
    secret = b'{"age": 4711, "device": "phone"}'
    with closing(SqliteStore(path)) as store:
        service = making.core(store, Clock(3000.0), wait=40.0)
        service.handle([Decide(f"s{i}", secret) for i in range(3)])
        service.handle([Feedback("s0", 1.0)])
        service.handle([Decide("other", context())])
        service.handle([Feedback("other", 1.0)])
        before = service.models.sha256()
    done = run("forget", path, "--where", "age=4711")
    assert "3 contexts erased" in done.output, done.output
    for file in path.parent.iterdir():
        assert b"4711" not in file.read_bytes(), file.name
    report = sound(path)
    assert report.counts["decisions forgotten"] == 3
    with closing(SqliteStore(path)) as store:
        service = making.core(store, Clock(3001.0), wait=40.0)
        assert service.models.sha256() == before
        (answer,) = service.handle([Feedback("s1", 1.0)])  # it counts, but cannot be learnt from
        assert answer.body["status"] == "applied"
        service.handle([Decide("after", context())])
        sha256 = service.models.sha256()
        assert making.core(store, Clock(3002.0), wait=40.0).models.sha256() == sha256
    sound(path)
    log = read_log(path)
    assert log.n_bad_lines == 3
    assert "s0" not in log.events().event_id


def test_events_are_forgotten_by_id(path):
    play(path)
    assert upkeep.forget(path, ["5-e0", "5-e1"]) == 2
    with pytest.raises(ValueError, match=r"there is no event .nobody.: nothing was erased"):
        upkeep.forget(path, ["5-e2", "nobody"])
    assert upkeep.forget(path, ["5-e0"]) == 0
    report = sound(path)
    assert report.counts["decisions forgotten"] == 2
    assert run("forget", path).exit_code == 2
    assert run("forget", path, "--where", "age").exit_code == 2


def test_a_lost_snapshot_after_forgetting_begins_a_new_segment(path):
    play(path)
    upkeep.forget(path, ["5-e0", "5-e1", "5-e2"])
    with closing(SqliteStore(path)) as store:
        store.connection.execute("DELETE FROM snapshot")
        service = making.core(store, Clock(3000.0), wait=40.0)
        assert service.store.snapshots()
        service.handle([Decide("after", context())])
    sound(path)


def test_a_service_that_runs_keeps_others_from_writing(path, tmp_path):
    play(path)
    with closing(SqliteStore(path)):
        for words in (
            ["forget", path, "--event", "5-e0"],
            ["compact", path, "--before", "2030-01-01"],
        ):
            done = run(*words)
            assert done.exit_code == 1
            assert "used by another process" in " ".join(done.output.replace("│", " ").split())


@pytest.mark.filterwarnings("ignore:categories")
def test_a_file_is_read_as_a_log(path, tmp_path):
    clock = Clock()
    with closing(SqliteStore(path)) as store:
        service = making.core(store, clock, wait=10.0)
        service.handle([Decide("a", context(1)), Decide("b", context(2), ["c", "a"])])
        service.handle([Feedback("a", 0.5), Change("add_label", {"label": "d"})])
        clock.now += 11.0
        service.handle([Decide("c", context(3)), Decide("d", context(4), None, True)])
        service.handle([Feedback("b", 1.0), Feedback("b", 1.0)])
        decisions = [record for record in store.records() if isinstance(record, Decision)]
    log = onearm.Log.read(path)
    assert log.counts == {"reported": 1, "default": 1, "pending": 1, "not_activated": 1}
    assert log.labels == ("a", "b", "c", "d")
    events = log.events()
    assert [*events.event_id] == ["a", "b", "c", "d"]
    assert [*events.label] == [d.label for d in decisions]
    assert [*events.version] == [d.model_seq for d in decisions]
    assert [*events.policy] == ["first"] * 4
    np.testing.assert_array_equal(events.reward[:2], [0.5, 0.0])
    np.testing.assert_array_equal(events.chances[0, :3], np.frombuffer(decisions[0].pmf))
    assert events.chances[0, 3] == 0
    np.testing.assert_array_equal(
        events.allowed.astype(int), [[1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 1]]
    )
    np.testing.assert_array_equal(events.X[:, 0], [21, 22, 23, 24])
    assert events.time[0] == np.datetime64(1000, "s")
    done = run("log", path)
    assert "not learnt from: 1 late, 0 conflicting" in done.output, done.output
    for name in ("out.parquet", "out.jsonl", "out.dsjson"):
        done = run("log", path, "--out", tmp_path / name)
        assert done.exit_code == 0, done.output
        assert "4 events" in done.output
    assert len(onearm.Log.read(tmp_path / "out.parquet")) == 4


def test_a_log_stays_as_it_was_when_it_was_opened(path):
    play(path)
    log = read_log(path)
    n = len(log)
    play(path, seed=6, begin=3000.0)
    assert len(log.events()) == n == len(log)
    assert len(read_log(path)) > n


def test_rows_of_earlier_columns_are_encoded_anew(path):
    wide = onearm.Schema({"age": "number", "device": ["phone", "desktop"], "text": "text"})
    play(path, n=5)
    with closing(SqliteStore(path)) as store:
        service = making.core(store, Clock(2000.0), wait=40.0, schema=wide.to_json())
        body = {"age": 3, "device": "phone", "text": "red shoes"}
        service.handle([Decide("new", json.dumps(body).encode())])
        service.handle([Feedback("new", 1.0)])
    sound(path)
    events = read_log(path).events()
    assert events.X.shape == (len(events), wide.n_features)
    assert events.X[[-1]].toarray().any()


def test_a_file_that_was_never_started_is_no_log(path):
    SqliteStore(path).close()
    with pytest.raises(ValueError, match="never started"):
        read_log(path)


@pytest.mark.compiled
def test_a_file_is_evaluated(path):
    play(path, n=200)
    done = run("evaluate", path, "--policy", "uniform")
    assert done.exit_code == 0, done.output
    assert "uniform" in done.output
