"""Monitoring: what a service counts as it runs, for metrics and events, besides what is in its log.

The writer counts what it has committed; the event loop reads. What is drawn from the log itself, as
the propensity check and comparisons, is the watcher's.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Collection, Iterable, Mapping

from onearm.schema.monitor import Monitor
from onearm.service.records import BASELINE, DEFAULT, Activation, Decision, Outcome, Record

DELAYS = (0.1, 1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400)  # seconds, of a histogram
RECENT = 50  # decisions and outcomes that are shown
COLUMNS = 100  # names of extra columns that are counted each; those after them are OTHERS
OTHERS = "(others)"
LONGEST = 60  # characters of such a name


class Contexts(Monitor):
    """A Monitor of bounded memory: names of extra columns are whatever is sent."""

    def add(
        self, n: int, unseen: Mapping[str, int], absent: Collection[str], extra: Collection[str]
    ) -> None:
        if extra:
            names = [name[:LONGEST] for name in extra]
            new = [name for name in names if name not in self.extra]
            others = {*new[max(0, COLUMNS - len(self.extra)) :]}
            extra = [OTHERS if name in others else name for name in names]
        super().add(n, unseen, absent, extra)

    def counts(self) -> dict[str, dict[str, int]]:
        """Return how often what was not as the schema expects, by column."""
        with self._lock:
            return {
                "unseen": dict(self.unseen), "absent": dict(self.absent), "extra": dict(self.extra)
            }  # fmt: skip


class Monitoring:
    """Counts and sums since the start of the process."""

    def __init__(self, n_pending: int = 0) -> None:
        self.n_pending = n_pending  # decisions that wait for feedback
        self.n_decisions = self.n_outcomes = self.n_reported = 0
        self.n_baseline = self.n_agreed = 0  # decisions of a baseline; like the champion's
        self.total_reward = self.total_delay = 0.0
        self.contexts = Contexts()
        self.delays = [0] * (len(DELAYS) + 1)
        self.decisions: deque[Decision] = deque(maxlen=RECENT)
        self.outcomes: deque[Outcome] = deque(maxlen=RECENT)

    def add(self, records: Iterable[Record], decisions: dict[str, Decision]) -> None:
        """Count records that were committed."""
        for record in records:
            if isinstance(record, Decision):
                self.n_decisions += 1
                self.n_pending += not record.deferred
                self.n_baseline += record.policy == BASELINE
                self.n_agreed += record.policy == BASELINE and record.label == record.greedy
                self.decisions.append(record)
            elif isinstance(record, Outcome):
                self._add_outcome(record, decisions[record.event_id])
            elif isinstance(record, Activation):
                self.n_pending += 1

    def _add_outcome(self, outcome: Outcome, decision: Decision) -> None:
        self.n_outcomes += 1
        self.n_pending -= 1
        self.total_reward += outcome.reward
        self.outcomes.append(outcome)
        if outcome.source != DEFAULT:
            delay = outcome.ts - decision.ts
            self.n_reported += 1
            self.total_delay += delay
            self.delays[bisect_left(DELAYS, delay)] += 1

    def mean_reward(self) -> float:
        """Return the mean reward of all outcomes."""
        return self.total_reward / self.n_outcomes if self.n_outcomes else 0.0

    def join_rate(self) -> float:
        """Return the share of outcomes that were reported, not by default."""
        return self.n_reported / self.n_outcomes if self.n_outcomes else 0.0
