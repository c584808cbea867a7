"""Fetching data sets through scikit-learn, which checks what comes against its checksum.

Files are downloaded into a temporary folder, so that nothing incomplete is found again. The rows
are cached by `datasets`, which makes the files superfluous.
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
    bunch = _download(getattr(datasets, data.fetch["call"]), how, data.name)
    X, labels = bunch.data, bunch.target
    if data.name == "rcv1":
        X, labels = single_topic(X, labels, list(bunch.target_names))
    if X.shape != (data.rows, data.features):
        expected = f"{data.rows} rows of {data.features} features"
        raise ValueError(f"{data.name} must have {expected}, fetched {X.shape[0]} of {X.shape[1]}")
    X, nominal = _columns(X, bunch)
    classes, y = np.unique(_numbers(labels), return_inverse=True)
    names = {"class_names": tuple(map(str, classes))}
    return X, y.astype(np.int64), names | ({"nominal": nominal} if any(nominal) else {})


def _download(call: Any, how: dict[str, Any], name: str) -> Any:
    """Call scikit-learn and show how many bytes were received; their number is not known."""
    cache = user_cache_path("onearm")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fetching-", dir=cache) as folder:
        shown = progress.Progress(
            progress.BarColumn(), f"fetching {name}", Received(Path(folder)),
            progress.TimeElapsedColumn(), console=Console(stderr=True),
        )  # fmt: skip
        shown.add_task(name, total=None)
        with shown:
            try:
                return call(data_home=folder, **how)
            except Exception as error:  # no network, no such answer, or not what was promised
                reason = str(error).rstrip(".")
                raise OSError(f"{type(error).__name__}: {reason}") from error


class Received(progress.ProgressColumn):
    """The number of bytes in a folder."""

    max_refresh = 0.2

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def render(self, task: progress.Task) -> Text:
        size = 0
        with suppress(OSError):  # files are moved meanwhile
            size = sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        return Text(decimal(size))


def _columns(X: Any, bunch: Any) -> tuple[Any, tuple[int, ...]]:
    """Return nominal columns as `read` has them, numbers or else codes, and their sizes."""
    nominal = dict.fromkeys(bunch.get("feature_names", ()), 0)
    for name, values in (bunch.get("categories") or {}).items():
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
    """Return labels as numbers if all are, so that 10 comes after 9."""
    try:
        return np.asarray(labels, float).astype(np.int64)
    except ValueError:
        return np.asarray(labels)


def single_topic(X: Any, topics: Any, names: list[str]) -> tuple[Any, np.ndarray]:
    """Return the rows that have exactly one of the four topics, and which."""
    four = topics[:, [names.index(name) for name in FOUR_TOPICS]].toarray()
    single = four.sum(axis=1) == 1
    return X[single], np.array(FOUR_TOPICS)[four[single].argmax(axis=1)]
