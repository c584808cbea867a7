"""Order: what must hold between the numbers, times and kinds of records, whatever was learnt."""

from collections.abc import Callable, Sequence
from typing import Any

from onearm.service.records import DEFAULT, Activation, Control, Decision, Outcome, Record
from onearm.service.store import Store

ALL = 2**62


class Order:
    """Reads records in their order and says what is wrong with it."""

    def __init__(self, violate: Callable[[str], Any], controls: Sequence[Control]) -> None:
        self.violate = violate
        compact = [control.body for control in controls if control.what == "compact"]
        self.removed = max((body["removed"] for body in compact), default=0)
        self.base = max((body["base"] for body in compact), default=0)
        self.seq, self.ts = 0, 0.0
        self.open: dict[int, Decision] = {}
        self.due: dict[int, float] = {}  # of decisions that are events

    def add(self, record: Record, settings: dict[str, Any]) -> Decision | None:
        """Check a record; return the decision that it is about."""
        if record.seq != self.seq + 1 and record.seq - 1 > self.removed:
            self.violate(f"records {self.seq + 1} to {record.seq - 1} are missing")
        if record.ts < self.ts:
            self.violate(f"record {record.seq} is of an earlier time than the one before it")
        self.seq, self.ts = record.seq, record.ts
        if isinstance(record, Control):
            return None
        if isinstance(record, Decision):
            self.open[record.seq] = record
            if not record.deferred:
                self.due[record.seq] = record.ts + settings["wait"]
            return record
        decision = self.open.get(record.decision)
        if decision is None or decision.event_id != record.event_id:
            kind = type(record).__name__.lower()
            self.violate(f"{kind} {record.seq} has no decision that is open")
            return None
        if isinstance(record, Activation):
            self._activation(record, settings)
        else:
            self._outcome(record)
        return decision

    def _activation(self, record: Activation, settings: dict[str, Any]) -> None:
        if record.decision in self.due:
            self.violate(f"activation {record.seq} is of a decision that was active")
        self.due[record.decision] = record.ts + settings["wait"]

    def _outcome(self, record: Outcome) -> None:
        self.open.pop(record.decision)
        due = self.due.pop(record.decision, None)
        if due is None:
            self.violate(f"outcome {record.seq} is of a decision that was not activated")
        elif record.source == DEFAULT and record.ts < due:
            self.violate(f"outcome {record.seq} has the default reward before its time")

    def end(self, store: Store) -> None:
        """Compare decisions that wait with those that the store has as pending."""
        pending = {seq for seq, _ in store.due(float("inf"), ALL)}
        for seq in sorted(pending - self.due.keys())[:3]:
            self.violate(f"decision {seq} is pending, but has an outcome or was not activated")
        for seq in sorted(self.due.keys() - pending)[:3]:
            self.violate(f"decision {seq} has no outcome, but is not pending")
