"""Parquet: a table whose columns have types. Read with pyarrow, an extra, batch by batch."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from onearm.streams.columns import Columns
from onearm.streams.lines import listed
from onearm.streams.stream import ROWS
from onearm.vectors import LARGEST


class Parquet:
    """A table in a Parquet file."""

    named = True

    def __init__(self, path: Path):
        self.path, self.file = path, path.name
        with _opened(path) as file:
            self.names = tuple(file.schema_arrow.names)
            kinds = dict(zip(self.names, file.schema_arrow.types, strict=True))
        nested = [name for name, kind in kinds.items() if kind.num_fields or "binary" in str(kind)]
        if nested:
            allowed = "numbers, booleans, texts or times"
            raise ValueError(f"{self.file}: columns must be {allowed}, got {listed(nested)}")

    def blocks(self, columns: Columns) -> Iterator[np.ndarray]:
        """Give all rows from the start, as numbers and codes, some at a time."""
        done = 0
        with _opened(self.path) as file:
            if tuple(file.schema_arrow.names) != self.names:
                raise ValueError(f"{self.file} has other columns than when it was first read")
            for batch in file.iter_batches(ROWS):
                X = np.empty((batch.num_rows, len(self.names)))
                for j, column in enumerate(batch.columns):
                    X[:, j] = self._column(j, column, done, columns)
                done += len(X)
                if len(X):
                    yield X

    def _column(self, j: int, column: Any, done: int, columns: Columns) -> np.ndarray:
        from pyarrow import float64, string, types

        kind = column.type
        if types.is_dictionary(kind):
            column, kind = column.dictionary_decode(), kind.value_type
        typed = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
        if j not in columns.codes and (typed or types.is_decimal(kind)):
            values = column.cast(float64(), safe=False).to_numpy(zero_copy_only=False)
            if not (abs(values) > LARGEST).any():
                return values
        texts = ["" if text is None else text for text in column.cast(string()).to_pylist()]
        return columns.encode(j, texts, lambda i: f"row {done + i + 1}")


def _opened(path: Path) -> Any:
    try:
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile
    except ImportError:
        wanted = "Parquet needs pyarrow: pip install 'onearm[parquet]'"
        raise ImportError(f"{path.name}: {wanted}") from None
    try:
        return ParquetFile(path)
    except ArrowInvalid as error:
        raise ValueError(f"{path.name} must be a Parquet file: {error}") from None
