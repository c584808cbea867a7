"""The streams of the comparison with Chorus, and which of them were used in its development.

Repeat s is shuffled, or generated, with seed s; elec2 is a time series and has a single order.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

import onearm
from onearm import datasets
from onearm.core.rng import pick, seeded
from onearm.streams.chunks import REORDERED, ROWS, Chunks
from onearm.streams.stream import Stream

RINGS = 28  # labels of the stream `rings`


def rings(seed: int) -> Stream:
    """Return 4,000 rows of sizes and a number of rings that they hardly predict: mostly noise."""
    rng = np.random.default_rng(seed)
    n = 4000
    size = rng.gamma(4.0, 1.0, n)
    lengths = [size * np.exp(0.12 * rng.normal(size=n)) for _ in range(6)]
    extra = 0.2 * rng.normal(size=n)  # of the weight, and informative
    X = np.column_stack([*lengths, size**3 * np.exp(extra), rng.integers(0, 3, n)])
    spread = 2.2 * np.exp(0.3 * rng.normal(size=n)) * rng.normal(size=n)
    y = np.clip(np.round(2.0 + 2.2 * size**0.75 + 2.4 * extra + spread), 0, RINGS - 1)
    return Stream.of(X, y.astype(np.int64), RINGS, "rings", nominal=(0,) * 7 + (3,))


SYNTHETIC: dict[str, Callable[[int], Stream]] = {
    "rings": rings,
    "SynNonSep": lambda seed: onearm.SynNonSep(30_000, seed=seed),
    "SynSep": lambda seed: onearm.SynSep(100_000, seed=seed),
    "drifting": lambda seed: onearm.SynNonSep(60_000, seed=seed).drifting([30_000], seed=seed),
}
COPIES = {"balance": 10, "mice": 8, "digits": 20, "car": 6, "nursery": 4, "isolet": 15}
DEVELOPMENT = ("balance", "mice", "pendigits", "letter", "SynNonSep", "elec2", "newsgroups")
SYNTHETIC_DEVELOPMENT = ("rings",)  # not in the comparison
LARGE = frozenset({"covtype", "census", "mnist", "isolet", "movement"})
NAMES = (
    "balance", "mice", "pendigits", "letter", "car", "abalone", "usps", "digits", "nursery",
    "reuters", "SynNonSep", "elec2", "newsgroups", "adult", "SynSep", "drifting",
    "movement", "mnist", "isolet", "census", "covtype",
)  # fmt: skip # in the order in which they are played: small ones first


def repeats(name: str) -> int:
    return 3 if name in LARGE else 10


def stream(name: str, seed: int) -> Stream:
    """Return the rows of a repeat unprepared, chunk by chunk."""
    if name in SYNTHETIC:
        return SYNTHETIC[name](seed)
    if name not in NAMES:
        raise ValueError(f"name must be one of {', '.join(NAMES)}, got {name!r}")
    rows, copies = _loaded(name), COPIES.get(name, 1)
    return rows if datasets.about(name).ordered else _shuffled(rows, copies, seed)


def title(name: str) -> str:
    return f"{name} × {COPIES[name]}" if name in COPIES else name


@lru_cache(maxsize=1)
def _loaded(name: str) -> Stream:
    return datasets.load(name)


def _shuffled(rows: Stream, copies: int, seed: int) -> Stream:
    """Return `rows.repeated(copies).shuffled(seed)` without copies in memory."""
    X, y = rows.arrays()
    order = np.arange(copies * len(y))
    pick(len(order), order, seeded(seed, REORDERED))
    order %= len(y)

    def source() -> Chunks:
        for start in range(0, len(order), ROWS):
            chunk = order[start : start + ROWS]
            yield X[chunk], y[chunk]

    return replace(rows, source=source, n_rows=len(order))
