"""The other learners of this package beside Chorus: which settings are tried, and one run."""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

import onearm
from bench.chorus import views
from bench.chorus.streams import stream
from onearm import metrics
from onearm.boosting.presets import DATA_SETS
from onearm.streams.stream import Stream

Settings = list[dict[str, Any]]
PARTS = 20  # equal parts of a run whose errors are recorded
FULL_SIZE = 5_000_000  # k·d² up to which ridge regressions have full matrices
FULL_FEATURES = 100  # up to which Newton steps over all classes at once have them
MAX_CROSSED = 20  # columns up to which products of two are tried
BOOSTERS = ("AdaBandit", "BanditBBM", "BinBandit")
FACTORS = (1.0, 1 / 16, 1 / 4, 4.0, 16.0)  # of the default rate of exploration


class TooSlowError(Exception):
    """A run that was stopped because it takes too long."""


class Run(NamedTuple):
    """The results of a run."""

    correct: np.ndarray
    seconds: float  # of CPU
    details: dict[str, Any]  # for the record


def learners() -> list[str]:
    """Return the names of all learners from bandit feedback, except Chorus.

    Prepared is one of the others with its rows prepared, which is a setting of each.
    """
    left = ("Chorus", "Prepared")
    named = ((name, getattr(onearm, name)) for name in onearm.LEARNERS if name not in left)
    return [name for name, cls in named if not cls.full_information]


def settings(name: str, data: str) -> Settings:
    """Return the settings that are tried on a stream, the default first.

    Linear learners may choose how rows are prepared: with a look at all of them (`views`), or
    online, and with products of columns where there are few.
    """
    rows = view(data, 0, "linear")
    if name in BOOSTERS:
        small = {"rho": 0.003, "n_learners": 5}
        paper = [{"paper": data}] if data in DATA_SETS else []
        return [{"rho": 0.003}, {"rho": 0.05}, small, *paper]
    tried = _parameters(name, rows.n_classes, rows.n_features)
    raw = stream(data, 0)
    for crossed in (False, True) if raw.n_features <= MAX_CROSSED else (False,):
        online = {"view": "prepared"} | ({"interactions": True} if crossed else {})
        width = raw.learner(onearm.Perceptron, **products(raw, crossed)).n_inputs
        tried += [given | online for given in _parameters(name, rows.n_classes, width)]
    return tried


def products(rows: Stream, crossed: bool) -> dict[str, Any]:
    """Return the parameter for products of all columns, and squares of numbers, if they are."""
    kinds = rows.nominal or (0,) * rows.n_features
    pairs = combinations_with_replacement(range(rows.n_features), 2)
    return {"interactions": [p for p in pairs if p[0] < p[1] or not kinds[p[0]]]} if crossed else {}


def _parameters(name: str, k: int, d: int) -> Settings:
    diagonal = k * d * d > FULL_SIZE
    if name == "Confidit":
        return _rates(name, k, FACTORS, diagonal=diagonal)
    if name in ("LinUCB", "LinTS"):
        ridges = (1.0, 0.01)  # rows of norm 1 need less than the default, often much less
        return [s for lam in ridges for s in _rates(name, k, FACTORS, lam=lam, diagonal=diagonal)]
    if name in ("SOBA", "Newtron"):
        full = _rates(name, k, FACTORS, diagonal=False) if d <= FULL_FEATURES else []
        return _rates(name, k, FACTORS, diagonal=True) + full
    if name == "ConservativeOVA":
        return [{"C": C} for C in (1.0, 0.03, 0.1, 0.3)]
    if name == "OffsetTree":
        return [{"explore": c} for c in (0.0, 1 / 16, 1 / 4, 1.0)] + [{"explore": 0.0, "C": 0.1}]
    if name == "InverseGap":
        return _rates(name, k, (*FACTORS, 64.0)) + [{"rule": "fast"}]
    if name == "Gaptron":
        return _rates(name, k, FACTORS) + [{"loss": "hinge"}]
    if name == "EpsilonGreedy":
        return _rates(name, k, FACTORS) + [{"loss": "squared"}]
    return _rates(name, k, FACTORS)


def _rates(name: str, k: int, factors: tuple[float, ...], **given: Any) -> Settings:
    """Return the default exploration times these factors, where there is a parameter for it."""
    cls = getattr(onearm, name)
    if cls.exploration is None:
        return [given]
    default = getattr(cls(k, 1), cls.exploration)  # which may depend on k
    return [{cls.exploration: default * factor, **given} for factor in factors]


@lru_cache(maxsize=2)
def view(data: str, seed: int, how: str) -> Stream:
    """Return the rows of a repeat in memory, as a view has them; learners prepare "prepared"."""
    raw = stream(data, seed)
    prepared = views.view(how, raw)(raw)
    chunks = list(prepared.chunks())
    return replace(prepared, source=lambda: iter(chunks), in_memory=True)


def play(data: str, cls: Any, given: dict[str, Any], seed: int, rounds: int, most: float) -> Run:
    """Play the first rounds of a repeat; stop if it would take more than `most` CPU seconds."""
    nominal = "nominal" in cls.__dataclass_fields__
    how = "raw" if cls.missing else "filled" if nominal else given.get("view", "linear")
    rows = view(data, seed, how).first(rounds)
    if "paper" in given:
        sizes = {"n_classes": rows.n_classes, "n_features": rows.n_features}
        columns = {"nominal": rows.nominal} if rows.nominal else {}
        learner = cls.paper(given["paper"], seed=seed, **sizes, **columns)
    else:
        others = {k: v for k, v in given.items() if k not in ("view", "interactions")}
        others |= products(rows, given.get("interactions", False))
        learner = rows.learner(cls, raw=how != "prepared", seed=seed, **others)
    correct: list[np.ndarray] = []
    done, seconds = 0, 0.0
    for X, y in rows.chunks():
        if not correct:  # compile or load the kernels before the clock runs
            type(learner)(**learner.params()).play(X[:1], y[:1])
        watch = _watch(seconds, done, rounds, most)
        began = time.process_time()
        trace = learner.play(X, y, progress=watch)
        seconds += time.process_time() - began
        correct.append(trace.correct)
        done += len(y)
    details = {"view": how, "n_features": rows.n_features}
    return Run(np.concatenate(correct), seconds, details)


def _watch(seconds: float, done: int, rounds: int, most: float) -> Callable[[int, int], None]:
    """Return a callback that stops a run once it is clear that it takes too long."""
    began = time.process_time()

    def watch(n: int, _: int) -> None:
        taken = seconds + time.process_time() - began
        whole = taken * rounds / (done + n)
        if taken > min(5.0, most / 4) and whole > most:
            raise TooSlowError(f"{rounds:,} rounds would take {math.ceil(whole)} CPU seconds")

    return watch


def results(correct: np.ndarray, seconds: float) -> dict[str, Any]:
    """Return errors and speed, for the record of a run."""
    parts = [metrics.error(part) for part in np.array_split(correct, PARTS)]
    return {
        "error": round(metrics.error(correct), 6),
        "last_tenth": round(metrics.last(correct), 6),
        "last_fifth": round(metrics.last(correct, 0.2), 6),
        "parts": [round(part, 5) for part in parts],
        "cpu_seconds": round(seconds, 4),
        "rounds_per_cpu_second": round(len(correct) / max(seconds, 1e-9)),
    }
