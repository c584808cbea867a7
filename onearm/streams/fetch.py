"""Fetching data sets through scikit-learn, which checks what comes against its checksum."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

FOUR_TOPICS = ("CCAT", "ECAT", "GCAT", "MCAT")  # of RCV1
LOOK = 0.2  # seconds between two looks at how much has come


def fetched(data: Any) -> tuple[Any, np.ndarray, dict[str, Any]]:
    """Fetch a data set; it must have as many rows as are known."""
    try:
        from sklearn import datasets
    except ImportError:
        need = "scikit-learn fetches it: pip install 'onearm[mh]'"
        raise ImportError(f"{data.name} is not on disk; {need}") from None
    home = user_cache_path("onearm") / "fetched"
    home.mkdir(parents=True, exist_ok=True)
    how = {key: value for key, value in data.fetch.items() if key != "call"}
    call = getattr(datasets, data.fetch["call"])
    came = _watched(lambda: call(data_home=str(home), **how), home, data.name)
    X, labels = came.data, came.target
    if data.name == "rcv1":
        X, labels = single_topic(X, labels, list(came.target_names))
    if X.shape != (data.rows, data.features):
        wanted = f"{data.rows} rows of {data.features} features"
        raise ValueError(f"{data.name} must have {wanted}, fetched {X.shape[0]} of {X.shape[1]}")
    classes, y = np.unique(_numbers(labels), return_inverse=True)
    return X, y.astype(np.int64), {"class_names": tuple(str(one) for one in classes)}


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


def _watched(call: Callable[[], Any], folder: Path, name: str) -> Any:
    """Call in a thread, and show how many bytes have come meanwhile."""
    from rich.console import Console
    from rich.progress import DownloadColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = [SpinnerColumn(), TextColumn("fetching {task.description}"), DownloadColumn()]
    before = _size(folder)
    with (
        ThreadPoolExecutor(1) as pool,
        Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as progress,
    ):
        task, asked = progress.add_task(name, total=None), pool.submit(call)
        while not wait([asked], LOOK).done:
            progress.update(task, completed=_size(folder) - before)
        return asked.result()


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
