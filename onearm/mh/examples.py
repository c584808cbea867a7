"""Examples as they are boosted on: rows with weight, in which units, and which labels they have."""

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from onearm.mh.settings import Settings
from onearm.mh.weights import in_units


def with_weight(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, np.ndarray]:
    """Return the rows whose weight is above 0, their labels, and the weights free of scale."""
    w = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (w < 0).any() or not w.any():
        raise ValueError(f"sample_weight must be at least 0, and not all 0, got {w.min()}")
    heavy = w > 0
    if not heavy.all():
        X, y, w = X[heavy], y[heavy], w[heavy]
    return X, y, in_units(w)


def label_matrix(y: Any) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return whether each row has each label, the labels, and whether a row may have several."""
    y = y.toarray() if hasattr(y, "toarray") else y
    if y.ndim == 2 and y.shape[1] > 1:
        return _several(y), np.arange(y.shape[1]), True
    check_classification_targets(y)
    y = column_or_1d(y, warn=True)
    classes = unique_labels(y)
    if len(classes) < 2:
        raise ValueError(f"y must have two classes at least, got one class: {y[0]!r}")
    return y[:, None] == classes, classes, False


def _several(Y: np.ndarray) -> np.ndarray:
    wrong = Y[(Y != 0) & (Y != 1)]
    if len(wrong):
        raise ValueError(
            "y must be 0 or 1 everywhere if it has several columns, one for each label, got "
            f"{wrong.tolist()[0]!r}; several outputs with classes of their own need a model each"
        )
    return Y == 1


def held_back(X: Any, y: np.ndarray, sample_weight: np.ndarray, settings: Settings) -> tuple:
    """Return the rows to learn from, and those for validation, if any."""
    if settings.validation == 0:
        return (X, y, sample_weight), None
    rng = check_random_state(settings.random_state)
    parts = train_test_split(X, y, sample_weight, test_size=settings.validation, random_state=rng)
    return parts[::2], parts[1::2]
