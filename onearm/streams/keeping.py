"""Rows of data sets, kept as arrays in the user's cache folder: what is read or fetched once."""

import json
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

DTYPES = (np.uint8, np.int16, np.int32, np.float32)
Rows = tuple[Any, np.ndarray, dict[str, Any]]  # X, y, and what a Stream tells of them
DAMAGED = (OSError, ValueError, KeyError, EOFError)  # what reading kept rows may raise


def place(name: str) -> Path:
    return user_cache_path("onearm") / "arrays" / name


def kept(name: str, make: Callable[[], Rows]) -> Rows:
    """Return the rows that were kept under this name, or make them and keep them if possible."""
    folder = place(name)
    if folder.is_dir():
        try:
            return _held(folder)
        except DAMAGED:
            shutil.rmtree(folder, ignore_errors=True)
    rows = make()
    try:
        _keep(rows, folder)
        return _held(folder)
    except DAMAGED:  # there is no room, or no folder that can be written to
        return rows


def _keep(rows: Rows, folder: Path) -> None:
    X, y, told = rows
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as made:
        new = Path(made)
        parts = {"X": X} if isinstance(X, np.ndarray) else {
            "data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)
        }  # fmt: skip
        for part, array in (parts | {"y": y}).items():
            np.save(new / f"{part}.npy", narrow(array))
        (new / "told.json").write_text(json.dumps(told))
        with suppress(OSError):  # another process was faster
            new.rename(folder)


def _held(folder: Path) -> Rows:
    arrays = {path.stem: np.load(path, mmap_mode="r") for path in folder.glob("*.npy")}
    X = arrays.get("X")
    if X is None:
        from scipy.sparse import csr_array

        rows = (arrays["data"], arrays["indices"], arrays["indptr"])
        X = csr_array(rows, shape=tuple(int(size) for size in arrays["shape"]))
    return X, np.asarray(arrays["y"]), json.loads((folder / "told.json").read_text())


def narrow(array: np.ndarray) -> np.ndarray:
    """Return the same numbers in the smallest type that holds them all.

    >>> narrow(np.array([0.0, 255.0])).dtype, narrow(np.array([0.1])).dtype
    (dtype('uint8'), dtype('float64'))
    """
    with np.errstate(invalid="ignore", over="ignore"):
        for kind in DTYPES:
            small = array.astype(kind)
            if np.array_equal(small, array, equal_nan=array.dtype.kind == "f"):
                return small
    return array
