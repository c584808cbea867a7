"""Checks of a log: are its propensities those with which labels were chosen?

Where the whole distribution is logged, the number of times that a label was chosen is compared with
the sum of its chances, by z = Σ (1[a = l] - p_l) / √Σ p_l (1 - p_l), for all events and for each
version of the policy with enough of them; and Σ p_a, the chances of the chosen labels, with Σ p²,
which finds distributions that stand at the wrong events. Of two allowed labels the propensity of
one has the other's.

Where only the propensity of the chosen label is known, the mean of 1[a = l]/p must be the share of
events that allowed l: `propensities` has what can be refuted then, and what is only doubtful.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from onearm.log.events import Events
from onearm.log.log import Log
from onearm.ope.propensities import Chosen, worst_doubt

ALPHA = 1e-3  # probability that a right log fails any of its checks
VERSIONS = 1000  # more are the states of a learner, with too few events each
ENOUGH = 500  # events of a version that is checked by itself
EXPECTED = 20.0  # times that a label is chosen, from which on z is used
DOUBT = ", or it had next to no chance in many events, which this log cannot tell apart"
VARIANCE = 5.0  # of Σ p_a, from which on z is used


class Finding(NamedTuple):
    """What a check found."""

    check: str
    passed: bool
    text: str
    doubtful: bool = False  # passed, but a warning


class Counts:
    """How often labels were chosen, and what was expected, over events with a distribution."""

    def __init__(self, k: int) -> None:
        self.n, self.chosen = 0, np.zeros(k)
        self.expected, self.variance = np.zeros(k), np.zeros(k)
        self.of_chosen = np.zeros(3)  # Σ p_a, what is expected, and its variance

    def add(self, label: np.ndarray, chances: np.ndarray) -> None:
        self.n += len(label)
        self.chosen += np.bincount(label, minlength=len(self.chosen))
        self.expected += chances.sum(axis=0)
        squares = chances * chances
        self.variance += (chances - squares).sum(axis=0)
        square = squares.sum(axis=1)
        variance = (squares * chances).sum() - (square * square).sum()
        own = chances[np.arange(len(label)), label].sum()
        self.of_chosen += (own, square.sum(), variance)

    def z(self) -> np.ndarray:
        enough = np.minimum(self.expected, self.n - self.expected) >= EXPECTED
        z = (self.chosen - self.expected) / np.sqrt(np.maximum(self.variance, 1e-300))
        return np.where(enough & (self.variance > 0), z, 0.0)

    def z_of_chosen(self) -> float:
        own, expected, variance = self.of_chosen
        return float(own - expected) / variance**0.5 if variance >= VARIANCE else 0.0


class LogCheck:
    """Gathers what the checks need, chunk by chunk."""

    def __init__(self, log: Log) -> None:
        self.labels, self.k = log.labels, log.n_classes
        self.total = Counts(self.k)
        self.by_version: dict[str, Counts] = defaultdict(lambda: Counts(self.k))
        self.label: list[np.ndarray] = []
        self.propensity: list[np.ndarray] = []
        self.allowed: list[np.ndarray] = []  # bits of the allowed labels, none where all were
        self.n_allowed = np.zeros(self.k, np.int64)
        self.least = 1.0  # of the logged chances above 0
        self.least_chosen = 1.0  # of the logged chances of chosen labels
        self.differs = 0  # events whose propensity is not that of the distribution

    def add(self, events: Events) -> None:
        """Take some events that have a reward."""
        self.least_chosen = min(self.least_chosen, float(events.logged_chance.min(initial=1.0)))
        if events.chances is not None:
            self.differs += int((np.abs(events.propensity - events.logged_chance) > 1e-6).sum())
        chances = _completed(events, self.k)
        known = ~np.isnan(chances[:, 0])
        if known.any():
            whole = chances if known.all() else chances[known]
            self.least = min(self.least, float(whole[whole > 0].min()))
            self._count(events, known, whole)
        alone = np.ones(len(events), bool)  # propensities without the distribution
        if events.chances is not None:
            alone = np.isnan(events.chances[:, 0])
        if alone.any():
            n = int(alone.sum())
            allowed = np.ones((n, 0), bool) if events.allowed is None else events.allowed[alone]
            self.label.append(events.label[alone].astype(np.int32))
            self.propensity.append(events.propensity[alone])
            self.allowed.append(np.packbits(allowed, axis=1))
            self.n_allowed += n if events.allowed is None else allowed.sum(axis=0)

    def _count(self, events: Events, known: np.ndarray, chances: np.ndarray) -> None:
        label = events.label[known]
        self.total.add(label, chances)
        if len(self.by_version) <= VERSIONS and not (events.policy is events.version is None):
            for version, which in _versions(events, known):
                self.by_version[version].add(label[which], chances[which])

    def findings(self) -> list[Finding]:
        """Return what the checks found."""
        found = []
        if self.total.n:
            found += [self._frequencies(), self._chances_of_chosen()]
        if self.label:
            found.append(self._propensities())
        if self.differs:
            text = f"{self.differs:,} propensities differ from the distribution, which is used"
            found.append(Finding("propensities of the distribution", True, text, doubtful=True))
        return found

    def _tried(self) -> dict[str, Counts]:
        """Return the counts of all events, and of versions with enough of them."""
        versions = self.by_version if len(self.by_version) <= VERSIONS else {}
        return {"": self.total} | {v: c for v, c in versions.items() if c.n >= ENOUGH}

    def _frequencies(self) -> Finding:
        tried = self._tried()
        z = {version: counts.z() for version, counts in tried.items()}
        limit = _limit((self.k + 1) * len(tried))
        version = max(z, key=lambda name: np.abs(z[name]).max())
        worst, counts = int(np.abs(z[version]).argmax()), tried[version]
        where = f" by version {version}" if version else ""
        text = (
            f"label {self.labels[worst]} was chosen {counts.chosen[worst]:,.0f} times{where}, "
            f"expected {counts.expected[worst]:,.0f} ± {limit * counts.variance[worst] ** 0.5:,.0f}"
        )
        return Finding("label frequencies", abs(z[version][worst]) <= limit, text)

    def _chances_of_chosen(self) -> Finding:
        tried = self._tried()
        version = max(tried, key=lambda name: abs(tried[name].z_of_chosen()))
        counts, where = tried[version], f" by version {version}" if version else ""
        own, expected, variance = counts.of_chosen
        limit = _limit((self.k + 1) * len(tried))
        most = limit * max(variance, 0.0) ** 0.5 / counts.n
        text = (
            f"the labels chosen{where} have a mean chance of {own / counts.n:.3f}, "
            f"expected {expected / counts.n:.3f} ± {most:.3f}"
        )
        return Finding("chances of chosen labels", abs(counts.z_of_chosen()) <= limit, text)

    def _propensities(self) -> Finding:
        label, p, packed = map(np.concatenate, (self.label, self.propensity, self.allowed))
        worst = worst_doubt(Chosen(label, p, packed, self.n_allowed), ALPHA / (2 * self.k))
        if worst is None:
            text = "the mean of 1[chosen]/propensity is as it should be"
            return Finding("propensities", True, text)
        text = (
            f"the mean of 1[chosen]/propensity is {_digits(worst.mean)} for label "
            f"{self.labels[worst.code]}, expected {worst.share:.3f} ± {_digits(worst.half)}, "
            "the share of events that allowed it"
        )
        if not worst.above:
            why = "its propensities are too large"
            no_room = ": the other labels leave no room for them"
            text += f": {why}" + (no_room if worst.is_refuted else DOUBT)
        return Finding("propensities", not worst.is_refuted, text, not worst.is_refuted)


def _digits(x: float) -> str:
    return f"{x:.3f}" if x < 1000 else f"{x:.3g}"


def _limit(n_tests: int) -> float:
    from scipy.special import ndtri

    return -float(ndtri(ALPHA / (2 * n_tests)))


def _completed(events: Events, k: int) -> np.ndarray:
    """Return the distributions, NaN where they are not known."""
    n = len(events)
    chances = np.full((n, k), np.nan) if events.chances is None else events.chances
    allowed = np.ones((1, k), bool) if events.allowed is None else events.allowed
    two = np.isnan(chances[:, 0]) & (allowed.sum(axis=1) <= 2)
    if not two.any():
        return chances
    rest = np.where(allowed, 1 - events.propensity[:, None], 0.0)
    rest[np.arange(n), events.label] = events.propensity
    return np.where(two[:, None], rest, chances)


def _versions(events: Events, known: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the versions of the policy that chose, with their places among known events."""
    n = int(known.sum())
    numbers = np.full(n, -1) if events.version is None else events.version[known]
    names = np.full(n, "") if events.policy is None else events.policy[known].astype(str)
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
