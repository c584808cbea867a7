"""Replay: settings and models as functions of the log.

The first control record, `start`, has all settings. Those after it change them:

    settings        wait, default_reward and promotion
    add_label, retire_label
    add_policy      a challenger, which learns from all outcomes so far
    remove_policy
    promote         another policy decides from now on
    rollback        a policy is what it was at a record; outcomes in between are not learnt again
    schema          other columns: all policies learn anew from the stored contexts
    environment     other code or versions: replays are equal to the bit only from here on
"""

import json
from collections.abc import Iterator
from typing import Any

from onearm.experiments.identity import code, versions
from onearm.schema.schema import Schema
from onearm.service.models import Models, new_agent
from onearm.service.records import Control, Decision, pack_row
from onearm.service.requests import Change
from onearm.service.store import Store

PLAIN = ("wait", "default_reward", "promotion")  # settings that are simply replaced
State = tuple[dict[str, Any], Any]  # settings and Models


def environment(policies: dict[str, Any]) -> dict[str, str]:
    """Return what the bits of a replay depend on: versions, and the code of the learners."""
    import onearm

    learners = sorted({learner["name"] for learner in policies.values()})
    return versions() | {name: code(getattr(onearm, name)) for name in learners}


def changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the control records that lead from one state of the settings to another."""
    now = environment(new["policies"])
    if not old:
        yield "start", new | {"environment": now}
        return
    if old["feedback"] != new["feedback"] or old["seed"] != new["seed"]:
        raise ValueError("feedback and seed are set once: start with another file to change them")
    if old.get("environment") != now:
        yield "environment", {"environment": now}
    if json.loads(old["schema"])["columns"] != json.loads(new["schema"])["columns"]:
        yield "schema", {"schema": new["schema"]}
    for label in new["labels"]:
        if label not in old["labels"] or label in old.get("retired", []):
            yield "add_label", {"label": label}
    for label in old["labels"]:
        if label not in new["labels"] and label not in old.get("retired", []):
            yield "retire_label", {"label": label}
    for name, learner in new["policies"].items():
        if name not in old["policies"]:
            yield "add_policy", {"policy": name, "learner": learner}
    for name in old["policies"]:
        if name not in new["policies"] and name != old["champion"]:
            yield "remove_policy", {"policy": name}
    plain = {key: new[key] for key in PLAIN if old.get(key) != new.get(key)}
    if plain:
        yield "settings", plain


def recover(store: Store, upto: int | None = None) -> State:
    """Return settings and models after record `upto`: the newest sound snapshot, and the rest."""
    end = store.last_seq() if upto is None else upto
    for seq in store.snapshots():
        if seq <= end:
            try:
                return replayed(store, seq, _loaded(store, seq), end)
            except ValueError:
                continue  # damaged: an older one will do
    return replayed(store, 0, None, end)


def _loaded(store: Store, seq: int) -> Models:
    import hashlib

    data, sha256 = store.snapshot(seq)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ValueError(f"the snapshot at {seq} is damaged")
    return Models.loads(data)


def replayed(store: Store, seq: int, models: Models | None, end: int) -> State:
    """Return the state at `end`, from models that are those after record `seq`."""
    settings: dict[str, Any] = {}
    for control in store.controls(0, seq):
        settings = changed_settings(settings, control)
    done: int = seq
    for control in store.controls(seq, end):
        if models is not None:
            models.learn_all(store.learnt(done, control.seq))
        settings, models = apply_control(store, settings, models, control)
        done = control.seq
    if models is not None:
        models.learn_all(store.learnt(done, end))
    return settings, models


def changed_settings(settings: dict[str, Any], control: Control) -> dict[str, Any]:
    """Return the settings after a control record."""
    what, body = control.what, control.body
    if what == "start":
        return dict(body) | {"retired": []}
    new = settings | {"retired": list(settings["retired"]), "labels": list(settings["labels"])}
    if what in ("settings", "environment", "schema"):
        new |= body
    elif what == "add_label":
        if body["label"] in new["retired"]:
            new["retired"].remove(body["label"])
        else:
            new["labels"].append(body["label"])
    elif what == "retire_label":
        new["retired"].append(body["label"])
    elif what == "add_policy":
        new["policies"] = settings["policies"] | {body["policy"]: body["learner"]}
    elif what == "remove_policy":
        new["policies"] = {n: p for n, p in settings["policies"].items() if n != body["policy"]}
    elif what == "promote":
        new["champion"] = body["policy"]
    elif what == "rollback":
        skipped = settings.get("skipped", {})
        mine = [*skipped.get(body["policy"], []), [body["seq"], control.seq]]
        new["skipped"] = skipped | {body["policy"]: mine}
    return new


def apply_control(
    store: Store, settings: dict[str, Any], models: Models | None, control: Control
) -> State:
    """Return settings and models after a control record that is in the store."""
    new, what, body = changed_settings(settings, control), control.what, control.body
    if what == "start":
        models = Models.start(new)
    assert models is not None  # what comes before `start` is refused
    if what == "add_label":
        models.add_label(body["label"])
    elif what == "retire_label":
        models.retire_label(body["label"])
    elif what == "add_policy":
        models.agents[body["policy"]] = _learnt_anew(store, new, body["policy"], control.seq)
    elif what == "remove_policy":
        del models.agents[body["policy"]]
    elif what == "promote":
        models.champion = body["policy"]
    elif what == "rollback":
        models.agents[body["policy"]] = _rolled_back(store, new, body["policy"], body["seq"])
    elif what == "schema":
        for name in models.agents:
            models.agents[name] = _learnt_anew(store, new, name, control.seq)
    if what != "environment":
        models.seq = control.seq
    return new, models


def _learnt_anew(store: Store, settings: dict[str, Any], policy: str, seq: int) -> Any:
    """Return an agent that has learnt from all outcomes before a record, by today's settings."""
    agent = new_agent(settings, settings["policies"][policy])
    for label in settings["retired"]:
        agent.retire_label(label)
    skipped = settings.get("skipped", {}).get(policy, [])
    Models({policy: agent}, policy).learn_all(
        (outcome, _encoded(decision, agent.schema))
        for outcome, decision in store.learnt(0, seq)
        if decision.context is not None
        and not any(begin < outcome.seq <= end for begin, end in skipped)
    )
    return agent


def _encoded(decision: Decision, schema: Schema) -> Decision:
    return decision._replace(x=pack_row(schema.encode(json.loads(decision.context or b"{}"))))


def _rolled_back(store: Store, settings: dict[str, Any], policy: str, seq: int) -> Any:
    """Return the agent of a policy as it was after record `seq`, with the labels of today."""
    agent = recover(store, seq)[1].agents[policy]
    for label in settings["labels"]:
        if label not in agent.schema.labels:
            agent.add_label(label)
    for label in settings["retired"]:
        if label in agent.labels:
            agent.retire_label(label)
    return agent


def require_change(
    store: Store, settings: dict[str, Any], models: Models | None, request: Change
) -> None:
    """Refuse a change that cannot be made."""
    what, body = request.what, request.body
    if what == "start":
        Models.start(body)
        return
    if models is None:
        raise ValueError("the service has not been started")
    policies = [*settings["policies"]]
    if what in ("promote", "remove_policy", "rollback") and body.get("policy") not in policies:
        raise ValueError(f"policy must be one of {', '.join(policies)}, got {body.get('policy')!r}")
    if what == "remove_policy" and body["policy"] == settings["champion"]:
        raise ValueError(f"policy must not be the champion, got {body['policy']!r}")
    if what == "rollback":
        seq, last = body.get("seq"), store.last_seq()
        if type(seq) is not int or not 1 <= seq <= last:
            raise ValueError(f"seq must be in [1, {last}], got {seq!r}")
        if body["policy"] not in recover(store, seq)[0]["policies"]:
            raise ValueError(f"policy {body['policy']!r} was not there at record {seq}")
    if what in ("add_label", "retire_label", "add_policy", "schema"):
        _try_change(settings, models, what, body)


def _try_change(settings: dict[str, Any], models: Models, what: str, body: dict[str, Any]) -> None:
    """Refuse labels, policies and schemas that cannot be, without changing anything."""
    if what == "schema":
        new_agent(settings | {"schema": body["schema"]}, settings["policies"][models.champion])
    elif what == "add_policy":
        if body.get("policy") in settings["policies"]:
            raise ValueError(f"policy must be a new name, got {body['policy']!r}")
        agent = new_agent(settings, body["learner"])
        if not agent.learner.off_policy:
            raise ValueError(
                f"{body['learner']['name']} cannot learn from another policy's choices"
            )
    else:
        labels = models.agent._labels
        changed = labels.added(body.get("label")) if what == "add_label" else None
        if changed is None:
            labels.without(body.get("label"))
        elif len(changed.names) > len(labels.names):
            for agent in models.agents.values():
                agent.learner.with_labels(len(changed.names))
