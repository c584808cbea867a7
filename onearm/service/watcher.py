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

from onearm.page.plots import finite
from onearm.service.comparison import Comparison
from onearm.service.frequencies import Frequencies
from onearm.service.requests import Change
from onearm.service.store import Store
from onearm.service.writer import Writer

EVERY = 1.0  # seconds between looks
MOST = 5000  # decisions that are read at once
POINTS = 600  # of the rates: so many looks
OF_CURVE = 400  # points of the curve of the reward
RATES = {"decisions": "decided", "rewards": "applied", "defaults": "expired"}


class Curve:
    """Points (n, mean, low, high) over a growing n, equally far apart, and the last one."""

    def __init__(self, most: int = OF_CURVE) -> None:
        self.rows: list[tuple[float, ...]] = []
        self.most, self.step = most, 1.0

    def add(self, row: tuple[float, ...]) -> None:
        """Add a point, or let it replace the last one if that is nearer than a step."""
        if len(self.rows) > 1 and row[0] - self.rows[-2][0] < self.step:
            self.rows.pop()
        if row[0] > 0 and (not self.rows or row[0] > self.rows[-1][0]):
            self.rows.append(row)
        if len(self.rows) > self.most:
            self.rows = self.rows[::2]
            self.step = 2 * (self.rows[-1][0] - self.rows[0][0]) / self.most


class Watcher:
    """What is known of a running service, as a dict that is replaced every second.

    NaN is None in it. `history` is what a page needs that begins to show it.
    """

    def __init__(self, store: Store, writer: Writer, every: float = EVERY) -> None:
        self.store, self.writer, self.every = store, writer, every
        self.comparison, self.curve = Comparison(store), Curve()
        self.seq, self.frequencies = 0, Frequencies()
        self.started = time.time()
        self.before: tuple[float, dict[str, int]] = (time.monotonic(), {})
        self.points: deque[dict[str, Any]] = deque(maxlen=POINTS)
        self.state: dict[str, Any] = {}
        self.listeners: list[Callable[[dict[str, Any]], Any]] = []
        self.failed: Callable[[Exception], Any] = lambda error: None  # is told why it ended
        self.has_failed = False
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

    def history(self) -> dict[str, Any]:
        """Return the rates of the last minutes, and the reward over all events."""
        return {"points": [*self.points], "curve": finite([*self.curve.rows])}

    def _run(self) -> None:
        try:
            self.look()
            while not self.ending.wait(self.every):
                self.look()
        except Exception as error:  # decisions need no watcher: they go on
            self.has_failed = True
            self.failed(error)

    def look(self) -> None:
        """Take what is new, tell the listeners, and promote what the rule promotes."""
        while rows := self.store.sampled(self.seq, MOST):
            self.seq = rows[-1].seq
            self.frequencies.add(rows)
        self.comparison.refresh(self._add_to_curve)
        self.state = finite(self._state())
        self.points.append(self._point())
        for listener in [*self.listeners]:
            listener(self.state)
        self._promote()

    def _add_to_curve(self) -> None:
        self.curve.add((self.comparison.above.n, *self.comparison.reward()))

    def _state(self) -> dict[str, Any]:
        """Return all that is shown. What is counted is counted since the start of the process."""
        core, (mean, low, high) = self.writer.core, self.comparison.reward()
        names, retired = core.models.agent.schema.labels, core.models.agent.retired
        monitoring, counts = core.monitoring, dict(core.counts)
        return {
            "time": time.time(), "started": self.started, "status": self._status(),
            "seq": core.seq, "model_seq": core.models.seq, "champion": core.models.champion,
            "policies": {name: p["name"] for name, p in core.settings["policies"].items()},
            "apprentice": bool(core.settings.get("apprentice")),
            "baseline": {"n": monitoring.n_baseline, "agreed": monitoring.n_agreed},
            "wait": core.settings["wait"], "default_reward": core.settings["default_reward"],
            "counts": counts, "per_second": self._rates(counts),
            "pending": monitoring.n_pending, "waiting": self.writer.n_waiting,
            "room": self.writer.room, "commit_ms": _milliseconds(self.writer.commit_seconds),
            "snapshot_seq": self.writer.snapshot_seq,
            "snapshot_age": time.monotonic() - self.writer.snapshot_time,
            "reward": {"n": self.comparison.above.n, "mean": mean, "low": low, "high": high},
            "outcomes": {"n": monitoring.n_outcomes, "total": monitoring.total_reward},
            "labels": self.frequencies.labels(names, retired),
            "checks": self.frequencies.checks(names),
            "differences": self._differences(), "baselines": self.comparison.baselines.rows(names),
            "contexts": {"rows": monitoring.contexts.rows} | monitoring.contexts.counts(),
        }  # fmt: skip

    def _differences(self) -> list[dict[str, Any]]:
        """Return differences to the champion; none while those to the former one still count."""
        if self.comparison.champion != self.writer.core.models.champion:
            return []
        return [d._asdict() for d in self.comparison.differences()]

    def _status(self) -> str:
        if self.writer.ended:
            return "stopped"
        return "draining" if self.writer.ending else "serving"

    def _rates(self, counts: dict[str, int]) -> dict[str, float]:
        """Return how many a second there were since the last look."""
        moment, (then, earlier) = time.monotonic(), self.before
        self.before = (moment, counts)
        seconds = max(moment - then, 1e-9)
        return {
            name: (counts.get(status, 0) - earlier.get(status, 0)) / seconds
            for name, status in RATES.items()
        }

    def _point(self) -> dict[str, Any]:
        keys = ("time", "per_second", "pending", "outcomes")
        return {key: self.state[key] for key in keys}

    def _promote(self) -> None:
        core = self.writer.core
        rule = core.settings["promotion"]
        if rule["rule"] != "difference":
            return
        better = [d for d in self.comparison.differences(1 - rule["level"]) if d.low > 0]
        if better and self.comparison.champion == core.models.champion:
            best = max(better, key=lambda d: d.low)
            body = {"policy": best.policy, "because": best._asdict()}
            self.writer.submit([Change("promote", body)], lambda answers: None)


def _milliseconds(seconds: deque[float]) -> dict[str, float] | None:
    values = [*seconds]
    if not values:
        return None
    p50, p99 = np.quantile(values, (0.5, 0.99))
    return {"p50": 1000 * float(p50), "p99": 1000 * float(p99)}
