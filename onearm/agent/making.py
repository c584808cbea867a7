"""The parts of an agent, made from what is given or was saved: its schema and its learner."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from onearm.agent.labels import as_names
from onearm.core import saving
from onearm.core.learner import Learner
from onearm.core.old_names import current_arrays, current_class, current_parameters
from onearm.core.parameters import parameters
from onearm.prepare.prepared import learner_for, wants_preparation
from onearm.schema.column import TEXT
from onearm.schema.names import did_you_mean, listed
from onearm.schema.schema import Schema
from onearm.schema.values import shown
from onearm.streams.naming import columns_of

GIVEN = {"n_classes", "n_features", "nominal"}  # parameters that follow from the schema
SAVED = {
    "learner": str, "settings": dict, "schema": str, "feedback": str, "retired": list,
    "version": int, "floors": bool,
}  # fmt: skip


def as_schema(schema: Any) -> Schema:
    """Return a schema that was given as such or as a dict of columns."""
    schema = Schema(schema) if isinstance(schema, Mapping) else schema
    if isinstance(schema, Schema):
        if not schema.columns:
            raise ValueError("schema must have at least one column, got none")
        return schema
    got = "none" if schema is None else f"a {type(schema).__name__}"
    raise ValueError(
        'schema must be a dict, as {"age": "number", "device": "category"}, or an onearm.Schema, '
        f"as Schema.infer(frame) returns, got {got}"
    )


def make_learner(cls: Any, schema: Schema, params: dict[str, Any]) -> Any:
    """Return a new learner for the columns and labels of a schema."""
    require_parameters(cls, params)
    if "interactions" in params:
        given = params["interactions"]
        pairs = [given] if isinstance(given, str) else given
        plain = [column.name for column in schema.columns if column.kind != TEXT]
        params["interactions"] = [columns_of(str(pair), plain) for pair in pairs]  # names alone
    sizes = len(schema.labels), schema.n_features
    return learner_for(cls, *sizes, nominal=schema.nominal, n_words=schema.n_words, **params)


def require_parameters(cls: Any, params: Mapping[str, Any], given: Collection[str] = ()) -> None:
    """Refuse names that no parameter has, or one that is `given` elsewhere."""
    known = {field.name for field in parameters(cls)} - GIVEN
    known |= {"seed", "interactions"} if wants_preparation(cls) else set()
    known -= set(given)
    for name in params.keys() - known:
        allowed, hint = listed(sorted(known), len(known), str), did_you_mean(name, known)
        raise ValueError(f"parameters of {cls.__name__} are {allowed}, got {name!r}{hint}")


def load_learner(
    given: dict[str, Any], saved: dict[str, np.ndarray]
) -> tuple[Any, Schema, bool, dict[str, Any]]:
    """Return learner, schema, whether its floor follows the labels, and the rest that was saved."""
    if given.keys() != SAVED.keys():
        raise ValueError(f"an agent must have {listed(SAVED)}, got {listed(given)}")
    for name, kind in SAVED.items():
        if type(given[name]) is not kind:
            raise ValueError(f"{name} must be a {kind.__name__}, got {shown(given[name])}")
    cls = saving.find_class(current_class(given["learner"]))
    if not issubclass(cls, Learner):
        raise ValueError(f"learner must be a class of learners, got {given['learner']}")
    schema, settings = Schema.from_json(given["schema"]), given["settings"]
    k, retired = len(as_names(schema.labels)), given["retired"]
    if not all(type(n) is int and 0 <= n < k for n in retired) or len(set(retired)) >= k:
        raise ValueError(f"retired must be ids of labels, but not of all, got {shown(retired)}")
    if given["version"] < 0:
        raise ValueError(f"version must be at least 0, got {given['version']}")
    learner = cls.loaded(
        current_parameters(cls.__name__, settings), current_arrays(cls.__name__, saved)
    )
    if (learner.n_classes, learner.n_features) != (k, schema.n_features):
        raise ValueError(
            f"learner must have {k} labels and {schema.n_features} features, as the schema has, "
            f"got {learner.n_classes} and {learner.n_features}"
        )
    if given["floors"] and not hasattr(learner, "floor"):
        raise ValueError(f"floors must be false for a {cls.__name__}, which has no floor")
    return (
        learner,
        schema,
        given["floors"],
        {n: given[n] for n in ("feedback", "retired", "version")},
    )
