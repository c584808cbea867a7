"""What a fit is given: rows with labels and weights, and what a warm start compares them by."""

from hashlib import blake2b
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from onearm.mh.binning import iterate_columns
from onearm.mh.settings import Settings
from onearm.mh.weights import relative_weights

CHANGEABLE = ("n_rounds", "n_jobs", "verbose")  # between two fits of a warm start


def floating(dtype: Any) -> np.dtype:
    """Return a type of results; ValueError if it is neither of the two."""
    if dtype not in (np.float64, np.float32, "float64", "float32"):
        raise ValueError(f"dtype must be np.float64 or np.float32, got {dtype!r}")
    return np.dtype(dtype)


def with_weight(
    X: Any, y: Any, sample_weight: Any, class_weight: Any
) -> tuple[Any, Any, np.ndarray]:
    """Return the rows whose weight is above 0, their labels, and the weights free of scale."""
    w = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if class_weight is not None:
        w = w * weight_of_labels(y, w, class_weight)
    if (w < 0).any() or not w.any():
        raise ValueError(f"sample_weight must be at least 0, and not all 0, got {w.min()}")
    heavy = w > 0
    if not heavy.all():
        X, y, w = X[heavy], y[heavy], w[heavy]
    return X, y, relative_weights(w)


def weight_of_labels(y: Any, w: np.ndarray, class_weight: Any) -> np.ndarray:
    """Return the factor of each row by its label; "balanced" makes the sums over labels equal."""
    if np.ndim(y) == 2 and y.shape[1] > 1:
        raise ValueError(
            f"class_weight must be None for several labels a row, got {class_weight!r}"
        )
    classes, number = np.unique(column_or_1d(y), return_inverse=True)
    if class_weight == "balanced":
        sums = np.bincount(number, w)
        return (w.sum() / np.where(sums > 0.0, sums, np.inf))[number]
    wrong = [label for label in class_weight if label not in classes.tolist()]
    if wrong:
        raise ValueError(
            f"class_weight must be of labels of y, {classes.tolist()}, got {wrong[0]!r}"
        )
    return np.array([class_weight.get(label, 1.0) for label in classes.tolist()])[number]


def label_matrix(y: Any) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return whether each row has each label, the labels, and whether a row may have several."""
    y = y.toarray() if hasattr(y, "toarray") else y
    if y.ndim == 2 and y.shape[1] > 1:
        wrong = y[(y != 0) & (y != 1)]
        if len(wrong):
            raise ValueError(
                "y must be 0 or 1 everywhere if it has several columns, one for each label, got "
                f"{wrong.tolist()[0]!r}; several outputs with their own classes need a model each"
            )
        return y == 1, np.arange(y.shape[1]), True
    check_classification_targets(y)
    y = column_or_1d(y, warn=True)
    classes = unique_labels(y)
    if len(classes) < 2:
        raise ValueError(f"y must have two classes at least, got one class: {y[0]!r}")
    return y[:, None] == classes, classes, False


def fingerprint(
    X: Any, names: list[Any], labels: tuple, sample_weight: np.ndarray, settings: Settings
) -> dict[str, Any]:
    """Return what a fit starts from, so that a warm start resumes with the same inputs only.

    Of parameters their values, except for those that may change. Rows are not stored: digests show
    whether they are the same, dense or sparse. `labels` as `label_matrix` returns them.
    """
    positive, classes, multilabel = labels
    columns = (np.where(np.isnan(x), np.nan, x + 0.0) for x in iterate_columns(X))  # no -0.0
    fixed = {name: value for name, value in vars(settings).items() if name not in CHANGEABLE}
    return fixed | {
        "X": _digest([*names, X.shape], *columns),
        "y": _digest([classes.tolist(), multilabel], np.packbits(positive)),
        "sample_weight": _digest([], sample_weight),
    }


def require_same(last: dict[str, Any], new: dict[str, Any]) -> None:
    """Raise ValueError if a fit with a new fingerprint cannot resume the last one."""
    for name, value in new.items():
        if value != last[name]:
            is_data = name in ("X", "y", "sample_weight")
            same, got = ("the same", "others") if is_data else (f"{last[name]!r},", repr(value))
            raise ValueError(
                f"{name} must be {same} as in the fit that warm_start continues, got {got}; "
                "set warm_start=False, or fit a clone, to start again"
            )


def _digest(facts: list[Any], *arrays: np.ndarray) -> str:
    h = blake2b(repr(facts).encode(), digest_size=16)
    for array in arrays:
        h.update(np.ascontiguousarray(array).data)
    return h.hexdigest()
