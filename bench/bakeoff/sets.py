"""The data sets of the bake-off: those of the catalogue, and 42 of the folder `bakeoff`.

The half of a set is `development`, to try and tune on, or `reported`. All sets of the catalogue
are of the development half; of the 42 those are for which the SHA-256 of the name is even.
"""

import csv
import hashlib
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from onearm import datasets
from onearm.core.rng import pick, seeded
from onearm.streams.cache import file_digest
from onearm.streams.chunks import REORDERED, ROWS, Chunks
from onearm.streams.stream import Stream

MANIFEST = Path(__file__).with_name("sets.csv")
FOLDER = "bakeoff"  # in one of the folders where data sets are looked for
HALVES = DEVELOPMENT, REPORTED = "development", "reported"
MAX_ROUNDS = 60_000  # longer sets are cut after these rows of each shuffle
REPEATS, FEW_REPEATS = 10, 3  # few where a set is longer, or has a single order
UNAVAILABLE = frozenset({"rcv1"})  # 665,265 texts that are not in a file


@dataclass(frozen=True)
class Set:
    """What is known of a set without reading it."""

    name: str
    half: str
    rows: int
    features: int
    classes: int
    generated: bool = False
    ordered: bool = False  # a time series, which is not shuffled
    file: str = ""  # empty: a set of the catalogue
    sha256: str = ""
    nominal: tuple[str, ...] = ()

    @property
    def rounds(self) -> int:
        return min(self.rows, MAX_ROUNDS)

    @property
    def repeats(self) -> int:
        return FEW_REPEATS if self.rows > MAX_ROUNDS or self.ordered else REPEATS


def half(name: str) -> str:
    """Return the half of one of the 42 sets.

    >>> half("shuttle"), half("titanic")
    ('development', 'reported')
    """
    number = int(hashlib.sha256(name.encode()).hexdigest(), 16)
    return REPORTED if number % 2 else DEVELOPMENT


@cache
def sets() -> dict[str, Set]:
    """Return all sets by name, those with few rows first."""
    known = [_catalogued(name) for name in datasets.names() if _is_used(name)]
    with MANIFEST.open(newline="") as lines:
        known += [_listed(facts) for facts in csv.DictReader(lines)]
    return {data.name: data for data in sorted(known, key=lambda data: (data.rows, data.name))}


def _is_used(name: str) -> bool:
    about = datasets.about(name)
    return about.classes > 0 and not about.of and name not in UNAVAILABLE


def _catalogued(name: str) -> Set:
    about = datasets.about(name)
    sizes = (about.rows, about.features, about.classes)
    return Set(name, DEVELOPMENT, *sizes, ordered=about.ordered)


def _listed(facts: dict[str, str]) -> Set:
    name, sizes = facts["name"], (int(facts[key]) for key in ("rows", "features", "classes"))
    nominal = tuple(column for column in facts["nominal_columns"].split(" | ") if column)
    generated = facts["kind"] == "generated"
    more = {"file": facts["file"], "sha256": facts["sha256"], "nominal": nominal}
    return Set(name, half(name), *sizes, generated=generated, **more)


def named(names: list[str] | None = None, half: str = "") -> list[Set]:
    """Return sets by name, all by default, or those of one half; a wrong name is refused."""
    wrong = [name for name in names or () if name not in sets()]
    if wrong:
        raise ValueError(f"sets must be of {', '.join(sets())}, got {wrong[0]!r}")
    chosen = [data for data in sets().values() if not names or data.name in names]
    return [data for data in chosen if half in ("", data.half)]


@lru_cache(maxsize=1)
def load(name: str) -> Stream:
    """Return the rows of a set in the order of its file."""
    data = sets()[name]
    if not data.file:
        return datasets.load(name)
    rows = datasets.read(_path(data), label="label", nominal=data.nominal, name=name)
    X, y = rows.arrays()
    return replace(rows, source=lambda: iter([(X, y)]), in_memory=True)


def _path(data: Set) -> Path:
    for folder in datasets.folders():
        path = folder / FOLDER / data.file
        if path.is_file() and file_digest(path) == data.sha256:
            return path
    need = f"{FOLDER}/{data.file} (SHA-256 {data.sha256}) in a folder that ONEARM_DATA names"
    raise FileNotFoundError(f"{data.name} is not on disk: put {need}")


def repeat(name: str, seed: int) -> Stream:
    """Return the rows of a repeat: `load(name).shuffled(seed)`, cut to the rounds of the set."""
    data, rows = sets()[name], load(name)
    X, y = rows.arrays()
    order = np.arange(len(y))
    if not data.ordered:
        pick(len(order), order, seeded(seed, REORDERED))
    parts = [order[i : min(i + ROWS, data.rounds)] for i in range(0, data.rounds, ROWS)]

    def source() -> Chunks:
        return ((X[part], y[part]) for part in parts)

    return replace(rows, source=source, n_rows=data.rounds, in_memory=True)
