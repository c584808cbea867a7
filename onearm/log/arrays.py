"""Arrays that a log is made of, as users have them: labels by name, contexts as a table."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from onearm.agent.decision import as_decision
from onearm.core.choice import class_name
from onearm.core.inputs import as_rows
from onearm.log.records import MOST_LABELS
from onearm.schema.contexts import as_columns
from onearm.schema.names import listed
from onearm.schema.schema import Schema
from onearm.schema.values import as_word, shown


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


def chance_rows(given: Any, names: Sequence[Any]) -> Any:
    """Return chances as events have them; dicts by label become rows, None one of NaN."""
    if given is None or isinstance(given, str | np.ndarray):
        return given
    rows = list(given)
    if not any(isinstance(row, Mapping) for row in rows):
        return rows
    codes = {as_word(name): code for code, name in enumerate(names)}
    p = np.full((len(rows), max(len(codes), 2)), np.nan)
    for i, row in enumerate(rows):
        unknown = [label for label in row or () if as_word(label) not in codes]
        if unknown:
            wrong = f"chances must be by labels {listed(names)}, got {shown(unknown[0])}"
            raise ValueError(f"event {i}: {wrong}")
        if row is not None:
            p[i] = 0.0
            p[i, [codes[as_word(label)] for label in row]] = list(row.values())
    return p


def decision_fields(decisions: Iterable[Any], schema: Schema) -> dict[str, Any]:
    """Return the fields of a log that an agent's decisions have."""
    chosen = [as_decision(decision) for decision in decisions]
    codes = {name: code for code, name in enumerate(schema.labels)}
    allowed = np.ones((len(chosen), len(codes)), bool)
    for i, decision in enumerate(chosen):
        if decision.among:
            allowed[i] = False
            allowed[i, [codes[name] for name in decision.among]] = True
    return {
        "label": [d.label for d in chosen],
        "propensity": [d.propensity for d in chosen],
        "allowed": allowed,
        "greedy": [None if d.greedy is None else codes[d.greedy] for d in chosen],
        "version": [d.version for d in chosen],
    }


def n_labels(known: dict[str, Any]) -> int:
    """Return the number of labels of distributions or masks, 0 where there are none."""
    k = 0
    for name in ("chances", "allowed"):
        try:
            shape = np.asarray(known.get(name)).shape
        except ValueError:
            what = "a mask of events × labels" if name == "allowed" else "events × labels"
            raise ValueError(f"{name} must be {what}, got rows of different lengths") from None
        k = max(k, shape[1] if len(shape) == 2 else 0)
    return k


def as_n_classes(k: int) -> int:
    """Return a number of labels, at least 2; refuse what would fill the memory."""
    if k > MOST_LABELS:
        raise ValueError(f"there must be at most {MOST_LABELS:,} labels, got {k:,}")
    return max(k, 2)


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
    elif named:
        raise ValueError("schema must be given with contexts by name: it states their columns")
    try:
        X = X if hasattr(X, "tocsr") else np.asarray(X, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"X must be numbers, or what a schema with columns encodes: {error}"
        ) from None
    if len(X.shape) != 2 or X.shape[0] != n:
        raise ValueError(f"X must have a row for each of {n} events, got shape {X.shape}")
    if n:
        as_rows(X, X.shape[1], missing=True)
    return X


def _is_table(X: Any) -> bool:
    return not isinstance(X, np.ndarray | list | tuple) and as_columns(X) is not None


def require_schema(given: Any) -> None:
    """Refuse what is no schema, as an agent that has one."""
    if given is not None and not isinstance(given, Schema):
        hint = ": state its .schema" if isinstance(getattr(given, "schema", None), Schema) else ""
        raise ValueError(f"schema must be a Schema, got {class_name(given)}{hint}")
