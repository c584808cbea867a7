"""Examples in chunks: what the user gave, cut into pieces that are converted one at a time."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from onearm.core.inputs import as_array, as_rows

CHUNK = 2**22  # numbers converted at a time


def chunks(X: Any, y: Any = None, dense: bool = False) -> Iterator[tuple[Any, Any]]:
    """Yield pieces (X, y) of a matrix or of an object with `chunks()`; `dense` if wanted."""
    pieces = _of_stream(X, y) if hasattr(X, "chunks") else _of_matrix(X, y)
    for some, targets in pieces:
        if not (dense and hasattr(some, "tocsr")):
            yield some, targets
            continue
        starts, indices, values = as_rows(some, some.shape[1], missing=True)
        for part in _slices(some.shape):
            ends = starts[part.start : part.stop + 1]
            stored = slice(ends[0], ends[-1])
            full = np.zeros((len(ends) - 1, some.shape[1]))
            full[np.repeat(np.arange(len(full)), np.diff(ends)), indices[stored]] = values[stored]
            yield full, None if targets is None else targets[part]


def _of_stream(X: Any, y: Any) -> Iterator[tuple[Any, Any]]:
    if y is not None:
        raise ValueError("y must not be given beside a Stream: it has its own")
    for pair in X.chunks() or ():
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(f"a stream must give pairs (X, y), got {type(pair).__name__}")
        yield _matrix(pair[0], "X of a stream"), pair[1]


def _of_matrix(X: Any, y: Any) -> Iterator[tuple[Any, Any]]:
    X = _matrix(X, "X")
    if y is not None and np.shape(y)[:1] != X.shape[:1]:
        wanted = f"one label or number for each of {X.shape[0]} rows"
        raise ValueError(f"y must have {wanted}, got {np.shape(y)}")
    if is_read_once(X):
        yield X, y
        return
    y = None if y is None else np.asarray(y)
    for part in _slices(X.shape):
        yield X[part], None if y is None else y[part]


def _matrix(X: Any, what: str) -> Any:
    X = X if hasattr(X, "shape") else as_array(X, np.float64, "X")
    if len(X.shape) != 2:
        raise ValueError(f"{what} must have two dimensions, got shape {X.shape}")
    return X


def _slices(shape: tuple[int, ...]) -> Iterator[slice]:
    rows = max(1, CHUNK // max(1, shape[1]))
    return (slice(start, start + rows) for start in range(0, shape[0], rows))


def is_read_once(X: Any, dense: bool = False) -> bool:
    """Whether X is small, ready as it is, or not in memory: others are checked before their use."""
    if hasattr(X, "chunks"):
        return not getattr(X, "in_memory", False)
    if len(np.shape(X)) != 2 or np.prod(np.shape(X)) <= CHUNK:
        return True
    if hasattr(X, "tocsr"):
        return not dense
    return isinstance(X, np.ndarray) and X.dtype == np.float64 and X.flags.carray
