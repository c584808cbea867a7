"""Streams with rewards: ordered labels, partial credits, and simulated clicks.

Repeat s is shuffled with seed s.

* skillcraft, wine_red, and abalone in ten bins of rings: 1 - |label - truth| / (k - 1).
* letter with partial credits: 1 for the true letter, and for each other a credit below 0.5 that is
  the same whenever the two meet.
* letter 1 and 0: 1 for the true letter, 0 for the others; letter right or wrong has labels instead.
* clicks: rows of adult, ten ads. A tree predicts, from all other columns, each of ten values that
  columns of adult have; what it predicts of a row, scaled to a mean of BASE_RATE, is the chance
  that this ad is clicked.
"""

from functools import lru_cache

import numpy as np

from onearm import datasets
from onearm.streams.stream import Stream

NAMES = ("skillcraft", "wine_red", "abalone", "letter", "clicks")
ONE_RIGHT = ("letter 1 and 0", "letter right or wrong")
CREDIT_SEED, CLICK_SEED = 20, 21
N_BINS, N_ADS, BASE_RATE = 10, 10, 0.03
N_CLICK_ROWS = 20_000
LEAST_SHARE = 0.05  # of a value that an ad is about
DEPTH = 6  # of the trees


def ordered(k: int) -> np.ndarray:
    """Return the rewards of ordered labels, by true label and label."""
    labels = np.arange(k)
    return 1.0 - abs(labels[:, None] - labels) / (k - 1)


def credits(k: int) -> np.ndarray:
    """Return 1 for the true label and fixed partial credits for the others."""
    table = 0.5 * np.random.default_rng(CREDIT_SEED).random((k, k)) ** 2
    return np.maximum(table, np.eye(k))


@lru_cache(maxsize=1)
def click_chances() -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    """Return the rows of adult, the chance of a click on each ad, and the values of columns."""
    from sklearn.tree import DecisionTreeClassifier

    rows = datasets.load("adult").shuffled(CLICK_SEED).first(N_CLICK_ROWS)
    X, _ = rows.arrays()
    X = np.asarray(X, float)
    rng = np.random.default_rng(CLICK_SEED)
    values = [(j, v) for j, n in enumerate(rows.nominal) for v in range(n)]
    about = [(j, v) for j, v in values if LEAST_SHARE < (X[:, j] == v).mean() < 1 - LEAST_SHARE]
    chances = []
    for j, v in (about[i] for i in rng.permutation(len(about))[:N_ADS]):
        others = np.nan_to_num(np.delete(X, j, axis=1), nan=-1.0)
        tree = DecisionTreeClassifier(max_depth=DEPTH, random_state=CLICK_SEED)
        p = tree.fit(others, X[:, j] == v).predict_proba(others)[:, 1]
        chances.append(np.minimum(1.0, BASE_RATE * p / p.mean()))
    return X, np.column_stack(chances), rows.nominal


def clicks() -> Stream:
    X, chances, nominal = click_chances()
    clicked = np.random.default_rng(CLICK_SEED).random(chances.shape) < chances
    return Stream.of(X, clicked.astype(float), name="clicks", nominal=nominal)


def _read(name: str) -> Stream:
    paths = [folder / "bakeoff" / f"{name}.csv.xz" for folder in datasets.folders()]
    path = next((path for path in paths if path.is_file()), paths[0])
    rows = datasets.read(path, log=lambda sentence: None)
    if list(map(int, rows.class_names)) != sorted(map(int, rows.class_names)):
        raise ValueError(f"labels of {path} must be in order, got {rows.class_names}")
    return rows


def _binned_abalone() -> Stream:
    rows = datasets.load("abalone")
    X, y = rows.arrays()
    rings = np.array(list(map(int, rows.class_names)))[y]
    edges = np.quantile(rings, np.arange(1, N_BINS) / N_BINS)
    return Stream.of(X, np.searchsorted(edges, rings), N_BINS, "abalone", nominal=rows.nominal)


@lru_cache(maxsize=len(NAMES + ONE_RIGHT))
def _rows(name: str) -> Stream:
    if name == "clicks":
        return clicks()
    if name.startswith("letter"):
        rows = datasets.load("letter")
        tables = {"letter": credits(rows.n_classes), "letter 1 and 0": np.eye(rows.n_classes)}
        return rows.rewarded(tables[name]) if name in tables else rows
    rows = _binned_abalone() if name == "abalone" else _read(name)
    return rows.rewarded(ordered(rows.n_classes))


def regret(labels: np.ndarray, seed: int) -> float:
    """Return by how much the chance of a click was below that of the best ad, on average."""
    X, chances, _ = click_chances()
    chances = Stream.of(X, chances).shuffled(seed).arrays()[1]
    return float((chances.max(axis=1) - chances[np.arange(len(labels)), labels]).mean())


def stream(name: str, seed: int) -> Stream:
    """Return the rows of a repeat with the rewards of all labels."""
    return _rows(name).shuffled(seed)
