"""The loops of `loops.c`: compiled, loaded, and called like `play`."""

import ctypes
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SOURCE = Path(__file__).with_name("loops.c")
COMPILE = ("cc", "-O2", "-shared", "-fPIC")


class Rows(ctypes.Structure):
    _fields_ = [
        ("starts", ctypes.c_void_p),
        ("indices", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("n", ctypes.c_long),
        ("d", ctypes.c_long),
    ]


class Trace(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("label", "greedy", "propensity", "correct")]


def compile_loops(folder: Path) -> ctypes.CDLL:
    """Compile the loops into `folder` and load them."""
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
        trace = Trace(*map(_pointer, (label, greedy, propensity, correct)))
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
            (W, G, _, eta), _, (_, scale, exponent) = learner.model()
            return "inverse_gap", [W, G], [scale, exponent, eta]
        case name:
            raise ValueError(f"there is no C loop for {name}")


def _rows(X: Any) -> Rows:
    if isinstance(X, np.ndarray):
        return Rows(None, None, X.ctypes.data, *X.shape)
    assert X.indptr.dtype == X.indices.dtype == np.int32
    return Rows(X.indptr.ctypes.data, X.indices.ctypes.data, X.data.ctypes.data, *X.shape)


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
