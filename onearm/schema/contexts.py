"""Contexts and tables as users have them: a context as a mapping, a table as columns by name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

DEEPEST = 20  # levels of nested mappings


def as_mapping(context: Any, names: Sequence[str] = ()) -> Mapping[str, Any]:
    """Return a context as a mapping from names to values; nested ones get names with dots.

    >>> as_mapping({"user": {"age": 31}, "hour": 9}, ["user.age", "hour"])
    {'user.age': 31, 'hour': 9}
    >>> as_mapping((31, 9), ["age", "hour"])
    {'age': 31, 'hour': 9}
    """
    context = _as_plain(context)
    if isinstance(context, Mapping):
        has_all = names and all(name in context for name in names)
        return context if has_all or _is_flat(context) else dict(_flattened(context, "", 1))
    is_row = isinstance(context, tuple | list) or getattr(context, "ndim", 0) == 1
    if names and is_row and len(context) == len(names):
        return dict(zip(names, context, strict=True))
    allowed = f"{len(names)} values in the order of the columns" if names else "a named tuple"
    got = f"{len(context)} values" if is_row else f"a {type(context).__name__}"
    raise ValueError(f"a context must be a dict, a row of a frame or {allowed}, got {got}")


def _as_plain(context: Any) -> Any:
    """Return the mapping that a record, named tuple or row of a frame is; others unchanged."""
    if isinstance(context, Mapping) and not hasattr(context, "as_py"):
        return context
    if isinstance(context, np.void) and context.dtype.names:
        return {name: _as_plain(context[name]) for name in context.dtype.names}
    if hasattr(context, "_asdict"):
        return context._asdict()
    if hasattr(context, "as_py"):  # a row of pyarrow
        return context.as_py()
    if hasattr(context, "to_dict") and getattr(context, "ndim", 0) == 1:  # a Series of pandas
        return context.to_dict()
    columns = as_columns(context) if getattr(context, "shape", ())[:1] == (1,) else None
    return {name: as_list(c)[0] for name, c in columns.items()} if columns else context


def _is_flat(context: Mapping[Any, Any]) -> bool:
    """Whether names are texts and no value is a mapping."""
    kinds = {*map(type, context.values())}
    return {*map(type, context)} == {str} and not any(issubclass(kind, Mapping) for kind in kinds)


def _flattened(context: Mapping[Any, Any], prefix: str, depth: int) -> Iterator[tuple[str, Any]]:
    if depth > DEEPEST:
        raise ValueError(f"a context must have at most {DEEPEST} levels, got more")
    for name, value in context.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{prefix}{name}.", depth + 1)
        else:
            yield f"{prefix}{name}", value


def as_columns(data: Any, names: Sequence[str] = ()) -> dict[str, Any] | None:
    """Return the columns of a table by name, as Series, arrays or lists; None if it is none.

    `names` are those of the columns of an array, which has none.
    """
    if isinstance(data, Mapping):
        return _of_equal_length(_by_name((str(name), _column(c)) for name, c in data.items()))
    if isinstance(data, np.ndarray):
        if data.dtype.names:
            return _by_name(pair for name in data.dtype.names for pair in _fields(name, data[name]))
        if data.ndim != 2 or data.shape[1] != len(names):
            return None
        return dict(zip(names, data.T, strict=True))
    if isinstance(data, list | tuple):
        return None
    import narwhals as nw

    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):  # pyarrow's batches are no frames to narwhals
        return data.to_pydict() if hasattr(data, "to_pydict") else None
    columns = zip(frame.columns, frame.iter_columns(), strict=True)
    return _by_name(pair for name, series in columns for pair in _unnested(str(name), series))


def _column(values: Any) -> Any:
    """Return the values of a column as a list, an array or a Series that narwhals knows."""
    if isinstance(values, list | tuple | np.ndarray | str) or not hasattr(values, "__len__"):
        return values
    if hasattr(values, "to_pylist"):  # an array of pyarrow
        return values.to_pylist()
    if not hasattr(values, "dtype"):  # a range, or another sequence
        return list(values)
    import narwhals as nw

    return nw.from_native(values, series_only=True)


def _by_name(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return columns by name, no two of which may have the same, as 1 and "1" have."""
    columns: dict[str, Any] = {}
    for name, column in pairs:
        if name in columns:
            raise ValueError(f"columns must have different names, got {name!r} twice")
        columns[name] = column
    return columns


def _fields(name: str, column: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Yield a column of records; of one of nested records, theirs with dotted names."""
    for field in column.dtype.names or ():
        yield from _fields(f"{name}.{field}", column[field])
    if not column.dtype.names:
        yield name, column


def _of_equal_length(columns: dict[str, Any]) -> dict[str, Any]:
    """Refuse columns that are single values, or of different lengths."""
    lengths = {len(values) if hasattr(values, "__len__") else -1 for values in columns.values()}
    if len(lengths) > 1 or lengths & {-1} or any(isinstance(v, str) for v in columns.values()):
        raise ValueError("a dict of columns must have equally many values in each, in lists")
    return columns


def _unnested(name: str, series: Any) -> Iterator[tuple[str, Any]]:
    """Yield a column with its name; of a column of records, theirs with dotted names."""
    fields = getattr(series.dtype, "fields", ())
    for field in fields:
        yield from _unnested(f"{name}.{field.name}", series.struct.field(field.name))
    if not fields:
        yield name, series


def as_contexts(data: Any) -> Iterable[Any]:
    """Return what is to be a sequence of contexts if it can be one."""
    if not isinstance(data, Iterable) or isinstance(data, str | bytes) or hasattr(data, "tocsr"):
        raise ValueError(f"data must be a frame, or many contexts, got a {type(data).__name__}")
    return data


def as_floats(column: Any) -> np.ndarray | None:
    """Return a column as numbers if its type says that it has numbers or truth values."""
    if isinstance(column, np.ndarray):
        floats = column.astype(np.float64) if column.dtype.kind in "fiub" else None
        return floats.filled(np.nan) if isinstance(floats, np.ma.MaskedArray) else floats
    if isinstance(column, list | tuple):
        return None
    import narwhals as nw

    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        return column.cast(nw.Float64).to_numpy().astype(np.float64)
    return None


def as_list(column: Any) -> list[Any]:
    """Return the values of a column."""
    if hasattr(column, "to_list"):  # a Series
        return column.to_list()
    if isinstance(column, np.ndarray) and column.dtype.kind not in "mM":  # which get integers
        return column.tolist()
    return list(column)


def is_category(column: Any) -> bool:
    """Whether its type says that a column has categories, even if its values are numbers."""
    return type(getattr(column, "dtype", None)).__name__ in ("Categorical", "Enum")


def table_columns(data: Any) -> dict[str, Any]:
    """Return the columns of a table or of many contexts, with None where a context has none."""
    columns = as_columns(data)
    if columns is None:
        contexts = [as_mapping(context) for context in as_contexts(data)]
        names = dict.fromkeys(name for context in contexts for name in context)
        columns = {name: [context.get(name) for context in contexts] for name in names}
    if not columns or not len(next(iter(columns.values()))):
        raise ValueError("data must have at least one column and one row, got none")
    return columns
