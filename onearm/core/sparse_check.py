"""Check the arrays of a compressed sparse row (CSR) matrix before anything indexes with them.

SciPy and the kernels trust `indptr` and `indices`: wrong numbers there read or write memory that is
not theirs. Values, and whether the indices of a row ascend, are checked elsewhere, row by row.
What has been checked is a copy, so that nobody can change it afterwards.
"""

from typing import Any

import numpy as np

MOST_FEATURES = 2**31 - 1  # kernels take indices of 32 bits


def check_csr(indptr: Any, indices: Any, data: Any, shape: Any) -> None:
    """Raise ValueError unless the arrays are those of a CSR matrix of this shape.

    >>> check_csr(np.array([0, 1, 2]), np.array([0, 7]), np.ones(2), (2, 3))
    Traceback (most recent call last):
        ...
    ValueError: indices must be in [0, 2], got 7
    """
    n, d = _sizes(shape)
    _check_vector("indptr", indptr, "iu")
    _check_vector("indices", indices, "iu")
    _check_vector("data", data, "biuf")
    if len(indptr) != n + 1:
        raise ValueError(f"indptr must have {n + 1} numbers for {n} rows, got {len(indptr)}")
    if len(indices) != len(data):
        lengths = f"{len(indices)} and {len(data)}"
        raise ValueError(f"indices and data must have the same length, got {lengths}")
    if indptr[0] != 0:
        raise ValueError(f"indptr must begin with 0, got {indptr[0]}")
    falls = indptr[1:] < indptr[:-1]
    if falls.any():
        t = int(falls.argmax())
        got = f"{indptr[t]} and {indptr[t + 1]} in row {t}"
        raise ValueError(f"indptr must not decrease, got {got}")
    if int(indptr[-1]) != len(indices):
        end = f"{len(indices)}, the length of indices"
        raise ValueError(f"indptr must end with {end}, got {indptr[-1]}")
    _check_range("indices", indices, d)


def csr_arrays(X: Any, name: str = "X") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return indptr, indices and data of any SciPy sparse matrix or array, checked, as copies."""
    try:
        if X.format not in ("csr", "csc", "lil"):
            X = X.tocoo()
        if X.format == "coo":
            _check_coordinates(X.coords, X.data, X.shape)
            X = X.reshape(1, -1) if X.ndim == 1 else X
        if X.format == "csc":
            check_csr(X.indptr, X.indices, X.data, X.shape[::-1])
        X = X.tocsr()
        arrays = np.array(X.indptr), np.array(X.indices), np.array(X.data)
        check_csr(*arrays, X.shape if X.ndim == 2 else (1, *X.shape))
    except (ValueError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise ValueError(f"{name} must be a sound sparse matrix: {error}") from None
    return arrays


def _check_coordinates(coordinates: Any, data: Any, shape: Any) -> None:
    _check_vector("data", data, "biuf")
    for axis, (places, size) in enumerate(zip(coordinates, shape, strict=True)):
        _check_vector(f"coords[{axis}]", places, "iu")
        if len(places) != len(data):
            raise ValueError(f"coords[{axis}] must have {len(data)} numbers, got {len(places)}")
        _check_range(f"coords[{axis}]", places, size)


def _sizes(shape: Any) -> tuple[int, int]:
    """The numbers of rows and of columns of a shape, which may be an array."""
    sizes = np.asarray(shape)
    if sizes.shape != (2,) or sizes.dtype.kind not in "iu":
        raise ValueError(f"shape must be two whole numbers, got {shape!r}")
    n, d = int(sizes[0]), int(sizes[1])
    if n < 0 or not 0 <= d <= MOST_FEATURES:
        allowed = f"at least 0 rows of 0 to {MOST_FEATURES} columns"
        raise ValueError(f"shape must be {allowed}, got ({n}, {d})")
    return n, d


def _check_range(name: str, places: np.ndarray, size: int) -> None:
    least, most = (int(places.min()), int(places.max())) if len(places) else (0, -1)
    if least < 0 or most >= size:
        wrong = least if least < 0 else most
        raise ValueError(f"{name} must be in [0, {size - 1}], got {wrong}")


def _check_vector(name: str, array: Any, kinds: str) -> None:
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in kinds:
        wanted = "whole numbers" if kinds == "iu" else "real numbers"
        dtype, size = getattr(array, "dtype", type(array).__name__), np.shape(array)
        raise ValueError(f"{name} must be a one-dimensional array of {wanted}, got {dtype} {size}")
