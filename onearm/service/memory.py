"""A store in memory, for tests: it can be made to fail, and forgets what was not committed."""

from collections.abc import Collection, Iterator

from onearm.service.records import (
    Activation,
    Control,
    Decision,
    Judged,
    Logged,
    Outcome,
    Piece,
    Record,
    Rejected,
    Sampled,
)
from onearm.service.store import Batch


class MemoryStore:
    """A Store of lists and dicts; `fail` makes the next commits raise."""

    def __init__(self) -> None:
        self.log: list[Record] = []
        self.by_event: dict[tuple[type, str], Record] = {}
        self.waiting: dict[int, tuple[str, float]] = {}
        self.rejected: list[Rejected] = []
        self.damaged: list[str] = []
        self.removed: set[str] = set()
        self.pieces: list[Piece] = []
        self.fail: Exception | None = None

    def commit(self, batch: Batch) -> None:
        if self.fail is not None:
            raise self.fail
        new: dict[tuple[type, str], Record] = {}
        for seq, record in enumerate(batch.records, self.last_seq() + 1):
            if record.seq != seq:
                raise ValueError(f"seq must be {seq}, got {record.seq}")
            if not isinstance(record, Control):
                key = (type(record), record.event_id)
                if key in self.by_event or key in new:
                    raise ValueError(f"{key[0].__name__} of {key[1]!r} is there already")
                new[key] = record
        self.log += batch.records
        self.by_event |= new
        self.waiting.update({seq: (event, due) for seq, event, due in batch.pending})
        for seq in batch.settled:
            self.waiting.pop(seq, None)
        for rejected in batch.rejected:
            if rejected[1:] not in (known[1:] for known in self.rejected):
                self.rejected.append(rejected)
        for piece in batch.pieces:
            self.pieces = [p for p in self.pieces if p.seq != piece.seq or p.part < piece.part]
            self.pieces.append(piece)
        for seq in batch.forgotten:
            erased = self.log[seq - 1]._replace(context=None, x=None)  # type: ignore[call-arg]
            self.log[seq - 1] = self.by_event[Decision, erased.event_id] = erased  # type: ignore

    def damages(self) -> list[str]:
        return self.damaged

    def is_removed(self, event_id: str) -> bool:
        return event_id in self.removed

    def last_seq(self) -> int:
        return self.log[-1].seq if self.log else 0

    def last_ts(self) -> float:
        return self.log[-1].ts if self.log else 0.0

    def decision(self, event_id: str) -> Decision | None:
        return self.by_event.get((Decision, event_id))  # type: ignore[return-value] # by its key

    def outcome(self, event_id: str) -> Outcome | None:
        return self.by_event.get((Outcome, event_id))  # type: ignore[return-value] # by its key

    def is_activated(self, event_id: str) -> bool:
        return (Activation, event_id) in self.by_event

    def due(self, now: float, most: int) -> list[tuple[int, str]]:
        passed = [(due, seq, event) for seq, (event, due) in self.waiting.items() if due <= now]
        return [(seq, event) for _, seq, event in sorted(passed)[:most]]

    def next_due(self) -> float | None:
        return min((due for _, due in self.waiting.values()), default=None)

    def n_pending(self) -> int:
        return len(self.waiting)

    def records(self, after: int = 0, before: int | None = None) -> Iterator[Record]:
        return iter(self.log[after : None if before is None else before - 1])

    def controls(self, after: int, upto: int) -> list[Control]:
        return [record for record in self.log[after:upto] if isinstance(record, Control)]

    def learnt(
        self, after: int, upto: int, contexts: bool = False
    ) -> Iterator[tuple[Outcome, Decision]]:
        for record in self.log[after:upto]:
            if isinstance(record, Outcome):
                decision = self.log[record.decision - 1]
                assert isinstance(decision, Decision)
                yield record, decision

    def sampled(self, after: int, most: int) -> list[Sampled]:
        decisions = [record for record in self.log[after:] if isinstance(record, Decision)]
        return [Sampled(d.seq, d.pmf, d.label) for d in decisions[:most]]

    def judged(self, after: int, most: int) -> list[Judged]:
        found: list[Judged] = []
        for record in self.log[after:]:
            d: Record = record
            if isinstance(record, Activation):
                d = self.log[record.decision - 1]
            is_event = isinstance(record, Activation) or not getattr(d, "deferred", True)
            if isinstance(d, Decision) and is_event and len(found) < most:
                outcome = self.outcome(d.event_id)
                reward = None if outcome is None else outcome.reward
                about = (d.pmf, d.shadows, d.label, d.policy)
                found.append(Judged(record.seq, d.seq, *about, reward))
        return found

    def logged(self, after: int, upto: int, most: int) -> list[Logged]:
        decisions = [r for r in self.log[after:upto] if isinstance(r, Decision)][:most]
        logged = []
        for d in decisions:
            outcome, active = self.outcome(d.event_id), self.by_event.get((Activation, d.event_id))
            if outcome is not None and outcome.seq > upto:
                outcome = None
            is_event = not d.deferred or (active is not None and active.seq <= upto)
            about = (*d[:3], d.x, d.allowed, d.pmf, *d[8:13], is_event)
            logged.append(Logged(*about, *(outcome[4:] if outcome else (None, None))))
        return logged

    def snapshots(self) -> list[int]:
        return sorted({piece.seq for piece in self.pieces if piece.sha256}, reverse=True)

    def snapshot(self, seq: int) -> tuple[bytes, str]:
        parts = sorted((p for p in self.pieces if p.seq == seq), key=lambda piece: piece.part)
        return b"".join(part.data for part in parts), parts[-1].sha256 or ""

    def keep_snapshots(self, n: int, also: Collection[int] = ()) -> None:
        kept = self.snapshots()[:n]
        newest = kept[0] if kept else 0
        self.pieces = [p for p in self.pieces if p.seq in {*kept, *also} or p.seq > newest]

    def rejections(self) -> Iterator[Rejected]:
        return iter(self.rejected)

    def reader(self) -> "MemoryStore":
        return self

    def close(self) -> None:
        pass
