"""Write a log as dsjson; what that cannot store is listed in `dsjson`."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from onearm.log.contexts import contexts_of
from onearm.log.events import NOT_ACTIVATED, Events
from onearm.log.log import Log
from onearm.log.times import iso
from onearm.log.vowpal_writer import cost, sparse_rows


def write_dsjson(log: Log, file: Any) -> None:
    """Write a log to an open text file."""
    multi = [{"label": {str(name): 1}} for name in log.labels]
    for events in log.chunks():
        for line, context in zip(_lines(events, log), _contexts(events.X, log), strict=True):
            content = line | {"c": context | {"_multi": multi}}
            file.write(json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n")


def _contexts(X: Any, log: Log) -> Iterator[dict[str, Any]]:
    """Yield the context of each row, by name where the log has names."""
    if log.schema is not None and log.schema.columns:
        if "_multi" in log.schema.names:
            raise ValueError("a column in .dsjson must not be called '_multi': these are actions")
        yield from contexts_of(X, log.schema)
        return
    for indices, values in sparse_rows(X):
        yield {"x": {f"f{j}": value for j, value in zip(indices, values, strict=True)}}


def _lines(events: Events, log: Log) -> Iterator[dict[str, Any]]:
    times = [None] * len(events) if events.time is None else iso(events.time)
    for i, label in enumerate(events.label.tolist()):
        line: dict[str, Any] = {}
        if events.is_judged[i]:
            line["_label_cost"] = cost(float(events.reward[i]), log)
        line["_label_probability"] = float(events.propensity[i])
        line |= {"_label_Action": label + 1, "_labelIndex": label, "Version": "1"}
        if not events.is_judged[i]:
            line["_skipLearn"] = True
        if events.outcome[i] == NOT_ACTIVATED:
            line["DeferredAction"] = True
        if times[i] is not None:
            line["Timestamp"] = times[i]
        if events.event_id is not None and events.event_id[i]:
            line["EventId"] = events.event_id[i]
        if events.policy is not None and events.policy[i]:
            line["VWState"] = {"m": events.policy[i]}
        yield line | _distribution(events, i, label, log.n_classes)


def _distribution(events: Events, i: int, label: int, k: int) -> dict[str, Any]:
    """Return the allowed actions, the chosen one first, and their chances where known."""
    allowed = np.arange(k) if events.allowed is None else np.flatnonzero(events.allowed[i])
    order = [label, *(j for j in allowed.tolist() if j != label)]
    actions = {"a": [j + 1 for j in order]}
    if events.chances is None or np.isnan(events.chances[i]).all():
        return actions
    return actions | {"p": events.chances[i][order].tolist()}
