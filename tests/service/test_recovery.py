"""Starts: from damaged snapshots, with other settings, by clocks that jump."""

import pytest

from onearm.service import clock as clocks
from onearm.service.memory import MemoryStore
from onearm.service.records import Control, Outcome
from onearm.service.requests import Change, Decide, Feedback
from onearm.service.verify import verify
from tests.service import making, power
from tests.service.making import Clock, context, settings


def played(store=None, n=20, seed=3):
    clock = Clock()
    service = making.core(store, clock, wait=40.0)
    for requests in power.batches(seed, n):
        clock.now += 5.0
        service.handle(requests)
    return service


def restarted(service, **changed):
    return making.core(service.store, service.clock, **{"wait": 40.0} | changed)


def test_a_damaged_newest_snapshot_is_left_out():
    service = played()
    service.save_snapshot()
    first = service.store.snapshots()[0]
    service.handle([Decide("x", context())])
    service.handle([Feedback("x", 1.0)])
    service.save_snapshot()
    piece = service.store.pieces[-1]
    service.store.pieces[-1] = piece._replace(data=piece.data[:-9])
    again = restarted(service)
    assert again.models.sha256() == service.models.sha256()
    assert again.models.loaded_from == first


def test_without_any_sound_snapshot_the_log_is_replayed():
    service = played()
    service.save_snapshot()
    service.store.pieces[-1] = service.store.pieces[-1]._replace(data=b"nothing")
    again = restarted(service)
    assert again.models.sha256() == service.models.sha256()
    assert again.models.loaded_from == 0


def whats(service, after):
    return [control.what for control in service.store.controls(after, service.seq)]


def test_a_start_writes_what_its_settings_have_changed():
    service = played()
    before = service.seq
    again = restarted(service, wait=50.0, labels=["a", "b", "d"])
    assert whats(again, before) == ["add_label", "retire_label", "settings", "given"]
    assert again.models.agent.labels == ("a", "b", "d")
    assert again.settings["wait"] == 50.0
    assert restarted(again, wait=50.0, labels=["a", "b", "d"]).seq == again.seq


def test_a_start_leaves_what_was_changed_meanwhile():
    service = played()
    service.handle([Change("retire_label", {"label": "a"}), Change("add_label", {"label": "d"})])
    learner = {"name": "EpsilonGreedy"}
    service.handle([Change("add_policy", {"policy": "second", "learner": learner})])
    service.handle([Change("promote", {"policy": "second"})])
    again = restarted(service)
    assert again.seq == service.seq
    assert again.models.sha256() == service.models.sha256()
    assert again.models.agent.labels == ("b", "c", "d")
    assert again.models.champion == "second"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"seed": 8}, "set once"),
        ({"feedback": "one_right"}, "set once"),
        ({"policies": {"first": {"name": "LinUCB"}}}, "another learner"),
        ({"wait": -1.0}, "wait must be"),
        ({"default_reward": 2.0}, "reward must be"),
        ({"labels": []}, "only one that is left"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_settings_are_refused(changed, words):
    service = played(n=3)
    with pytest.raises(ValueError, match=words):
        restarted(service, **changed)


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("nothing", {}), ("start", settings()), ("add_label", {}), ("add_label", {"label": "a"}),
        ("add_label", {"label": None}), ("add_label", {"label": 1.5}),
        ("retire_label", {"label": "z"}),
        ("add_policy", {"policy": "p"}), ("add_policy", {"policy": "p", "learner": {}}),
        ("add_policy", {"policy": 5, "learner": {"name": "LinUCB"}}),
        ("add_policy", {"policy": "p", "learner": {"name": "nobody"}}),
        ("add_policy", {"policy": "p", "learner": {"name": "SOBA"}}),
        ("add_policy", {"policy": "p", "learner": {"name": "LinUCB", "schema": 1}}),
        ("add_policy", {"policy": "p", "learner": {"name": "LinUCB", "alpha": "x"}}),
        ("add_policy", {"policy": "p", "learner": ["LinUCB"]}),
        ("promote", {"policy": "p"}), ("promote", {"policy": ["first"]}),
        ("remove_policy", {"policy": "first"}), ("rollback", {"policy": "first", "seq": 10**6}),
        ("rollback", {"policy": "first", "seq": "1"}), ("settings", {"wait": "soon"}),
        ("settings", {"wait": float("nan")}), ("settings", {"default_reward": None}),
        ("schema", {}), ("schema", {"schema": "{"}), ("schema", {"schema": 5}),
    ],
    ids=str,
)  # fmt: skip
def test_changes_that_cannot_be_made_are_refused_and_nothing_is_written(what, body):
    service = played(n=2)
    seq = service.seq
    (answer,) = service.handle([Change(what, body)])
    assert answer.status in (422, 500), answer
    assert service.seq == seq
    assert restarted(service).models.sha256() == service.models.sha256()


def test_a_label_that_is_a_number_is_the_same_as_its_text():
    service = making.core(labels=["1", "2", "3"])
    service.handle([Change("retire_label", {"label": 1})])
    service.handle([Change("add_label", {"label": 1})])
    assert service.settings["labels"] == ["1", "2", "3"]
    assert service.settings["retired"] == []


def test_a_schema_with_another_column_learns_anew_from_the_contexts():
    import onearm

    service = played()
    schema = onearm.Schema({"age": "number", "device": ["phone", "desktop"], "hour": "number"})
    again = restarted(service, schema=schema.to_json())
    assert again.models.agent.schema.n_features == 3
    again.handle([Decide("wide", b'{"age": 1, "device": "phone", "hour": 3}')])
    again.handle([Feedback("wide", 1.0)])
    outcome = next(r for r in again.store.log if isinstance(r, Outcome))
    (answer,) = again.handle([Change("rollback", {"policy": "first", "seq": outcome.seq})])
    assert answer.status == 200
    again.handle([Decide("after", context())])
    assert verify(again.store).is_sound
    once_more = restarted(again, schema=schema.to_json())
    assert once_more.models.sha256() == again.models.sha256()


def test_time_does_not_go_back_and_decisions_expire_after_their_wait():
    store, clock = MemoryStore(), Clock(1e6)
    service = making.core(store, clock, wait=10.0)
    service.handle([Decide("e", context())])
    clock.now = 1000.0  # set back while it is down
    service = making.core(store, clock, wait=10.0)
    service.handle([Decide("f", context())])
    clock.now += 9.9
    service.handle([])
    assert store.n_pending() == 2
    clock.now += 0.2
    service.handle([])
    assert store.n_pending() == 0
    assert verify(store).is_sound


def test_jumps_of_the_wall_clock_are_not_noticed_while_running():
    wall, passed = Clock(1e6), Clock(5.0)
    clock = clocks.Clock(wall, passed)
    store = MemoryStore()
    service = making.core(store, clock, wait=10.0)
    service.handle([Decide("e", context())])
    wall.now += 1e9
    service.handle([])
    assert store.n_pending() == 1
    passed.now += 10.0
    service.handle([])
    assert store.n_pending() == 0


def test_the_first_record_has_all_settings():
    first = played(n=1).store.log[0]
    assert isinstance(first, Control)
    assert first.body.items() >= settings(wait=40.0).items()
