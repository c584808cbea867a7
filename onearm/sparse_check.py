"""Check the arrays of a compressed sparse row (CSR) matrix before anything indexes with them.

SciPy and the kernels trust `indptr` and `indices`: wrong numbers there read or write memory that is
not theirs. Values are not looked at, nor whether the indices of a row ascend: that is said of rows.
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
    for name, array, kinds in (
        ("indptr", indptr, "iu"),
        ("indices", indices, "iu"),
        ("data", data, "biuf"),
    ):
        _check_vector(name, array, kinds)
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
        raise ValueError(
            f"indptr must not decrease, got {indptr[t]} and {indptr[t + 1]} in row {t}"
        )
    if int(indptr[-1]) != len(indices):
        raise ValueError(
            f"indptr must end with {len(indices)}, the length of indices, got {indptr[-1]}"
        )
    if len(indices):
        least, most = int(indices.min()), int(indices.max())
        if least < 0 or most >= d:
            raise ValueError(f"indices must be in [0, {d - 1}], got {least if least < 0 else most}")


def _sizes(shape: Any) -> tuple[int, int]:
    """The numbers of rows and of columns of a shape, which may be an array."""
    sizes = np.asarray(shape)
    if sizes.shape != (2,) or sizes.dtype.kind not in "iu":
        raise ValueError(f"shape must be two whole numbers, got {shape!r}")
    n, d = int(sizes[0]), int(sizes[1])
    if n < 0 or not 0 <= d <= MOST_FEATURES:
        raise ValueError(
            f"shape must be at least 0 rows of 0 to {MOST_FEATURES} columns, got ({n}, {d})"
        )
    return n, d


def _check_vector(name: str, array: Any, kinds: str) -> None:
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in kinds:
        wanted = "whole numbers" if kinds == "iu" else "real numbers"
        dtype, size = getattr(array, "dtype", type(array).__name__), np.shape(array)
        raise ValueError(f"{name} must be a one-dimensional array of {wanted}, got {dtype} {size}")
