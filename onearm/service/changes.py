"""Changes: which control records a start writes, and which changes are refused.

A record in the log is for ever: one that cannot be applied would stop every later start. So
whatever could fail is tried before a change is written.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

from onearm.agent.feedback import as_outcome
from onearm.experiments.identity import code, processor, versions
from onearm.schema.schema import Schema
from onearm.schema.values import shown
from onearm.service.models import Models, new_agent
from onearm.service.records import BASELINE, Decision
from onearm.service.replay import given_by, recover, settings_at
from onearm.service.requests import Change
from onearm.service.store import Store

PLAIN = ("wait", "default_reward", "promotion", "apprentice")  # settings that are simply replaced
FIELDS = {
    "start": (), "settings": (), "add_label": ("label",), "retire_label": ("label",),
    "add_policy": ("policy", "learner"), "remove_policy": ("policy",), "promote": ("policy",),
    "rollback": ("policy", "seq"), "schema": ("schema",), "environment": ("environment",),
    "given": ("given",), "forget": ("decisions",), "compact": ("removed", "base"),
}  # fmt: skip


def environment(policies: dict[str, Any]) -> dict[str, str]:
    """Return what the bits of a replay depend on: versions, processor, the learners' code."""
    import onearm

    learners = sorted({learner["name"] for learner in policies.values()})
    known = [name for name in learners if name in onearm.LEARNERS]
    return versions() | {"cpu": processor()} | {name: code(getattr(onearm, name)) for name in known}


def changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the control records of a start: what is new since the start before it.

    What was changed since then by other records, as a label that was retired, stays so.
    """
    if not old:
        yield "start", new | {"environment": environment(new["policies"])}
        return
    if old["feedback"] != new["feedback"] or old["seed"] != new["seed"]:
        raise ValueError("feedback and seed are set once: start with another file to change them")
    before, given = given_by(old["given"]), given_by(new)
    for name in before["policies"].keys() & given["policies"].keys():
        if before["policies"][name] != given["policies"][name]:
            raise ValueError(f"policy {name!r} was another learner: give a new one another name")
    if _columns(before["schema"]) != _columns(given["schema"]):
        yield "schema", {"schema": given["schema"]}
    yield from _label_changes(old, before["labels"], given["labels"])
    yield from _policy_changes(old, before["policies"], given["policies"])
    plain = {key: given[key] for key in PLAIN if before.get(key) != given[key]}
    if plain:
        yield "settings", plain
    if before != given:
        yield "given", {"given": given}


def _columns(schema: str) -> Any:
    return json.loads(schema)["columns"]


def _label_changes(old: dict, before: list, given: list) -> Iterator[tuple[str, dict]]:
    active = [label for label in old["labels"] if label not in old["retired"]]
    for label in given:
        if label not in before and label not in active:
            yield "add_label", {"label": label}
    for label in before:
        if label not in given and label in active:
            yield "retire_label", {"label": label}


def _policy_changes(old: dict, before: dict, given: dict) -> Iterator[tuple[str, dict]]:
    for name, learner in given.items():
        if name not in before and name not in old["policies"]:
            yield "add_policy", {"policy": name, "learner": learner}
    for name in before:
        if name not in given and name in old["policies"] and name != old["champion"]:
            yield "remove_policy", {"policy": name}


def checked_change(
    store: Store, settings: dict[str, Any], models: Models | None, request: Change
) -> dict[str, Any]:
    """Return the body of the record of a change; ValueError if the change cannot be made."""
    what, body = request.what, request.body
    if what not in FIELDS:
        raise ValueError(f"a change must be one of {', '.join(FIELDS)}, got {shown(what)}")
    for name in FIELDS[what]:
        if name not in body:
            raise ValueError(f"{what} must have {name}")
    if (models is None) != (what == "start"):
        raise ValueError(f"the service has {'not ' * (models is None)}been started")
    if what in ("start", "settings"):
        _require_settings(settings | body)
    if models is None:
        Models.start(body)
        return body
    if what in ("promote", "remove_policy", "rollback", "add_policy"):
        _require_policy(store, settings, models, request)
        if what == "add_policy":
            return body | {"environment": environment({body["policy"]: body["learner"]})}
    elif what == "schema":
        for learner in settings["policies"].values():
            agent = new_agent(settings | {"schema": body["schema"]}, learner)
        _require_fit(store, agent.schema)
    elif what in ("add_label", "retire_label"):
        return body | {"label": _label(models, what, body["label"])}
    return body


def _require_settings(settings: dict[str, Any]) -> None:
    wait = settings["wait"]
    if type(wait) not in (int, float) or not 0 <= wait < math.inf:
        raise ValueError(f"wait must be a number of seconds, at least 0, got {shown(wait)}")
    as_outcome(settings["feedback"], settings["default_reward"])
    if settings["champion"] not in settings["policies"]:
        raise ValueError(f"champion must be one of the policies, got {settings['champion']!r}")
    champion = settings["policies"][settings["champion"]]
    if settings.get("apprentice") and not new_agent(settings, champion).learner.off_policy:
        wrong = f"and {champion['name']} cannot"
        raise ValueError(f"apprentice: it must learn from choices of a baseline, {wrong}")


def _require_policy(store: Store, settings: dict, models: Models, request: Change) -> None:
    what, body = request.what, request.body
    policy, known = body["policy"], [*settings["policies"]]
    if what == "add_policy":
        require_new_policy(settings, policy, body["learner"])
        return
    if policy not in known:
        raise ValueError(f"policy must be one of {', '.join(known)}, got {shown(policy)}")
    if what == "remove_policy" and policy == settings["champion"]:
        raise ValueError(f"policy must not be the champion, got {policy!r}")
    if what == "promote" and policy != models.champion and not models.agent.learner.off_policy:
        raise ValueError(f"{models.champion} cannot learn from another policy's choices")
    if what == "rollback":
        require_point(store, settings, policy, body["seq"], request.prepared is not None)


def require_new_policy(settings: dict[str, Any], policy: Any, learner: Any) -> None:
    is_name = isinstance(policy, str) and policy.isprintable() and 1 <= len(policy) <= 100
    taken = (BASELINE, *settings["policies"], *settings.get("former", []))
    if not is_name or policy in taken:
        new = "a new name, which no policy has or had"
        raise ValueError(f"policy must be {new}, got {shown(policy)}")
    if not isinstance(learner, dict) or "name" not in learner:
        raise ValueError(f"learner must be an object with a name, got {shown(learner)}")
    if not new_agent(settings, learner).learner.off_policy:
        raise ValueError(f"{learner['name']} cannot learn from another policy's choices")


def require_point(
    store: Store, settings: dict[str, Any], policy: str, seq: Any, is_replayed: bool = False
) -> None:
    """Refuse a rollback to where the policy was not, or was another learner.

    `is_replayed`: the state there is known already, so that it need not be tried.
    """
    first, last = settings.get("base", 0) or 1, store.last_seq()
    if type(seq) is not int or not first <= seq <= last:
        raise ValueError(f"seq must be in [{first}, {last}], got {shown(seq)}")
    if settings_at(store, seq)["policies"].get(policy) != settings["policies"][policy]:
        raise ValueError(f"policy {policy!r} was not there at record {seq}")
    if not is_replayed and recover(store, seq)[1].forgotten:
        wrong = "cannot be had again: events before it were forgotten, and no snapshot is between"
        raise ValueError(f"the state at record {seq} {wrong}")


def _require_fit(store: Store, schema: Schema) -> None:
    """Refuse columns that stored contexts do not fit: all policies will learn from these anew."""
    for record in store.records():
        if isinstance(record, Decision) and record.context is not None:
            try:
                schema.encode(json.loads(record.context))
            except ValueError as error:
                wrong = f"must fit stored contexts, but that of event {record.event_id!r} does not"
                raise ValueError(f"the schema {wrong}: {error}") from None


def _label(models: Models, what: str, label: Any) -> Any:
    """Return the name of a label that can be added or retired, as it is known."""
    labels = models.agent._labels
    if what == "retire_label":
        labels.without(label)
        return labels.names[labels.id_of(label)]
    changed = labels.added(label)
    if len(changed.names) == len(labels.names):
        return labels.names[labels.id_of(label)]
    for agent in models.agents.values():
        agent.learner.with_labels(len(changed.names))
    return changed.names[-1]
