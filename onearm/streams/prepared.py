"""Streams of rows as `Prepared` makes them, for learners of other packages.

Every row is prepared with the moments of the rows before it, as in a run that answers at once.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from onearm.core.inputs import Rows, as_rows, count, row_of
from onearm.core.kernels import kernel
from onearm.core.vectors import row
from onearm.prepare.prepared import Prepared
from onearm.prepare.rows import note, prepare_dense, prepare_sparse
from onearm.streams.chunks import Chunks
from onearm.streams.stream import Stream


def prepared(stream: Stream) -> Stream:
    """Return the stream with its rows prepared online.

    >>> rows = prepared(Stream.of([[0.0, 2.0], [1.0, 4.0], [0.0, 5.0]], [0, 1, 0], nominal=(2, 0)))
    >>> rows.arrays()[0].round(3)
    array([[0.816, 0.   , 0.   , 0.577],
           [0.   , 0.816, 0.   , 0.577],
           [0.535, 0.   , 0.756, 0.378]])
    """
    given: dict[str, Any] = {"nominal": stream.nominal, "n_words": stream.n_words}
    first = Prepared(2, stream.n_features, **given)
    prepare = _sparse if first.sparse else _dense

    def source() -> Chunks:
        columns, *_ = Prepared(**first.params()).model()
        for X, y in stream.chunks():
            rows = as_rows(X, stream.n_features, missing=True)
            yield prepare(rows, first.n_inputs, columns), y

    forgotten: dict[str, Any] = {
        "nominal": (),
        "feature_names": (),
        "values": (),
        "encoded_by": None,
        "has_words": False,
    }
    return replace(stream, source=source, n_features=first.n_inputs, **forgotten)


def filled(stream: Stream) -> Stream:
    """Return the stream with 0 for missing values."""
    fill = lambda X: X if hasattr(X, "tocsr") else np.nan_to_num(X)  # noqa: E731 as clear
    return replace(stream, source=lambda: ((fill(X), y) for X, y in stream.chunks()))


def _dense(rows: Rows, width: int, columns: tuple) -> np.ndarray:
    out = np.empty((count(rows), width))
    _prepare_all(rows, out, *columns)
    return out


@kernel
def _prepare_all(X, out, moments, rounds, layout):
    for t in range(len(out)):
        z = prepare_dense(row(X, t), moments, rounds, layout)
        for j in range(len(z)):
            out[t, j] = z[j]
        note(row(X, t), moments, rounds, layout)


def _sparse(rows: Rows, width: int, columns: tuple) -> Any:
    from scipy.sparse import csr_array

    made = []
    for t in range(count(rows)):
        made.append(prepare_sparse(row_of(rows, t), *columns))
        note(row_of(rows, t), *columns)
    ends = np.cumsum([0, *(len(at) for at, _ in made)]).astype(np.int32)
    at, values = (np.concatenate(parts) for parts in zip(*made, strict=True))
    return csr_array((values, at, ends), shape=(len(made), width))
