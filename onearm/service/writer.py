"""The writer: the one thread that uses the core. It takes all requests that wait, and commits once.

The queue is bounded: when it is full a request is refused, never dropped. A commit that fails ends
the writer: nothing more is answered, and the program exits; what was committed is there at the next
start. Snapshots are copied between two batches, hashed and cut by another thread, and committed
piece by piece with ordinary batches, so that no decision waits for them.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from onearm.service.core import Core
from onearm.service.records import Piece
from onearm.service.requests import Request
from onearm.service.snapshots import pieces, remove_old

MOST = 256  # requests in a commit
WAITING = 4096  # requests in the queue
TAIL = 10.0  # seconds that the replay of outcomes since the last snapshot may take
FEWEST, MOST_OUTCOMES = 1_000, 1_000_000  # outcomes between snapshots

Done = Callable[[Any], Any]  # gets the answers, or None if the writer has ended
Ask = tuple[Callable[[Core], Any], Done]


class Writer:
    """A thread that hands batches of requests to a core."""

    def __init__(
        self, core: Core, failed: Callable[[BaseException], Any], room: int = WAITING
    ) -> None:
        self.core, self.failed, self.room = core, failed, room
        self.after: Callable[[], Any] = lambda: None  # is called when a batch has been answered
        self.asked: deque[Ask] = deque()
        self.waiting: deque[tuple[Sequence[Request], Done]] = deque()
        self.n_waiting = 0
        self.wake = threading.Condition()
        self.ending = self.ended = False
        self.pieces: deque[Piece] = deque()
        self.snapshot_seq = next(iter(core.store.snapshots()), 0)
        self.learnt_before = 0  # outcomes before the last snapshot
        self.snapshot_time = time.monotonic()
        self.commit_seconds: deque[float] = deque(maxlen=1000)
        self.thread = threading.Thread(target=self._run, name="writer", daemon=True)

    def start(self) -> None:
        """Begin to take requests."""
        self.thread.start()

    def submit(self, requests: Sequence[Request], done: Done) -> bool:
        """Queue requests that belong together; False if there is no room, or no writer any more."""
        with self.wake:
            if self.ending or self.ended or self.n_waiting + len(requests) > self.room:
                return False
            self.waiting.append((requests, done))
            self.n_waiting += len(requests)
            self.wake.notify()
            return True

    def ask(self, call: Callable[[Core], Any], done: Done) -> bool:
        """Let the writer call something with the core, between two batches; False if it has ended.

        `done` gets the result, or the exception that was raised.
        """
        with self.wake:
            if self.ending or self.ended:
                return False
            self.asked.append((call, done))
            self.wake.notify()
            return True

    def drain(self) -> None:
        """Answer what waits, take a snapshot, and end."""
        with self.wake:
            self.ending = True
            self.wake.notify()
        if self.thread.is_alive():
            self.thread.join()

    def _run(self) -> None:
        try:
            while True:
                taken = self._take()
                if taken is None:
                    break
                self._work(taken)
            self._finish()
        except BaseException as error:
            self._refuse_waiting()
            self.failed(error)
        with self.wake:
            self.ended = True

    def _take(self) -> list[tuple[Sequence[Request], Done]] | None:
        """Return requests of at most one commit; none if only time has passed; None at the end."""
        with self.wake:
            if not (self.waiting or self.asked or self.ending or self.pieces):
                self.wake.wait(self._patience())
            if self.ending and not self.waiting and not self.asked:
                return None
            taken: list[tuple[Sequence[Request], Done]] = []
            n = 0
            while self.waiting and (not taken or n + len(self.waiting[0][0]) <= MOST):
                taken.append(self.waiting.popleft())
                n += len(taken[-1][0])
            self.n_waiting -= n
            return taken

    def _patience(self) -> float:
        """Return how long to wait for requests: until the next decision is due."""
        due = self.core.store.next_due()
        return 1.0 if due is None else min(1.0, max(0.001, due - self.core.now()))

    def _work(self, taken: list[tuple[Sequence[Request], Done]]) -> None:
        begin, before = time.perf_counter(), self.core.models.seq
        requests = [request for some, _ in taken for request in some]
        piece = self.pieces.popleft() if self.pieces else None
        try:
            answers, at = self.core.handle(requests, piece), 0
        except BaseException:
            for _, done in taken:
                done(None)  # it may be in the log or not: who asks again gets what is there
            raise
        seconds = time.perf_counter() - begin
        for some, done in taken:
            done(answers[at : at + len(some)])
            at += len(some)
        self._answer_asked()
        self.after()
        if requests:
            self.commit_seconds.append(seconds)
        if piece is not None and piece.sha256:
            self._snapshot_done(piece)
        if self.core.models.seq != before:
            self._consider_snapshot()

    def _answer_asked(self) -> None:
        while self.asked:
            call, done = self.asked.popleft()
            try:
                done(call(self.core))
            except Exception as error:
                done(error)

    def _consider_snapshot(self) -> None:
        """Take a snapshot when replaying what was learnt since the last would take too long."""
        core = self.core
        seconds = core.learning_seconds / max(core.n_learnt, 1)
        wanted = min(MOST_OUTCOMES, max(FEWEST, TAIL / max(seconds, 1e-9)))
        if core.n_learnt - self.learnt_before >= wanted and not self.pieces:
            self.take_snapshot()

    def take_snapshot(self) -> None:
        """Copy the models as they are, and let another thread make pieces of them."""
        self.learnt_before = self.core.n_learnt
        copied, seq = self.core.models.moment(), self.core.seq
        threading.Thread(target=self._cut, args=(copied, seq), daemon=True).start()

    def _cut(self, copied: Any, seq: int) -> None:
        made = pieces(copied.dumps(), seq)
        with self.wake:
            self.pieces.extend(made)
            self.wake.notify()

    def _snapshot_done(self, piece: Piece) -> None:
        remove_old(self.core.store)
        self.snapshot_seq, self.snapshot_time = piece.seq, time.monotonic()

    def _finish(self) -> None:
        """Commit a last snapshot, so that the next start replays nothing."""
        if self.snapshot_seq != self.core.seq:
            self.pieces.extend(pieces(self.core.models.moment().dumps(), self.core.seq))
        while self.pieces:
            piece = self.pieces.popleft()
            self.core.handle([], piece)
            if piece.sha256:
                self._snapshot_done(piece)

    def _refuse_waiting(self) -> None:
        with self.wake:
            self.ended = True
            refused = [done for _, done in (*self.waiting, *self.asked)]
            self.waiting.clear()
            self.asked.clear()
        for done in refused:
            done(None)
        self.after()
