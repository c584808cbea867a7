"""Policies that are given: probabilities or labels for each event, or a Python function."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from onearm.core.assembly import HIDDEN
from onearm.log.contexts import contexts_of
from onearm.log.events import Events
from onearm.log.log import Log
from onearm.ope.policies import Policy
from onearm.ope.probabilities import allowed_only, certain, codes_of
from onearm.schema.names import listed
from onearm.schema.schema import Schema
from onearm.schema.values import shown


class Column(Policy):
    """Probabilities of all labels (n, k) or of the logged ones (n,); or labels, by code or name."""

    def __init__(self, values: Any, name: str = "column") -> None:
        self.values, self.name = np.asarray(values), name
        kinds = {1: "fiuUO", 2: "fiu"}.get(self.values.ndim, "")
        if self.values.dtype.kind not in kinds:
            allowed = "probabilities (n,) or (n, k), or labels (n,)"
            raise ValueError(f"a column must be {allowed}, got shape {self.values.shape}")
        if self.values.ndim == 2:
            self.values = self.values.astype(np.float64)
        if self.values.dtype.kind == "f" and not ((self.values >= 0) & (self.values <= 1)).all():
            raise ValueError(f"probabilities of {name!r} must be in [0, 1]")

    def start(self, log: Log) -> None:
        n, k = log.start + len(log), log.n_classes
        if self.values.shape not in ((n,), (n, k)):
            raise ValueError(f"{self.name!r} must have {n} events, got shape {self.values.shape}")
        self.k = k
        if self.values.dtype.kind in "UO":
            self.values = codes_of(self.values, [str(name) for name in log.labels])
        if self.values.dtype.kind in "iu" and not ((0 <= self.values) & (self.values < k)).all():
            allowed = f"in [0, {k - 1}], or names of labels"
            raise ValueError(f"labels of {self.name!r} must be {allowed}")
        if self.values.ndim == 2 and (np.abs(self.values.sum(axis=1) - 1) > 1e-6).any():
            raise ValueError(f"probabilities of {self.name!r} must sum up to 1 for each event")

    def chances(self, events: Events, places: np.ndarray) -> np.ndarray:
        some = self.values[places]
        if some.dtype.kind in "iu":
            return certain(some, events, self.k)
        return some if some.ndim == 1 else allowed_only(some, events.allowed)


class Function(Policy):
    """A function of many rows that returns labels (n,), by number or name, or chances (n, k).

    With `by_name` it is one of a single context, a dict of all columns, None where a value is
    missing. It returns a label by name, or chances by label. What the schema does not keep is not
    in it: of a category's unknown value it has "(other)", of what was hashed words such as w57.
    """

    def __init__(
        self, function: Callable[[Any], Any], name: str = "", by_name: bool = False
    ) -> None:
        self.function, self.name = function, name or getattr(function, "__name__", "function")
        self.by_name = by_name

    def start(self, log: Log) -> None:
        self.names, self.k = [str(name) for name in log.labels], log.n_classes
        self.schema = log.schema
        if self.by_name and not (log.schema and log.schema.columns):
            raise ValueError(
                f"{self.name} needs contexts by name: the log has no schema of columns"
            )

    def chances(self, events: Events, places: np.ndarray) -> np.ndarray:
        if self.by_name and self.schema is not None:
            given = self._of_contexts(events, self.schema)
        else:
            given = np.asarray(self._of_rows(events.X))
        if given.shape == (len(events), self.k) and given.dtype.kind == "f":
            if (given >= 0).all() and (np.abs(given.sum(axis=1) - 1) <= 1e-6).all():
                return allowed_only(given, events.allowed)
        elif given.shape == (len(events),):
            labels = given if given.dtype.kind in "iu" else codes_of(given, self.names)
            wrong = (labels < 0) | (labels >= self.k)
            if not wrong.any():
                return certain(labels, events, self.k)
            known = f"labels in [0, {self.k - 1}] or of {listed(self.names)}"
            raise ValueError(f"{self.name} must return {known}, got {given[wrong].tolist()[0]!r}")
        expected = f"{len(events)} labels, or as many rows of {self.k} probabilities"
        raise ValueError(f"{self.name} must return {expected}, got {given.dtype} {given.shape}")

    def _of_rows(self, rows: Any) -> Any:
        """Return what the function makes of rows, or its error with a note on what these are."""
        try:
            return self.function(rows)
        except Exception as error:
            what = f"{self.name} got many encoded rows, an array of shape {rows.shape}"
            error.add_note(
                f"{what}; with ope.Function(f, by_name=True) it gets a context as a dict"
            )
            raise

    def _of_contexts(self, events: Events, schema: Schema) -> np.ndarray:
        """Return the chances of all events, by one call for each."""
        out = np.zeros((len(events), self.k))
        for p, context in zip(out, contexts_of(events.X, schema), strict=True):
            given = self.function(context)
            is_label = not isinstance(given, Mapping)
            codes = codes_of([given] if is_label else list(given), self.names)
            if HIDDEN in codes:
                known = f"labels {listed(self.names)}, or chances by label"
                raise ValueError(f"{self.name} must return one of the {known}, got {shown(given)}")
            p[codes] = 1.0 if is_label else list(given.values())
            if not ((p >= 0).all() and abs(p.sum() - 1) <= 1e-6):
                wrong = "chances of at least 0 that sum up to 1"
                raise ValueError(f"{self.name} must return {wrong}, got {shown(given)}")
        return out
