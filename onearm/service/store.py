"""Store: where the log of a service is kept, so that what was committed is never lost.

A store commits batches: all of a batch or nothing of it, on the disk when `commit` returns. It has
one user, the writer. Implementations: `memory` (for tests) and `sqlite`.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from onearm.service.records import (
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


@dataclass
class Batch:
    """What is committed at once."""

    records: list[Record] = field(default_factory=list)
    pending: list[tuple[int, str, float]] = field(default_factory=list)  # seq, event, due
    settled: list[int] = field(default_factory=list)  # seq of decisions that are pending no more
    rejected: list[Rejected] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    forgotten: list[int] = field(default_factory=list)  # seq of decisions whose context is erased

    def __bool__(self) -> bool:
        return bool(self.records or self.rejected or self.pieces)


class Store(Protocol):
    """What a service needs of its store."""

    def commit(self, batch: Batch) -> None:
        """Make all of a batch lasting, or raise and have none of it."""

    def damages(self) -> list[str]:
        """Return what of the store is not what was committed, in words."""

    def is_removed(self, event_id: str) -> bool:
        """Whether an event was removed by `compact`: its id is not free."""

    def last_seq(self) -> int:
        """Return the number of the last record, 0 if there is none."""

    def last_ts(self) -> float:
        """Return the time of the last record, 0 if there is none."""

    def decision(self, event_id: str) -> Decision | None:
        """Return the decision of an event."""

    def outcome(self, event_id: str) -> Outcome | None:
        """Return the outcome of an event."""

    def is_activated(self, event_id: str) -> bool:
        """Whether a deferred decision was activated."""

    def due(self, now: float, most: int) -> list[tuple[int, str]]:
        """Return the numbers and events of decisions whose time has passed, the earliest first."""

    def next_due(self) -> float | None:
        """Return when the next decision is due."""

    def n_pending(self) -> int:
        """Return how many decisions wait for feedback."""

    def records(self, after: int = 0, before: int | None = None) -> Iterator[Record]:
        """Return records in their order: those with after < seq < before."""

    def controls(self, after: int, upto: int) -> list[Control]:
        """Return the control records with after < seq <= upto."""

    def learnt(
        self, after: int, upto: int, contexts: bool = False
    ) -> Iterator[tuple[Outcome, Decision]]:
        """Return outcomes in their order with their decisions: those with after < seq <= upto.

        Without `contexts` decisions may lack context and probabilities, which learning needs not.
        """

    def sampled(self, after: int, most: int) -> list[Sampled]:
        """Return decisions after a record, in their order: what was chosen, and how likely."""

    def judged(self, after: int, most: int) -> list[Judged]:
        """Return what became an event after a record, in that order, and with which reward."""

    def logged(self, after: int, upto: int, most: int) -> list[Logged]:
        """Return decisions with after < seq <= upto, and what became of them until `upto`."""

    def snapshots(self) -> list[int]:
        """Return the numbers at which there are complete snapshots, the newest first."""

    def snapshot(self, seq: int) -> tuple[bytes, str]:
        """Return a snapshot and the SHA-256 that was stored with it."""

    def keep_snapshots(self, n: int, also: Collection[int] = ()) -> None:
        """Remove all snapshots but the newest n and `also`, and older parts of unfinished ones."""

    def rejections(self) -> Iterator[Rejected]:
        """Return feedback that was not learnt from, each value of an event once, in its order."""

    def reader(self) -> "Store":
        """Return what another thread may read this store with; it is closed apart."""

    def close(self) -> None:
        """Release the store."""
