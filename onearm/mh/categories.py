"""Columns of categories: which they are, and the codes of their values.

Codes 1, 2, … are those of the most frequent values, at most 62. Code 0 is a value that is missing,
rarer than these, or was not seen by `fit`. Columns may hold texts, numbers, or whatever pandas and
polars call categories.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.utils import check_array, check_X_y
from sklearn.utils.validation import validate_data

from onearm.mh.subsets import CATEGORIES
from onearm.schema.values import is_missing

CHECKS = {"accept_sparse": ("csr", "csc"), "dtype": float, "ensure_all_finite": "allow-nan"}
BYTES = [np.float64, np.uint8]  # types of dense rows that stay as they are
FROM_DTYPE = "from_dtype"
ALLOWED = "None, 'from_dtype', or a list of column numbers, of names or of True and False"
TEXTS, NUMBERS = {str, type(None)}, {int, float, type(None)}  # types without special cases
Categories = dict[int, list[Any]]  # by column: its values in the order of their codes


def listed(given: Any) -> Any:
    """Return `categorical_features` as None, "from_dtype" or a list, or refuse it."""
    if given is None or (isinstance(given, str) and given == FROM_DTYPE):
        return given
    plain = given.tolist() if isinstance(given, np.ndarray) else given
    kinds = {type(v) for v in plain} if isinstance(plain, list | tuple) else {None}
    if not kinds <= {int} and not kinds <= {str} and not kinds <= {bool}:
        raise ValueError(f"categorical_features must be {ALLOWED}, got {given!r}")
    return list(plain)


def chosen_columns(X: Any, given: Any) -> list[int]:
    """Return the columns of categories among those of X."""
    frame = as_frame(X)
    if given is None or (given == FROM_DTYPE and frame is None):
        return []
    if given == FROM_DTYPE:
        return [j for j, s in enumerate(frame.iter_columns()) if has_texts(s)]
    if hasattr(X, "tocsr"):
        raise ValueError(
            f"categorical_features must be None or 'from_dtype' where X is sparse, got {given!r}"
        )
    d = np.shape(X)[1] if np.ndim(X) == 2 or frame is not None else 0
    names = list(frame.columns) if frame is not None else []
    if given and isinstance(given[0], bool) and len(given) == d:
        return np.flatnonzero(given).tolist()
    numbers = [names.index(v) if v in names else v for v in given]
    wrong = [v for v in numbers if isinstance(v, str | bool) or not 0 <= v < d]
    if wrong:
        raise ValueError(f"categorical_features must be of the {d} columns of X, got {wrong[0]!r}")
    return sorted(set(numbers))


def has_texts(s: Any) -> bool:
    """Whether a column of a frame has categories or texts."""
    if isinstance(s.dtype, nw.Object):
        return any(isinstance(v, str) for v in s.to_list())
    return isinstance(s.dtype, nw.Categorical | nw.Enum | nw.String)


def as_frame(X: Any) -> Any:
    """Return a frame of pandas, polars or another as one of Narwhals, None for anything else."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def checked_data(model: Any, X: Any, *y: Any, reset: bool = True, **options: Any) -> Any:
    """Return rows, and labels if given, as scikit-learn checks them; values may be missing.

    Columns of categories become codes; when `reset`, they are found by the model's parameter
    `categorical_features`, and stored as `categories_`.
    """
    if reset:
        columns = chosen_columns(X, listed(model.categorical_features))
        values = {j: column_values(X, j) for j in columns}
        model.categories_ = {j: most_frequent(v) for j, v in values.items()}
    with np.errstate(invalid="ignore"):  # it sums values that may be huge
        if not model.categories_:
            checks = CHECKS if hasattr(X, "tocsr") else CHECKS | {"dtype": BYTES}
            return validate_data(model, X, *y, reset=reset, **checks, **options)
        validate_data(model, X, skip_check_array=True, reset=reset)  # names and number of columns
        codes = encoded(X, model.categories_)
        return check_X_y(codes, *y, **CHECKS, **options) if y else check_array(codes, **CHECKS)


def column_values(X: Any, j: int, known: Sequence[Any] = ()) -> np.ndarray:
    """Return a column as numbers, or as texts if it has any; missing ones are NaN or None.

    With `known` values it has texts or numbers as these, whatever the other rows have.
    """
    frame, of_texts = as_frame(X), bool(known) and isinstance(known[0], str)
    if frame is not None:
        s = frame[:, j]
        if not of_texts and (s.dtype.is_numeric() or isinstance(s.dtype, nw.Boolean)):
            return finite(s.cast(nw.Float64).to_numpy().astype(float))
        x = np.array(s.to_list(), object)
    else:
        x = X[:, j] if isinstance(X, np.ndarray) else np.asarray(X, object)[:, j]
    if x.dtype.kind in "biuf" and not of_texts:
        return finite(x.astype(float))
    values = x.tolist()
    kinds = set(map(type, values))
    if kinds <= NUMBERS and not of_texts:
        return finite(np.array(values, float))
    if kinds <= TEXTS and str in kinds and (of_texts or not known):
        return np.array(values, object)
    values = [None if is_missing(v) else v for v in values]
    are_numbers = [v is None or isinstance(v, int | float) for v in values]
    if all(are_numbers) if not known else not of_texts:
        pairs = zip(values, are_numbers, strict=True)
        return finite(np.array([v if is_number else None for v, is_number in pairs], float))
    return np.array([None if v is None else str(v) for v in values], object)


def finite(x: np.ndarray) -> np.ndarray:
    if np.isinf(x).any():
        raise ValueError("categories of X must be finite, got inf")
    return x


def known_values(values: np.ndarray) -> np.ndarray:
    """Return which values are not missing."""
    return values != None if values.dtype == object else ~np.isnan(values)  # noqa: E711 by element


def most_frequent(values: np.ndarray) -> list[Any]:
    """Return the values that get codes, the most frequent first."""
    counts = Counter(values[known_values(values)].tolist())
    return sorted(counts, key=lambda v: (-counts[v], v))[: CATEGORIES - 1]


def encoded(X: Any, categories: Categories) -> np.ndarray:
    """Return X as numbers, with codes in the columns of categories."""
    if hasattr(X, "tocsr"):
        raise ValueError("X must be dense, as in fit: it has columns of categories, got sparse X")
    frame = as_frame(X)
    rows = np.asarray(X, object) if frame is None and not isinstance(X, np.ndarray) else X
    n, d = np.shape(rows)
    codes = np.empty((n, d))
    for j in range(d):
        if j in categories:
            codes[:, j] = codes_of(column_values(rows, j, categories[j]), categories[j])
        elif frame is None:
            codes[:, j] = rows[:, j]
        else:
            codes[:, j] = numbers(frame[:, j])
    return codes


def numbers(s: Any) -> np.ndarray:
    """Return a column of a frame as floats; ValueError if it has texts."""
    if not (s.dtype.is_numeric() or isinstance(s.dtype, nw.Boolean)):
        raise ValueError(
            f"columns of X must be numbers or listed in categorical_features, got {s.name!r} "
            f"of type {s.dtype}"
        )
    return s.cast(nw.Float64).to_numpy()


def codes_of(values: np.ndarray, known: list[Any]) -> np.ndarray:
    """Return the code of each value."""
    table = {value: code for code, value in enumerate(known, 1)}
    return np.array([table.get(v, 0) for v in values.tolist()], float)
