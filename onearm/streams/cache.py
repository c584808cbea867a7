"""Rows of data sets as arrays in the user's cache folder, so that they are read or fetched once.

Cached files are checked before they are used: their SHA-256, where it was stored, and shapes and
types, since older versions did not store it. What is damaged is made again.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from onearm.core.sparse_check import check_csr

DTYPES = (np.uint8, np.int16, np.int32, np.float32)
Rows = tuple[Any, np.ndarray, dict[str, Any]]  # X, y, and the names that a Stream has
NAMES, DIGESTS = "told.json", "sha256.json"
KEYS = ("feature_names", "nominal", "values", "class_names")  # of NAMES


def cache_folder(name: str) -> Path:
    """Return the folder of the rows that are cached under a name."""
    return user_cache_path("onearm") / "arrays" / name


def cached(name: str, make: Callable[[], Rows], shape: tuple[int, int] | None = None) -> Rows:
    """Return the rows that are cached under this name, or make them and cache them if possible.

    Rows of another `shape` than the known one are made again, too.
    """
    folder = cache_folder(name)
    if folder.is_dir():
        try:
            return _read(folder, shape)
        except Exception:  # whatever reading a damaged file raises
            shutil.rmtree(folder, ignore_errors=True)
    rows = make()
    try:
        _store(rows, folder)
        return _read(folder, None)
    except (OSError, ValueError):  # the disk is full, or the folder is read-only
        return rows


def _store(rows: Rows, folder: Path) -> None:
    X, y, names = rows
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as name:
        new = Path(name)
        parts = {"X": X} if isinstance(X, np.ndarray) else {
            "data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)
        }  # fmt: skip
        for part, array in (parts | {"y": y}).items():
            np.save(new / f"{part}.npy", narrow(array))
        (new / NAMES).write_text(json.dumps(names))
        digests = {path.name: file_digest(path) for path in new.iterdir()}
        (new / DIGESTS).write_text(json.dumps(digests))
        with suppress(OSError):  # another process was faster
            new.rename(folder)


def _read(folder: Path, shape: tuple[int, int] | None) -> Rows:
    """Return the rows of a folder; raise if anything is wrong with them."""
    if (folder / DIGESTS).exists():
        digests = json.loads((folder / DIGESTS).read_text())
        files = [path for path in folder.iterdir() if path.name != DIGESTS]
        if digests != {path.name: file_digest(path) for path in files}:
            raise ValueError(f"{folder} is not what was cached")
    arrays = {path.stem: np.load(path, mmap_mode="r") for path in folder.glob("*.npy")}
    X: Any = arrays.get("X")
    if X is None:
        from scipy.sparse import csr_array

        indptr, indices, data = (arrays[part] for part in ("indptr", "indices", "data"))
        check_csr(indptr, indices, data, arrays["shape"])
        X = csr_array((data, indices, indptr), shape=tuple(arrays["shape"].tolist()))
    y, names = np.asarray(arrays["y"]), json.loads((folder / NAMES).read_text())
    _check(X, y, names, X.shape if shape is None else shape)
    return X, y, names


def _check(X: Any, y: np.ndarray, names: Any, shape: tuple[int, ...]) -> None:
    """Refuse rows of other shapes and types than a data set has."""
    sizes = X.ndim == 2 and X.shape == shape and y.shape == shape[:1]
    if not sizes or X.dtype.kind not in "biuf" or y.dtype.kind not in "biuf":
        raise ValueError(f"rows must be {shape} numbers, got {X.shape} and {y.shape}")
    if not isinstance(names, dict) or not set(names) <= set(KEYS):
        raise ValueError(f"names must have the keys {', '.join(KEYS)}, got {names!r}")
    for key, values in names.items():
        least = y.max(initial=0) + 1 if key == "class_names" else X.shape[1]
        if not isinstance(values, list) or (values and len(values) < least):
            raise ValueError(f"{key} must be a list of at least {least}")
    if names.get("class_names") and (y.dtype.kind not in "iu" or y.min(initial=0) < 0):
        raise ValueError(f"labels must be whole numbers of at least 0, got {y.dtype}")


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
