"""Checks of propensities where only that of the chosen label is known.

Let a policy choose label l with chance P(l), which is logged as p if l is chosen. Then

    the mean of 1[a = l]/p is the share of events in which P(l) > 0,

so it is at most the share that allowed l. A mean that is larger refutes the propensities.

One that is smaller does not. A policy that chooses evenly among 3 labels, with a propensity logged
as 1/2, leaves the same log as one that each time chooses evenly among 2 of them, at random which:
the mean is 2/3 for each label, and the second log is right. But chances of labels sum up to 1, so
where those of the m - 1 others stay at numbers c_j, that of l is c_l = 1 - Σ c_j. With

    f_j(p) = -1[|p - c_j| > δ] for j ≠ l,    f_l(p) = 1[|p - c_l| > m δ]

Σ f(P) ≤ 0 for every distribution P, and the term (f_a(p) - f_a(0))/p + Σ f(0) of an event has the
mean Σ f(P). If the mean of these is above 0, the propensities of l are refuted: there is no room
for them. c_j is the most frequent propensity of j in the first quarter of the events, which is not
used again; only events with its most frequent set of allowed labels count.

All means are tested by confidence sequences, which hold while the policy learns. Only labels whose
sums can reach the bound are tested: of many labels most were chosen too rarely for that.
"""

from typing import NamedTuple

import numpy as np

from onearm.ope.sequences import boundary, lower_sequence

FIRST = 4  # the part of the events that c is learnt from is one of so many
DELTA = 1e-3  # δ: propensities may be rounded
OFTEN = 20  # choices of a label, from which on its largest 1/p is a guess of what none exceeds
MOST = 100  # labels that lack most, of which more is asked


class Chosen(NamedTuple):
    """The chosen labels of some events, with their propensities."""

    label: np.ndarray
    p: np.ndarray
    packed: np.ndarray  # bits of the labels that were allowed; of width 0 if all were
    n_allowed: np.ndarray  # how many events allowed each label

    def allowed(self, code: int) -> np.ndarray:
        """Return whether a label was allowed, as 0 and 1."""
        if not self.packed.shape[1]:
            return np.ones(len(self.label))
        return np.unpackbits(self.packed[:, [code // 8]], axis=1)[:, code % 8].astype(float)

    def terms(self, code: int) -> np.ndarray:
        """Return 1[a = l]/p minus whether l was allowed, of each event."""
        return (self.label == code) / self.p - self.allowed(code)


class Doubt(NamedTuple):
    """What is wrong with the propensities of a label."""

    code: int
    mean: float  # of 1[a = l]/p
    share: float  # of events that allowed it
    half: float  # what the mean may differ by
    is_refuted: bool
    above: bool


def worst_doubt(chosen: Chosen, alpha: float) -> Doubt | None:
    """Return what is wrong with a label, if something is; first what is refuted.

    Each label of a right log is refuted with probability at most 2 α.
    """
    k, n = len(chosen.n_allowed), len(chosen.label)
    total = np.bincount(chosen.label, 1 / chosen.p, k)
    doubts = []
    for code in _possibly_above(chosen, total, alpha):
        excess = _bound(chosen.terms(code), 1.0, alpha)
        if excess > 0:
            mean, share = float(total[code] / n), float(chosen.n_allowed[code] / n)
            return Doubt(code, mean, share, mean - share - excess, True, True)
    largest = _largest(chosen, k)
    possible = _possibly_below(chosen, total, largest, alpha)
    room = Room(chosen, k) if possible else None
    for code in possible:
        lack = _bound(-chosen.terms(code), float(largest[code]), alpha)
        if lack > 0:
            mean, share = float(total[code] / n), float(chosen.n_allowed[code] / n)
            refuted = room is not None and room.refutes(code, alpha)
            doubts.append(Doubt(code, mean, share, share - mean - lack, refuted, False))
    return min(doubts, key=lambda doubt: not doubt.is_refuted, default=None)


def _bound(terms: np.ndarray, least: float, alpha: float) -> float:
    return float(lower_sequence(terms, least, alpha, np.array([len(terms)]))[-1])


def _possibly_above(chosen: Chosen, total: np.ndarray, alpha: float) -> list[int]:
    """Return the labels whose lower bound may be above 0.

    There Σ ξ > boundary(V), ξ = (1[a = l]/p - 1)/2, and V is at least the sum of its terms at
    choices of l: no guess is above 1/2.
    """
    square = np.maximum(1 / chosen.p - 2, 0) ** 2 / 4
    least = np.bincount(chosen.label, square, len(total))
    return np.flatnonzero((total - chosen.n_allowed) / 2 > boundary(least, alpha)).tolist()


def _possibly_below(
    chosen: Chosen, total: np.ndarray, largest: np.ndarray, alpha: float
) -> list[int]:
    """Return the labels whose upper bound may be below the share of events; of many the worst."""
    lack = (chosen.n_allowed - total) / (largest + 1)
    worst = np.argsort(-lack, kind="stable")[:MOST]
    return sorted(worst[lack[worst] > boundary(np.zeros(1), alpha)].tolist())


def _largest(chosen: Chosen, k: int) -> np.ndarray:
    """Return what 1/p of each label may be; of one chosen a few times that of all labels."""
    largest = np.ones(k)
    np.maximum.at(largest, chosen.label, 1 / chosen.p)
    often = np.bincount(chosen.label, minlength=k) >= OFTEN
    return np.where(often, largest, largest.max())


class Room:
    """What labels leave each other, by the first events; the others are for tests."""

    def __init__(self, chosen: Chosen, k: int) -> None:
        first, usual = len(chosen.label) // FIRST, np.ones(len(chosen.label), bool)
        self.labels = np.arange(k)
        if chosen.packed.shape[1]:
            sets, count = np.unique(chosen.packed[:first], axis=0, return_counts=True)
            most = sets[count.argmax()]
            usual = (chosen.packed == most).all(axis=1)
            self.labels = np.flatnonzero(np.unpackbits(most)[:k])
        early, later = np.flatnonzero(usual[:first]), first + np.flatnonzero(usual[first:])
        self.c = _most_frequent(chosen.label[early], chosen.p[early], k)
        self.label, self.p = chosen.label[later], chosen.p[later]

    def refutes(self, code: int, alpha: float) -> bool:
        """Whether the propensities of the other labels refute those of one."""
        others = self.labels[self.labels != code]
        if len(others) == len(self.labels) or not len(self.label):
            return False
        if not np.isfinite(self.c[others]).all():
            return False
        c = np.zeros(len(self.c))
        c[others] = self.c[others]
        c[code] = 1 - c.sum()
        terms, least = room_terms(self.label, self.p, c, code, len(self.labels))
        return _bound(terms, least, alpha) > 0


def room_terms(
    label: np.ndarray, p: np.ndarray, c: np.ndarray, code: int, m: int
) -> tuple[np.ndarray, float]:
    """Return the terms of events in which m labels were allowed, and what none is below."""
    reach = m * DELTA
    f_0, constant = -1.0, -(m - 1.0)  # of the others, and Σ f(0)
    own_f_0 = 1.0 if abs(c[code]) > reach else 0.0
    constant += own_f_0
    far, own = np.abs(p - c[label]), label == code
    f = np.where(own, 1.0 * (far > reach), -1.0 * (far > DELTA))
    terms = (f - np.where(own, own_f_0, f_0)) / p + constant
    nearest = 1 / (c[code] - reach) if c[code] > reach else 0.0  # of a propensity of about c_l
    return terms, max(nearest - constant, 0.0)


def _most_frequent(label: np.ndarray, p: np.ndarray, k: int) -> np.ndarray:
    """Return the most frequent propensity of each label, -∞ of one that was not chosen."""
    pairs, count = np.unique(np.stack([label, p], axis=1), axis=0, return_counts=True)
    found = np.full(k, -np.inf)
    rarest_first = np.lexsort((-pairs[:, 1], count))
    found[pairs[rarest_first, 0].astype(int)] = pairs[rarest_first, 1]
    return found
