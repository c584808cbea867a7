"""A job: one run of an experiment, and the key under which its record is found again."""

import hashlib
import json
from collections.abc import Callable
from typing import Any, Protocol

Record = dict[str, Any]
OnProgress = Callable[[int, int, int], Any]  # rounds played, correct ones, and rounds in all


class Job(Protocol):
    """A run that can be played in any process; `str(job)` names it in failures."""

    def configuration(self) -> Record:
        """Return everything that decides the results, as JSON knows it."""

    def play(self, progress: OnProgress) -> Record:
        """Play the run to its end and return its results; `progress` may be called meanwhile."""

    def summary(self, record: Record) -> str:
        """Return one line about the finished run, for a log."""


def key(configuration: Record) -> str:
    """Return a short text that is the same for equal configurations.

    >>> key({"learner": "SOBA", "seed": 1}) == key({"seed": 1, "learner": "SOBA"})
    True
    """
    return hash_text(json.dumps(configuration, sort_keys=True, default=_refuse))


def hash_text(text: str) -> str:
    """Return the first 16 hexadecimal digits of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _refuse(value: Any) -> None:
    raise ValueError(
        f"parameters of a run must be numbers, strings or lists of them, got {value!r}"
    )
