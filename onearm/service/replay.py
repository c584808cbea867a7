"""Replay: settings and models as functions of the log.

The first control record, `start`, has all settings. Those after it change them:

    settings        wait, default_reward, promotion and apprentice
    add_label, retire_label
    add_policy      a challenger, which learns from all outcomes so far
    remove_policy
    promote         another policy decides from now on
    rollback        a policy is what it was at a record; outcomes in between are not learnt again
    schema          other columns: all policies learn anew from the stored contexts
    environment     other code or versions: replays are equal to the bit only from here on
    given           the settings of a start, with which those of the next are compared
    forget          contexts were erased: their outcomes cannot be learnt from again
    compact         old events were removed: a replay begins at a base, which is a snapshot
"""

import json
from collections.abc import Iterator
from typing import Any

from onearm.schema.schema import Schema
from onearm.service.models import Models, new_agent
from onearm.service.records import Control, Decision, Outcome, pack_row
from onearm.service.snapshots import load_snapshot
from onearm.service.store import Store

GIVEN = ("schema", "labels", "policies", "champion", "wait", "default_reward", "promotion")
LEARNT = (  # what changes models
    "start", "add_label", "retire_label", "add_policy", "remove_policy", "promote", "rollback",
    "schema",
)  # fmt: skip
State = tuple[dict[str, Any], Any]  # settings and Models


def recover(store: Store, upto: int | None = None, codes: dict[str, str] | None = None) -> State:
    """Return settings and models after record `upto`: the newest sound snapshot, and the rest.

    A snapshot of a learner whose code is not that of `codes` is left out: the log is replayed.
    """
    end = store.last_seq() if upto is None else upto
    base = settings_at(store, store.last_seq()).get("base", 0)
    for seq in store.snapshots():
        if base <= seq <= end and (seq == base or _is_current(store, seq, codes)):
            try:
                models = load_snapshot(store, seq)
            except (ValueError, KeyError, TypeError):
                continue  # damaged, or of another version: an older one will do
            return replayed(store, seq, models, end)
    if base:
        raise ValueError(
            f"the log was compacted, and its snapshot at {base} is damaged: restore a backup"
        )
    return replayed(store, 0, None, end)


def _is_current(store: Store, seq: int, codes: dict[str, str] | None) -> bool:
    """Whether learners at a record have the code that runs now."""
    if codes is None:
        return True
    settings = settings_at(store, seq)
    known = settings["environment"]
    names = {learner["name"] for learner in settings["policies"].values()}
    return all(known.get(name) == codes.get(name) for name in names if name in known)


def settings_at(store: Store, seq: int) -> dict[str, Any]:
    """Return the settings after a record."""
    settings: dict[str, Any] = {}
    for control in store.controls(0, seq):
        settings = changed_settings(settings, control)
    return settings


def replayed(store: Store, seq: int, models: Models | None, end: int) -> State:
    """Return the state at `end`, from models that are those after record `seq`."""
    settings, done = settings_at(store, seq), seq
    for control in store.controls(seq, end):
        if models is not None:
            models.learn_all(_pairs(store, done, control.seq, settings, models))
        settings, models = apply_control(store, settings, models, control)
        done = control.seq
    if models is not None:
        models.learn_all(_pairs(store, done, end, settings, models))
    return settings, models


def _pairs(
    store: Store, after: int, upto: int, settings: dict[str, Any], models: Models
) -> Iterator[tuple[Outcome, Decision]]:
    since = settings.get("columns_since", 0)
    for outcome, decision in store.learnt(after, upto):
        if decision.seq < since:
            decision = store.decision(decision.event_id) or decision
            decision = with_current_row(decision, settings, models)
        yield outcome, decision


def with_current_row(decision: Decision, settings: dict[str, Any], models: Models) -> Decision:
    """Return a decision with its row in the columns of now: it may be from before a change."""
    if decision.seq > settings.get("columns_since", 0):
        return decision
    if decision.context is None:
        return decision._replace(x=None)
    return _encoded(decision, models.agent.schema)


def given_by(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that a start compares with those of the next."""
    apprentice = bool(settings.get("apprentice"))  # which earlier versions had not
    return {key: settings.get(key) for key in GIVEN} | {"apprentice": apprentice}


def changed_settings(settings: dict[str, Any], control: Control) -> dict[str, Any]:
    """Return the settings after a control record."""
    what, body = control.what, control.body
    if what == "start":
        return dict(body) | {"retired": [], "given": given_by(body)}
    new = settings | {"retired": list(settings["retired"]), "labels": list(settings["labels"])}
    if what in ("settings", "environment", "schema", "given"):
        new |= body
        if what == "schema":
            new["columns_since"] = control.seq
    elif what == "compact":
        new["base"], new["compacted"] = body["base"], body["removed"]
    elif what == "add_label":
        if body["label"] in new["retired"]:
            new["retired"].remove(body["label"])
        else:
            new["labels"].append(body["label"])
    elif what == "retire_label":
        new["retired"].append(body["label"])
    elif what == "add_policy":
        new["policies"] = settings["policies"] | {body["policy"]: body["learner"]}
        new["environment"] = settings["environment"] | body["environment"]
    elif what == "remove_policy":
        new["policies"] = {n: p for n, p in settings["policies"].items() if n != body["policy"]}
        new["former"] = [*settings.get("former", []), body["policy"]]
    elif what == "promote":
        new["champion"] = body["policy"]
    elif what == "rollback":
        skipped = settings.get("skipped", {})
        then = [span for span in skipped.get(body["policy"], []) if span[1] <= body["seq"]]
        new["skipped"] = skipped | {body["policy"]: [*then, [body["seq"], control.seq]]}
    return new


def apply_control(
    store: Store, settings: dict[str, Any], models: Models | None, control: Control,
    prepared: Any = None,
) -> State:  # fmt: skip
    """Return settings and models after a control record that is in the store.

    `prepared`: the agent of the record, which has learnt from a part of the log already.
    """
    new, what, body = changed_settings(settings, control), control.what, control.body
    if what == "start":
        models = Models.start(new)
    assert models is not None  # what comes before `start` is refused
    if what == "add_label":
        models.add_label(body["label"])
    elif what == "retire_label":
        models.retire_label(body["label"])
    elif what == "add_policy":
        agent = _learnt_anew(store, new, body["policy"], control.seq, prepared)
        models.agents[body["policy"]] = agent
    elif what == "remove_policy":
        del models.agents[body["policy"]]
    elif what == "promote":
        models.champion = body["policy"]
    elif what == "rollback":
        agent = prepared.agent if prepared else _rolled_back(store, new, body["policy"], control)
        models.agents[body["policy"]] = agent
    elif what == "schema":
        for name in models.agents:
            models.agents[name] = _learnt_anew(store, new, name, control.seq)
    if what in LEARNT:
        models.seq = control.seq
    return new, models


def _learnt_anew(
    store: Store, settings: dict[str, Any], policy: str, seq: int, prepared: Any = None
) -> Any:
    """Return an agent that has learnt from all outcomes before a record, by today's settings."""
    if prepared is None:
        agent, done = new_agent(settings, settings["policies"][policy]), 0
        for label in settings["retired"]:
            agent.retire_label(label)
    else:
        agent, done = prepared.agent, prepared.seq
    skipped = settings.get("skipped", {}).get(policy, [])
    Models({policy: agent}, policy).learn_all(
        (outcome, _encoded(decision, agent.schema))
        for outcome, decision in store.learnt(done, seq, contexts=True)
        if decision.context is not None
        and not any(begin < outcome.seq <= end for begin, end in skipped)
    )
    return agent


def _encoded(decision: Decision, schema: Schema) -> Decision:
    return decision._replace(x=pack_row(schema.encode(json.loads(decision.context or b"{}"))))


def _rolled_back(store: Store, settings: dict[str, Any], policy: str, control: Control) -> Any:
    """Return the agent of a policy as it was after a record, with the labels of today."""
    then, models = recover(store, control.body["seq"])
    if then["schema"] != settings["schema"]:  # its rows have other columns
        return _learnt_anew(store, settings, policy, control.seq)
    agent = models.agents[policy]
    for label in settings["labels"]:
        is_back = label in agent.retired and label not in settings["retired"]
        if is_back or label not in agent.schema.labels:
            agent.add_label(label)
    for label in settings["retired"]:
        if label in agent.labels:
            agent.retire_label(label)
    return agent
