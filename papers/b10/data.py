"""The data sets of B10's Table 1, split into training and test rows as usual.

USPS circulates in two forms: with its pixels as they are, and smoothed. What smoothed them is not
said; here it is a Gaussian of width 0.75, a guess.
"""

import gzip
import lzma
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter

from papers.b10.paper import SMOOTHED
from papers.z19.data import find

WIDTH = 0.75  # of the Gaussian, in pixels
TRAINING = {"usps": 7291, "pendigits": 7494, "isolet": 6238, "letter": 16_000}  # the rest is test


class Split(NamedTuple):
    X: np.ndarray
    y: np.ndarray  # labels from 0
    X_test: np.ndarray
    y_test: np.ndarray


@cache
def load(name: str) -> Split:
    """Read one data set."""
    if name == SMOOTHED:
        return smooth(load("usps"))
    if name == "mnist":
        parts = (f"mnist-{part}-{what}-ubyte.gz" for part in ("train", "t10k")
                 for what in ("images-idx3", "labels-idx1"))  # fmt: skip
        X, y, X_test, y_test = (_idx(part) for part in parts)
        return Split(X, y.astype(np.int64), X_test, y_test.astype(np.int64))
    with lzma.open(find(f"{name}.csv.xz"), "rt") as file:
        lines = file.readlines()[1:]
    X = np.loadtxt([line.rsplit(",", 1)[0] for line in lines], delimiter=",")
    y = np.unique([line.strip().rsplit(",", 1)[1] for line in lines], return_inverse=True)[1]
    n = TRAINING[name]
    return Split(X[:n], y[:n], X[n:], y[n:])


def smooth(usps: Split, width: float = WIDTH) -> Split:
    """Smooth pictures of 16 × 16 pixels; at the border they go on as they end."""

    def soft(X: np.ndarray) -> np.ndarray:
        pictures = X.reshape(-1, 16, 16)
        return gaussian_filter(pictures, (0, width, width), mode="nearest").reshape(X.shape)

    return usps._replace(X=soft(usps.X), X_test=soft(usps.X_test))


def _idx(name: str) -> np.ndarray:
    """An array in MNIST's own format: its number of axes, their lengths, bytes."""
    content = gzip.decompress(find(name).read_bytes())
    n_axes = content[3]
    shape = np.frombuffer(content, ">i4", n_axes, 4)
    values = np.frombuffer(content, np.uint8, offset=4 + 4 * n_axes).astype(float)
    return values.reshape(shape[0], -1) if n_axes > 1 else values
