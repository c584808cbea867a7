"""What was forgotten, or does not fit, is refused before it is written."""

import json
from contextlib import closing

import pytest

import onearm
from onearm.service import upkeep
from onearm.service.requests import Change, Decide, Feedback
from onearm.service.sqlite import SqliteStore
from tests.service import making
from tests.service.making import Clock, context
from tests.service.test_upkeep import run, sound


@pytest.fixture
def path(tmp_path):
    return tmp_path / "shop.db"


def answered(path, n=30, begin=0):
    """Decide and answer n events of a service on a file; return the numbers of the outcomes."""
    with closing(SqliteStore(path)) as store:
        service = making.core(store, Clock(1000.0 + begin), wait=1e6)
        seqs = []
        for i in range(begin, begin + n):
            service.handle([Decide(f"e{i}", context(i))])
            (answer,) = service.handle([Feedback(f"e{i}", float(i % 2))])
            seqs.append(answer.body["seq"])
        return seqs


def test_a_state_that_was_forgotten_is_not_rolled_back_to(path):
    seqs = answered(path)
    upkeep.forget(path, ["e3"])
    with closing(SqliteStore(path)) as store:
        service = making.core(store, Clock(2000.0), wait=1e6)
        (early,) = service.handle([Change("rollback", {"policy": "first", "seq": seqs[2]})])
        (late,) = service.handle([Change("rollback", {"policy": "first", "seq": seqs[10]})])
    assert early.status == 200
    assert late.status == 422
    assert "events before it were forgotten" in late.body["reason"]
    sound(path)


def test_a_base_has_what_was_learnt_from_forgotten_events(path, tmp_path):
    answered(path)
    upkeep.forget(path, ["e3"])
    answered(path, begin=100)
    upkeep.compact(path, 1050.0, tmp_path / "old.parquet")
    sound(path)


def test_what_is_not_there_is_not_said_to_be_erased(path):
    answered(path, 3)
    for words in (["--event", "nope"], ["--where", "colour=red"]):
        done = run("forget", path, *words)
        assert done.exit_code == 2
        assert "nothing was erased" in " ".join(done.output.split())


def test_columns_that_stored_contexts_do_not_fit_are_refused(path):
    answered(path, 3)
    with closing(SqliteStore(path)) as store:
        service = making.core(store, Clock(2000.0), wait=1e6)
        columns = json.loads(service.settings["schema"])["columns"]
        number = next(name for name, form in columns.items() if form == "number")
        schema = onearm.Schema(columns | {number: "text"}).to_json()
        (answer,) = service.handle([Change("schema", {"schema": schema})])
        assert answer.status == 422
        assert "must fit stored contexts" in answer.body["reason"]
    answered(path, 3, begin=10)
    sound(path)
