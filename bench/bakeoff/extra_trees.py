"""Extremely randomised trees with full information: what the labels would allow, for ratios.

A forest of scikit-learn is fitted to all rows so far, and again each time there are GROWTH times as
many. Every row is predicted by the last forest before its label is used; the first FIRST rows
count as errors. Nominal columns are one-hot encoded (a missing value is one of their values),
missing numbers go to the side of a split that the forest chooses.
"""

import math
import time
from typing import Any

import numpy as np

from bench.chorus.learners import Run
from onearm.streams.stream import Stream

FIRST = 50
GROWTH = 1.35
TREES = 100


def play(rows: Stream, seed: int) -> Run:
    """Play the rows of a repeat."""
    from sklearn.ensemble import ExtraTreesClassifier

    raw, y = rows.arrays()
    began = time.process_time()
    X = one_hot(raw, rows.nominal)
    correct, t = np.zeros(len(y), bool), FIRST
    while t < len(y):
        end = min(len(y), math.ceil(GROWTH * t))
        forest = ExtraTreesClassifier(TREES, random_state=seed, n_jobs=1).fit(X[:t], y[:t])
        correct[t:end] = forest.predict(X[t:end]) == y[t:end]
        t = end
    return Run(correct, time.process_time() - began, {})


def one_hot(X: Any, nominal: tuple[int, ...]) -> Any:
    """Return the rows with a column for each value of nominal columns, in single precision.

    >>> one_hot(np.array([[1.0, 0.5], [0.0, np.nan]]), (2, 0))
    array([[0. , 1. , 0.5],
           [1. , 0. , nan]], dtype=float32)
    """
    if hasattr(X, "tocsr"):
        return X.tocsr().astype(np.float32)
    X = np.asarray(X, np.float32)
    sizes = nominal or (0,) * X.shape[1]
    columns = [X[:, [j]] == np.arange(size) if size else X[:, [j]] for j, size in enumerate(sizes)]
    return np.hstack(columns).astype(np.float32, copy=False)
