"""The settings of the trees, and their data sets."""

from typing import Any, NamedTuple

import numpy as np

from onearm.streams import datasets

SEED = 0
GRACE_PERIOD, DELTA, TAU, SPLITS = 200, 1e-7, 0.05, 10  # settings of all trees
OURS, RIVER = "onearm", "River"
ENTRIES = {  # of the data catalogue
    "letter": "letter", "pendigits": "pendigits", "movement": "movement-sensors", "elec2": "elec2",
}  # fmt: skip
ABOUT = {
    "letter": "order of the file",
    "pendigits": "order of the file: the train part, then the test part",
    "movement": f"columns x1 to z4; shuffled with seed {SEED}, the file being sorted by label; "
    "without data row 122,077, whose z4 is a guess (no value is missing in the file)",
    "elec2": "order of the file, a time series; day is nominal with 7 values, all else numeric",
}


class Table(NamedTuple):
    """Rows in memory, in the order in which they are streamed."""

    name: str
    X: np.ndarray  # (n, d)
    y: np.ndarray  # labels from 0
    k: int
    columns: list[str]
    nominal: tuple[int, ...]  # for each column how many values it has, coded from 0; 0: numeric
    sha256: str  # of the file

    def record(self) -> dict[str, Any]:
        sizes = {"rows": len(self.y), "columns": len(self.columns), "classes": self.k}
        return {**sizes, "about": ABOUT[self.name], "sha256": self.sha256}


def load(name: str) -> Table:
    stream, entry = datasets.load(ENTRIES[name]), datasets.about(ENTRIES[name])
    X, y = stream.arrays()
    X, y, columns = np.array(X, float), y.astype(np.int64), list(stream.feature_names)
    if name == "movement":
        order = np.random.default_rng(SEED).permutation(len(y))
        X, y = X[order], y[order]
    nominal = [0] * len(columns)
    if name == "elec2":
        day = columns.index("day")
        X[:, day] -= 1
        nominal[day] = 7
    (file,) = entry.files
    return Table(name, X, y, stream.n_classes, columns, tuple(nominal), file["sha256"])
