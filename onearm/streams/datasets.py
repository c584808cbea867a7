"""Data sets by name: shipped with the package, found in a folder, or fetched.

>>> letter = load("letter")
>>> letter.n_rows, letter.n_features, letter.n_classes
(20000, 16, 26)

The small ones are part of the package. The files of the others are looked for in the folder that
the environment variable ONEARM_DATA names, then in the user's cache folder; what is not there is
fetched through scikit-learn, where that can be done, and kept.
"""

import gzip
import hashlib
import json
import lzma
import os
import shutil
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from onearm.inputs import chunks
from onearm.streams import fetch
from onearm.streams.files import read
from onearm.streams.stream import Stream

__all__ = ["DataSet", "about", "folders", "load", "names", "read"]

SHIPPED = Path(__file__).with_name("data")
LARGE = 2**17  # bytes of a file: what is read from it is kept as arrays
DTYPES = (np.uint8, np.int16, np.int32, np.float32)
Rows = tuple[Any, np.ndarray, dict[str, Any]]  # X, y, and what a Stream tells of them


@dataclass(frozen=True)
class DataSet:
    """What is known of a data set.

    Parameters
    ----------
    name
        What it is called here.
    files
        The names and SHA-256 of its files.
    rows, features, classes
        Its sizes; 0 classes if the label is a number.
    about, licence, citation
        Where the rows come from, for people.
    drop
        Columns of the file that are not features.
    ordered
        Whether the order of the rows matters, so that they must not be shuffled.
    fetch
        How scikit-learn fetches it; empty if it cannot.
    """

    name: str
    files: list[dict[str, str]]
    rows: int
    features: int
    classes: int
    about: str
    licence: str
    citation: str
    drop: tuple[str, ...] = ()
    ordered: bool = False
    fetch: dict[str, Any] | None = None

    def said(self) -> str:
        """Return citation, licence and what is to be known of the rows, in sentences."""
        return f"{self.citation}. Licence: {self.licence}. Rows: {self.about}."

    def found(self) -> Path | None:
        """Return the folder that has all files, if there is one."""
        places = (folder for folder in folders() if self.files)
        have = (p for p in places if all((p / file["name"]).is_file() for file in self.files))
        return next(have, None)


def folders() -> list[Path]:
    """Return where files are looked for, in this order."""
    told = os.environ.get("ONEARM_DATA")
    return [SHIPPED, *([Path(told)] if told else []), user_cache_path("onearm") / "data"]


@cache
def _catalogue() -> dict[str, DataSet]:
    known = tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text())
    return {name: DataSet(name, **facts) for name, facts in known.items()}


def names() -> list[str]:
    """Return the names of all data sets."""
    return list(_catalogue())


def about(name: str) -> DataSet:
    """Return what is known of a data set.

    >>> about("car").licence
    'CC BY 4.0'
    """
    if name.lower() not in _catalogue():
        raise ValueError(f"name must be one of {', '.join(names())}, got {name!r}")
    return _catalogue()[name.lower()]


def load(name: str) -> Stream:
    """Return a data set as a stream, its rows in the order of the source."""
    data = about(name)
    folder = data.found()
    if folder is not None:
        files = [folder / file["name"] for file in data.files]
        for path, file in zip(files, data.files, strict=True):
            _check(path, file["sha256"])
        large = max(path.stat().st_size for path in files) > LARGE
        digest = hashlib.sha256("".join(file["sha256"] for file in data.files).encode())
        parse = lambda: _parsed(data, files)  # noqa: E731 two lines are not clearer
        rows = _kept(f"{data.name}-{digest.hexdigest()[:12]}", parse) if large else parse()
    else:
        rows = _kept(f"{data.name}-fetched", lambda: _fetched(data))
    return _stream(data, rows)


def _fetched(data: DataSet) -> Rows:
    reason: Any = "nobody offers it for that"
    if data.fetch:
        try:
            return fetch.fetched(data)
        except OSError as error:  # no network, or not what was promised
            reason = error
    files = ", ".join(f"{file['name']} (SHA-256 {file['sha256']})" for file in data.files)
    put = f"Put {files} into {folders()[-1]} or a folder that ONEARM_DATA names." if files else ""
    raise FileNotFoundError(f"{data.name} is not on disk and cannot be fetched: {reason}. {put}")


def _check(path: Path, sha256: str) -> None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise ValueError(f"{path} is not the file that is known: SHA-256 {found}, not {sha256}")


def _parsed(data: DataSet, files: list[Path]) -> Rows:
    if data.name == "mnist":
        images, labels = (np.concatenate([_idx(f) for f in files[i::2]]) for i in (0, 1))
        return images.reshape(len(images), -1), labels, {"class_names": tuple("0123456789")}
    if data.classes == 0:
        with lzma.open(files[0], "rt") as lines:
            table = np.loadtxt(lines, delimiter=",", skiprows=1)
        return table[:, :-1], table[:, -1], {}
    csv = ".csv" in files[0].suffixes
    how: dict[str, Any] = {"label": "label"} if csv else {"n_features": data.features}
    stream = read(files[0], name=data.name, **how)
    X, y = stream.arrays()
    told: dict[str, Any] = {
        "feature_names": stream.feature_names,
        "class_names": stream.class_names,
    }
    kept = [j for j, name in enumerate(stream.feature_names) if name not in data.drop]
    if data.drop:
        X, told["feature_names"] = X[:, kept], tuple(stream.feature_names[j] for j in kept)
    if any(stream.nominal):
        told["nominal"] = tuple(stream.nominal[j] for j in kept)
    return X, y, told


def _idx(path: Path) -> np.ndarray:
    """The bytes of a compressed idx file: images or labels."""
    content = gzip.decompress(path.read_bytes())
    shape = np.frombuffer(content, ">i4", content[3], 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * content[3]).reshape(shape)


def _stream(data: DataSet, rows: Rows) -> Stream:
    X, y, told = rows
    names = {key: tuple(value) for key, value in told.items()}
    return Stream(
        data.name, data.classes, X.shape[1], lambda: chunks(X, y), X.shape[0],
        in_memory=True, about=data.said(), **names,
    )  # fmt: skip


def _kept(name: str, make: Callable[[], Rows]) -> Rows:
    """Return the rows that were kept under this name, or make and keep them."""
    folder = user_cache_path("onearm") / "arrays" / name
    if not folder.is_dir():
        X, y, told = make()
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=folder.parent))
        parts = {"X": X} if isinstance(X, np.ndarray) else {
            "data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)
        }  # fmt: skip
        for part, array in (parts | {"y": y}).items():
            np.save(new / f"{part}.npy", narrow(array))
        (new / "told.json").write_text(json.dumps(told))
        try:
            new.rename(folder)
        except OSError:  # another process was faster
            shutil.rmtree(new)
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
