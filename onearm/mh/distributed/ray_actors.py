"""Blocks of rows as actors on Ray, any of which may die at any time.

A query goes to all actors at once, with the changes that an actor has not received yet. A dead
actor is replaced by a new one with the rows as they were when A was last fetched. The next message
sends it all changes since then, and applying them it has the same bits as the dead one. The other
actors do not notice. Changes are numbered, so that no actor applies one twice.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from onearm.core.cluster import connected
from onearm.mh.distributed.block import Block, bounds, slice_rows
from onearm.mh.distributed.coordinator import Coordinator

TRIES = 3  # to replace an actor that dies before it has answered


class Actors:
    """Sends messages to blocks on Ray."""

    def __init__(self, training: Any, n_blocks: int) -> None:
        self.training = training
        self.bounds = bounds(len(training.weights.A), n_blocks)  # the rows of each block
        self.changes: list[tuple] = []
        self.n_cleared = 0  # changes that are forgotten
        self.actors = [self._start(b) for b in range(n_blocks)]
        self.n_sent = [0] * n_blocks
        self.n_replaced = 0

    def change(self, *change: Any) -> None:
        """Send a change to all blocks, with the next query at the latest."""
        self.changes.append(change)

    def ask(self, *query: Any) -> list[Any]:
        """Return the answer of each block."""
        pending = [self._send(b, query) for b in range(len(self.actors))]
        return [self._answer(b, answer, query) for b, answer in enumerate(pending)]

    def clear(self) -> None:
        """Forget the changes: their result has been fetched."""
        self.n_cleared += len(self.changes)
        self.changes.clear()

    def stop(self) -> None:
        for actor in self.actors:
            ray().kill(actor)

    def _start(self, b: int) -> Any:
        block = ray().remote(Block).options(scheduling_strategy="SPREAD", max_restarts=0)
        rows = slice_rows(self.training.columns, self.training.weights, *self.bounds[b])
        return block.remote(*rows, self.n_cleared)

    def _send(self, b: int, query: tuple) -> Any:
        unsent = self.changes[self.n_sent[b] - self.n_cleared :]
        return self.actors[b].answer.remote(self.n_sent[b], unsent, *query)

    def _answer(self, b: int, pending: Any, query: tuple) -> Any:
        for left in reversed(range(TRIES + 1)):
            try:
                answer = ray().get(pending)
                break
            except (ray().exceptions.RayActorError, ray().exceptions.ObjectLostError):
                if left == 0:
                    raise
                self._replace(b)
                pending = self._send(b, query)
        self.n_sent[b] = self.n_cleared + len(self.changes)
        return answer

    def _replace(self, b: int) -> None:
        ray().kill(self.actors[b])  # it may only be out of reach, and must not come back
        self.actors[b], self.n_sent[b] = self._start(b), self.n_cleared
        self.n_replaced += 1


@contextmanager
def distributed(training: Any, on: str | None, n_jobs: int | None) -> Iterator[None]:
    """Play the rounds of a training on Ray, or with None on this machine."""
    if on is None:
        yield
        return
    with connected(on):
        actors = Actors(training, number_of_blocks(n_jobs, len(training.weights.A)))
        training.coordinator = Coordinator(training, actors)
        try:
            yield
        finally:
            training.coordinator = None
            actors.stop()


def number_of_blocks(n_jobs: int | None, n: int) -> int:
    """Return one for each CPU, two at least; but no more than rows."""
    if n_jobs is None or n_jobs == -1:
        n_jobs = max(2, int(ray().cluster_resources().get("CPU", 0)))
    if not isinstance(n_jobs, int | np.integer) or n_jobs < 1:
        raise ValueError(f"n_jobs must be None, -1 or at least 1 on Ray, got {n_jobs!r}")
    return min(n_jobs, n)


def check(on: Any) -> None:
    """Raise ValueError if `on` is neither None nor a text, ImportError if Ray is not installed."""
    if on is None:
        return
    if not isinstance(on, str):
        raise ValueError(f'on must be None, "ray" or the address of a Ray cluster, got {on!r}')
    ray()


def ray() -> Any:
    """Return Ray, which is only imported when it is needed."""
    try:
        import ray
    except ImportError as error:
        raise ImportError("on needs Ray: pip install 'onearm[ray]'") from error
    return ray
