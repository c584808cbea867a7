"""What a service has acknowledged, and whether its file keeps it: for crash tests."""

from contextlib import closing

from onearm.service import replay
from onearm.service.core import Core
from onearm.service.records import Decision, Outcome
from onearm.service.requests import Decide, Feedback
from onearm.service.sqlite import SqliteStore
from onearm.service.verify import verify
from tests.service.making import Clock, settings
from tests.service.planted import clean


def noted(request, answer):
    """Return an answer as a line that says what was promised by it, or None."""
    body = answer.body
    if isinstance(request, Decide) and answer.status == 200:
        names = ("event_id", "label", "propensity", "seq", "model_seq", "policy")
        return ["decided", *(body[name] for name in names)]
    if isinstance(request, Feedback) and body.get("status") == "applied":
        return ["applied", request.event_id, request.reward, body["seq"]]
    if body.get("status") in ("activated", "changed"):
        return [body["status"], body.get("event_id") or body["what"], body.get("seq", 0)]
    return None


def violations(path, acknowledged, clock=None):
    """Return what is wrong with a file after a crash: nobody else must have it open.

    I1: all that was acknowledged is in it. I2, I4, I5, I6: `verify`. I3: a start from a snapshot
    has the models that a replay from the first record has.
    """
    try:
        with clean():
            return _violations(path, acknowledged, clock)
    except (OSError, ValueError) as error:
        return [f"I1: the file cannot be read: {error}"]


def _violations(path, acknowledged, clock):
    with closing(SqliteStore(path)) as store:
        wrong = [text for line in acknowledged for text in _missing(store, line)]
        if not store.last_seq():
            return wrong
        wrong += verify(store).violations
        wrong += [f"I2: {event} has {n} outcomes" for event, n in _twice(store)]
        started = replay.recover(store)[1].sha256()
        if started != replay.replayed(store, 0, None, store.last_seq())[1].sha256():
            wrong.append("I3: a start from a snapshot has other models than a replay")
        core = Core(store, settings(**_given(store)), clock or Clock(store.last_ts()))
        if core.models.sha256() != started and core.seq == store.last_seq():
            wrong.append("I3: a start has other models than a replay")
    return wrong


def _given(store):
    known = replay.settings_at(store, store.last_seq())
    return {"wait": known["wait"]}


def _missing(store, line):
    kind, event_id, *answer = line
    if kind == "decided":
        record, names = store.decision(event_id), settings()["labels"]
        if record is None:
            return [f"I1: the decision {event_id} is lost"]
        label, *rest = answer
        logged = [record.propensity, record.seq, record.model_seq, record.policy]
        same = names[record.label] == label and logged == rest
        return [] if same else [f"I1: the decision {event_id} was answered {answer}, has {logged}"]
    if kind == "applied":
        outcome = store.outcome(event_id)
        logged = outcome and [outcome.reward, outcome.seq]
        return [] if logged == answer else [f"I1: the outcome {event_id} {answer} is {logged}"]
    if kind == "failed":
        return [f"I1: the service failed: {event_id}"]
    if kind == "state":
        replayed = replay.recover(store, event_id)[1].sha256()
        return [] if [replayed] == answer else [f"I3: the models at record {event_id} were others"]
    if kind == "activated" and not store.is_activated(event_id):
        return [f"I1: the activation {event_id} is lost"]
    return []


def _twice(store):
    outcomes = [r.decision for r in store.records() if isinstance(r, Outcome)]
    decisions = [r.event_id for r in store.records() if isinstance(r, Decision)]
    return [(seq, outcomes.count(seq)) for seq in {*outcomes} if outcomes.count(seq) > 1] + [
        (event, decisions.count(event)) for event in {*decisions} if decisions.count(event) > 1
    ]
