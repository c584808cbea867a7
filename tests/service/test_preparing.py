"""Changes that replay the log are prepared beside the writer, to the same bits, and may be void."""

import threading
from contextlib import closing
from unittest import mock

import pytest

from onearm.service import admin, preparing, replay
from onearm.service.preparing import prepared
from onearm.service.replay import recover
from onearm.service.requests import Change, Decide, Feedback
from onearm.service.sqlite import SqliteStore
from onearm.service.verify import verify
from tests.service import making, power
from tests.service.making import Clock, context
from tests.service.serving import serving

ADD = Change("add_policy", {"policy": "second", "learner": {"name": "LinUCB"}})
BACK = Change("rollback", {"policy": "first", "seq": 30})


@pytest.fixture
def service(tmp_path):
    with closing(SqliteStore(tmp_path / "log.db")) as store:
        running = making.core(store, Clock(), wait=40.0)
        play(running, 1)
        running.handle([Change("retire_label", {"label": "b"})])
        play(running, 2)
        yield running


def play(running, seed, n=20):
    for requests in power.batches(seed, n):
        running.clock.now += 5.0
        running.handle([r._replace(event_id=f"{seed}-{r.event_id}") for r in requests])


@pytest.mark.parametrize("change", [ADD, BACK], ids=lambda change: change.what)
@pytest.mark.parametrize("few", [5, 500])
def test_what_was_prepared_is_what_a_replay_gives(service, change, few):
    with mock.patch.object(preparing, "FEW", few):
        ready = prepared(service.store, change)
    play(service, 3)  # what the writer must learn by itself
    whole = {"_learnt_anew": replay._learnt_anew, "_rolled_back": replay._rolled_back}
    read = []
    for name, call in whole.items():
        whole[name] = lambda *a, call=call: read.append(a) or call(*a)
    with mock.patch.multiple(replay, **whole):
        assert service.handle([ready])[0].status == 200
    assert all(args[-1] is ready.prepared for args in read)  # nothing is replayed from the start
    play(service, 4)
    service.save_snapshot()
    assert verify(service.store).is_sound
    again = replay.replayed(service.store, 0, None, service.seq)[1]
    assert again.sha256() == service.models.sha256() == recover(service.store)[1].sha256()


@pytest.mark.parametrize("change", [ADD, BACK], ids=lambda change: change.what)
def test_a_change_in_between_makes_it_void(service, change):
    ready = prepared(service.store, change)
    service.handle([Change("add_label", {"label": "d"}), Change("retire_label", {"label": "a"})])
    assert service.handle([ready])[0].status == 200
    play(service, 3)
    again = replay.replayed(service.store, 0, None, service.seq)[1]
    assert again.sha256() == service.models.sha256()


@pytest.mark.parametrize(
    "change",
    [
        Change("add_policy", {"policy": "first", "learner": {"name": "LinUCB"}}),
        Change("add_policy", {"policy": "second", "learner": {"name": "nobody"}}),
        Change("rollback", {"policy": "nobody", "seq": 3}),
        Change("rollback", {"policy": "first", "seq": 10**6}),
    ],
    ids=str,
)
def test_what_will_be_refused_is_not_prepared(service, change):
    assert prepared(service.store, change).prepared is None
    assert service.handle([change])[0].status == 422


def slow(gate, entered, call):
    def waiting(*args):
        entered.set()
        assert gate.wait(60)
        return call(*args)

    return waiting


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("add_policy", {"policy": "second", "learner": {"name": "LinUCB"}}),
        ("rollback", {"policy": "inversegap", "seq": 5}),
    ],
)
def test_decisions_do_not_wait_for_a_replay(name, body):
    gate, entered, answers = threading.Event(), threading.Event(), []
    which = "_learnt_anew" if name == "add_policy" else "_rolled_back"
    with serving() as served:
        for _ in range(20):
            event = served.decide()["event_id"]
            served.post("feedback", {"event_id": event, "reward": 1})
        replaying = slow(gate, entered, getattr(preparing, which))
        with mock.patch.object(preparing, which, replaying):
            post = threading.Thread(target=lambda: answers.append(served.post(name, body)))
            post.start()
            assert entered.wait(30)
            event = served.decide()["event_id"]
            assert served.post("feedback", {"event_id": event, "reward": 1})[0] == 200
            assert not answers
            gate.set()
            post.join(20)
        assert answers[0][0] == 200
        assert verify(served.store).is_sound


def test_who_ends_does_not_wait_for_a_replay():
    gate, entered, answers = threading.Event(), threading.Event(), []
    with serving() as served:
        served.decide()
        with mock.patch.object(
            preparing, "_learnt_anew", slow(gate, entered, preparing._learnt_anew)
        ):
            body = {"policy": "second", "learner": {"name": "LinUCB"}}
            post = threading.Thread(target=lambda: answers.append(served.post("add_policy", body)))
            post.start()
            assert entered.wait(30)
            served.drain()
            post.join(20)
            served.thread.join(20)
            assert not served.thread.is_alive()
            gate.set()
    assert answers[0][0] == 503


def test_who_ends_does_not_wait_for_a_backup(tmp_path):
    gate, entered, answers = threading.Event(), threading.Event(), []
    with (
        closing(SqliteStore(tmp_path / "news.db")) as store,
        serving(store, folder=tmp_path) as served,
        mock.patch.object(admin, "backup", slow(gate, entered, admin.backup)),
    ):
        served.decide()
        body = {"file": "copy.db"}
        post = threading.Thread(target=lambda: answers.append(served.post("backup", body)))
        post.start()
        assert entered.wait(30)
        served.drain()
        post.join(20)
        served.thread.join(20)
        assert not served.thread.is_alive()
        gate.set()
    assert (answers[0][0], answers[0][1]["status"]) == (503, "draining")


def test_many_outcomes_are_learnt_from_to_the_same_bits_whatever_the_pieces():
    first = making.core()
    for i in range(100):
        first.handle([Decide(f"e{i}", context(i)), Feedback(f"e{i}", i % 2)])
    for long in (0.0, 10.0):
        with mock.patch("onearm.service.models.LONG", long):
            again = replay.replayed(first.store, 0, None, first.seq)[1]
        assert again.sha256() == first.models.sha256()
