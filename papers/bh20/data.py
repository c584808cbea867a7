"""The data sets of BH20's Table 2: numbers from 0 to 1, nominal values as 0 or 1 each.

The answers are the rings of abalone, whether an income is high (adult, census), and whether a
letter is one of A to M. Missing nominal values are all zeros, missing numbers are 0.
"""

import csv
import lzma
from typing import NamedTuple

import numpy as np

from papers.z19.data import find

FILES = {
    "abalone": "abalone",
    "adult": "adult",
    "census": "census_income_kdd",
    "letter": "letter",
}
CENTRED = " centred"  # after a name: answers less the mean of the first half
NAMES = (*FILES, *(name + CENTRED for name in ("abalone", "adult", "letter")))
MISSING, NOT_FEATURES = "?", ("instance weight",)


class Rows(NamedTuple):
    """A data set: each row has some numbers, and some places that are 1."""

    numbers: np.ndarray  # (n, d₁)
    ones: np.ndarray  # (n, d₂): places among all features, or -1
    d: int
    y: np.ndarray

    def dense(self, index: np.ndarray) -> np.ndarray:
        """Return rows as an array."""
        X = np.zeros((len(index), self.d + 1))  # one more, for what is missing
        X[:, : self.numbers.shape[1]] = self.numbers[index]
        np.put_along_axis(X, self.ones[index] % (self.d + 1), 1.0, axis=1)
        return np.ascontiguousarray(X[:, : self.d])


def load(name: str) -> Rows:
    """Read a data set in the order of its file."""
    if name.endswith(CENTRED):
        rows = load(name.removesuffix(CENTRED))
        return rows._replace(y=rows.y - rows.y[: len(rows.y) // 2].mean())
    path = find(f"{FILES[name]}.csv.xz")
    with lzma.open(path, "rt", encoding="utf-8", newline="") as lines:
        head, *fields = csv.reader(lines)
    columns = dict(zip(head, zip(*fields, strict=True), strict=True))
    y = answers(name, columns.pop("label"))
    numbers, nominal = [], []
    for title, texts in columns.items():
        if title in NOT_FEATURES:
            continue
        values = as_numbers(texts)
        if values is not None:
            numbers.append(scaled(values))
        else:
            nominal.append(texts)
    d, ones = len(numbers), []
    for texts in nominal:
        place = {text: d + i for i, text in enumerate(sorted(set(texts) - {MISSING}))}
        d += len(place)
        ones.append([place.get(text, -1) for text in texts])
    empty = np.empty((len(y), 0))
    return Rows(
        np.column_stack([empty, *numbers]), np.column_stack([empty, *ones]).astype(np.int64), d, y
    )


def answers(name: str, labels: tuple[str, ...]) -> np.ndarray:
    """The labels as numbers."""
    if name == "abalone":
        return np.array(labels, float)
    if name == "letter":
        return np.array([label <= "M" for label in labels], float)
    return np.array([">50K" in label or "50000+" in label for label in labels], float)


def as_numbers(texts: tuple[str, ...]) -> np.ndarray | None:
    """A column of numbers; None if it is none."""
    try:
        return np.array([0.0 if text == MISSING else float(text) for text in texts])
    except ValueError:
        return None


def scaled(values: np.ndarray) -> np.ndarray:
    """To 0 … 1 by the least and the largest of the first half."""
    half = values[: len(values) // 2]
    width = half.max() - half.min()
    return (values - half.min()) / (width if width > 0 else 1.0)
