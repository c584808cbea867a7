"""The race: learners on the same stream in the same order, one after the other on one core."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from onearm import metrics
from onearm.streams.stream import Stream

OnProgress = Callable[["Run"], Any]


@dataclass
class Run:
    """One learner on one stream: how far it is, and in the end its outcome."""

    learner: Any
    stream: Stream
    rounds: int = 0
    right: int = 0
    seconds: float = 0.0  # of this process's time, spent on choosing and learning
    correct: np.ndarray | None = None  # per round, once the run has ended

    @property
    def name(self) -> str:
        """The learner's class, marked where it is shown every label."""
        told = " (full information)" if self.learner.full_information else ""
        return type(self.learner).__name__ + told

    @property
    def error(self) -> float:
        """The share of wrong labels so far."""
        return 1 - self.right / self.rounds if self.rounds else float("nan")

    @property
    def last(self) -> float:
        """The error over the last tenth."""
        return metrics.last(self.correct) if self.correct is not None else float("nan")

    @property
    def rate(self) -> float:
        """Rounds per second of processor time."""
        return self.rounds / self.seconds if self.seconds else float("nan")


def race(
    learners: Iterable[Any], stream: Stream, on_progress: OnProgress | None = None
) -> list[Run]:
    """Let every learner play the stream from its start; they must be new.

    >>> from onearm import Banditron, Perceptron, SynSep
    >>> stream = SynSep(3000)
    >>> runs = race([stream.learner(Perceptron), stream.learner(Banditron)], stream)
    >>> [(run.name, run.rounds) for run in runs]
    [('Perceptron (full information)', 3000), ('Banditron', 3000)]
    """
    return [_run(Run(learner, stream), on_progress or (lambda run: None)) for learner in learners]


def _run(run: Run, on_progress: OnProgress) -> Run:
    on_progress(run)
    kept: list[np.ndarray] = []
    for X, y in run.stream.chunks():
        if not kept:  # compile or load the kernels before the clock runs
            type(run.learner)(**run.learner.params()).play(X[:1], y[:1])
        began = time.process_time()
        trace = run.learner.play(X, y)
        run.seconds += time.process_time() - began
        kept.append(trace.correct)
        run.rounds += len(trace.correct)
        run.right += int(trace.correct.sum())
        on_progress(run)
    run.correct = np.concatenate(kept)
    on_progress(run)
    return run
