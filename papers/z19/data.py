"""The data sets of Z19, coded as its authors' program coded them.

D. Zhang, Y. H. Jung, A. Tewari. Online multiclass boosting with bandit feedback. AISTATS 2019,
Appendix B.1. A column is numeric if all its values are; the values of a nominal column, and the
classes, are numbered in the order in which they first appear in the file.

Differs from the paper: Movement has 165,632 rows, not 165,631. No row of our file has a missing
value; left out is data row 122,077 alone, whose z4 is corrupt in the source. The paper removes one
such row too, and does not say which other one it lacks.
"""

import csv
import lzma
from functools import cache
from pathlib import Path

import numpy as np

from onearm import Stream
from onearm.streams import datasets

FILES = {
    "balance": "balance_scale",
    "car": "car",
    "nursery": "nursery",
    "movement": "movement_har",
    "mice": "mice_protein",
    "isolet": "isolet",
}
SENSORS = tuple(f"{axis}{place}" for place in range(1, 5) for axis in "xyz")
TELLTALE = ("MouseID", "Genotype", "Treatment", "Behavior")  # of Mice: these give the class away
CORRUPT = 122_077  # data row of Movement, counted from 1
COMPONENTS = 50  # of Isolet


def find(file: str) -> Path:
    """Return the path of a data set's file: shipped, or in a folder of the user's."""
    for folder in datasets.folders():
        if (folder / file).is_file():
            return folder / file
    looked = ", ".join(str(folder) for folder in datasets.folders()[1:])
    raise FileNotFoundError(f"{file} must be in {looked}")


def is_there(name: str) -> bool:
    """Whether the file of a data set is on this machine."""
    return any((folder / f"{FILES[name]}.csv.xz").is_file() for folder in datasets.folders())


@cache
def load(name: str) -> Stream:
    """The rows of a data set in the order of its file, in memory."""
    path = find(f"{FILES[name]}.csv.xz")
    with lzma.open(path, "rt", encoding="utf-8", newline="") as lines:
        head, *rows = csv.reader(lines)
    if name == "movement":
        del rows[CORRUPT - 1]
    texts = dict(zip(head, zip(*rows, strict=True), strict=True))
    y, classes = _numbered(texts.pop("label"))
    coded = {column: _coded(texts[column]) for column in _features(name, texts)}
    X = np.column_stack([values for values, _ in coded.values()])
    nominal = tuple(size for _, size in coded.values())
    if name == "isolet":
        X, nominal = principal(X, COMPONENTS), ()
    about = {"nominal": nominal if any(nominal) else (), "class_names": classes}
    return Stream.of(X, y.astype(np.int64), len(classes), name, **about)


def principal(X: np.ndarray, n: int) -> np.ndarray:
    """The first n principal components of X.

    Signs are settled and digits cut, so that another linear algebra library gives the same rows.
    """
    centred = X - X.mean(axis=0)
    _, V = np.linalg.eigh(centred.T @ centred)
    V = V[:, ::-1][:, :n]  # eigenvalues ascend
    V = V * np.sign(V[np.abs(V).argmax(axis=0), np.arange(n)])
    return (centred @ V).round(6)


def _features(name: str, columns: dict[str, tuple[str, ...]]) -> list[str]:
    if name == "movement":
        return list(SENSORS)
    return [column for column in columns if column not in TELLTALE]


def _coded(texts: tuple[str, ...]) -> tuple[np.ndarray, int]:
    """The numbers of a column, a missing one being 0, and how many values it has if nominal."""
    try:
        return np.array([float(text or 0) for text in texts]), 0
    except ValueError:
        numbers, values = _numbered(texts)
        return numbers, len(values)


def _numbered(texts: tuple[str, ...]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Number the values in the order of their first appearance."""
    numbers = {value: number for number, value in enumerate(dict.fromkeys(texts))}
    return np.array([numbers[text] for text in texts], float), tuple(numbers)
