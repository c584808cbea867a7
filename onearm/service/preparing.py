"""Preparing: what a change must replay is replayed beside the writer, so that no decision waits.

A new challenger learns from all outcomes, a rollback replays up to its record: of a long log this
takes minutes. Another thread does it, through a connection of its own, up to the record that is
the last one then, and again for those that came meanwhile, until few are left. The writer learns
from these. A change that was committed in between makes it void, and then the writer replays all.
"""

from contextlib import closing
from typing import Any, NamedTuple

from onearm.service.changes import require_new_policy, require_point
from onearm.service.records import Control
from onearm.service.replay import _learnt_anew, _rolled_back, changed_settings, settings_at
from onearm.service.requests import Change
from onearm.service.store import Store

PREPARED = ("add_policy", "rollback")
FEW = 500  # outcomes that are left to the writer
PASSES = 20  # over what came meanwhile


class Prepared(NamedTuple):
    """An agent that has learnt from the outcomes up to a record."""

    seq: int
    agent: Any


def prepared(store: Store, change: Change) -> Change:
    """Return a change with what it needs of the log; without it if it will be refused."""
    with closing(store.reader()) as reader:
        seq = reader.last_seq()
        settings, policy = settings_at(reader, seq), change.body["policy"]
        try:
            if change.what == "rollback":
                made = _point(reader, settings, policy, change, seq)
            else:
                made = _learnt(reader, settings, policy, change, seq)
        except (ValueError, LookupError, TypeError):  # the writer says why
            return change
    return change._replace(prepared=made)


def _point(store: Store, settings: dict, policy: str, change: Change, seq: int) -> Prepared:
    require_point(store, settings, policy, change.body["seq"])
    control = Control(seq + 1, 0.0, change.what, change.body)
    new = changed_settings(settings, control)
    return Prepared(seq, _rolled_back(store, new, policy, control))


def _learnt(store: Store, settings: dict, policy: str, change: Change, seq: int) -> Prepared:
    learner = change.body["learner"]
    require_new_policy(settings, policy, learner)
    new = settings | {"policies": settings["policies"] | {policy: learner}}
    made = Prepared(seq, _learnt_anew(store, new, policy, seq + 1))
    for _ in range(PASSES):
        last = store.last_seq()
        if last - made.seq <= FEW or is_void(store, made):
            break
        made = Prepared(last, _learnt_anew(store, new, policy, last + 1, made))
    return made


def is_void(store: Store, made: Prepared) -> bool:
    """Whether another change was committed since."""
    return bool(store.controls(made.seq, store.last_seq()))


def still_valid(store: Store, change: Change) -> Change:
    """Return a change without what was prepared if that is void."""
    if change.prepared is None or not is_void(store, change.prepared):
        return change
    return change._replace(prepared=None)
