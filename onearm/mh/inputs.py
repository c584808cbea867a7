"""The inputs of a fit: rows and labels as scikit-learn checks them, weights, and a fingerprint."""

from hashlib import blake2b
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_sample_weight, column_or_1d, validate_data

from onearm.mh.binning import iterate_columns
from onearm.mh.settings import CHANGEABLE, Settings
from onearm.mh.weights import relative_weights


def checked(model: Any, *data: Any, **options: Any) -> Any:
    """Return rows, and labels if given, as scikit-learn checks them; values may be missing."""
    options |= {"accept_sparse": ("csr", "csc"), "dtype": float, "ensure_all_finite": "allow-nan"}
    with np.errstate(invalid="ignore"):  # it sums values that may be huge
        return validate_data(model, *data, **options)


def dense(X: Any) -> np.ndarray:
    return np.ascontiguousarray(X.toarray() if hasattr(X, "toarray") else X)


def with_weight(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, np.ndarray]:
    """Return the rows whose weight is above 0, their labels, and the weights free of scale."""
    w = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (w < 0).any() or not w.any():
        raise ValueError(f"sample_weight must be at least 0, and not all 0, got {w.min()}")
    heavy = w > 0
    if not heavy.all():
        X, y, w = X[heavy], y[heavy], w[heavy]
    return X, y, relative_weights(w)


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
    X: Any, names: list[str], labels: tuple, sample_weight: np.ndarray, settings: Settings
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
