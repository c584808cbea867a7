"""Potentials of boost-by-majority: the chance that a label loses a vote that is still going on.

With the votes s so far and n more to come, each for r with chance a = (1-γ)/k + γ and for each of
the other labels with chance b = (1-γ)/k, the potential of r is

    φʳ_n(s) = P(argmax(s + Multinomial(n; a, b, ..., b)) ≠ r)
            = a·φʳ_{n-1}(s + e_r) + b·Σ_{l≠r} φʳ_{n-1}(s + e_l).

A tie at the end is lost ("strict"), won ("lenient") or settled at random ("random"). The i-th of N
weak learners pays C[l, r] = φʳ_{N-i}(s + e_l) for choosing l where r is right.

By table: past and future votes are N in all, so φ depends on the partition of the past ones and on
how many of them r has. Each partition of 0 to N into at most k parts has an entry for each of its
different parts: `step` leads to the first entry of the partition that has one vote more there, and
`phi` is filled from the end by the recursion.

Where the entries are too many there is a closed form (`closed_form`).

Y. H. Jung, J. Goetz, A. Tewari. Online multiclass boosting. NIPS 2017.
D. T. Zhang, Y. H. Jung, A. Tewari. Online multiclass boosting with bandit feedback. AISTATS 2019,
section 3.2.2 and equation 8.

Differs from the papers: they estimate φ by Monte Carlo, with errors up to 0.05. This is exact.
"""

from functools import lru_cache
from itertools import accumulate

import numpy as np

from onearm.boosting.circle import Circle, circle
from onearm.boosting.closed_form import expected_wins
from onearm.boosting.partitions import different, find, n_entries, n_partitions, number_of, ways
from onearm.core.kernels import kernel

LARGEST = 5_000_000  # entries of a table, of 12 bytes each
MOST = 500  # weak learners
CLOSED_FORM = 6e-4  # milliseconds of a round over N², measured for N from 50 to 200


@kernel
def expected_costs(votes, count, g, n, p, potential):
    """ĉ_l = Σ_r C[l, r]·g_r, where n votes are to come after this one.

    count[v] labels have v `votes`; p is the first entry of their partition.
    """
    step, phi, tables = potential
    k, m, seen, total, v = len(votes), 0, 0, n + 1, 0
    alike, costs = np.empty((3, k), np.int64), np.empty((2, k))
    values, counts, place, chat = alike[0], alike[1], alike[2], costs[0]
    while seen < k:
        if count[v] > 0:
            values[m], counts[m] = v, count[v]
            seen += count[v]
            total += v * count[v]
            m += 1
        v += 1
    for r in range(k):
        place[r] = 0
        while values[place[r]] < votes[r]:
            place[r] += 1
    if len(step) > 0:
        costs_by_table(values, counts, m, place, g, step, phi, p, costs[1], chat)
    else:
        costs_in_closed_form(values[:m], counts[:m], place, g, n, total, tables, chat)
    return chat


@kernel
def costs_by_table(values, counts, m, place, g, step, phi, p, lost, chat):
    """When the j-th different vote count grows, the places of those above it may shift."""
    k = len(place)
    for j in range(m):
        child, alone = step[p + j], 1 if counts[j] == 1 else 0
        shift = gap(values, m, j) - alone
        for i in range(j):
            lost[i] = phi[child + i]
        lost[j] = 0.0 if alone else phi[child + j]
        for i in range(j + 1, m):
            lost[i] = phi[child + i + shift]
        rise = phi[child + j + 1 - alone] - lost[j]
        base = 0.0
        for r in range(k):
            base += g[r] * lost[place[r]]
        for label in range(k):
            if place[label] == j:
                chat[label] = base + g[label] * rise


@kernel
def costs_in_closed_form(values, counts, place, g, n, total, tables, chat):
    every, weights = 0.0, np.zeros(len(values))
    for r in range(len(place)):
        every += g[r]
        weights[place[r]] += g[r]
    wins = expected_wins(values, counts, weights, n, total, tables)
    for r in range(len(place)):
        j = place[r]
        chat[r] = every - wins[0, j] - (weights[j] - g[r]) * wins[1, j] - g[r] * wins[2, j]


@kernel
def gap(values, m, j):
    """1 if no label has one vote more than values[j], else 0."""
    return 1 if j + 1 == m or values[j + 1] > values[j] + 1 else 0


@kernel
def vote(label, votes, count, p, potential):
    """Give `label` a vote; returns the first entry of the partition that p becomes."""
    step = potential[0]
    v = votes[label]
    count[v] -= 1
    count[v + 1] += 1
    votes[label] += 1
    if len(step) == 0:
        return p
    for u in range(v):
        p += count[u] > 0
    return step[p]


@kernel
def fill(step, phi, first, ways, k, won, gamma):
    """φ of all partitions from the last to the first; won[t-1] is the chance to win a tie of t."""
    slots, N = ways.shape[2] - 1, len(first) - 2
    parts, starts = np.empty(slots, np.int64), np.empty(first[-1], np.int64)
    values, counts = np.empty(slots + 1, np.int64), np.empty(slots + 1, np.int64)
    entries = 0
    for t in range(N + 1):
        for i in range(first[t + 1] - first[t]):
            find(i, t, ways, parts)
            starts[first[t] + i] = entries
            entries += different(parts, k, values, counts)
    for t in range(N, -1, -1):
        for i in range(first[t + 1] - first[t]):
            find(i, t, ways, parts)
            m = different(parts, k, values, counts)
            p = starts[first[t] + i]
            if t < N:
                for j in range(m):
                    grown = slots - 1
                    while grown > 0 and parts[grown - 1] <= values[j]:
                        grown -= 1
                    parts[grown] += 1
                    step[p + j] = starts[first[t + 1] + number_of(parts, t + 1, ways)]
                    parts[grown] -= 1
                recur(p, values, counts, m, step, phi, k, gamma)
            else:
                for j in range(m):
                    phi[p + j] = 1.0 - won[counts[j] - 1] if j == m - 1 else 1.0


@kernel
def recur(p, values, counts, m, step, phi, k, gamma):
    """φ of the entries of a partition, from those of the partitions with one vote more."""
    b = (1.0 - gamma) / k
    a = b + gamma
    for u in range(m):
        lost = a * phi[step[p + u] + u + (counts[u] > 1)]
        for v in range(m):
            others = counts[v] - (u == v)
            if others > 0:
                shift = gap(values, m, v) - (counts[v] == 1) if u > v else 0
                lost += b * others * phi[step[p + v] + u + shift]
        phi[p + u] = min(lost, 1.0)


@lru_cache(maxsize=8)
def potential(k: int, N: int, gamma: float, ties: str) -> tuple[np.ndarray, np.ndarray, Circle]:
    """(step, phi, tables of the closed form), shared by learners; `step` or the tables are empty.

    >>> step, phi, _ = potential(k=26, N=20, gamma=0.1, ties="random")
    >>> f"{phi[0]:.5f}"
    '0.55445'
    """
    if n_entries(k, N) > LARGEST:
        return np.empty(0, np.int32), np.empty(0), circle(k, N, gamma, ties)
    t = np.arange(1, k + 1)
    won = {"strict": 1.0 * (t == 1), "random": 1 / t, "lenient": 1.0 * (t > 0)}[ties]
    slots = min(k, N)
    first = np.concatenate([[0], np.cumsum(n_partitions(slots, N))])
    step, phi = np.full(n_entries(k, N), -1, np.int32), np.zeros(n_entries(k, N))
    fill(step, phi, first, ways(slots, N), k, won, gamma)
    return step, phi, circle(k, 0, gamma, ties)


def longest(k: int) -> int:
    """The largest N whose table is not too large."""
    entries = accumulate(accumulate(n_partitions(k - 1, MOST)))
    return sum(number <= LARGEST for number in entries) - 1


def without_table(k: int, N: int) -> str:
    """What to expect of the closed form."""
    return (
        f"n_classes={k} and n_learners={N} leave no table of potentials small enough: a round "
        f"takes about {CLOSED_FORM * N * N:.0f} ms; with up to n_learners={longest(k)} it "
        "takes microseconds"
    )
