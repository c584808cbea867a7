"""Repeats: whether a request for a known event asks what was asked before.

A retry says the same and gets the answer in the log. The same id with something else is another
event under a wrong id: who asks would take an old answer for a new one, so it is refused. A context
is the same whatever the order of its columns. One that was forgotten cannot be compared.
"""

import json
from typing import Any

import msgspec
import numpy as np

from onearm.schema.values import LARGEST, is_too_large, shown
from onearm.service.records import BASELINE, Decision
from onearm.service.replay import settings_at
from onearm.service.requests import Decide

_decode = msgspec.json.Decoder().decode  # as json.loads, but strict and three times as fast


def difference(request: Decide, known: Decision, core: Any) -> str | None:
    """Return what of a request is not that of the decision in the log: None if all is the same."""
    if known.context is not None and request.context != known.context:
        same = ordered(as_context(request.context)) == ordered(as_context(known.context))
        if not same:
            return "context"
    if request.among is None and known.allowed is None:
        is_same = True
    elif request.among is None:
        is_same = known.allowed == _active(core.store, known.seq)
    else:
        is_same = known.allowed == _ids(request.among, core.models.agent._labels)
    if not is_same:
        return "list of allowed labels (among)"
    is_baseline = known.policy == BASELINE
    if is_baseline and core.models.agent._labels.find(request.baseline) != known.label:
        return "baseline"
    return None if request.deferred == known.deferred else "value of deferred"


def _active(store: Any, seq: int) -> bytes:
    """Return the ids of the labels that were active at a record."""
    settings = settings_at(store, seq)
    names, retired = settings["labels"], settings["retired"]
    ids = [number for number, name in enumerate(names) if name not in retired]
    return np.array(ids).tobytes()


def _ids(among: list[Any], labels: Any) -> bytes:
    """Return the ids of labels, of retired ones too; none if one is unknown."""
    ids = [labels.find(name) for name in among]
    return b"" if None in ids else np.array(sorted(ids)).tobytes()


def ordered(context: dict[str, Any]) -> bytes:
    """Return a context as JSON with its columns in order."""
    return msgspec.json.encode(context, order="sorted")


def as_context(data: bytes) -> dict[str, Any]:
    """Return the context of JSON."""
    try:
        context = _decode(data)
    except msgspec.ValidationError:
        raise ValueError(_out_of_range(data)) from None
    except (ValueError, RecursionError) as error:
        what = str(error).partition(" - at ")[0]  # a place within what is no JSON
        raise ValueError(f"context must be JSON: {what}") from None
    if not isinstance(context, dict):
        raise ValueError(f"context must be an object of columns, got {shown(context)}")
    return context


def _out_of_range(data: bytes) -> str:
    """Return what to say of a number that no float has, with the name of its column."""
    context = json.loads(data, parse_int=float)  # such a number is infinite
    columns = context if isinstance(context, dict) else {}
    name = next((name for name, value in columns.items() if is_too_large(value)), None)
    if name is None:
        return f"context must be an object of columns, with numbers within ±{LARGEST:g}"
    return f"column {name!r} must be finite and within ±{LARGEST:g}, got {shown(columns[name])}"
