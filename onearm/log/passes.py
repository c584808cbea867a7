"""Passes over a file: the first learns labels and bad lines, every reading is another one.

Only what the first pass learned stays in memory. Bad lines are left out in every pass by the same
rules; a file that has changed meanwhile is refused.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from onearm.log.events import Events
from onearm.log.faults import NAMED, Faults
from onearm.log.log import Log
from onearm.log.records import Labels, Records, to_events
from onearm.log.reward_range import RewardRange
from onearm.log.scan import Scan
from onearm.schema.inference import in_order
from onearm.schema.schema import Schema
from onearm.streams.codes import CHANGED

Parts = Callable[[], Iterator[Records]]


@dataclass
class Passes:
    """What makes a log of a file, which `parts` reads some events at a time."""

    file: str  # its name, for messages
    parts: Parts
    rewards: RewardRange
    labels: Labels
    unit: str = "line"  # of the places of events
    names: list[Any] = field(default_factory=list)  # of the labels, once they are known
    scan: Scan = field(default_factory=Scan)
    is_uniform: bool = False  # the policy chose evenly among the allowed labels
    n_bad: int = 0
    bad: list[str] = field(default_factory=list)  # the first ones

    def first(self, parts: Parts) -> None:
        """Read all events once."""
        used = set[int]()
        for records in parts():
            events, faults = self._events(records)
            self.scan.add(events)
            self._count_bad(records, faults)
            if self.labels.is_open:
                used |= _labels_in(events)
        if not self.scan.by_outcome.sum():
            some = f": the first of {self.n_bad:,} bad ones is {self.bad[0]}" if self.n_bad else ""
            raise ValueError(f"{self.file} has no events{some}")
        words = [word for word, code in self.labels.places.items() if code in used]
        if self.labels.is_open:
            self.names = in_order(f"{word}" for word in words)
            self.labels = Labels(self.names)

    def events(self) -> Iterator[Events]:
        """Yield the events, some at a time."""
        n = 0
        for records in self.parts():
            events, _ = self._events(records)
            n += len(events)
            if len(events):
                yield events
        if n != self.scan.by_outcome.sum():
            before = f"{self.file} had {self.scan.by_outcome.sum():,} events, now {n:,}"
            raise ValueError(f"{before}: {CHANGED}")

    def log(
        self, n_features: int, schema: Schema | None, feedback: str, name: str,
        left_out: tuple[str, ...] = (),
    ) -> Log:  # fmt: skip
        """Return the log, after the first pass."""
        k = max(len(self.labels), 2)
        bad: dict[str, Any] = {"bad_lines": tuple(self.bad), "n_bad_lines": self.n_bad}
        span = self.rewards.low, self.rewards.high
        log = Log(
            self.events, k, n_features, schema, span, feedback, name, left_out=left_out, **bad
        )
        vars(log)["scan"] = self.scan  # or else it would be another pass
        return log

    def _events(self, records: Records) -> tuple[Events, Faults]:
        def where(i: int) -> str:
            return f"{self.file}, {self.unit} {records.at[i]}: "

        try:
            return to_events(records, self.labels, self.rewards, where, self.is_uniform)
        except ValueError as error:
            named = self.file in str(error)
            raise ValueError(str(error) if named else f"{self.file}: {error}") from None

    def _count_bad(self, records: Records, faults: Faults) -> None:
        named = [(records.at[i], reason) for i, reason in faults.reasons.items()]
        for place, reason in sorted([*named, *records.bad])[: NAMED - len(self.bad)]:
            self.bad.append(f"{self.file}, {self.unit} {place}: {reason}")
        self.n_bad += int(faults.bad.sum()) + len(records.bad)


def _labels_in(events: Events) -> set[int]:
    """Return the codes of labels that events name."""
    used = {*np.unique(events.label).tolist(), *np.unique(events.greedy).tolist()}
    if events.allowed is not None:
        used |= {*np.flatnonzero(events.allowed.any(axis=0)).tolist()}
    if events.chances is not None:
        used |= {*np.flatnonzero((events.chances >= 0).any(axis=0)).tolist()}
    return used
