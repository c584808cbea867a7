"""Speed of `play` beside C loops of the same arithmetic and Vowpal Wabbit from a file."""

import ctypes
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from bench.speed.streams import ERROR_ROWS, SEED, Rows
from bench.speed.vowpal_wabbit import EXPLORERS, FromFile
from bench.timing import Timing
from onearm import SOBA, Banditron, ConservativeOVA, InverseGap

SOURCE = Path(__file__).with_name("loops.c")
COMPILE = ("cc", "-O2", "-shared", "-fPIC")
OURS = {cls.__name__: cls for cls in (Banditron, ConservativeOVA, SOBA, InverseGap)}
OPPONENT = {name: "VW squarecb" if name == "InverseGap" else "VW epsilon" for name in OURS}
WARM = 100  # rows


class CRows(ctypes.Structure):
    _fields_ = [
        ("starts", ctypes.c_void_p),
        ("indices", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("n", ctypes.c_long),
        ("d", ctypes.c_long),
    ]


class CTrace(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("label", "greedy", "propensity", "correct")]


def compile_loops(folder: Path) -> ctypes.CDLL:
    target = folder / "loops.so"
    subprocess.run([*COMPILE, "-o", str(target), str(SOURCE), "-lm"], check=True)
    return ctypes.CDLL(str(target))


@dataclass
class Loop:
    """The C loop of a new learner, with its state, its parameters and its generator."""

    library: ctypes.CDLL
    learner: Any

    def play(self, X: Any, y: np.ndarray) -> np.ndarray:
        """Return the labels that the loop chooses along the stream."""
        n, learner = len(y), self.learner
        label, greedy = np.empty(n, np.int64), np.empty(n, np.int64)
        propensity, correct = np.empty(n), np.empty(n, bool)
        name, arrays, numbers = _arguments(learner)
        trace = CTrace(*map(_pointer, (label, greedy, propensity, correct)))
        getattr(self.library, name)(
            ctypes.byref(_rows(X)), _pointer(y), trace,
            ctypes.c_long(learner.n_classes), _pointer(learner.choosing),
            *map(_pointer, arrays), *map(ctypes.c_double, numbers),
        )  # fmt: skip
        return label


def _arguments(learner: Any) -> tuple[str, list[np.ndarray], list[float]]:
    """Return the name of a learner's loop, and its arguments: arrays, then numbers."""
    match type(learner).__name__:
        case "Banditron":
            return "banditron", [learner.weights], [learner.gamma]
        case "ConservativeOVA":
            return "conservative", [learner.weights], [learner.C]
        case "SOBA":
            return "soba", [learner.weights, learner.second_order], [learner.gamma]
        case "InverseGap":
            W, G, _, (_, scale, exponent, _, eta) = learner.model()
            return "inverse_gap", [W, G], [scale, exponent, eta]
        case name:
            raise ValueError(f"there is no C loop for {name}")


def _rows(X: Any) -> CRows:
    if isinstance(X, np.ndarray):
        return CRows(None, None, X.ctypes.data, *X.shape)
    assert X.indptr.dtype == X.indices.dtype == np.int32
    return CRows(X.indptr.ctypes.data, X.indices.ctypes.data, X.data.ctypes.data, *X.shape)


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


@dataclass
class Pair:
    """A learner and the C loop of the same arithmetic."""

    rows: Rows
    cls: Any
    library: Any
    ours: Timing = field(init=False)
    c: Timing = field(init=False)
    same: bool = True  # whether both chose the same labels in all repeats

    def __post_init__(self) -> None:
        self.ours, self.c = Timing(len(self.rows.y)), Timing(len(self.rows.y))
        self.rows.learner(self.cls).play(self.rows.X[:WARM], self.rows.y[:WARM])

    def run(self) -> None:
        X, y = self.rows.X, self.rows.y
        learner, loop = self.rows.learner(self.cls), Loop(self.library, self.rows.learner(self.cls))
        with self.ours.running():
            trace = learner.play(X, y)
        with self.c.running():
            label = loop.play(X, y)
        self.same = self.same and np.array_equal(trace.label, label)
        n = ERROR_ROWS[self.rows.name]  # as for the peers
        self.ours.error = float((trace.label[:n] != y[:n]).mean())
        self.c.error = float((label[:n] != y[:n]).mean())


def measure(rows: Rows, repeats: int, folder: Path, done: Callable[[], Any]) -> dict[str, Any]:
    library = compile_loops(folder)
    pairs = {name: Pair(rows, cls, library) for name, cls in OURS.items()}
    files = {name: FromFile(folder, rows, name) for name in EXPLORERS}
    done()
    contestants = [*pairs.values(), *files.values()]
    order = Random(SEED)
    for _ in range(repeats):
        # Memory that was free for seconds, while a peer ran, is slow to get back: in a fixed order
        # one learner would always pay for it, and those after it never.
        order.shuffle(contestants)
        for contestant in contestants:
            contestant.run()
        done()
    return {
        "rows": len(rows.y),
        "ours": {name: _compared(name, pair, files) for name, pair in pairs.items()},
        "peers": {name: file.record() for name, file in files.items()},
    }


def _compared(name: str, pair: Pair, files: dict[str, FromFile]) -> dict[str, Any]:
    peer = files[OPPONENT[name]].net()
    return {
        **pair.ours.record(),
        "c_loop": pair.c.record(),
        "same_labels_as_c": pair.same,
        "over_c": pair.ours.rate() / pair.c.rate(),
        "peer": OPPONENT[name],
        "over_peer": pair.ours.rate() / peer.rate(),
        "over_peer_wall": pair.ours.rate("wall") / peer.rate("wall"),
    }
