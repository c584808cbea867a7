"""The contents of a saved AdaBoostMH: facts (JSON), and arrays of pulls and of the ensemble.

What a file says is checked before it is used: it may be damaged, or made to do harm.
"""

from dataclasses import fields
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import onearm
from onearm.core.sparse_check import check_csr
from onearm.mh.categories import Categories
from onearm.mh.ensemble import make
from onearm.mh.settings import Settings, plain
from onearm.mh.subsets import CATEGORIES

FACTS = {
    "parameters", "classes", "columns", "multilabel", "names", "shared", "ensemble", "vote_scale",
    "categories", "runs",
}  # fmt: skip
# Facts and parameters that files did not always have, as they were.
ADDED: dict[str, Any] = {"vote_scale": None, "categories": [], "runs": 1}
ADDED_PARAMETERS = {
    "calibrate": False, "categorical_features": None, "class_weight": None, "max_rounds": 1000,
}  # fmt: skip
PULLS = ("pulled", "pulled_at", "stages")  # data, indices and indptr of pulls_by_stage_


def contents(model: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the facts and the arrays of a fitted classifier; training state is left out."""
    given = vars(Settings.of(model)) | {"random_state": None}
    if isinstance(given["class_weight"], dict):
        given["class_weight"] = [
            [plain(label), plain(w)] for label, w in given["class_weight"].items()
        ]
    facts = {
        "parameters": given, "categories": [[j, v] for j, v in model.categories_.items()],
        "classes": model.classes_.tolist(), "columns": model.n_features_in_,
        "multilabel": model.multilabel_, "names": model._names(), "shared": model.shared_,
        "ensemble": [model.ensemble_.kind, model.ensemble_.size],
        "vote_scale": model.vote_scale_, "runs": model.n_runs_,
    }  # fmt: skip
    pulls = model.pulls_by_stage_
    arrays = zip(PULLS, (pulls.data, pulls.indices, pulls.indptr), strict=True)
    return facts, dict(arrays) | model.ensemble_.arrays()


def restored(cls: Any, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> Any:
    """Return a classifier from its contents; ValueError if they are unsound."""
    facts = ADDED | facts
    require_facts(facts)
    names, given = [field.name for field in fields(Settings)], facts["parameters"]
    given = ADDED_PARAMETERS | given if isinstance(given, dict) else given
    if not isinstance(given, dict) or sorted(given) != sorted(names):
        raise ValueError(f"the parameters of {cls.__name__} must be {', '.join(names)}")
    if isinstance(given["class_weight"], list):
        given = given | {"class_weight": _pairs(given["class_weight"], "class_weight")}
    model = cls(**vars(Settings(**given)))
    model.classes_, model.shared_ = np.array(facts["classes"]), facts["shared"]
    d, model.n_runs_ = facts["columns"], facts["runs"]
    model.n_features_in_ = d
    model.multilabel_, model.vote_scale_ = facts["multilabel"], facts["vote_scale"]
    if facts["names"]:
        model.feature_names_in_ = np.array(facts["names"], object)
    if not arrays.keys() >= set(PULLS):
        raise ValueError("the saved arrays pulled, pulled_at and stages are missing")
    model.pulls_by_stage_ = _pulls(d, *(arrays.pop(name) for name in PULLS))
    model.categories_ = categories_of(facts["categories"], d)
    model.ensemble_ = make(facts["ensemble"], len(model.classes_))
    arrays.setdefault("subset", np.zeros_like(arrays.get("threshold", 0.0), np.int64))  # as it was
    model.ensemble_.restore(arrays, d)
    of_categories = np.isin(model.ensemble_.column, list(model.categories_))
    if (model.ensemble_.subset[~of_categories] != 0).any():
        raise ValueError("saved array subset of AdaBoostMH must be 0 except for categories")
    return model


def categories_of(saved: Any, d: int) -> Categories:
    """Return the categories of columns; refuse values that no column can have."""
    categories = _pairs(saved, "categories")
    for j, values in categories.items():
        if type(j) is not int or not 0 <= j < d:
            raise ValueError(f"categories must be of the {d} columns, got {j!r}")
        sound = _all(values, str) or (_all(values, float) and np.isfinite(values).all())
        if not sound or len(set(values)) < len(values) or len(values) >= CATEGORIES:
            allowed = f"fewer than {CATEGORIES} different texts or numbers"
            raise ValueError(f"categories of a column must be {allowed}, got {values!r}")
    return categories


def _pairs(saved: Any, name: str) -> dict[Any, Any]:
    pairs = isinstance(saved, list) and all(isinstance(p, list) and len(p) == 2 for p in saved)
    if not pairs or any(isinstance(key, list | dict) for key, _ in saved):
        raise ValueError(f"{name} must be pairs, got {saved!r}")
    return dict(map(tuple, saved))


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
    if type(facts["runs"]) is not int or facts["runs"] < 1:
        raise ValueError(f"runs must be an integer of at least 1, got {facts['runs']!r}")
    beta = facts["vote_scale"]
    if beta is not None and not (type(beta) is float and 0.0 < beta < np.inf):
        raise ValueError(f"vote_scale must be null or a number above 0, got {beta!r}")
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
