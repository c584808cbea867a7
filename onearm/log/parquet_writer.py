"""Write a log as Parquet, in our own columns."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from onearm.log.events import OUTCOMES, Events
from onearm.log.header import MARK, header_of
from onearm.log.log import Log
from onearm.log.parquet import CONTEXT, FEW, chunk_rows
from onearm.log.rows import DENSE, SPARSE


def write_parquet(log: Log, path: Path) -> None:
    """Write a log in our own columns, a row group for each chunk."""
    try:
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise ImportError("Parquet needs pyarrow: pip install 'onearm[parquet]'") from None
    writer = None
    try:
        for events in log.chunks():
            table = _table(log, events)
            if writer is None:
                options: Any = {"use_dictionary": FEW, "write_page_checksum": True}
                writer = ParquetWriter(path, table.schema, **options)
            size = chunk_rows(1 if "indices" in table.column_names else log.n_features, 1)
            writer.write_table(table, row_group_size=size)
    finally:
        if writer is not None:
            writer.close()


def _table(log: Log, events: Events) -> Any:
    import pyarrow as pa

    names = pa.array([str(name) for name in log.labels])
    columns = _context(events.X) | {
        "label": _coded(events.label, names),
        "greedy": _coded(events.greedy, names),
        "propensity": pa.array(events.propensity),
        "reward": pa.array(events.reward, from_pandas=True),
        "outcome": _coded(events.outcome, pa.array(OUTCOMES)),
    }
    if events.allowed is not None:
        columns["allowed"] = _allowed(events.allowed, [str(name) for name in log.labels])
    if events.chances is not None:
        known = ~np.isnan(events.chances).all(axis=1)
        columns["chances"] = _lists(events.chances, known)
    for name in ("policy", "event_id"):
        if getattr(events, name) is not None:
            columns[name] = pa.array([text or None for text in getattr(events, name)], pa.string())
    if events.version is not None:
        columns["version"] = pa.array(events.version, mask=events.version == -1)
    if events.time is not None:
        columns["time"] = pa.array(events.time).cast(pa.timestamp("us", "UTC"))
    kind = SPARSE if "indices" in columns else DENSE
    return pa.table(columns, metadata={MARK: json.dumps(header_of(log, kind))})


def _context(X: Any) -> dict[str, Any]:
    import pyarrow as pa

    if not hasattr(X, "tocsr"):
        kind = pa.list_(_never_null(pa.float64()), X.shape[1])
        flat = pa.array(np.ascontiguousarray(X, np.float64).reshape(-1))
        return {"x": pa.FixedSizeListArray.from_arrays(flat, type=kind)}
    starts = pa.array(X.indptr.astype(np.int32))
    kinds = pa.list_(_never_null(pa.int32())), pa.list_(_never_null(pa.float64()))
    parts = pa.array(X.indices.astype(np.int32)), pa.array(X.data.astype(np.float64))
    lists = (pa.ListArray.from_arrays(starts, *part) for part in zip(parts, kinds, strict=True))
    return dict(zip(CONTEXT[SPARSE], lists, strict=True))


def _never_null(kind: Any) -> Any:
    """Return items of a list that are never null: pyarrow reads them in a fifth of the time."""
    import pyarrow as pa

    return pa.field("item", kind, nullable=False)


def _coded(codes: np.ndarray, words: Any) -> Any:
    import pyarrow as pa

    places = pa.array(codes.astype(np.int32), mask=codes.astype(np.int64) < 0)
    return pa.DictionaryArray.from_arrays(places, words).dictionary_decode()


def _lists(values: np.ndarray, known: np.ndarray) -> Any:
    """Return lists of the numbers in each row, null where they are not known."""
    import pyarrow as pa

    starts = np.append(0, np.cumsum(known * values.shape[1])).astype(np.int32)
    flat, kind = pa.array(values[known].reshape(-1)), pa.list_(_never_null(pa.float64()))
    return pa.ListArray.from_arrays(pa.array(starts), flat, kind, mask=pa.array(~known))


def _allowed(mask: np.ndarray, names: list[str]) -> Any:
    import pyarrow as pa

    words = np.array(names, object)
    rows = [None if row.all() else words[row].tolist() for row in mask]
    return pa.array(rows, pa.list_(pa.string()))
