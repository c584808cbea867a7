"""Integrity: bytes that a disk has flipped are found at the start, and by `verify`."""

from contextlib import closing
from unittest import mock

import apsw
import pytest
from typer.testing import CliRunner

from onearm.cli.program import app
from onearm.service import integrity, sqlite, tables
from onearm.service.core import Core
from onearm.service.records import DEFAULT, Decision
from onearm.service.requests import Decide, Feedback
from onearm.service.sqlite import SqliteStore
from onearm.service.verify import verify
from tests.service import making
from tests.service.damage import answers, flipped, of_old_event, refusals, write
from tests.service.making import Clock, context

SEEDS = 60


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "shop.db"
    write(path)
    return path


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_with_flipped_bytes_a_start_is_refused_or_all_is_as_it_was(path):
    refused = refusals(path, SEEDS)
    assert len(refused) > SEEDS / 3
    assert all("damaged" in words or "shop.db" in words for words in refused)


def test_verify_reports_flipped_bytes_and_never_fails(path):
    content, found = path.read_bytes(), 0
    for seed in range(SEEDS):
        path.write_bytes(flipped(content, seed))
        for command in ("verify", "log"):
            done = run(command, path)
            assert isinstance(done.exception, SystemExit | None), (seed, done.exception)
            assert done.exit_code in (0, 1, 2)
        found += run("verify", path).exit_code > 0
    assert found > SEEDS / 3


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE log SET label = 1 - label WHERE seq = 2",
        "UPDATE log SET reward = 0.5 WHERE kind = 2 AND seq < 20",
        "UPDATE log SET x = zeroblob(17) WHERE seq = 2",
        "UPDATE log SET checksum = NULL WHERE seq = 9",
        "UPDATE log SET body = '{}' WHERE seq = 1",
        "UPDATE log SET seq = 10000 WHERE seq = 3",
        "UPDATE pending SET event_id = 'other'",
    ],
)
def test_a_record_that_is_not_what_was_written_is_named(path, sql):
    with closing(SqliteStore(path)) as store:
        store.connection.execute(sql)
    with pytest.raises(ValueError, match=r"the log is damaged: .*put a backup in its place"):
        answers(path)
    with closing(SqliteStore(path, read_only=True)) as store:
        assert "the file is damaged: " in verify(store).violations[0]


def test_a_backup_of_a_damaged_file_is_refused(path, tmp_path):
    with closing(SqliteStore(path)) as store:
        store.connection.execute("UPDATE log SET label = 1 - label WHERE seq = 2")
    done = run("backup", path, tmp_path / "copy.db")
    assert done.exit_code == 2
    assert "record 2 is not what was written" in " ".join(done.output.replace("│", "").split())
    assert [*tmp_path.glob("*copy*")] == []


def test_a_file_of_the_first_format_gets_checksums_from_then_on(tmp_path):
    path, old = tmp_path / "old.db", tables.TABLES.replace(", checksum INTEGER", "")
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(old)
        connection.execute(f"PRAGMA user_version = 1; PRAGMA application_id = {tables.PROGRAM}")
    insert = tables.INSERT.replace(", checksum", "").replace("?, ", "", 1)
    with (
        mock.patch.object(sqlite, "FORMAT", 1),
        mock.patch.object(sqlite, "INSERT", insert),
        mock.patch.object(sqlite, "with_checksum", lambda row: row),
        closing(SqliteStore(path)) as store,
    ):
        making.core(store).handle([Decide("old", context())])
    with closing(SqliteStore(path, read_only=True)) as store:
        assert store.damages() == []
        assert store.decision("old") is not None
    with closing(SqliteStore(path)) as store:
        service = making.core(store)
        service.handle([Feedback("old", 1.0), Decide("new", context())])
        assert store.damages() == []
        store.connection.execute("UPDATE log SET reward = 0.5 WHERE kind = 2")
        assert store.damages() == [f"record {service.seq} is not what was written"]


def test_events_that_were_removed_are_not_new_again(path, tmp_path):
    for answer in of_old_event(path, tmp_path / "old.parquet"):
        assert (answer.status, answer.body["status"]) == (410, "compacted")
        assert "export" in answer.body["reason"]
    with closing(SqliteStore(path)) as store:
        service = making.core(store, Clock(2000.0), wait=40.0)
        assert service.handle([Feedback("nobody", 1.0)])[0].status == 404
        assert service.handle([Decide("fresh", context())])[0].status == 200
        assert store.damages() == []
        one = "id IN (SELECT min(id) FROM removed)"
        store.connection.execute(f"UPDATE removed SET id = zeroblob(16) WHERE {one}")
        assert store.damages() == ["the id of a removed event is not what was written"]


def test_checksums_do_not_depend_on_how_numbers_are_written():
    row = integrity.as_row(Decision(1, 2, "e", b"", b"", None, b"", None, 1, 1, 1, "p", 1, True))
    assert [type(row[i]) for i in (2, 12, 15)] == [float, float, int]


def test_a_start_does_not_write_into_a_damaged_file(path):
    with closing(SqliteStore(path)) as store:
        store.connection.execute("UPDATE log SET label = 1 - label WHERE seq = 2")
        last = store.last_seq()
        with pytest.raises(ValueError, match="Nothing was started or changed"):
            Core(store, making.settings(wait=99.0), Clock(3000.0))
        assert store.last_seq() == last


def test_a_reward_of_minus_zero_is_zero(path):
    """SQLite has no -0.0: with it in a checksum no later start would be possible."""
    with closing(SqliteStore(path)) as store:
        clock = Clock(2000.0)
        service = making.core(store, clock, default_reward=-0.0)
        service.handle([Decide("minus", context()), Decide("silent", context(1))])
        service.handle([Feedback("minus", -0.0)])
        clock.now += 50.0
        service.handle([])
        silent = store.outcome("silent")
        assert silent is not None
        assert (silent.reward, silent.source) == (0.0, DEFAULT)
        assert store.damages() == []
        assert verify(store).violations == []
