"""Blocks of rows as actors on Ray, one of which may die at any time.

A question goes to all actors at once, and brings each the changes that it has not heard of. If one
is gone, another is made of the rows as they were when A was last fetched. It has heard of no change
since, so the next message brings it all of them: going through them it comes to the same bits. The
other actors do not notice. No actor is told of a change twice, as the changes are numbered.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from onearm.core.cluster import connected
from onearm.mh.distributed.block import Block, bounds, cut
from onearm.mh.distributed.coordinator import Coordinator

TRIES = 3  # to make an actor again that dies before it has answered


class Actors:
    """Carries messages to blocks."""

    def __init__(self, training: Any, n_blocks: int) -> None:
        self.training = training
        self.bounds = bounds(len(training.weights.A), n_blocks)
        self.changes: list[tuple] = []
        self.before = 0  # changes that are forgotten
        self.actors = [self._made(b) for b in range(n_blocks)]
        self.told = [0] * n_blocks
        self.made_again = 0

    def change(self, *change: Any) -> None:
        self.changes.append(change)

    def ask(self, *question: Any) -> list[Any]:
        asked = [self._asked(b, question) for b in range(len(self.actors))]
        return [self._answer(b, one, question) for b, one in enumerate(asked)]

    def rest(self) -> None:
        self.before += len(self.changes)
        self.changes.clear()

    def end(self) -> None:
        """Let the actors go."""
        for actor in self.actors:
            ray().kill(actor)

    def _made(self, b: int) -> Any:
        block = ray().remote(Block).options(scheduling_strategy="SPREAD", max_restarts=0)
        own = cut(self.training.columns, self.training.weights, *self.bounds[b])
        return block.remote(*own, self.before)

    def _asked(self, b: int, question: tuple) -> Any:
        news = self.changes[self.told[b] - self.before :]
        return self.actors[b].answer.remote(self.told[b], news, *question)

    def _answer(self, b: int, asked: Any, question: tuple) -> Any:
        for left in reversed(range(TRIES + 1)):
            try:
                answer = ray().get(asked)
                break
            except (ray().exceptions.RayActorError, ray().exceptions.ObjectLostError):
                if left == 0:
                    raise
                self._make_again(b)
                asked = self._asked(b, question)
        self.told[b] = self.before + len(self.changes)
        return answer

    def _make_again(self, b: int) -> None:
        ray().kill(self.actors[b])  # it may only be out of reach, and must not come back
        self.actors[b], self.told[b] = self._made(b), self.before
        self.made_again += 1


@contextmanager
def shared(training: Any, on: str, n_jobs: int | None) -> Iterator[None]:
    """Let the rounds of a training be played on Ray."""
    with connected(on):
        actors = Actors(training, number_of_blocks(n_jobs, len(training.weights.A)))
        training.blocks = Coordinator(training, actors)
        try:
            yield
        finally:
            training.blocks = None
            actors.end()


def number_of_blocks(n_jobs: int | None, n: int) -> int:
    """One for each CPU, two at least; but no more than rows."""
    if n_jobs is None or n_jobs == -1:
        n_jobs = max(2, int(ray().cluster_resources().get("CPU", 0)))
    if not isinstance(n_jobs, int | np.integer) or n_jobs < 1:
        raise ValueError(f"n_jobs must be None, -1 or at least 1 on Ray, got {n_jobs!r}")
    return min(n_jobs, n)


def check(on: Any) -> None:
    """Raise ValueError if `on` cannot be, ImportError if there is no Ray."""
    if not isinstance(on, str):
        raise ValueError(f'on must be None, "ray" or the address of a Ray cluster, got {on!r}')
    ray()


def ray() -> Any:
    """Return Ray, which is only imported when it is asked for."""
    try:
        import ray
    except ImportError as error:
        raise ImportError("on needs Ray: pip install 'onearm[ray]'") from error
    return ray
