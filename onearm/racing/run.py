"""One run: a learner plays the rows of a repeat, and a record says what came of it."""

import ast
import hashlib
import json
import math
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import onearm
from onearm import metrics
from onearm.core.code_digest import digest
from onearm.racing.machine import machine
from onearm.racing.repeats import held, rows
from onearm.racing.sources import Source
from onearm.streams.stream import Stream

PACKAGE = Path(onearm.__file__).parent
TRIED = tuple(4.0**power for power in range(-3, 3))  # times the default rate, by `tune`
Record = dict[str, Any]
OnProgress = Callable[[int, int, int], Any]  # rounds played, right ones, and rounds in all


class Job(NamedTuple):
    """A run that is to be played: all that decides what comes of it."""

    source: Source
    learner: Any  # a class, or its name
    parameters: dict[str, Any]
    repeat: int
    seed: int
    rounds: int | None = None
    tune: float = 0.0  # the share of the rows on which the exploration rate is chosen
    in_order: bool = False
    raw: bool = False
    own: str = ""  # what tells a learner of the user's from others of its name

    @property
    def cls(self) -> Any:
        """The learner's class."""
        return getattr(onearm, self.learner) if isinstance(self.learner, str) else self.learner

    @property
    def name(self) -> str:
        """The learner's name, with the parameters that were given."""
        given = [f"{key}={value}" for key, value in self.parameters.items()]
        return " ".join([self.cls.__name__, *given])

    def configuration(self) -> Record:
        """Return what tells this run from others: changed code, or rows made otherwise, too."""
        return {
            "stream": self.source.told, "data": _hash(repr(self.source.data)),
            "learner": self.cls.__name__, "own": self.own,
            "parameters": self.parameters, "repeat": self.repeat, "seed": self.seed,
            "rounds": self.rounds, "tune": self.tune, "in_order": self.in_order, "raw": self.raw,
            "code": "" if self.own else _code(self.cls), "rows": preparation(PACKAGE),
        }  # fmt: skip

    def key(self) -> str:
        """Return a short text that is the same for the same configuration."""
        return _hash(json.dumps(self.configuration(), sort_keys=True, default=_refuse))

    def held(self) -> int:
        """Return how many of the first rows are for tuning alone."""
        return held(self.source, self.rounds, self.tune)

    def stream(self) -> Stream:
        """Return what is played, as this learner wants to see it, after the rows for tuning.

        Learners that know nominal columns see rows as they are, the others scaled ones.
        """
        own = self.raw or "nominal" in self.cls.__dataclass_fields__
        view = "as it is" if self.cls.missing else "filled" if own else "linear"
        seed = self.seed + self.repeat
        return rows(self.source, self.rounds, seed, self.in_order, view, self.held())


@cache
def _code(cls: Any) -> str:
    return digest(cls)


@cache
def preparation(package: Path) -> str:
    """Return what tells how rows are prepared: all that reads, makes, orders and scales them."""
    texts = [path.read_text(encoding="utf-8") for path in preparing(package)]
    return _hash("".join(ast.dump(ast.parse(text)) for text in texts))  # comments do not count


def preparing(package: Path) -> list[Path]:
    """Return the sources that this hangs on."""
    streams = sorted((package / "streams").glob("*.py"))
    racing = [package / "racing" / name for name in ("repeats.py", "sources.py")]
    shared = [
        package / name
        for name in ("core/inputs.py", "core/rng.py", "core/sparse_check.py", "core/vectors.py")
    ]
    return [*racing, *shared, *streams]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _refuse(value: Any) -> None:
    raise ValueError(f"parameters of a race must be numbers, words or lists of them, got {value!r}")


def play(job: Job, on_progress: OnProgress = lambda *_: None) -> Record:
    """Play a run to its end."""
    stream, apart = job.stream(), job.held()
    chosen = _tuned(job, stream.first(apart)) if apart else {}
    learner = stream.learner(job.cls, seed=job.seed + job.repeat, **job.parameters | chosen)
    correct, seconds = _played(learner, stream.after(apart), on_progress)
    curve = metrics.curve(correct)
    return {
        "key": job.key(), **job.configuration(),
        "name": job.name, "full_information": learner.full_information,
        "exploration": learner.exploration, "tuned": chosen, "played": _plain(learner.params()),
        "n_classes": stream.n_classes, "n_features": stream.n_features,
        "n_rounds": len(correct), "error": round(metrics.error(correct), 8),
        "last_tenth": round(metrics.last(correct), 8), "area": round(metrics.area(correct), 8),
        "seconds": round(seconds, 6),
        "bytes": sum(array.nbytes for array in learner.content().values()),
        "curve": {"rounds": curve.rounds.tolist(), "error": curve.value.round(6).tolist()},
        "date": datetime.now(UTC).isoformat(timespec="seconds"), "versions": versions(),
        "machine": machine(),
    }  # fmt: skip


@cache
def versions() -> dict[str, str]:
    """Return what this process runs on."""
    return {"python": platform.python_version(), "onearm": onearm.__version__} | {
        name: version(name) for name in ("numpy", "numba")
    }


def _played(learner: Any, stream: Stream, on_progress: OnProgress) -> tuple[np.ndarray, float]:
    kept: list[np.ndarray] = []
    done, seconds = [0, 0], 0.0  # rounds, and right ones
    of = stream.n_rows or 0
    for X, y in stream.chunks():
        if not kept:  # compile or load the kernels before the clock runs
            type(learner)(**learner.params()).play(X[:1], y[:1])
        began = time.process_time()
        trace = learner.play(X, y, progress=lambda n, r: on_progress(done[0] + n, done[1] + r, of))
        seconds += time.process_time() - began
        kept.append(trace.correct)
        done[:] = done[0] + len(y), done[1] + int(trace.correct.sum())
    return np.concatenate(kept), seconds


def _tuned(job: Job, stream: Stream) -> dict[str, float]:
    """Choose the exploration rate: of the default times 4^-3 … 4^2, that of least error here.

    Where the default is 0, of 0 and 4^-3 … 4^2; of equal ones that nearest the
    default. A rate that was given stays.
    """
    name = job.cls.exploration
    if name is None or name in job.parameters:
        return {}
    default = getattr(stream.learner(job.cls, **job.parameters), name)
    errors = {}
    for rate in [default * times for times in TRIED] if default else [0.0, *TRIED]:
        asked = job.parameters | {name: rate, "seed": job.seed + job.repeat}
        try:
            learner = stream.learner(job.cls, **asked)
        except ValueError:
            continue  # out of its range
        correct, _ = _played(learner, stream, lambda *_: None)
        errors[rate] = metrics.error(correct)

    def far(rate: float) -> float:
        return abs(math.log(rate / default)) if default and rate else rate

    return {name: min(errors, key=lambda rate: (errors[rate], far(rate)))}


def _plain(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters as JSON says them; an object by what it prints."""
    plain = (bool, int, float, str, list, tuple, type(None))
    return {key: v if isinstance(v, plain) else repr(v) for key, v in params.items()}
