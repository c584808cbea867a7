"""Vowpal Wabbit beside Chorus: which settings of its explorers are tried, and one run.

It reads a binary cache, `--cbify` hides the labels, and its predictions are the chosen labels.
"""

import math
import re
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

from bench.chorus.learners import MAX_CROSSED, Run, Settings
from bench.chorus.streams import stream
from bench.chorus.views import linear
from bench.timing import Timing, child, format_command
from onearm.streams.stream import Stream

EXPLORERS = {
    "VW squarecb": ("--cb_explore_adf --squarecb",),
    "VW synthcover": ("--cb_explore_adf --synthcover",),
    "VW bag": ("--bag 5",),
    "VW epsilon": ("--epsilon 0.05", "--epsilon 0.01"),
}
LEARNING_RATES = (0.5, 2.0, 0.1)


def settings(name: str, data: str) -> Settings:
    rows = stream(data, 0)
    dense = isinstance(next(rows.chunks())[0], np.ndarray)
    views = [view for view in VIEWS if dense or view != "standard"]
    crossed = (False, True) if rows.n_features <= MAX_CROSSED else (False,)
    return [
        {"options": options, "learning_rate": rate, "view": view, "interactions": squares}
        for view, options, rate, squares in product(views, EXPLORERS[name], LEARNING_RATES, crossed)
    ]


def standard(stream: Stream) -> Stream:
    """Return the stream with numeric columns of mean 0 and variance 1."""
    X = np.asarray(stream.arrays()[0], float)
    mean, deviation = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
    numeric = np.array(stream.nominal or (0,) * stream.n_features) == 0
    mean = np.where(numeric, mean, 0.0)
    deviation = np.where(numeric & (deviation > 0), deviation, 1.0)
    return replace(stream, source=lambda: (((X - mean) / deviation, y) for X, y in stream.chunks()))


VIEWS: dict[str, Callable[[Stream], Stream]] = {
    "linear": linear,
    "standard": standard,
    "raw": lambda stream: stream,
}


class Files:
    """The rows of a stream as Vowpal Wabbit reads them, in a folder that goes with the object.

    It has room for so many weights, at least `weights` and at most 2²⁴.
    """

    def __init__(self, rows: Stream, weights: int) -> None:
        self.k, self.d = rows.n_classes, rows.n_features
        self.bits = min(24, max(18, math.ceil(math.log2(weights))))
        self.path = Path(tempfile.mkdtemp())
        weakref.finalize(self, shutil.rmtree, self.path)
        self.labels = self._write(rows)
        self._run("--oaa", str(self.k), "--quiet")  # leaves the cache behind
        (self.path / "rows.txt").write_text("")

    def _write(self, rows: Stream) -> np.ndarray:
        labels = []
        with (self.path / "rows.txt").open("w") as file:
            for X, y in rows.chunks():
                lines = zip(y.tolist(), row_texts(X, rows.nominal), strict=True)
                file.writelines(f"{label + 1} | {text}\n" for label, text in lines)
                labels.append(y)
        return np.concatenate(labels)

    def _run(self, *options: str, timing: Timing | None = None) -> str:
        command = [sys.executable, "-m", "vowpalwabbit", "-b", str(self.bits), *options]
        files = ["--cache_file", "rows.cache", "-d", "rows.txt"]
        return child([*command, *files], timing, cwd=self.path)

    def play(self, given: dict[str, Any], seed: int, task: str = "--cbify") -> Run:
        timing = Timing(len(self.labels))
        how = [task, str(self.k), *given["options"].split()]
        how += ["--learning_rate", str(given["learning_rate"]), "--random_seed", str(seed)]
        how += ["--interactions", "::"] if given["interactions"] else []
        printed = self._run(*how, "-p", "labels.txt", timing=timing)
        labels = np.loadtxt(self.path / "labels.txt", dtype=np.int64) - 1
        correct = labels == self.labels
        loss = re.search(r"average loss = ([\d.]+)", printed)
        if loss is None or abs(float(loss[1]) - 1 + correct.mean()) > 1e-4:
            raise RuntimeError(f"{format_command(how)} prints another loss: {printed[-400:]}")
        details = {"n_features": self.d, "command": " ".join(["vw", "-b", str(self.bits), *how])}
        return Run(correct, max(timing.cpu[0] - starting(), 1e-3), details)


@lru_cache(maxsize=1)
def files(data: str, seed: int, rounds: int, view: str) -> Files:
    """Return the files of a repeat; the last ones are kept for the next explorer."""
    rows = VIEWS[view](stream(data, seed)).first(rounds)
    return Files(rows, 4 * rows.n_features * rows.n_classes)


def play(data: str, given: dict[str, Any], seed: int, rounds: int) -> Run:
    return files(data, seed, rounds, given["view"]).play(given, seed)


@cache
def starting() -> float:
    """Return the CPU seconds of starting it, which are not counted."""
    timing = Timing()
    for _ in range(3):
        child([sys.executable, "-m", "vowpalwabbit", "--version"], timing)
    return min(timing.cpu)


def row_texts(X: Any, nominal: tuple[int, ...]) -> list[str]:
    """Return rows as text: names are strings, nominal values are names, missing ones left out."""
    if hasattr(X, "tocsr"):
        starts, indices, values = X.indptr.tolist(), X.indices.tolist(), X.data.tolist()
        words = [_word(j, v) for j, v in zip(indices, values, strict=True)]
        return [" ".join(words[a:b]) for a, b in pairwise(starts)]
    kinds = nominal or (0,) * X.shape[1]
    named = [f"f{j}=" if kind else f"f{j}:" for j, kind in enumerate(kinds)]
    present = ~np.isnan(X) & ((X != 0) | (np.array(kinds) > 0))
    return [
        " ".join([f"{named[j]}{row[j]:.6g}" for j in np.flatnonzero(columns).tolist()])
        for row, columns in zip(X.tolist(), present, strict=True)
    ]


def _word(j: int, value: float) -> str:
    return f"f{j}" if value == 1 else f"f{j}:{value:.6g}"
