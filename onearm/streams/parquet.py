"""Parquet: a table whose columns have types. Read with pyarrow, an extra, batch by batch."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from onearm.core.vectors import LARGEST
from onearm.schema.names import listed
from onearm.schema.schema import Schema
from onearm.schema.values import DAY
from onearm.streams.chunks import ROWS
from onearm.streams.columns import Columns
from onearm.streams.naming import unique_names


class Parquet:
    """A table in a Parquet file."""

    named = True

    def __init__(self, path: Path):
        self.path, self.file = path, path.name
        with opened(path) as file, readable(path.name):
            self.names, types = tuple(file.schema_arrow.names), file.schema_arrow.types
        kinds = zip(self.names, types, strict=True)
        nested = [name for name, kind in kinds if kind.num_fields or "binary" in str(kind)]
        if nested:
            allowed = "numbers, booleans, texts or times"
            raise ValueError(f"{self.file}: columns must be {allowed}, got {listed(nested)}")

    def blocks(self, columns: Columns) -> Iterator[np.ndarray]:
        for done, batch in self._batches():
            X = np.empty((batch.num_rows, len(self.names)))
            for j, column in enumerate(batch.columns):
                X[:, j] = self._column(j, column, done, columns)
            yield X

    def frames(self, schema: Schema) -> Iterator[tuple[Any, Callable[[int], str]]]:
        """Yield frames, and the place of each row, for messages."""
        from pyarrow import Table

        for done, batch in self._batches():
            with readable(f"{self.file}, after row {done}"):
                table = Table.from_batches([batch]).rename_columns(unique_names(self.names))
            yield table, partial(_place, self.file, done)

    def _batches(self) -> Iterator[tuple[int, Any]]:
        with opened(self.path) as file:
            if tuple(file.schema_arrow.names) != self.names:
                raise ValueError(f"{self.file} has other columns than when it was first read")
            yield from batches(file, self.file, ROWS)

    def _column(self, j: int, column: Any, done: int, columns: Columns) -> np.ndarray:
        from pyarrow import float64, string, types

        kind, place = column.type, f"{self.file}, column {self.names[j]!r}"
        if types.is_dictionary(kind):
            column, kind = column.dictionary_decode(), kind.value_type
        if j not in columns.codes and types.is_temporal(kind) and not types.is_interval(kind):
            with readable(place):
                return _days(column)
        typed = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
        if j not in columns.codes and (typed or types.is_decimal(kind)):
            with readable(place):
                values = column.cast(float64(), safe=False).to_numpy(zero_copy_only=False)
            if not (abs(values) > LARGEST).any():
                return values
        with readable(place):
            texts = ["" if text is None else text for text in column.cast(string()).to_pylist()]
        return columns.encode(j, texts, lambda i: f"row {done + i + 1}")


def _days(column: Any) -> np.ndarray:
    """Return dates in days since 1970, and times and spans of time in days, as frames have them."""
    from pyarrow import duration, float64, int32, int64, time64, timestamp, types

    kind = column.type
    if types.is_date32(kind):
        return column.cast(int32()).cast(float64()).to_numpy(zero_copy_only=False)
    if types.is_date64(kind) or types.is_timestamp(kind):
        finer: Any = timestamp("us", getattr(kind, "tz", None))
    else:
        finer = duration("us") if types.is_duration(kind) else time64("us")
    counts = column.cast(finer, safe=False).cast(int64()).cast(float64(), safe=False)
    return counts.to_numpy(zero_copy_only=False) / 1e6 / DAY


def _place(file: str, done: int, i: int) -> str:
    return f"{file}, row {done + i + 1}: "


def opened(path: Path, **options: Any) -> Any:
    """Return a Parquet file, with options of pyarrow."""
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        wanted = "Parquet needs pyarrow: pip install 'onearm[parquet]'"
        raise ImportError(f"{path.name}: {wanted}") from None
    with readable(f"{path.name} must be a Parquet file"):
        return ParquetFile(path, **options)


@contextmanager
def readable(place: str) -> Iterator[None]:
    """Turn what pyarrow raises on a damaged file, of whatever type, into a ValueError."""
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) and error.errno:  # of the disk, not of the file
            raise
        wrong = (str(error) or type(error).__name__).splitlines()[0]
        raise ValueError(f"{place}: {wrong}") from None


def batches(
    file: Any, name: str, rows: int, columns: list[str] | None = None
) -> Iterator[tuple[int, Any]]:
    """Yield the rows of an opened file, at most so many at a time, and how many came before."""
    done = 0
    with readable(name):
        left = file.iter_batches(rows, columns=columns)
    while True:
        with readable(f"{name}, after row {done}"):
            batch = next(left, None)
            if batch is None:
                return
            batch.validate(full=True)  # texts, and codes of values: decoding trusts them
        if batch.num_rows:
            yield done, batch
        done += batch.num_rows
