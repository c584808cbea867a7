"""Comparison: are challengers better than the champion, on the same events, at any time?

Each decision logs the probabilities of the champion, p, and of every challenger, π, as they were
then. An event counts once its reward is known and those of all earlier events are, too: so what
counts does not depend on which rewards come sooner. A deferred decision becomes an event when it is
activated. Its term is that of `ope.weighing`,

    D = Δ(A)/p(A) (r - q̃(A)) + Σ Δ(a) q̃(a),    Δ = π - p,

with the mean of earlier rewards for q. The confidence sequence of the mean of D holds while all of
them learn, and whenever one looks; with m challengers each has a share of what may be missed.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from onearm.ope.sequences import Running
from onearm.ope.weighing import KAPPA, bounded
from onearm.service.baselines import Baselines
from onearm.service.records import BASELINE, Control
from onearm.service.store import Store

MOST = 5000  # decisions that are read at once


class Difference(NamedTuple):
    """How much more a challenger earns than the champion."""

    policy: str
    n: int
    value: float
    low: float
    high: float


class _Challenger:
    """What is known of a challenger."""

    def __init__(self) -> None:
        self.gain, self.loss, self.total = Running(KAPPA + 1), Running(KAPPA + 1), 0.0

    def add(self, r: np.ndarray, q: float, pi: np.ndarray, p: np.ndarray, A: np.ndarray) -> None:
        expected, p_A = np.full(p.shape, q), p[np.arange(len(r)), A]
        gain = bounded(r, expected, pi - p, p, A, p_A)
        self.gain.add(gain)
        self.loss.add(bounded(r, expected, p - pi, p, A, p_A))
        self.total += float(gain.sum())


class Comparison:
    """The challengers' differences to the champion, as far as all rewards are known."""

    def __init__(self, store: Store) -> None:
        self.store, self.seq = store, 0  # the last event that counts
        self.since = 0  # the record after which decisions have the policies of now
        self.champion = ""
        self.challengers: dict[str, _Challenger] = {}
        self.above, self.below, self.total = Running(0.0), Running(0.0), 0.0  # of the rewards
        self.baselines = Baselines()

    def refresh(self, progress: Callable[[], Any] = lambda: None) -> None:
        """Take what has become known, some events at a time; call `progress` after each."""
        more = True
        while more:
            more = self._some()
            progress()

    def _some(self) -> bool:
        first = self.store.judged(self.seq, 1)
        if not first or first[0].reward is None:  # nothing to read: it may stay open for days
            return False
        rows = self.store.judged(self.seq, MOST)
        known = next((i for i, row in enumerate(rows) if row.reward is None), len(rows))
        rows = rows[:known]
        if not rows:
            return False
        for control in self.store.controls(self.seq, rows[-1].seq):
            self._add([row for row in rows if row.seq < control.seq])
            rows = [row for row in rows if row.seq > control.seq]
            self._control(control)
        self._add(rows)
        return known == MOST

    def _add(self, rows: list[Any]) -> None:
        """Count events that all have the same policies and labels, or those before a change."""
        if rows:
            self.seq = rows[-1].seq
        for size in dict.fromkeys(len(row.pmf) for row in rows):
            self._add_same([row for row in rows if len(row.pmf) == size])

    def _add_same(self, rows: list[Any]) -> None:
        q = self.total / self.above.n if self.above.n else 0.5
        own = [row for row in rows if row.policy != BASELINE]  # others explored nothing
        self._compare([row for row in own if row.decision > self.since], q)
        if own:
            r, A = np.array([row.reward for row in own]), np.array([row.label for row in own])
            self.baselines.add(r, np.stack([np.frombuffer(row.pmf) for row in own]), A)
        r = np.array([row.reward for row in rows])
        self.above.add(r)
        self.below.add(1 - r)
        self.total += float(r.sum())

    def _compare(self, rows: list[Any], q: float) -> None:
        if not rows:
            return
        r, A = np.array([row.reward for row in rows]), np.array([row.label for row in rows])
        p = np.stack([np.frombuffer(row.pmf) for row in rows])
        names, k = sorted(self.challengers), p.shape[1]
        shadows = [np.frombuffer(row.shadows or b"") for row in rows]
        for i, name in enumerate(names):
            if all(len(shadow) == k * len(names) for shadow in shadows):
                pi = np.stack([shadow[i * k : (i + 1) * k] for shadow in shadows])
                self.challengers[name].add(r, q, pi, p, A)

    def _control(self, control: Control) -> None:
        what, body = control.what, control.body
        self.seq = control.seq
        if what in ("start", "add_policy", "remove_policy", "promote"):
            self.since = control.seq
        if what == "start":
            self.champion = body["champion"]
            names = [name for name in body["policies"] if name != self.champion]
            self.challengers = {name: _Challenger() for name in names}
        elif what == "add_policy":
            self.challengers[body["policy"]] = _Challenger()
        elif what == "remove_policy":
            self.challengers.pop(body["policy"], None)
        elif what == "promote" and body["policy"] != self.champion:  # all are compared with it now
            names = [*self.challengers, self.champion]
            self.champion = body["policy"]
            names.remove(self.champion)
            self.challengers = {name: _Challenger() for name in names}

    def reward(self, alpha: float = 0.05) -> tuple[float, float, float]:
        """Return the mean reward of events that count, and its confidence sequence."""
        mean = self.total / self.above.n if self.above.n else float("nan")
        return mean, self.above.bound(alpha / 2), 1 - self.below.bound(alpha / 2)

    def differences(self, alpha: float = 0.05) -> list[Difference]:
        """Return the difference of each challenger to the champion."""
        share = alpha / (2 * max(1, len(self.challengers)))
        found = []
        for name, x in sorted(self.challengers.items()):
            value = x.total / x.gain.n if x.gain.n else float("nan")
            ends = max(-1.0, x.gain.bound(share)), min(1.0, -x.loss.bound(share))
            found.append(Difference(name, x.gain.n, value, *ends))
        return found
