"""Names of a stream as a schema, and a table with its schema as the rows of a stream.

Columns without names are called c0, c1, …, as those of a file without a header; nominal values
without names are their codes. A schema has no columns where nothing is known of any.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from onearm.schema.column import TEXT
from onearm.schema.contexts import as_list, table_columns
from onearm.schema.inference import describe
from onearm.schema.monitor import Monitor
from onearm.schema.names import did_you_mean, listed
from onearm.schema.schema import Schema
from onearm.streams.codes import MISSED


def schema_of(stream: Any) -> Schema | None:
    """Return the columns and labels of a stream by name, or None where nothing is known of them."""
    sizes = stream.nominal or (0,) * len(stream.feature_names)
    names = stream.feature_names or [f"c{j}" for j in range(len(sizes))]
    values = stream.values or [tuple(map(str, range(size))) for size in sizes]
    columns = named_columns(names, values)
    return Schema(columns, stream.class_names) if columns or stream.class_names else None


def named_columns(names: Sequence[str], values: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the forms of columns by name."""
    forms = [[None if value == MISSED else value for value in some] or "number" for some in values]
    return dict(zip(unique_names(names), forms, strict=True))


def unique_names(names: Iterable[str]) -> list[str]:
    """Return names of columns; one that has come before gets the place of its column."""
    seen: dict[str, None] = {}
    for j, name in enumerate(names):
        seen[f"{name} ({j})" if name in seen else name] = None
    return list(seen)


def names_in(schema: Schema) -> dict[str, Any]:
    """Return the fields of a stream that a schema knows; rows with texts have too many columns."""
    is_plain = schema.n_features == len(schema.columns)
    values = tuple(tuple(MISSED if v is None else v for v in c.values) for c in schema.columns)
    is_known = tuple(map(len, values)) == (schema.nominal or (0,) * len(values))
    return {
        "nominal": schema.nominal,
        "feature_names": tuple(column.name for column in schema.columns) if is_plain else (),
        "class_names": tuple(map(str, schema.labels)),
        "values": values if is_plain and is_known else (),
        "encoded_by": schema,
    }


def pairs_of_columns(interactions: Any, stream: Any) -> list[Any]:
    """Return the columns of products, which may be given by names; one text is one product."""
    schema = stream.encoded_by
    names: Sequence[str] = stream.feature_names
    if schema:  # whose numbers and codes come before its words
        names = [column.name for column in schema.columns if column.kind != TEXT]
    given = [interactions] if isinstance(interactions, str) else interactions
    return [columns_of(pair, list(names)) for pair in given]


def columns_of(pair: Any, names: list[str]) -> list[Any]:
    """Return the places of two columns, given as "device*hour" or each by name or place."""
    parts = [part.strip() for part in pair.split("*")] if isinstance(pair, str) else list(pair)
    wrong = any(isinstance(part, str) and part not in names for part in parts)
    if wrong or len(parts) != 2:
        allowed = f'two columns, as "device*hour", of {listed(names) or "those without names"}'
        raise ValueError(f"interactions must be {allowed}, got {pair!r}")
    return [names.index(part) if isinstance(part, str) else part for part in parts]


def encoded_frame(
    frame: Any, label: str | None, schema: Any, log: Callable[[str], Any] | None
) -> tuple[Any, np.ndarray, Schema]:
    """Return rows, labels and the schema, which is inferred if it is not given."""
    columns = table_columns(frame)
    schema = Schema(schema) if isinstance(schema, Mapping) else schema
    label = schema.label if schema and label is None else label
    if label not in columns:
        hint = did_you_mean(label, columns)
        raise ValueError(f"label must be one of {listed(columns)}, got {label!r}{hint}")
    if len(columns) == 1:
        raise ValueError(f"a table must have a column besides the label, got only {label!r}")
    words = as_list(columns[label])
    monitor, given = Monitor(), schema
    schema = _with_labels(schema, label, words) if schema else Schema.infer(columns, label, log)
    y = schema.encode_labels(words)
    if len(schema.labels) < 2:
        wrong = f"must have at least 2 labels, got only {listed(schema.labels)}"
        raise ValueError(f"the label, column {label!r}, {wrong}")
    rows = schema.encode_all(columns, monitor)
    if given:
        for note in monitor.notes():
            warnings.warn(note, stacklevel=3)
        if log:
            log(f"{describe(schema)}; as encoded: {monitor}")
    return rows, y, schema


def _with_labels(schema: Schema, label: str, words: Sequence[Any]) -> Schema:
    """Return a given schema with the labels of a table if it has none."""
    columns = {column.name: column.form for column in schema.columns if column.name != label}
    labels = schema.labels or Schema.infer({label: words}, label).labels
    return Schema(columns, labels, label=label)
