"""One run of a race: a learner plays the rows of a repeat."""

import hashlib
import math
import time
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from onearm import metrics
from onearm.experiments import identity
from onearm.experiments.job import OnProgress, Record, hash_text
from onearm.racing.rows import Source, is_shuffled, n_tuning_rows, rows
from onearm.streams.stream import Stream

FACTORS = tuple(4.0**power for power in range(-3, 3))  # of the default rate, tried by `tune`

JSON = (bool, int, float, str, list, tuple, type(None))  # other parameters are recorded by repr


class Job(NamedTuple):
    """A run that is to be played: all that decides what comes of it."""

    source: Source
    cls: Any  # of the learner
    parameters: dict[str, Any]
    repeat: int
    seed: int
    rounds: int | None = None
    tune: float = 0.0  # the share of the rows on which the exploration rate is chosen
    in_order: bool = False
    raw: bool = False
    code: str = ""  # the identity of the learner's code

    @property
    def name(self) -> str:
        """The learner's name, with the parameters that were given."""
        given = [f"{key}={value}" for key, value in self.parameters.items()]
        return " ".join([self.cls.__name__, *given])

    def __str__(self) -> str:
        return f"{self.name} on {self.source.name}, repeat {self.repeat}"

    def configuration(self) -> Record:
        """Return everything that decides the results: changed code and prepared rows, too."""
        return {
            "stream": self.source.spec, "data": hash_text(repr(self.source.data)),
            "learner": self.cls.__name__, "name": self.name, "parameters": self.parameters,
            "repeat": self.repeat, "seed": self.seed, "rounds": self.rounds, "tune": self.tune,
            "in_order": self.in_order, "raw": self.raw,
            "code": self.code, "rows": identity.preparation(identity.PACKAGE),
        }  # fmt: skip

    def play(self, progress: OnProgress = lambda *_: None) -> Record:
        stream, n_tuning = self.stream(), n_tuning_rows(self.source, self.rounds, self.tune)
        chosen = _tune(self, stream.first(n_tuning)) if n_tuning else {}
        learner = self.learner(stream, self.seed + self.repeat, **chosen)
        played = play_rows(learner, stream.after(n_tuning), progress)
        correct, y, seconds = played[1:]
        params = getattr(learner, "inner", learner).params()  # of a prepared one its own
        curve = metrics.curve(correct)
        majority = metrics.curve(metrics.majority(y))
        return {
            "shuffled": is_shuffled(self.source, self.in_order),
            "full_information": learner.full_information,
            "exploration": learner.exploration, "tuned": chosen,
            "played": {k: v if isinstance(v, JSON) else repr(v) for k, v in params.items()},
            "n_classes": stream.n_classes, "n_features": stream.n_features,
            "labels_sha256": played.digest(), "n_rounds": len(correct),
            "error": round(metrics.error(correct), 8),
            "last_tenth": round(metrics.last(correct), 8),
            "area": round(metrics.area(correct), 8), "seconds": round(seconds, 6),
            "bytes": sum(array.nbytes for array in learner.content().values()),
            "curve": {"rounds": curve.rounds.tolist(), "error": curve.value.round(6).tolist()},
            "majority": majority.value.round(6).tolist(),
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": identity.versions(), "machine": identity.machine(),
        }  # fmt: skip

    def learner(self, stream: Stream, seed: int, **chosen: Any) -> Any:
        """Return a new learner for rows of a stream."""
        raw = self.raw or not isinstance(self.cls, type)
        return stream.learner(self.cls, raw=raw, seed=seed, **self.parameters | chosen)

    def summary(self, record: Record) -> str:
        return f"{self}: error {record['error']:.4f} in {record['n_rounds']} rounds"

    def stream(self) -> Stream:
        """Return the rows for tuning and those that are played.

        Learners of other packages that do not know nominal columns get them prepared.
        """
        kind = "raw"
        if not isinstance(self.cls, type):
            unprepared = self.raw or "nominal" in self.cls.__dataclass_fields__
            kind = "filled" if unprepared else "prepared"
        seed = self.seed + self.repeat
        return rows(self.source, self.rounds, seed, self.in_order, kind, self.tune)


class Played(NamedTuple):
    """What came of playing some rows."""

    label: np.ndarray
    correct: np.ndarray  # or rewards
    y: np.ndarray
    seconds: float  # of processor time

    def digest(self) -> str:
        """Return the SHA-256 of the chosen labels."""
        return hashlib.sha256(self.label.astype("<i8").tobytes()).hexdigest()


def play_rows(learner: Any, stream: Stream, progress: OnProgress) -> Played:
    """Let a learner play all rows of a stream."""
    labels: list[np.ndarray] = []
    correct: list[np.ndarray] = []
    truths: list[np.ndarray] = []
    done, seconds = [0, 0], 0.0  # rounds, and correct ones
    of = stream.n_rows or 0
    for X, y in stream.chunks():
        if not labels and hasattr(learner, "kernels"):  # compile them before the clock runs
            type(learner)(**learner.params()).play(X[:1], y[:1])
        began = time.process_time()
        trace = learner.play(X, y, progress=lambda n, r: progress(done[0] + n, done[1] + r, of))
        seconds += time.process_time() - began
        labels.append(trace.label)
        correct.append(trace.correct)
        truths.append(np.array(y))
        done[:] = done[0] + len(y), done[1] + trace.correct.sum().item()
    joined = [np.concatenate(parts) for parts in (labels, correct, truths)]
    return Played(joined[0], joined[1], joined[2], seconds)


def _tune(job: Job, stream: Stream) -> dict[str, float]:
    """Return the exploration rate with the lowest error, of the default times 4^-3 … 4^2.

    Where the default is 0, of 0 and 4^-3 … 4^2; of equal ones the nearest to the default. A rate
    that was given is not tuned.
    """
    name = job.cls.exploration
    if name is None or name in job.parameters:
        return {}
    default = getattr(job.learner(stream, 0), name)
    errors = {}
    for rate in [default * times for times in FACTORS] if default else [0.0, *FACTORS]:
        try:
            learner = job.learner(stream, job.seed + job.repeat, **{name: rate})
        except ValueError:
            continue  # out of its range
        played = play_rows(learner, stream, lambda *_: None)
        errors[rate] = metrics.error(played.correct)
    distance = {
        rate: abs(math.log(rate / default)) if default and rate else rate for rate in errors
    }
    return {name: min(errors, key=lambda rate: (errors[rate], distance[rate]))}
