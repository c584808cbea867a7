"""Logs in text: lines become fields of events, and lists of those become records.

A format has `events()`, which yields the number of a line and the fields of its event, or the
reason why the line is bad.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from onearm.log.pieces import ENTRIES, ROWS
from onearm.log.records import Records
from onearm.log.rows import Rows
from onearm.log.times import NAT, as_times
from onearm.schema.values import shown
from onearm.streams.codes import NotANumberError, number

Fields = dict[str, Any]  # of one event
Numbered = Iterator[tuple[int, Fields | str]]  # by line; a text is the reason why it is bad
OPTIONAL = ("outcome", "greedy", "allowed", "chances", "policy", "version", "event_id", "time")


class Fielded:
    """Which optional fields occur in a file: all of its chunks must have the same ones."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.sets: set[frozenset[str]] = set()  # of allowed labels, the first two
        self.dropped: set[str] = set()

    def drop_full_sets(self, n_labels: int) -> None:
        """Leave `allowed` out if the labels that were allowed are all labels in every event."""
        if len(self.sets) == 1 and all(len(labels) == n_labels for labels in self.sets):
            self.dropped = {"allowed"}

    def records(self, some: list[tuple[int, Fields | str]], rows: Rows) -> Records:
        """Return the records of some events."""
        good = [(at, event) for at, event in some if not isinstance(event, str)]
        bad = [(at, event) for at, event in some if isinstance(event, str)]
        events = [event for _, event in good]
        self.names |= {name for event in events for name in OPTIONAL if event.get(name) is not None}
        for event in events if len(self.sets) < 2 else ():
            self.sets.add(frozenset(event.get("allowed") or ()))
        used = self.names - self.dropped
        columns: dict[str, Any] = {name: [event.get(name) for event in events] for name in used}
        if "version" in columns:
            columns["version"] = [-1 if v is None else v for v in columns["version"]]
        if "time" in columns:
            columns["time"] = as_times([NAT if t is None else t for t in columns["time"]])
        return Records(
            rows.stacked([event["x"] for event in events]),
            [event["label"] for event in events],
            np.array([event["propensity"] for event in events], np.float64),
            np.array([event["reward"] for event in events], np.float64),
            [at for at, _ in good],
            bad=bad,
            **columns,
        )


def chunked(
    events: Callable[[], Numbered], fielded: Fielded, rows: Rows, n_labels: Callable[[], int]
) -> Iterator[Records]:
    """Yield records; with many labels a chunk has fewer events, as their chances are an array."""
    some: list[tuple[int, Fields | str]] = []
    seen: set[str] = set()
    for at, event in events():
        some.append((at, event))
        if not isinstance(event, str):
            seen.update((event["label"],), event.get("allowed") or (), event.get("chances") or ())
        if len(some) == ROWS or len(some) * (n_labels() + len(seen)) > ENTRIES:
            yield fielded.records(some, rows)
            some, seen = [], set()
    if some:
        yield fielded.records(some, rows)


def loads(line: str) -> dict[str, Any]:
    """Return the object of a line of JSON."""
    try:
        content = json.loads(line)
    except RecursionError:
        raise ValueError("must not be nested deeply") from None
    except ValueError as error:
        raise ValueError(f"must be JSON: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"must be an object, got {shown(content)}")
    return content


def number_in(text: str) -> float:
    """Return the number in a text, an infinite one, too: the ranges of a log refuse it."""
    try:
        return number(text)
    except NotANumberError:
        raise
    except ValueError:
        return float(text)


def as_float(value: Any, what: str) -> float:
    """Return a number, or an error that names what it is."""
    try:
        if isinstance(value, int | float):
            return float(value)
    except OverflowError:
        pass
    raise ValueError(f"{what} must be a number, got {shown(value)}")


def as_reward(value: Any) -> float:
    """Return a reward, NaN if there is none."""
    return np.nan if value is None else as_float(value, "the reward")


def as_version(value: Any) -> int | None:
    """Return a version, if there is one."""
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63:
        return value
    raise ValueError(f"the version must be a whole number, got {shown(value)}")


def as_name(value: Any, what: str) -> str | None:
    """Return a text or a number as a text, if there is one."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    raise ValueError(f"{what} must be a text, got {shown(value)}")
