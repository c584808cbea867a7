"""Rows and labels as users give them, turned into what kernels take; and what is wrong with them.

A matrix becomes a dense array of float64, or sparse (starts, indices, values); a row becomes a
dense vector, or sparse (indices, values). Values are not copied that are right already. Labels and
indices are: kernels use them as addresses, and nobody must change them once they are checked.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from onearm.core.sparse_check import csr_arrays
from onearm.core.vectors import FINE, LARGEST, NOT_FINITE, fault, first_fault
from onearm.schema.difference import UNNAMED

Rows = Any  # a dense (n, d) array or a tuple (starts, indices, values)


def as_array(values: Any, kind: type, what: str) -> np.ndarray:
    """Return `values` as an array that kernels take: of one type, contiguous, writable."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{what} must not be masked: give missing values as NaN")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{what} must be an array of numbers: {error}") from None
    wanted, allowed = np.dtype(kind), "iu" if kind in (np.int64, np.int32) else "iufb"
    if array.dtype.kind not in allowed:
        raise ValueError(f"{what} must be numbers of type {wanted}, got dtype {array.dtype}")
    if array.dtype != wanted:
        with np.errstate(over="ignore"):  # numbers of more than 64 bits become infinite
            converted = array.astype(wanted)
        if allowed == "iu" and not np.array_equal(converted, array):
            raise ValueError(f"{what} has values too large for {wanted}")
        return np.ascontiguousarray(converted)
    return array if array.flags.carray else np.array(array, order="C")


def as_row(x: Any, d: int) -> Any:
    """Return one example as a dense vector of `d` numbers or as (indices, values)."""
    if _ready(x, np.float64) and x.shape == (d,):
        return x
    if type(x) is tuple and len(x) == 2 and _ready(x[0], np.int32) and _ready(x[1], np.float64):
        if x[0].shape == x[1].shape:
            return x[0].copy(), x[1]
    elif hasattr(x, "tocsr"):
        if x.shape not in ((1, d), (d,)):
            raise ValueError(f"x must be one row of {d} features, got shape {x.shape}")
        _, indices, values = csr_arrays(x, "x")
        return as_array(indices, np.int32, "indices"), as_array(values, np.float64, "x")
    if isinstance(x, tuple) and len(x) == 2 and np.ndim(x[0]) == 1:
        indices = as_array(x[0] if len(x[0]) else np.empty(0, np.int32), np.int32, "indices")
        values = as_array(x[1], np.float64, "values")
        if indices.shape != values.shape:
            shapes = f"{indices.shape} and {values.shape}"
            raise ValueError(f"indices and values must have the same length, got {shapes}")
        return indices.copy(), values
    x = as_array(x, np.float64, "x")
    x = x[0] if x.shape == (1, d) else x
    if x.shape != (d,):
        raise ValueError(f"x must be one row of {d} features, got shape {x.shape}")
    return x


def by_name(X: Any, schema: Any) -> Any:
    """Return a frame, a row of one, a dict or many as the schema encodes it; all else as it is.

    A schema whose columns have no names, as those of a file without a header, says nothing.
    """
    are_dicts = isinstance(X, list) and len(X) > 0 and isinstance(X[0], Mapping)
    if schema is None or (isinstance(X, np.ndarray | tuple | list) and not are_dicts):
        return X
    is_frame = are_dicts or any(hasattr(type(X), name) for name in ("columns", "column_names"))
    is_named = isinstance(X, Mapping) or hasattr(type(X), "to_dict")
    if not (is_frame or is_named) or all(map(UNNAMED.fullmatch, schema.names)):
        return X
    return schema.encode_all(X) if is_frame else schema.encode(X)


def is_row(x: Any) -> bool:
    """Whether this is one row, as `as_row` takes it, and not a matrix of rows."""
    return isinstance(x, tuple) or (not hasattr(x, "chunks") and np.ndim(x) == 1)


def _ready(array: Any, kind: type) -> bool:
    ours = type(array) is np.ndarray and array.dtype == kind
    return ours and array.ndim == 1 and array.flags.carray


def without_gaps(X: Any) -> Any:
    """Return rows, or a row, with 0 in the place of NaN."""
    if isinstance(X, tuple):
        return X[0], without_gaps(X[1])
    values = X.data if hasattr(X, "tocsr") else X
    if values.dtype.kind != "f" or not np.isnan(values).any():
        return X
    X = X.tocsr(copy=True) if hasattr(X, "tocsr") else X.copy()
    values = X.data if hasattr(X, "tocsr") else X
    values[np.isnan(values)] = 0.0
    return X


def as_rows(X: Any, d: int, missing: bool, first: int = 0, largest: float = LARGEST) -> Rows:
    """Return a matrix with `d` columns, every row checked; `first` is the number of row 0."""
    if X.shape[1] != d:
        raise ValueError(f"X must have {d} features, got {X.shape[1]}")
    if X.shape[0] == 0:
        raise ValueError("X is empty: it has no rows")
    if hasattr(X, "tocsr"):
        starts, indices, values = csr_arrays(X)
        indices = as_array(indices, np.int32, "the indices of X")
        rows: Rows = as_array(starts, np.int64, "indptr"), indices, as_array(values, float, "X")
    else:
        rows = as_array(X, np.float64, "X")
    n = count(rows)
    bad = first_fault(rows, n, d, missing, largest)
    if bad < n:
        check_row(row_of(rows, bad), d, missing, largest, f"row {first + bad} of X")
    return rows


def check_row(x: Any, d: int, missing: bool, largest: float = LARGEST, what: str = "x") -> None:
    """Refuse a row with values or indices that kernels do not take."""
    kind = fault(x, d, missing, largest)
    if kind == FINE:
        return
    indices, values = x if isinstance(x, tuple) else (np.arange(d), x)
    wrong = "indices must ascend without duplicates"
    if kind == NOT_FINITE:
        at = int(((abs(values) <= largest) | (missing & np.isnan(values))).argmin())
        allowed = f"finite and within ±{largest:g}"
        wrong = f"values must be {allowed}, got {values[at]} for feature {indices[at]}"
    elif indices.min() < 0 or indices.max() >= d:
        wrong = f"indices must be in [0, {d - 1}], got {min(indices.min(), 0) or indices.max()}"
    raise ValueError(f"{what}: {wrong}")


def as_labels(y: Any, k: int, n: int, what: str = "y", first: int = 0) -> np.ndarray:
    """Return `n` labels, checked to be integers in 0 … k-1."""
    labels = as_array(y, np.int64, what).copy()
    if labels.shape != (n,):
        raise ValueError(f"{what} must have one label for each of {n} rows, got {labels.shape}")
    wrong = (labels < 0) | (labels >= k)
    if wrong.any():
        got = f"{labels[wrong.argmax()]} in row {first + wrong.argmax()}"
        raise ValueError(f"{what} must be labels in [0, {k - 1}], got {got}")
    return labels


def as_rewards(y: Any, k: int, n: int, first: int = 0) -> np.ndarray:
    """Return the rewards of k labels in each of `n` rows, checked to be in [0, 1]."""
    rewards = as_array(y, np.float64, "y")
    if rewards.shape != (n, k):
        expected = f"the rewards of {k} labels for each of {n} rows"
        raise ValueError(f"y must have {expected}, got shape {rewards.shape}")
    fine = (rewards >= 0.0) & (rewards <= 1.0)
    if not fine.all():
        t, label = np.unravel_index(int(fine.argmin()), fine.shape)
        got = f"{rewards[t, label]} for label {label} in row {first + t}"
        raise ValueError(f"rewards must be in [0, 1], got {got}")
    return rewards


def as_among(among: Any, k: int) -> np.ndarray:
    """Return the allowed labels in ascending order; they may be given as a mask of k."""
    if type(among) is np.ndarray and among.dtype == np.int64 and among.ndim == 1 and len(among):
        labels = among.copy()
        if 0 <= labels[0] and labels[-1] < k and (labels[1:] > labels[:-1]).all():
            return labels
    mask = np.asarray(among)
    if mask.dtype == bool:
        if mask.shape != (k,) or not mask.any():
            raise ValueError(f"among must be a mask of {k} labels, one at least True, got {among}")
        return np.flatnonzero(mask)
    if mask.ndim != 1 or len(mask) == 0:
        raise ValueError(f"among must be labels, at least one, got {among}")
    labels = np.sort(as_labels(mask, k, len(mask), "among"))
    if (labels[1:] == labels[:-1]).any():
        raise ValueError(f"among must not have duplicates, got {among}")
    return labels


def as_matrix(x: Any) -> Rows:
    """A row as a matrix of one."""
    return (np.array([0, len(x[0])]), *x) if isinstance(x, tuple) else x[None]


def count(rows: Rows) -> int:
    """How many rows there are."""
    return len(rows[0]) - 1 if isinstance(rows, tuple) else len(rows)


def row_of(rows: Rows, t: int) -> Any:
    """Row t, dense or (indices, values)."""
    if isinstance(rows, tuple):
        part = slice(*rows[0][t : t + 2])
        return rows[1][part], rows[2][part]
    return rows[t]


def between(rows: Rows, start: int, stop: int) -> Rows:
    """Rows start … stop-1, without copying."""
    if isinstance(rows, tuple):
        return rows[0][start : stop + 1], rows[1], rows[2]
    return rows[start:stop]
