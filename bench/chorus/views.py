"""Views of a stream: its rows as a kind of learner needs them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from onearm.streams.stream import Stream

WIDE = 4096  # values of nominal columns: with more, rows are sparse, since most values are 0


def view(kind: str, stream: Stream) -> Callable[[Stream], Stream]:
    """Return the function that prepares rows, fitted on one stream, for streams like it.

    "linear" is what `linear` does, "filled" puts 0 in the place of missing values, and "raw"
    changes nothing.
    """
    if kind == "linear":
        return _linear_view(stream)
    if kind == "filled":
        return lambda other: _map(other, _filled)
    return lambda other: other


def linear(stream: Stream) -> Stream:
    """Return the stream with every row scaled to norm 1.

    Before that, dense rows are prepared: nominal columns are one-hot encoded, a missing value is
    0, numbers are divided by the largest absolute value of their column (which takes a pass over
    all rows, but no labels), and a constant is added.

    >>> linear(Stream.of([[0.0, 2.0], [1.0, 4.0]], [0, 1], nominal=(2, 0))).arrays()[0].round(3)
    array([[0.667, 0.   , 0.333, 0.667],
           [0.   , 0.577, 0.577, 0.577]])
    """
    return view("linear", stream)(stream)


def _linear_view(stream: Stream) -> Callable[[Stream], Stream]:
    first = next(stream.chunks())[0]
    if hasattr(first, "tocsr"):
        return lambda other: _map(other, unit)
    nominal = np.array(stream.nominal or (0,) * stream.n_features)
    largest = np.zeros(stream.n_features)
    for X, _ in stream.chunks():
        largest = np.fmax(largest, np.fmax.reduce(np.abs(np.asarray(X, float)), axis=0))
    largest[largest == 0] = 1.0

    d = int(nominal.sum() + (nominal == 0).sum()) + 1
    wide = nominal.sum() > WIDE
    one_hot: Any = _sparse_one_hot if wide else _one_hot
    stack: Any = _sparse_stack if wide else np.hstack

    def spread(X: np.ndarray) -> Any:
        numbers = np.nan_to_num(X[:, nominal == 0] / largest[nominal == 0])
        values = [one_hot(X[:, j], nominal[j]) for j in np.flatnonzero(nominal)]
        return unit(stack([*values, numbers, np.ones((len(X), 1))]))

    changes = {"n_features": d, "nominal": (), "feature_names": _spread_names(stream), "values": ()}
    changes["encoded_by"] = None
    return lambda other: _map(other, spread, **changes)


def _spread_names(stream: Stream) -> tuple[str, ...]:
    """Return the names of the columns that `linear` makes, where they are known."""
    names, sizes = stream.feature_names, stream.nominal or (0,) * stream.n_features
    values = stream.values or ((),) * stream.n_features
    if not names or tuple(map(len, values)) != sizes:
        return ()
    spread = [f"{names[j]}={value}" for j, some in enumerate(values) for value in some]
    return (*spread, *(name for name, size in zip(names, sizes, strict=True) if not size), "1")


def _one_hot(column: np.ndarray, n: int) -> np.ndarray:
    """Return the one-hot encoding of a column of n codes."""
    return column[:, None] == np.arange(n)


def _sparse_one_hot(column: np.ndarray, n: int) -> Any:
    from scipy.sparse import csr_array

    known = np.isin(column, np.arange(n))
    codes, ends = column[known].astype(np.int32), np.append(0, np.cumsum(known))
    return csr_array((np.ones(len(codes)), codes, ends.astype(np.int32)), shape=(len(column), n))


def _sparse_stack(parts: list[Any]) -> Any:
    from scipy.sparse import csr_array, hstack

    return hstack([csr_array(part) for part in parts], format="csr")


def unit(X: Any) -> Any:
    """Return the rows scaled to norm 1, except rows of zeros; missing values are 0."""
    if hasattr(X, "tocsr"):
        from scipy.sparse import csr_array

        values = _filled(X).data
        norm = np.sqrt(np.add.reduceat(np.append(values**2, 0.0), X.indptr[:-1]))
        lengths = np.diff(X.indptr)
        scaled = values / np.repeat(np.where((norm > 0) & (lengths > 0), norm, 1.0), lengths)
        return csr_array((scaled, X.indices, X.indptr), shape=X.shape)
    norm = np.sqrt((X**2).sum(axis=1, keepdims=True))
    return X / np.where(norm > 0, norm, 1.0)


def _filled(X: Any) -> Any:
    """Return the rows with 0 for missing values."""
    if isinstance(X, np.ndarray):
        return np.nan_to_num(np.asarray(X, float))
    from scipy.sparse import csr_array

    values = np.asarray(X.data, float)
    values = np.where(np.isnan(values), 0.0, values)
    return csr_array((values, X.indices, X.indptr), shape=X.shape)


def _map(stream: Stream, change: Callable[[Any], Any], **changes: Any) -> Stream:
    """Return the stream with changed rows, and other fields."""
    return replace(stream, source=lambda: ((change(X), y) for X, y in stream.chunks()), **changes)
