"""Speed of `play` beside C loops of the same arithmetic and Vowpal Wabbit from a file."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from bench.speed.c_loops import Loop, compile_loops
from bench.speed.streams import ERROR_ROWS, SEED, Rows
from bench.speed.vowpal_wabbit import EXPLORERS, FromFile
from bench.timing import Timing
from onearm import SOBA, Banditron, ConservativeOVA, InverseGap

OURS = {cls.__name__: cls for cls in (Banditron, ConservativeOVA, SOBA, InverseGap)}
OPPONENT = {name: "VW squarecb" if name == "InverseGap" else "VW epsilon" for name in OURS}
WARM = 100  # rows


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
        """Time one more repeat of both."""
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
    """Time all on one stream, by turns."""
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
