"""The watcher: a thread that reads the log beside the writer and knows how the service is doing.

It has a connection of its own, so decisions do not wait for it. It compares challengers with the
champion, checks that labels are chosen as often as their probabilities say, and promotes a
challenger if the settings say so and the difference is above 0 beyond doubt.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from onearm.ope.checks import Counts
from onearm.service.comparison import Comparison
from onearm.service.requests import Change
from onearm.service.store import Store
from onearm.service.writer import Writer

EVERY = 1.0  # seconds between looks
MOST = 5000  # decisions that are read at once
POINTS = 600  # of the curves


class Watcher:
    """What is known of a running service, as a dict that is replaced every second."""

    def __init__(self, store: Store, writer: Writer, every: float = EVERY) -> None:
        self.store, self.writer, self.every = store, writer, every
        self.comparison = Comparison(store)
        self.seq, self.counts = 0, Counts(0)
        self.before = (time.monotonic(), {"decided": 0, "applied": 0})
        self.points: deque[dict[str, Any]] = deque(maxlen=POINTS)
        self.state: dict[str, Any] = {}
        self.listeners: list[Callable[[dict[str, Any]], Any]] = []
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self.thread.start()

    def end(self) -> None:
        """Look no more."""
        self.ending.set()
        if self.thread.is_alive():
            self.thread.join()

    def _run(self) -> None:
        while not self.ending.wait(self.every):
            self.look()

    def look(self) -> None:
        """Take what is new, tell the listeners, and promote what the rule promotes."""
        self._count()
        self.comparison.refresh()
        self.state = self._state()
        self.points.append(self._point())
        for listener in [*self.listeners]:
            listener(self.state)
        self._promote()

    def _count(self) -> None:
        """Count labels and their probabilities over all decisions."""
        while rows := self.store.judged(self.seq, MOST):
            self.seq = rows[-1].seq
            for size in dict.fromkeys(len(row.pmf) for row in rows):
                same = [row for row in rows if len(row.pmf) == size]
                self._count_same(np.array([row.label for row in same]), [row.pmf for row in same])

    def _count_same(self, labels: np.ndarray, pmfs: list[bytes]) -> None:
        p = np.frombuffer(b"".join(pmfs)).reshape(len(pmfs), -1)
        if p.shape[1] > len(self.counts.chosen):
            self.counts = _widened(self.counts, p.shape[1])
        self.counts.add(labels, np.pad(p, ((0, 0), (0, len(self.counts.chosen) - p.shape[1]))))

    def _state(self) -> dict[str, Any]:
        core, (mean, low, high) = self.writer.core, self.comparison.reward()
        moment, counts = time.monotonic(), dict(core.counts)
        then, earlier = self.before
        seconds = max(moment - then, 1e-9)
        self.before = (moment, counts)
        rate = {
            name: (counts.get(name, 0) - earlier.get(name, 0)) / seconds
            for name in ("decided", "applied")
        }
        return {
            "seq": core.seq, "model_seq": core.models.seq, "champion": core.models.champion,
            "counts": counts, "decisions_per_second": rate["decided"],
            "rewards_per_second": rate["applied"], "pending": self.store.n_pending(),
            "waiting": self.writer.n_waiting, "snapshot_seq": self.writer.snapshot_seq,
            "commit_ms": _milliseconds(self.writer.commit_seconds),
            "reward": {"n": self.comparison.above.n, "mean": mean, "low": low, "high": high},
            "labels": self._labels(),
            "differences": [d._asdict() for d in self.comparison.differences()],
        }  # fmt: skip

    def _labels(self) -> list[dict[str, Any]]:
        names, n = self.writer.core.models.agent.schema.labels, max(self.counts.n, 1)
        retired = {*self.writer.core.models.agent.retired}
        z = self.counts.z()
        return [
            {
                "label": str(names[i]), "chosen": int(self.counts.chosen[i]),
                "share": self.counts.chosen[i] / n, "expected": self.counts.expected[i] / n,
                "z": float(z[i]), "retired": names[i] in retired,
            }
            for i in range(len(self.counts.chosen))
        ]  # fmt: skip

    def _point(self) -> dict[str, Any]:
        keys = ("decisions_per_second", "rewards_per_second", "reward", "differences", "pending")
        return {"time": time.time()} | {key: self.state[key] for key in keys}

    def _promote(self) -> None:
        core = self.writer.core
        if core.settings.get("promotion") != "difference":
            return
        better = [d for d in self.comparison.differences() if d.low > 0]
        if better and self.comparison.champion == core.models.champion:
            best = max(better, key=lambda d: d.low)
            body = {"policy": best.policy, "because": best._asdict()}
            self.writer.submit([Change("promote", body)], lambda answers: None)


def _widened(counts: Counts, k: int) -> Counts:
    """Return the same counts for more labels."""
    new = Counts(k)
    new.n = counts.n
    for name in ("chosen", "expected", "variance"):
        old = getattr(counts, name)
        getattr(new, name)[: len(old)] = old
    return new


def _milliseconds(seconds: deque[float]) -> dict[str, float] | None:
    values = [*seconds]
    if not values:
        return None
    p50, p99 = np.quantile(values, (0.5, 0.99))
    return {"p50": 1000 * float(p50), "p99": 1000 * float(p99)}
