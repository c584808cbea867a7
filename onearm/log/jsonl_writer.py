"""Write a log as JSON lines, after a header."""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from onearm.log.events import OUTCOMES, Events
from onearm.log.header import header_of
from onearm.log.log import Log
from onearm.log.rows import DENSE, SPARSE
from onearm.log.times import iso


def write_jsonl(log: Log, file: Any) -> None:
    """Write a log to an open text file."""
    names = list(log.labels)
    is_first = True
    for events in log.chunks():
        sparse = hasattr(events.X, "tocsr")
        if is_first:
            _line(header_of(log, SPARSE if sparse else DENSE), file)
        is_first = False
        columns = _columns(events, names)
        for i, x in enumerate(_xs(events.X)):
            values = {name: column[i] for name, column in columns.items()}
            _line({"x": x} | {n: v for n, v in values.items() if v is not None}, file)


def _line(content: dict[str, Any], file: Any) -> None:
    file.write(json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n")


def _columns(events: Events, names: list[Any]) -> dict[str, list[Any]]:
    """Return the fields of events as JSON has them; None where an event has no value."""
    columns = {
        "label": [names[code] for code in events.label.tolist()],
        "propensity": events.propensity.tolist(),
        "reward": [None if r != r else r for r in events.reward.tolist()],
        "outcome": [OUTCOMES[code] for code in events.outcome.tolist()],
        "greedy": [names[code] if code >= 0 else None for code in events.greedy.tolist()],
    }
    if events.allowed is not None:
        columns["among"] = [
            None if mask.all() else [names[code] for code in np.flatnonzero(mask)]
            for mask in events.allowed
        ]
    if events.chances is not None:
        words = [str(name) for name in names]
        known = [None if np.isnan(p).all() else p.tolist() for p in events.chances]
        columns["chances"] = [p and dict(zip(words, p, strict=True)) for p in known]
    for field in ("policy", "event_id"):
        if getattr(events, field) is not None:
            columns[field] = [text or None for text in getattr(events, field)]
    if events.version is not None:
        columns["version"] = [None if v == -1 else v for v in events.version.tolist()]
    if events.time is not None:
        columns["time"] = iso(events.time)
    return columns


def _xs(X: Any) -> Iterator[Any]:
    """Yield rows as JSON has them, with None for missing numbers."""
    if not hasattr(X, "tocsr"):
        for row in X:
            yield [None if value != value else value for value in row.tolist()]
        return
    starts = X.indptr.tolist()
    for begin, end in pairwise(starts):
        values = [None if value != value else value for value in X.data[begin:end].tolist()]
        yield {"indices": X.indices[begin:end].tolist(), "values": values}
