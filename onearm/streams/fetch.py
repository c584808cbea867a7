"""Fetching data sets through scikit-learn, which checks what comes against its checksum.

Files come into a folder of their own, which is gone in the end: what was cut off, was wrong or was
half read cannot be found again. The rows are kept by `datasets`, which makes the files superfluous.
"""

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path
from rich import progress
from rich.console import Console
from rich.filesize import decimal
from rich.text import Text

FOUR_TOPICS = ("CCAT", "ECAT", "GCAT", "MCAT")  # of RCV1


def fetched(data: Any) -> tuple[Any, np.ndarray, dict[str, Any]]:
    """Fetch a data set; it must have as many rows as are known."""
    try:
        from sklearn import datasets
    except ImportError:
        need = "scikit-learn fetches it: pip install 'onearm[mh]'"
        raise ImportError(f"{data.name} is not on disk; {need}") from None
    how = {key: value for key, value in data.fetch.items() if key != "call"}
    came = _came(getattr(datasets, data.fetch["call"]), how, data.name)
    X, labels = came.data, came.target
    if data.name == "rcv1":
        X, labels = single_topic(X, labels, list(came.target_names))
    if X.shape != (data.rows, data.features):
        wanted = f"{data.rows} rows of {data.features} features"
        raise ValueError(f"{data.name} must have {wanted}, fetched {X.shape[0]} of {X.shape[1]}")
    X, nominal = _columns(X, came)
    classes, y = np.unique(_numbers(labels), return_inverse=True)
    told = {"class_names": tuple(str(one) for one in classes)}
    return X, y.astype(np.int64), told | ({"nominal": nominal} if any(nominal) else {})


def _came(call: Any, how: dict[str, Any], name: str) -> Any:
    """Call scikit-learn and show how many bytes have come; it does not tell how many there are."""
    cache = user_cache_path("onearm")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fetching-", dir=cache) as folder:
        shown = progress.Progress(
            progress.BarColumn(), f"fetching {name}", Came(Path(folder)),
            progress.TimeElapsedColumn(), console=Console(stderr=True),
        )  # fmt: skip
        shown.add_task(name, total=None)
        with shown:
            try:
                return call(data_home=folder, **how)
            except Exception as error:  # no network, no such answer, or not what was promised
                said = str(error).rstrip(".")
                raise OSError(f"{type(error).__name__}: {said}") from error


class Came(progress.ProgressColumn):
    """How many bytes a folder holds."""

    max_refresh = 0.2

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def render(self, task: progress.Task) -> Text:
        """Return the number of bytes."""
        size = 0
        with suppress(OSError):  # files are moved meanwhile
            size = sum(one.stat().st_size for one in self.folder.rglob("*") if one.is_file())
        return Text(decimal(size))


def _columns(X: Any, came: Any) -> tuple[Any, tuple[int, ...]]:
    """Nominal columns as `read` has them: numbers where all values are, else codes; how many."""
    nominal = dict.fromkeys(came.get("feature_names", ()), 0)
    for name, values in (came.get("categories") or {}).items():
        column = X[:, list(nominal).index(name)]
        try:
            numbers = np.array(values, float)
        except ValueError:
            nominal[name] = len(values)
            continue
        known = ~np.isnan(column)
        column[known] = numbers[column[known].astype(int)]
    return X, tuple(nominal.values())


def _numbers(labels: Any) -> np.ndarray:
    """Labels as numbers if all are, so that 10 comes after 9."""
    try:
        return np.asarray(labels, float).astype(np.int64)
    except ValueError:
        return np.asarray(labels)


def single_topic(X: Any, topics: Any, names: list[str]) -> tuple[Any, np.ndarray]:
    """Return the rows that have exactly one of the four topics, and which."""
    four = topics[:, [names.index(name) for name in FOUR_TOPICS]].toarray()
    one = four.sum(axis=1) == 1
    return X[one], np.array(FOUR_TOPICS)[four[one].argmax(axis=1)]
