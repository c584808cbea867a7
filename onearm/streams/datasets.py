"""Data sets by name: shipped with the package, in a folder, or fetched.

>>> letter = load("letter")
>>> letter.n_rows, letter.n_features, letter.n_classes
(20000, 16, 26)

The small ones are part of the package. The files of the others are looked for in the folder that
the environment variable ONEARM_DATA names, then in the user's cache folder; what is in neither is
fetched through scikit-learn, where that is possible, and cached.
"""

import gzip
import hashlib
import lzma
import os
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from onearm.core.chunks import chunks
from onearm.schema.names import did_you_mean
from onearm.streams import fetch
from onearm.streams.cache import Rows, cache_folder, cached, file_digest
from onearm.streams.files import read
from onearm.streams.stream import Stream

__all__ = ["DataSet", "about", "folders", "load", "names", "read"]

SHIPPED = Path(__file__).with_name("data")
LARGE = 2**17  # bytes of a file: what is read from it is cached as arrays


@dataclass(frozen=True)
class DataSet:
    """What is known of a data set."""

    name: str
    files: list[dict[str, str]]  # their names and SHA-256
    rows: int
    features: int
    classes: int  # 0 if the label is a number
    about: str
    licence: str
    citation: str
    drop: tuple[str, ...] = ()  # columns of the file that are not features
    ordered: bool = False  # whether the order of the rows matters: they must not be shuffled
    fetch: dict[str, Any] | None = None  # how scikit-learn fetches it; None if it cannot
    of: str = ""  # the data set whose rows these are, after a function of `preparations`
    preparation: dict[str, Any] = field(default_factory=dict)  # its name and arguments

    def describe(self) -> str:
        """Return citation, licence and a note on the rows, in sentences."""
        return f"{self.citation}. Licence: {self.licence}. Rows: {self.about}."

    def folder(self) -> Path | None:
        """Return the folder that has all files, or else the rows that were fetched, if any."""
        for folder in folders() if self.files else ():
            if all(_is_intact(folder / file["name"], file["sha256"]) for file in self.files):
                return folder
        fetched = cache_folder(f"{self.of or self.name}-fetched")
        return fetched if fetched.is_dir() else None


def folders() -> list[Path]:
    """Return where files are looked for, in this order."""
    given = os.environ.get("ONEARM_DATA")
    return [SHIPPED, *([Path(given)] if given else []), user_cache_path("onearm") / "data"]


@cache
def _catalogue() -> dict[str, DataSet]:
    known = tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text())
    base = {name: known.get(facts.get("of"), {}) for name, facts in known.items()}
    return {name: DataSet(name, **base[name] | facts) for name, facts in known.items()}


def names() -> list[str]:
    """Return the names of all data sets."""
    return list(_catalogue())


def about(name: str) -> DataSet:
    """Return what is known of a data set.

    >>> about("car").licence
    'CC BY 4.0'
    """
    if not isinstance(name, str) or name.lower() not in _catalogue():
        hint = did_you_mean(name, names())
        raise ValueError(f"name must be one of {', '.join(names())}, got {name!r}{hint}")
    return _catalogue()[name.lower()]


def load(name: str) -> Stream:
    """Return a data set as a stream, its rows in the order of the source."""
    data = about(name)
    X, y, known = _rows(data)
    names: dict[str, Any] = {key: tuple(value) for key, value in known.items()}
    if "values" in names:
        names["values"] = tuple(map(tuple, names["values"]))
    return Stream(
        data.name, data.classes, X.shape[1], lambda: chunks(X, y), X.shape[0],
        in_memory=True, about=data.describe(), **names,
    )  # fmt: skip


def _rows(data: DataSet) -> Rows:
    if data.of:
        from onearm.streams import preparations  # scipy is loaded when it is needed

        arguments = dict(data.preparation)
        prepare = getattr(preparations, arguments.pop("function"))
        return prepare(*_rows(about(data.of)), **arguments)
    folder, shape = data.folder(), (data.rows, data.features)
    if folder is not None and folder != cache_folder(f"{data.name}-fetched"):
        files = [folder / file["name"] for file in data.files]
        large = max(path.stat().st_size for path in files) > LARGE
        digest = hashlib.sha256("".join(file["sha256"] for file in data.files).encode())
        parse = lambda: _parsed(data, files)  # noqa: E731 two lines are not clearer
        known = f"{data.name}-{digest.hexdigest()[:12]}"
        return cached(known, parse, shape) if large else parse()
    return cached(f"{data.name}-fetched", lambda: _fetched(data), shape)


def _fetched(data: DataSet) -> Rows:
    reason: Any = "scikit-learn does not have it"
    if data.fetch:
        try:
            return fetch.fetched(data)
        except OSError as error:  # no network, or not what was promised
            reason = error
    files = ", ".join(f"{file['name']} (SHA-256 {file['sha256']})" for file in data.files)
    put = f"Put {files} into {folders()[-1]} or a folder that ONEARM_DATA names"
    if not data.files:
        put = f"Load it where it can be, and copy {cache_folder(data.name + '-fetched')} from there"
    others = [(f / file["name"], file["sha256"]) for file in data.files for f in folders()]
    wrong = ", ".join(str(p) for p, sha256 in others if p.is_file() and not _is_intact(p, sha256))
    put += f"; {wrong} is not the file that is known" if wrong else ""
    raise FileNotFoundError(f"{data.name} is not on disk and cannot be fetched: {reason}. {put}.")


def _is_intact(path: Path, sha256: str) -> bool:
    return path.is_file() and file_digest(path) == sha256


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
    columns = [j for j, name in enumerate(stream.feature_names) if name not in data.drop]
    X = X[:, columns] if data.drop else X
    features = tuple(stream.feature_names[j] for j in columns)
    names: dict[str, Any] = {"feature_names": features, "class_names": stream.class_names}
    if any(stream.nominal):
        names["nominal"] = tuple(stream.nominal[j] for j in columns)
        names["values"] = _renumbered(X, [stream.values[j] for j in columns])
    return X, y, names


def _renumbered(X: np.ndarray, values: list[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Number the values of nominal columns as they first appear: as in all published results.

    Codes of X are changed in place, the values are returned in the order of their new codes.
    """
    named = []
    for column, words in zip(X.T, values, strict=True):
        if words:
            first = np.unique(column, return_index=True)[1]  # of every code: each occurs
            order = first.argsort()
            column[:] = order.argsort()[column.astype(np.int64)]
            words = tuple(words[code] for code in order)
        named.append(words)
    return tuple(named)


def _idx(path: Path) -> np.ndarray:
    """The bytes of a compressed idx file: images or labels."""
    content = gzip.decompress(path.read_bytes())
    shape = np.frombuffer(content, ">i4", content[3], 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * content[3]).reshape(shape)
