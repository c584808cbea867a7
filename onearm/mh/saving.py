"""AdaBoostMH in a file: its facts (JSON) and arrays, checked before kernels index with them."""

from dataclasses import fields
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import onearm
from onearm.core.sparse_check import check_csr
from onearm.mh import ensemble
from onearm.mh.settings import Settings

FACTS = {"parameters", "classes", "columns", "multilabel", "names", "shared", "ensemble"}
PULLS = ("pulled", "pulled_at", "stages")  # data, indices and indptr of pulls_by_stage_


def contents(model: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the facts and the arrays of a fitted classifier; training state is left out."""
    facts = {
        "parameters": vars(Settings.of(model)) | {"random_state": None},
        "classes": model.classes_.tolist(), "columns": model.n_features_in_,
        "multilabel": model.multilabel_, "names": model._names(), "shared": model.shared_,
        "ensemble": [model.ensemble_.kind, model.ensemble_.size],
    }  # fmt: skip
    pulls = model.pulls_by_stage_
    arrays = zip(PULLS, (pulls.data, pulls.indices, pulls.indptr), strict=True)
    return facts, dict(arrays) | model.ensemble_.arrays()


def restored(cls: Any, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> Any:
    """Return a classifier from its contents; ValueError if they are unsound."""
    require_facts(facts)
    names, given = [field.name for field in fields(Settings)], facts["parameters"]
    if not isinstance(given, dict) or sorted(given) != sorted(names):
        raise ValueError(f"the parameters of {cls.__name__} must be {', '.join(names)}")
    model = cls(**vars(Settings(**given)))
    model.classes_, model.shared_ = np.array(facts["classes"]), facts["shared"]
    d = model.n_features_in_ = facts["columns"]
    model.multilabel_ = facts["multilabel"]
    if facts["names"]:
        model.feature_names_in_ = np.array(facts["names"], object)
    if not arrays.keys() >= set(PULLS):
        raise ValueError("the saved arrays pulled, pulled_at and stages are missing")
    model.pulls_by_stage_ = _pulls(d, *(arrays.pop(name) for name in PULLS))
    model.ensemble_ = ensemble.make(facts["ensemble"], len(model.classes_))
    model.ensemble_.restore(arrays, d)
    return model


def require_facts(facts: dict[str, Any]) -> None:
    """Refuse facts that no classifier can have."""
    if facts.keys() != FACTS:
        raise ValueError(f"a saved AdaBoostMH must have {', '.join(sorted(FACTS))}")
    d, names = facts["columns"], facts["names"]
    most = min(2**31 - 1, onearm.max_bytes // 64)  # several numbers of 8 bytes for each column
    if type(d) is not int or not 1 <= d <= most:
        raise ValueError(f"columns must be an integer in [1, {most}], got {d!r}")
    if not _all(names, str) or len(names) not in (0, d):
        raise ValueError(f"names must be texts, one for each of {d} columns or none, got {names!r}")
    for flag in ("multilabel", "shared"):
        if type(facts[flag]) is not bool:
            raise ValueError(f"{flag} must be true or false, got {facts[flag]!r}")
    classes = facts["classes"]
    same_kind = any(_all(classes, kind) for kind in (str, bool, int, float))
    if not same_kind or len(classes) < 2 or len(set(classes)) < len(classes):
        raise ValueError(
            f"classes must be different texts or numbers, at least two, got {classes!r}"
        )
    if np.array(classes).dtype.kind not in "Ubif" or any(c != c for c in classes):
        raise ValueError(f"classes must be texts or finite numbers of 64 bits, got {classes!r}")


def _all(values: Any, kind: type) -> bool:
    return isinstance(values, list) and all(type(value) is kind for value in values)


def _pulls(d: int, data: np.ndarray, indices: np.ndarray, indptr: np.ndarray) -> csr_array:
    """Return the counts of pulls, a row for each stage; refuse what is no such matrix."""
    shape = max(indptr.size - 1, 0), d
    check_csr(indptr, indices, data, shape)
    if data.dtype.kind not in "iu" or (data < 0).any():
        raise ValueError("saved array pulled of AdaBoostMH must be whole numbers of at least 0")
    return csr_array((data, indices, indptr), shape=shape)
