"""Vowpal Wabbit in the bake-off: its files of a repeat, and one run.

It learns from a file with a binary cache, by its command line. Features have string names, nominal
columns are features `name=value`, missing values are left out. Numbers are standardised, with a
look at all rows, where a setting says so; sparse rows never are.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from bench.bakeoff.sets import repeat
from bench.chorus.learners import Run
from bench.chorus.vowpal_wabbit import Files, standard
from onearm.streams.stream import Stream

POLICIES = 16  # most of a setting, each with its weights
ROOM = 4  # times as many weights as features of all policies and classes


@lru_cache(maxsize=2)
def files(name: str, seed: int, rounds: int, standardised: bool) -> Files:
    """Return the files of the first rounds of a repeat; the last two are kept for the next run."""
    rows = repeat(name, seed)
    if standardised:
        rows = standard(rows)
    return Files(rows.first(rounds), ROOM * POLICIES * rows.n_classes * n_features(rows))


def n_features(rows: Stream) -> int:
    """Return how many features rows have as text: one for each value of a nominal column.

    >>> n_features(Stream.of([[0.0, 2.0], [2.0, 4.0]], [0, 1], nominal=(3, 0)))
    4
    """
    return int(np.maximum(rows.nominal or (0,) * rows.n_features, 1).sum())


def play(name: str, setting: dict[str, Any], seed: int, rounds: int, informed: bool) -> Run:
    """Play the first rounds of a repeat, with all labels if `informed`."""
    given = setting | {"interactions": False}
    task = "--oaa" if informed else "--cbify"
    return files(name, seed, rounds, setting["standardised"]).play(given, seed, task)
