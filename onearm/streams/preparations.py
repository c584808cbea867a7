"""Preparations of data sets as papers describe them: functions from rows to rows.

An entry of the catalogue with `of` and `preparation` is another entry's rows after one of these
functions; `preparation` names it with its arguments:

>>> from onearm.streams import datasets
>>> datasets.about("isolet-pca50").preparation
{'function': 'principal_components', 'n': 50}

Rows are (X, y, names) with the names that a Stream has of columns, values and classes.
"""

from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack

from onearm.streams.cache import Rows

MISSING = "?"  # the value of a nominal column that stands for a missing one


def select(X: Any, y: np.ndarray, names: dict, columns: list[str], without_row: int) -> Rows:
    """Keep some columns of numbers, and leave out one row, counted from 1."""
    places = [list(names["feature_names"]).index(column) for column in columns]
    X, y = np.delete(X[:, places], without_row - 1, axis=0), np.delete(y, without_row - 1)
    return X, y, {"feature_names": columns, "class_names": names["class_names"]}


def missing_as_zero(X: Any, y: np.ndarray, names: dict) -> Rows:
    """Put 0 in place of missing numbers."""
    return np.nan_to_num(X), y, names


def principal_components(X: Any, y: np.ndarray, names: dict, n: int) -> Rows:
    """Return the first n principal components of the columns.

    Signs are fixed and digits cut, so that another linear algebra library gives the same rows.
    """
    centred = X - X.mean(axis=0)
    _, V = np.linalg.eigh(centred.T @ centred)
    V = V[:, ::-1][:, :n]  # eigenvalues ascend
    V = V * np.sign(V[np.abs(V).argmax(axis=0), np.arange(n)])
    return (centred @ V).round(6), y, {"class_names": names["class_names"]}


def divide(X: Any, y: np.ndarray, names: dict, by: float) -> Rows:
    """Divide all values."""
    return X / by, y, names


def scale_columns(X: Any, y: np.ndarray, names: dict) -> Rows:
    """Scale every column to [0, 1]."""
    X = np.asarray(X, float)
    return (X - X.min(axis=0)) / np.ptp(X, axis=0), y, names


def smooth_images(X: Any, y: np.ndarray, names: dict, side: int, width: float) -> Rows:
    """Smooth square images by a Gaussian of this width in pixels; borders are repeated."""
    from scipy.ndimage import gaussian_filter

    images = np.asarray(X, float).reshape(-1, side, side)
    soft = gaussian_filter(images, (0, width, width), mode="nearest")
    return soft.reshape(X.shape), y, names


def occurrences(X: Any, y: np.ndarray, names: dict) -> Rows:
    """Put 1 in place of every count."""
    return csr_array((np.ones(len(X.data)), X.indices, X.indptr), X.shape), y, names


def largest_classes(X: Any, y: np.ndarray, names: dict, n: int) -> Rows:
    """Keep the texts of the n largest classes, numbered from the largest, and weigh their terms.

    A term that occurs f times in a text and in n of N texts weighs (1 + ln f)·ln(N/n), and rows
    have norm 1; n is counted over all selected rows.
    """
    labels, counts = np.unique(y, return_counts=True)
    largest = labels[np.argsort(-counts, kind="stable")[:n]]
    rows = np.flatnonzero(np.isin(y, largest))
    classes = [names["class_names"][label] for label in largest]
    y = np.argmax(y[rows, None] == largest, axis=1)
    return weigh_terms(csr_array(X, dtype=float)[rows]), y, {"class_names": classes}


def weigh_terms(counts: csr_array) -> csr_array:
    """Return rows of norm 1 by (1 + ln f)·ln(N/n)."""
    n = np.bincount(counts.indices, minlength=counts.shape[1])
    rare = np.log(counts.shape[0] / np.maximum(n, 1))
    X = counts.copy()
    X.data = (1.0 + np.log(counts.data)) * rare[counts.indices]
    return normalize(X)


def normalize(X: csr_array) -> csr_array:
    """Return rows of norm 1; rows of zeros stay."""
    sizes = np.diff(X.indptr)
    norms = np.sqrt(np.bincount(np.repeat(np.arange(X.shape[0]), sizes), X.data**2, X.shape[0]))
    X = X.copy()
    X.data = X.data / np.repeat(np.where(norms > 0, norms, 1.0), sizes)
    return X


def regression(
    X: Any, y: np.ndarray, names: dict, ones: tuple = (), named: dict[str, str] | None = None
) -> Rows:
    """Return numbers in [0, 1], nominal values as 0 or 1 each, and numbers in place of labels.

    Columns are scaled by the least and the largest value of the first half of the rows. Missing
    values have no column of their own, except where `named` gives the column's missing value a
    name. The answer is 1 for the labels `ones` and else 0; without `ones` the label is a number.
    """
    nominal = names.get("nominal") or (0,) * X.shape[1]
    numbers = [scale_by_half(X[:, j]) for j, size in enumerate(nominal) if not size]
    parts = [csr_array(np.column_stack([np.empty((len(y), 0)), *numbers]))]
    for j in np.flatnonzero(nominal):
        missing = (named or {}).get(names["feature_names"][j], MISSING)
        values = [missing if value == MISSING else value for value in names["values"][j]]
        parts.append(one_hot(X[:, j], values))
    answers = [float(name in ones if ones else name) for name in names["class_names"]]
    return hstack(parts, format="csr"), np.array(answers)[y], {}


def scale_by_half(values: np.ndarray) -> np.ndarray:
    """Scale to [0, 1] by the least and the largest value of the first half."""
    half = np.asarray(values[: len(values) // 2], float)
    width = half.max() - half.min()
    return (values - half.min()) / (width if width > 0 else 1.0)


def one_hot(codes: np.ndarray, values: list[str]) -> csr_array:
    """Return a column for each value but the missing one, in the order of their names."""
    place = {value: i for i, value in enumerate(sorted(set(values) - {MISSING}))}
    column = np.array([place.get(value, -1) for value in values])[np.asarray(codes, int)]
    rows = np.flatnonzero(column >= 0)
    cells = (np.ones(len(rows)), (rows, column[rows]))
    return csr_array(cells, shape=(len(column), len(place)))
