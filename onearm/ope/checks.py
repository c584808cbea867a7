"""Checks of a log: are its propensities those with which labels were chosen?

Where the whole distribution is logged, the number of times that a label was chosen is compared with
the sum of its chances, by z = Σ (1[a = l] - p_l) / √Σ p_l (1 - p_l), for all events and for each
version of the policy with enough of them. Where only the propensity of the chosen label is logged,
the mean of 1[a = l]/p must be the share of events that allowed l: a confidence sequence is compared
with it, which holds while the policy learns. For propensities that are too large that sequence
assumes that no propensity of the label is below the least one logged.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from onearm.log.events import Events
from onearm.log.log import Log
from onearm.ope.sequences import lower_sequence

ALPHA = 1e-3  # probability that a right log fails any of its checks
VERSIONS = 1000  # more are the states of a learner, with too few events each
ENOUGH = 500  # events of a version that is checked by itself
EXPECTED = 20.0  # times that a label is chosen, from which on z is used


class Finding(NamedTuple):
    """What a check found."""

    check: str
    passed: bool
    text: str


class Counts:
    """How often labels were chosen, and what was expected, over events with a distribution."""

    def __init__(self, k: int) -> None:
        self.n, self.chosen = 0, np.zeros(k)
        self.expected, self.variance = np.zeros(k), np.zeros(k)

    def add(self, label: np.ndarray, chances: np.ndarray) -> None:
        self.n += len(label)
        self.chosen += np.bincount(label, minlength=len(self.chosen))
        self.expected += chances.sum(axis=0)
        self.variance += (chances * (1 - chances)).sum(axis=0)

    def z(self) -> np.ndarray:
        enough = np.minimum(self.expected, self.n - self.expected) >= EXPECTED
        z = (self.chosen - self.expected) / np.sqrt(np.maximum(self.variance, 1e-300))
        return np.where(enough & (self.variance > 0), z, 0.0)


class LogCheck:
    """Gathers what the checks need, chunk by chunk."""

    def __init__(self, log: Log) -> None:
        self.labels, self.k = log.labels, log.n_classes
        self.total = Counts(self.k)
        self.by_version: dict[str, Counts] = defaultdict(lambda: Counts(self.k))
        self.label: list[np.ndarray] = []
        self.propensity: list[np.ndarray] = []
        self.allowed: list[np.ndarray] = []
        self.differs = 0  # events whose propensity is not that of the distribution

    def add(self, events: Events) -> None:
        """Take some events that have a reward."""
        if events.chances is not None:
            known = ~np.isnan(events.chances[:, 0])
            self.differs += int((np.abs(events.propensity - events.logged_chance) > 1e-6).sum())
            self._count(events.part(known))
            events = events.part(~known)
        if len(events):
            self.label.append(events.label.astype(np.int32))
            self.propensity.append(events.propensity)
            n_labels = (len(events), self.k)
            allowed = np.ones(n_labels, bool) if events.allowed is None else events.allowed
            self.allowed.append(np.packbits(allowed, axis=1))

    def _count(self, events: Events) -> None:
        chances = events.chances
        if chances is None or not len(events):
            return
        self.total.add(events.label, chances)
        if len(self.by_version) <= VERSIONS and not (events.policy is events.version is None):
            for version, which in _versions(events):
                self.by_version[version].add(events.label[which], chances[which])

    def findings(self) -> list[Finding]:
        """Return what the checks found."""
        found = []
        if self.total.n:
            found.append(self._frequencies())
        if self.label:
            found.append(self._propensities())
        if self.differs:
            text = f"{self.differs:,} propensities differ from the distribution, which is used"
            found.append(Finding("propensities of the distribution", True, text))
        return found

    def _frequencies(self) -> Finding:
        from scipy.special import ndtri

        tried = {"": self.total}
        if len(self.by_version) <= VERSIONS:
            tried |= {v: c for v, c in self.by_version.items() if c.n >= ENOUGH}
        z = {version: counts.z() for version, counts in tried.items()}
        limit = -float(ndtri(ALPHA / (2 * self.k * len(tried))))
        version = max(z, key=lambda name: np.abs(z[name]).max())
        worst, counts = int(np.abs(z[version]).argmax()), tried[version]
        where = f" by version {version}" if version else ""
        text = (
            f"label {self.labels[worst]} was chosen {counts.chosen[worst]:,.0f} times{where}, "
            f"expected {counts.expected[worst]:,.0f} ± {2 * counts.variance[worst] ** 0.5:,.0f}"
        )
        return Finding("label frequencies", abs(z[version][worst]) <= limit, text)

    def _propensities(self) -> Finding:
        label, p = np.concatenate(self.label), np.concatenate(self.propensity)
        packed = np.concatenate(self.allowed)
        at, alpha = np.array([len(label)]), ALPHA / (2 * self.k)
        worst = Finding("propensities", True, "the mean of 1[chosen]/propensity is as it should be")
        for code in range(self.k):
            allowed = np.unpackbits(packed[:, [code // 8]], axis=1)[:, code % 8].astype(float)
            terms = (label == code) / p - allowed
            most = float((1 / p[label == code]).max(initial=1.0))
            above = lower_sequence(terms, 1.0, alpha, at)[-1] > 0
            below = lower_sequence(-terms, most, alpha, at)[-1] > 0
            if above or below:
                text = (
                    f"the mean of 1[chosen]/propensity is {(terms + allowed).mean():.3f} for label "
                    f"{self.labels[code]}, but {allowed.mean():.3f} of the events allowed it"
                )
                worst = Finding("propensities", False, text)
        return worst


def _versions(events: Events) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the versions of the policy that chose, with their events."""
    numbers = np.full(len(events), -1) if events.version is None else events.version
    names = np.full(len(events), "") if events.policy is None else events.policy.astype(str)
    words = np.char.add(np.char.add(names, " "), numbers.astype(str))
    found, of_event = np.unique(words, return_inverse=True)
    order = np.argsort(of_event.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(of_event.ravel()))[:-1]
    return zip(map(str, found), np.split(order, ends), strict=True)


def require_sound(findings: list[Finding]) -> None:
    """Refuse a log that fails a check: its estimates would be wrong."""
    for finding in findings:
        if not finding.passed:
            raise ValueError(f"logged propensities are wrong: {finding.text}")
