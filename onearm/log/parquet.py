"""Parquet: our own columns, or a table whose columns are named.

Our own columns: `x`, a fixed-size list of the encoded numbers, or `indices` and `values` of a
sparse row; `label` and `greedy`, by name; `propensity`; `reward`, null where there is none;
`outcome`; `allowed`, a list of labels, null where all were; `chances`, a list of one number for
each label, null where they are not known; `policy`, `version`, `event_id` and `time`. Columns of
fields that the log does not have are left out. The metadata have the schema, the sizes, the range
of rewards and the kind of feedback. All fields of a log are stored.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from onearm.core.inputs import as_rows
from onearm.log.distributions import is_uniform
from onearm.log.header import MARK, as_header
from onearm.log.log import Log
from onearm.log.passes import Passes
from onearm.log.pieces import ENTRIES, ROWS
from onearm.log.records import Coded, Labels, Records
from onearm.log.reward_range import RewardRange, as_range
from onearm.log.rows import DENSE, SPARSE
from onearm.schema.names import listed
from onearm.schema.schema import Schema
from onearm.schema.values import as_word
from onearm.streams.parquet import batches, opened, readable

FEW = ["label", "greedy", "outcome", "policy"]  # columns of few different words
CONTEXT = {DENSE: ["x"], SPARSE: ["indices", "values"]}
NUMBERS = 2**21  # of the rows of a chunk, 16 MiB
OVERRIDES = {"rewards", "feedback", "name", "chances"}  # options that come before our metadata
NEEDED = ("label", "propensity", "reward")
OPTIONAL = ("outcome", "greedy", "allowed", "chances", "policy", "version", "event_id", "time")


def read_parquet(path: Path, **options: Any) -> Log:
    """Return the log in a file; without our metadata it is a table."""
    metadata = _metadata(path)
    if MARK.encode() in metadata:
        for option in options.keys() - OVERRIDES:
            allowed = f"options of a log that onearm wrote are {listed(sorted(OVERRIDES))}"
            raise TypeError(f"{path.name}: {allowed}, got {option!r}: that is for tables")
        return OwnColumns(path, metadata[MARK.encode()]).log(**options)
    from onearm.log.tables import read_parquet_table

    return read_parquet_table(path, **options)


def _metadata(path: Path) -> dict[bytes, bytes]:
    with opened(path) as file, readable(path.name):
        return file.schema_arrow.metadata or {}


def has_schema(path: Path) -> bool:
    """Whether the file tells columns and labels itself, and is no table."""
    return MARK.encode() in _metadata(path)


class OwnColumns:
    """A file that `write_parquet` wrote."""

    def __init__(self, path: Path, header: bytes) -> None:
        self.path, self.file = path, path.name
        try:
            self.header = as_header(json.loads(header))
            k, self.kind, _ = (self.header[key] for key in ("n_classes", "kind", "n_features"))
            self.context = CONTEXT[self.kind]
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise ValueError(f"{self.file}: the header is damaged: {error}") from None
        self.schema: Schema | None = self.header.get("schema")
        names = self.schema.labels if self.schema else ()
        self.labels = Labels([*names, *range(len(names), k)])
        if len(self.labels) != k:
            raise ValueError(f"{self.file}: {k} labels must have names, got {len(names)}")
        with opened(path) as file, readable(self.file):
            self.columns = file.schema_arrow.names
        missing = [name for name in (*NEEDED, *self.context) if name not in self.columns]
        if missing:
            raise ValueError(f"{self.file}: must have the columns {missing}, got {self.columns}")

    def log(self, **options: Any) -> Log:
        """Return the log, after a first pass over all columns but the contexts."""
        given = {"name": self.file} | self.header | options
        one_right = given["feedback"] == "one_right"
        span = RewardRange(*as_range(given["rewards"]), one_right)
        uniform = is_uniform(given.get("chances"))
        passes = Passes(self.file, self.parts, span, self.labels, "row", is_uniform=uniform)
        passes.first(self.parts_without_contexts)
        return passes.log(given["n_features"], self.schema, given["feedback"], given["name"])

    def parts(self) -> Iterator[Records]:
        """Yield all events, some at a time."""
        return self._parts(self.context)

    def parts_without_contexts(self) -> Iterator[Records]:
        """Yield all events with rows of no numbers."""
        return self._parts([])

    def _parts(self, context: list[str]) -> Iterator[Records]:
        fields = [name for name in (*NEEDED, *OPTIONAL) if name in self.columns]
        rows = chunk_rows(self.header["n_features"] if self.kind == DENSE else 1, len(self.labels))
        few = [name for name in FEW if name in fields]
        options = {"pre_buffer": False, "page_checksum_verification": True}
        with opened(self.path, read_dictionary=few, **options) as file:
            for done, batch in batches(file, self.file, rows, [*fields, *context]):
                with readable(f"{self.file}, after row {done}"):
                    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
                    records = self._records(columns, done, batch.num_rows, bool(context))
                yield records

    def _records(self, columns: dict[str, Any], done: int, n: int, has_x: bool) -> Records:
        given: dict[str, Any] = {name: _texts(columns[name]) for name in FEW if name in columns}
        for name, null in (("propensity", np.nan), ("reward", np.nan), ("version", -1)):
            if name in columns:
                given[name] = _numbers(columns[name], null)
        for name in {"label", "greedy"} & given.keys():
            given[name] = Coded([as_word(word) for word in given[name].words], given[name].places)
        if "allowed" in columns:
            lists = columns["allowed"].to_pylist()
            given["allowed"] = [words and [as_word(word) for word in words] for words in lists]
        if "chances" in columns:
            given["chances"] = _chances(columns["chances"], len(self.labels))
        if "event_id" in columns:
            given["event_id"] = columns["event_id"].to_pylist()
        if "time" in columns:
            given["time"] = _times(columns["time"])
        X = self._rows(columns, n) if has_x else np.empty((n, 0))
        return Records(X, at=range(done + 1, done + n + 1), **given)

    def _rows(self, columns: dict[str, Any], n: int) -> Any:
        d = self.header["n_features"]
        if self.kind == DENSE:
            X = _flat(columns["x"], d).reshape(n, d)
        else:
            from scipy.sparse import csr_array

            starts, indices = _ragged(columns["indices"])
            ends, values = _ragged(columns["values"])
            if not np.array_equal(starts, ends):
                raise ValueError("indices and values must be equally many")
            X = csr_array((values, indices.astype(np.int32), starts), shape=(n, d))
        if n:
            as_rows(X, d, missing=True)
        return X


def chunk_rows(n_features: int, n_classes: int) -> int:
    """How many events a chunk has: fewer where they are wide."""
    return max(1, min(ROWS, NUMBERS // n_features, ENTRIES // n_classes))


def _numbers(column: Any, null: float) -> np.ndarray:
    """Return numbers, with another in the place of null."""
    from pyarrow import float64, int64

    column = column.cast(int64() if null == -1 else float64())
    return (column.fill_null(null) if column.null_count else column).to_numpy()


def _texts(column: Any) -> Coded:
    from pyarrow import int64, string

    column = column if hasattr(column, "dictionary") else column.dictionary_encode()
    places = column.indices.cast(int64()).fill_null(-1).to_numpy()
    return Coded(column.dictionary.cast(string()).to_pylist(), places)


def _times(column: Any) -> np.ndarray:
    from pyarrow import int64, timestamp

    times = column.cast(timestamp("us", "UTC")).cast(int64())
    return times.fill_null(np.iinfo(np.int64).min).to_numpy().view("datetime64[us]")


def _flat(column: Any, d: int) -> np.ndarray:
    """Return the numbers of lists of d, without copying them; a missing one is NaN."""
    if getattr(column.type, "list_size", None) != d or column.null_count:
        raise ValueError(f"x must be lists of {d} numbers, got {column.type}")
    return _numbers(column.flatten(), np.nan)


def _ragged(column: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return where lists begin and end, and their values."""
    if column.null_count:
        raise ValueError("lists must not be null")
    lengths = column.value_lengths().to_numpy()
    values = column.flatten()
    if values.null_count:
        values = values.fill_null(np.nan)
    return np.append(0, np.cumsum(lengths, dtype=np.int64)), values.to_numpy()


def _chances(column: Any, k: int) -> np.ndarray:
    known = column.is_valid().to_numpy(zero_copy_only=False)
    lengths = column.value_lengths().fill_null(k).to_numpy()
    if (lengths != k).any():
        raise ValueError(f"chances must be lists of {k} numbers, got {lengths[lengths != k][0]}")
    p = np.full((len(column), k), np.nan)
    p[known] = _numbers(column.flatten(), np.nan).reshape(-1, k)
    return p
