"""The settings of the trees; their data sets, from files in the folder that ONEARM_DATA names."""

import lzma
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from onearm.streams.cache import file_digest

FOLDER = Path(os.environ.get("ONEARM_DATA", Path(__file__).parents[3] / "shared" / "data"))
SEED = 0
GRACE_PERIOD, DELTA, TAU, SPLITS = 200, 1e-7, 0.05, 10  # settings of all trees
OURS, RIVER = "onearm", "River"
REPAIRED = 122_076  # row of movement, from 0, whose z4 is damaged at the source and a guess here
SENSORS = [f"{axis}{place}" for place in "1234" for axis in "xyz"]
FILES = {"letter": "letter", "pendigits": "pendigits", "movement": "movement_har", "elec2": "elec2"}
ABOUT = {
    "letter": "order of the file",
    "pendigits": "order of the file: the train part, then the test part",
    "movement": f"columns x1 to z4; shuffled with seed {SEED}, the file being sorted by label; "
    f"without data row {REPAIRED + 1:,}, whose z4 is a guess (no value is missing in the file)",
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
    path = FOLDER / f"{FILES[name]}.csv.xz"
    with lzma.open(path, "rt") as file:
        head = file.readline().strip().split(",")
        lines = file.readlines()
    columns = SENSORS if name == "movement" else head[:-1]
    places = [head.index(column) for column in columns]
    X = np.loadtxt(lines, delimiter=",", usecols=places)
    labels, y = np.unique([line.strip().rsplit(",", 1)[1] for line in lines], return_inverse=True)
    if name == "movement":
        X, y = (np.delete(part, REPAIRED, axis=0) for part in (X, y))
        order = np.random.default_rng(SEED).permutation(len(y))
        X, y = X[order], y[order]
    nominal = [0] * len(columns)
    if name == "elec2":
        day = columns.index("day")
        X[:, day] -= 1
        nominal[day] = 7
    sha256 = file_digest(path)
    return Table(name, X, y.astype(np.int64), len(labels), columns, tuple(nominal), sha256)
