"""The data sets of B10's Table 1, split into training and test rows as usual.

USPS circulates in two forms: with its pixels as they are, and smoothed. What smoothed them is not
known; here it is a Gaussian of width 0.75, a guess.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from onearm.streams import datasets

TRAINING = {  # rows; the rest is test
    "mnist": 60_000, "usps": 7291, "usps-smoothed": 7291, "pendigits": 7494, "isolet": 6238,
    "letter": 16_000,
}  # fmt: skip


class Split(NamedTuple):
    """Training and test rows."""

    X: np.ndarray
    y: np.ndarray  # labels from 0, in the order of their names as texts
    X_test: np.ndarray
    y_test: np.ndarray


@cache
def load(name: str) -> Split:
    """Return a data set of the catalogue with its usual split."""
    stream = datasets.load(name)
    X, y = stream.arrays()
    order = np.unique(stream.class_names, return_inverse=True)[1]
    X, y, n = np.asarray(X, float), order[y], TRAINING[name]
    return Split(X[:n], y[:n], X[n:], y[n:])
