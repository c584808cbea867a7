"""dsjson: Vowpal Wabbit's JSON lines of a decision service, the actions being the labels.

    {"_label_cost": -1, "_label_probability": 0.8, "_label_Action": 2, "_labelIndex": 1,
     "Timestamp": "2026-01-31T12:00:00Z", "EventId": "a7", "a": [2, 1, 3], "p": [0.8, 0.1, 0.1],
     "c": {"user": {"age": 31}, "_multi": [{"id": 7}, {"id": 8}, {"id": 9}]},
     "VWState": {"m": "model 12"}}

`a` are the allowed actions and `p` their chances; without them, all of `_multi` were allowed. An
event without a cost is pending. One that is deferred (`DeferredAction`, unless an outcome in `o`
says `ActionTaken`) or not to be learnt from (`_skipLearn`) was not activated. `pdrop`, the share of
events that were left out at random, must be the same in all events. `VWState.m` is the policy.

The context is `c` without `_multi`, which the schema encodes, nested names having dots. Without a
schema it is hashed as Vowpal Wabbit's text is: a number is the value of its name, a text the
feature `name=text`, true a feature of value 1; names that begin with `_` are left out.

Written: the columns by name where the log has a schema, read with the same `schema`; else features
called f0, f1, …, read with `hashed=False`, and missing numbers become 0. Action j is the j-th label
of the schema. Names of labels, greedy labels and versions are not stored, nor the outcome
"default", which becomes "reported".
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from onearm.log.actions import ActionFeatures, Stated, action_log, as_action, encoded
from onearm.log.events import SUM
from onearm.log.log import Log
from onearm.log.rows import Rows
from onearm.log.text import Fields, Numbered, as_float, as_name, loads
from onearm.log.times import microseconds
from onearm.schema.contexts import DEEPEST
from onearm.schema.schema import Schema
from onearm.schema.values import shown
from onearm.streams.text_lines import lines

ROUNDED = 1e-3  # how far from 1 chances of single precision may sum up to


def read_dsjson(
    path: Path, *, schema: Schema | None = None, costs: tuple[float, float] = (0.0, 1.0),
    feedback: str = "reward", n_classes: int | None = None, n_features: int | None = None,
    hashed: bool = True, ignore_action_features: bool = False, chances: str | None = None,
    name: str | None = None,
) -> Log:  # fmt: skip
    """Return the log in a file of dsjson; rewards are minus the costs."""
    stated = Stated(
        costs, feedback, n_classes, n_features, hashed, ignore_action_features, schema, chances
    )
    return action_log(path, stated, partial(_events, path, stated), name)


def _events(path: Path, stated: Stated, rows: Rows) -> Numbered:
    own = ActionFeatures(path.name, stated.ignore_action_features)
    dropped: float | None = None
    for at, line in enumerate(lines(path), 1):
        if not line.strip():
            continue
        try:
            content = loads(line)
            event = _fields(content, stated, rows)
            pdrop = as_float(content.get("pdrop", 0), "pdrop")
        except ValueError as error:
            yield at, str(error)
            continue
        if dropped not in (None, pdrop):
            changed = f"it was {dropped}, now {pdrop}"
            raise ValueError(
                f"{path.name}, line {at}: pdrop must be equal in all events: {changed}"
            )
        dropped = pdrop
        for action, features in enumerate(content["c"].get("_multi") or (), 1):
            own.require_same(str(action), features, at)
        yield at, event


def _fields(content: dict[str, Any], stated: Stated, rows: Rows) -> Fields:
    context, actions, chances = content.get("c"), content.get("a"), content.get("p")
    if not isinstance(context, dict):
        raise ValueError(f"must have a context 'c', got {shown(list(content))}")
    multi = context.get("_multi")
    if not isinstance(multi, list):
        multi = []
    allowed = [as_action(action) for action in _list(actions, "a")]
    allowed = allowed or [as_action(j) for j in range(1, len(multi) + 1)]
    known = dict(zip(allowed, _list(chances, "p"), strict=False))
    if chances is not None and len(known) != len(_list(actions, "a")):
        raise ValueError(f"a and p must be equally long, without duplicates, got {shown(actions)}")
    label = _label(content, allowed)
    probability = _labelled(content, "probability")
    probability = known.get(label) if probability is None else probability
    cost = _labelled(content, "cost")
    time, state = content.get("Timestamp"), content.get("VWState")
    return {
        "label": label,
        "propensity": as_float(probability, "_label_probability"),
        "reward": float("nan") if cost is None else stated.reward(as_float(cost, "_label_cost")),
        "outcome": _outcome(content, cost),
        "allowed": allowed,
        "chances": _chances(known) if known else None,
        "policy": as_name(state.get("m"), "VWState.m") if isinstance(state, dict) else None,
        "event_id": as_name(content.get("EventId"), "EventId"),
        "time": None if time is None else microseconds(time),
        "x": _row(context, stated, rows),
    }


def _list(given: Any, what: str) -> list[Any]:
    if given is not None and not isinstance(given, list):
        raise ValueError(f"{what} must be a list, got {shown(given)}")
    return given or []


def _labelled(content: dict[str, Any], what: str) -> Any:
    """Return `_label_cost` or `_label_Cost`, and so on."""
    return content.get(f"_label_{what}", content.get(f"_label_{what.capitalize()}"))


def _label(content: dict[str, Any], allowed: list[str]) -> str:
    """Return the chosen action; without a label it is the first of `a`."""
    action, index = _labelled(content, "action"), content.get("_labelIndex")
    if action is None and type(index) is int:
        action = index + 1
    if action is None and not (content.get("a") and content.get("p")):
        raise ValueError("must have _label_Action, or actions in a with chances in p")
    label = allowed[0] if action is None else as_action(action, "_label_Action")
    if label not in allowed:
        raise ValueError(f"_label_Action must be one of {shown(allowed)}, got {label}")
    return label


def _outcome(content: dict[str, Any], cost: Any) -> str | None:
    outcomes = content.get("o")
    taken = isinstance(outcomes, list) and any(
        isinstance(outcome, dict) and outcome.get("ActionTaken") is True for outcome in outcomes
    )
    if content.get("DeferredAction") is True and not taken:
        return "not_activated"
    if cost is None:
        return "pending"
    return "not_activated" if content.get("_skipLearn") is True else None


def _chances(known: dict[str, Any]) -> dict[str, float]:
    """Return chances, scaled to sum up to 1 where they were rounded to single precision."""
    p = {action: as_float(chance, "a chance") for action, chance in known.items()}
    total = sum(p.values())
    if SUM < abs(total - 1) <= ROUNDED:
        return {action: chance / total for action, chance in p.items()}
    return p


def _row(context: dict[str, Any], stated: Stated, rows: Rows) -> Any:
    shared = {name: value for name, value in context.items() if name != "_multi"}
    if stated.schema is not None and stated.schema.columns:
        named = {".".join(path): value for path, value in _leaves(shared)}
        return encoded(named, stated.schema, rows)
    total: dict[int, float] = {}
    column = stated.column()
    for path, value in _leaves(shared):
        if any(name.startswith("_") for name in path) or value is None or value is False:
            continue
        name = f"{path[-1]}={value}" if isinstance(value, str) else path[-1]
        j = column(".".join(path[:-1]), name)
        weight = 1.0 if isinstance(value, str) else as_float(value, name)
        total[j] = total.get(j, 0.0) + weight
    return rows.of_pairs(list(total), list(total.values()))


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield values with the names that lead to them; objects in a list share the list's name."""
    if len(path) > DEEPEST:
        raise ValueError(f"a context must have at most {DEEPEST} levels, got more")
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(part, (*path, name))
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from _leaves(part, path if isinstance(part, dict) else (*path, str(i)))
    else:
        yield path, value
