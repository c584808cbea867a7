"""The data sets of B10's Table 1, split into training and test rows as usual."""

import gzip
import lzma
from functools import cache
from typing import NamedTuple

import numpy as np

from onearm.papers.data import FOLDER

TRAINING = {"usps": 7291, "pendigits": 7494, "isolet": 6238, "letter": 16_000}  # the rest is test


class Split(NamedTuple):
    X: np.ndarray
    y: np.ndarray  # labels from 0
    X_test: np.ndarray
    y_test: np.ndarray


@cache
def load(name: str) -> Split:
    """Read one data set."""
    if name == "mnist":
        parts = (f"mnist-{part}-{what}-ubyte.gz" for part in ("train", "t10k")
                 for what in ("images-idx3", "labels-idx1"))  # fmt: skip
        X, y, X_test, y_test = (_idx(part) for part in parts)
        return Split(X, y.astype(np.int64), X_test, y_test.astype(np.int64))
    with lzma.open(FOLDER / f"{name}.csv.xz", "rt") as file:
        lines = file.readlines()[1:]
    X = np.loadtxt([line.rsplit(",", 1)[0] for line in lines], delimiter=",")
    y = np.unique([line.strip().rsplit(",", 1)[1] for line in lines], return_inverse=True)[1]
    n = TRAINING[name]
    return Split(X[:n], y[:n], X[n:], y[n:])


def _idx(name: str) -> np.ndarray:
    """An array in MNIST's own format: its number of axes, their lengths, bytes."""
    content = gzip.decompress((FOLDER / name).read_bytes())
    n_axes = content[3]
    shape = np.frombuffer(content, ">i4", n_axes, 4)
    values = np.frombuffer(content, np.uint8, offset=4 + 4 * n_axes).astype(float)
    return values.reshape(shape[0], -1) if n_axes > 1 else values
