"""`verify` finds whatever in a log does not follow from the rest of it."""

from contextlib import closing
from unittest import mock

import numpy as np
import pytest
from typer.testing import CliRunner

from onearm.cli.program import app
from onearm.service import changes, core, verify
from onearm.service.records import Decision, Outcome
from onearm.service.requests import Activate, Change, Decide, Feedback
from onearm.service.sqlite import SqliteStore
from tests.service import making, power
from tests.service.making import Clock, context


@pytest.fixture
def service():
    clock = Clock()
    running = making.core(clock=clock, wait=40.0)
    for i, requests in enumerate(power.batches(2, 25)):
        clock.now += 5.0
        running.handle(requests)
        if i == 12:
            learner = {"name": "EpsilonGreedy"}
            running.handle([Change("add_policy", {"policy": "second", "learner": learner})])
            running.save_snapshot()
    running.save_snapshot()
    return running


def replaced(store, kind, nth=5, **changes):
    """Change the n-th record of a kind."""
    at = [i for i, record in enumerate(store.log) if isinstance(record, kind)][nth]
    store.log[at] = store.log[at]._replace(**changes)
    return store.log[at]


def violations(service):
    return " ".join(verify.verify(service.store).violations)


def test_a_sound_log_is_sound(service):
    report = verify.verify(service.store)
    assert report.is_sound
    n = sum(isinstance(record, Decision) for record in service.store.log)
    assert report.counts["decisions equal to the bit"] == n
    assert report.counts["snapshots equal to the replay"] == report.counts["snapshots"] == 2
    assert str(report).splitlines()[-1].startswith("sound (")
    quick = verify.verify(service.store, decisions=False)
    assert quick.is_sound
    assert quick.counts["decisions equal to the bit"] == 0


@pytest.mark.parametrize(
    ("kind", "changed", "found"),
    [
        (Decision, {"propensity": 0.5}, "another propensity"),
        (Decision, {"label": 99}, "another label"),
        (Decision, {"greedy": 99}, "another greedy"),
        (Decision, {"pmf": bytes(24)}, "another pmf"),
        (Decision, {"model_seq": 1}, "names state 1"),
        (Decision, {"event_id": "other"}, "has no decision that is open"),
        (Decision, {"context": b'{"age": 77}'}, "another row"),
        (Decision, {"policy": "second"}, "another policy"),
        (Outcome, {"reward": 0.25}, "is not what the log before it gives"),
        (Outcome, {"decision": 2**40}, "has no decision that is open"),
        (Outcome, {"seq": 2**40}, "are missing"),
        (Outcome, {"ts": 1.0}, "is of an earlier time"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_was_changed_is_found(service, kind, changed, found):
    replaced(service.store, kind, **changed)
    assert found in violations(service)


def test_shadows_are_compared(service):
    at = [i for i, r in enumerate(service.store.log) if getattr(r, "shadows", None)][2]
    service.store.log[at] = service.store.log[at]._replace(shadows=bytes(24))
    assert "another shadows" in violations(service)


def test_a_second_outcome_is_found(service):
    outcome = next(r for r in service.store.log if isinstance(r, Outcome))
    seq = service.store.last_seq() + 1
    service.store.log.append(outcome._replace(seq=seq, ts=service.store.last_ts()))
    assert f"outcome {seq} has no decision that is open" in violations(service)


def test_a_default_reward_before_its_time_is_found():
    running = making.core(wait=40.0)
    running.handle([Decide("e", context())])
    running.clock.now += 40.0
    running.handle([])
    assert violations(running) == ""
    replaced(running.store, Outcome, 0, ts=1039.9)
    assert "before its time" in violations(running)


def test_decisions_that_wait_are_compared_with_the_store(service):
    running = making.core()
    running.handle([Decide("e", context()), Decide("d", context(), None, True)])
    assert violations(running) == ""
    del running.store.waiting[2]
    assert "has no outcome, but is not pending" in violations(running)
    running.store.waiting[3] = ("d", 1.0)
    assert "was not activated" in violations(running)
    running.handle([Activate("d")])


def test_a_damaged_snapshot_is_found(service):
    piece = service.store.pieces[-1]
    service.store.pieces[-1] = piece._replace(data=piece.data[:-1] + b"\x7f")
    assert f"snapshot {piece.seq}" in violations(service)


def other_environment(monkeypatch, **changed):
    """Let the code that runs be another."""
    real = changes.environment

    def environment(policies):
        return real(policies) | changed

    for module in (changes, core, verify):
        monkeypatch.setattr(module, "environment", environment)


def test_another_environment_begins_with_a_record_and_a_snapshot(service, monkeypatch):
    other_environment(monkeypatch, numpy="99.0")
    snapshots, seq = service.store.snapshots(), service.store.last_seq()
    again = core.Core(service.store, making.settings(wait=40.0), service.clock)
    assert again.store.controls(seq, again.seq)[0].what == "environment"
    assert again.store.snapshots()[0] > snapshots[0]
    assert again.models.sha256() == service.models.sha256()
    again.handle([Decide("after", context())])
    report = verify.verify(again.store)
    assert report.is_sound, str(report)
    assert report.counts["decisions equal to the bit"] == 1
    assert report.counts["decisions equal to 1e-09"] > 20
    once_more = core.Core(service.store, making.settings(wait=40.0), service.clock)
    assert once_more.seq == again.seq


def test_models_of_another_environment_that_differ_a_little_are_no_violation(service, monkeypatch):
    for agent in service.models.agents.values():  # as another libm might have it
        for array in agent.learner.arrays().values():
            if array.dtype == float:
                array *= 1 + 1e-13
    service.save_snapshot()
    other_environment(monkeypatch, cpu="another")
    again = core.Core(service.store, making.settings(wait=40.0), service.clock)
    again.handle([Decide("after", context())])
    again.handle([Feedback("after", 1.0)])
    again.handle([Decide("later", context(1))])
    report = verify.verify(again.store)
    assert report.is_sound, str(report)
    assert report.counts["decisions equal to the bit"] == 2
    assert "is taken as it is" in " ".join(report.notes)


def test_learners_of_other_code_are_replayed(service, monkeypatch):
    """Their snapshots are not used: models are what the code of now makes of the log."""
    wrong = np.full(3, 0.5)
    for agent in service.models.agents.values():
        next(iter(agent.learner.arrays().values()))[...] = wrong[0]
    service.save_snapshot()
    other_environment(monkeypatch, InverseGap="other code")
    again = core.Core(service.store, making.settings(wait=40.0), service.clock)
    assert again.models.loaded_from == 0
    assert again.models.sha256() != service.models.sha256()
    report = verify.verify(again.store)
    assert report.is_sound, str(report)


def test_decisions_that_other_code_made_need_not_be_repeated(service, monkeypatch):
    replaced(service.store, Decision, propensity=0.5)
    other_environment(monkeypatch, InverseGap="other code")
    report = verify.verify(service.store)
    assert report.is_sound, str(report)
    assert report.counts["decisions of other code that this code does not repeat"] == 1


def test_a_service_that_runs_meanwhile_is_no_violation(tmp_path):
    """Its decisions wait after the last record that was read, and its snapshots come and go."""
    with closing(SqliteStore(tmp_path / "log.db")) as store:
        running = making.core(store, Clock(), wait=40.0)
        for i in range(5):
            running.handle([Decide(f"e{i}", context(i)), Feedback(f"e{i}", 1.0)])
        running.save_snapshot()
        records = SqliteStore.records

        def meanwhile(reading, *between):
            yield from records(reading, *between)
            for i in range(5, 9):
                running.handle([Decide(f"e{i}", context(i))])
                running.save_snapshot()

        with mock.patch.object(SqliteStore, "records", meanwhile):
            done = CliRunner().invoke(app, ["verify", str(tmp_path / "log.db")])
        assert running.seq == 15
    assert done.exit_code == 0, done.output
    assert "11 records" in done.output
