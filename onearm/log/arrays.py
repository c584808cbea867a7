"""Arrays that a log is made of, as users have them: labels by name, contexts as a table."""

from typing import Any

import numpy as np

from onearm.core.inputs import as_rows
from onearm.schema.contexts import as_columns
from onearm.schema.schema import Schema


def label_codes(label: Any, schema: Schema | None) -> Any:
    """Return labels by number; names are looked up in the schema."""
    names = list(label)
    if not names:
        return np.empty(0, np.int64)
    if schema is not None and schema.labels:
        return schema.encode_labels(names) if not _are_codes(names, schema) else names
    if any(isinstance(name, str) for name in names):
        raise ValueError("schema must be given with labels by name: it states their codes")
    return names


def _are_codes(names: list[Any], schema: Schema) -> bool:
    """Whether labels are numbers, where the schema has texts for names."""
    numbers = all(isinstance(name, int | np.integer) for name in names)
    return numbers and not any(isinstance(name, int) for name in schema.labels)


def encoded_rows(X: Any, n: int, schema: Schema | None) -> Any:
    """Return the rows of n events as numbers."""
    if X is None:
        return np.ones((n, 1))
    named = isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], dict)
    if schema is not None and schema.columns and (named or _is_table(X)):
        X = schema.encode_all(X)
    X = X if hasattr(X, "tocsr") else np.asarray(X, np.float64)
    if len(X.shape) != 2 or X.shape[0] != n:
        raise ValueError(f"X must have a row for each of {n} events, got shape {X.shape}")
    if n:
        as_rows(X, X.shape[1], missing=True)
    return X


def _is_table(X: Any) -> bool:
    return not isinstance(X, np.ndarray | list | tuple) and as_columns(X) is not None
