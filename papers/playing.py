"""Rows, playing a stream once, and its errors over the rounds."""

import time
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from onearm import Stream
from onearm.streams import datasets


def play_timed(learner: Any, stream: Stream) -> tuple[np.ndarray, float]:
    """Return which rounds were correct, and the CPU seconds that they took."""
    X, y = next(stream.chunks())
    type(learner)(**learner.params()).play(X[:1], y[:1])  # compiles, or loads what was compiled
    began = time.process_time()
    correct = learner.play(stream).correct
    return correct, time.process_time() - began


def in_memory(stream: Stream) -> Stream:
    """Return a stream whose chunks were made already, so that no clock counts their making."""
    chunks = list(stream.chunks())
    return replace(stream, source=lambda: iter(chunks))


@cache
def sparse_rows(entry: str) -> tuple[csr_array, np.ndarray]:
    """Return sparse rows and labels of an entry of the data catalogue, in the order of the file."""
    X, y = datasets.load(entry).arrays()
    return csr_array(X, dtype=float), y


def curve_rounds(n: int, points: int, first: int = 1) -> np.ndarray:
    """Return at most so many rounds from `first` to n, even on a logarithmic scale."""
    return np.unique(np.geomspace(min(first, n), n, points).round().astype(int))


def curve(correct: np.ndarray, rounds: np.ndarray) -> list[float]:
    """Return the error up to each of these rounds, to three digits."""
    return [float(f"{share:.3g}") for share in np.cumsum(~correct)[rounds - 1] / rounds]
