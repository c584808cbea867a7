"""Potentials of boost-by-majority: the chance that a label loses a vote that is still going on.

With the votes s so far and n more to come, each for r with chance a = (1-γ)/k + γ and for each of
the other labels with chance b = (1-γ)/k, the potential of r is

    φʳ_n(s) = P(argmax(s + Multinomial(n; a, b, ..., b)) ≠ r)
            = a·φʳ_{n-1}(s + e_r) + b·Σ_{l≠r} φʳ_{n-1}(s + e_l).

A tie at the end is lost ("strict"), won ("lenient") or settled by lot ("random"). The i-th of N
weak learners pays C[l, r] = φʳ_{N-i}(s + e_l) for saying l where r is right.

By table: past and future votes are N in all, so φ depends on the partition of the past ones and on
how many of them r has. The partitions of 0 to N into at most k parts are numbered, `step` leads
from each to those with one vote more, and `phi` is filled from the end by the recursion.

Where the partitions are too many there is a closed form (`closed_form`).

Y. H. Jung, J. Goetz, A. Tewari. Online multiclass boosting. NIPS 2017.
D. T. Zhang, Y. H. Jung, A. Tewari. Online multiclass boosting with bandit feedback. AISTATS 2019,
section 3.2.2 and equation 8.

Differs from the papers: they estimate φ by Monte Carlo, with errors up to 0.05. This is exact.
"""

from functools import lru_cache

import numpy as np

from onearm.boosting.closed_form import closed_form, quadrature
from onearm.kernels import kernel

LARGEST = 4_000_000  # entries of a table, of 12 bytes each


@kernel
def expected_costs(votes, g, n, p, potential):
    """ĉ_l = Σ_r C[l, r]·g_r, where `votes` are partition p and n are to come after this one."""
    step, phi, nodes, weights, gamma = potential
    k = len(votes)
    count = np.zeros(max(votes) + 2, np.int64)
    for r in range(k):
        count[votes[r]] += 1
    chat = np.empty(k)
    for v in range(len(count) - 1):
        if count[v] == 0:
            continue
        if len(step) > 0:
            lost = phi[step[p, v]]
        else:
            count[v] -= 1
            count[v + 1] += 1
            lost = closed_form(n, count, nodes, weights, gamma)
            count[v] += 1
            count[v + 1] -= 1
        base = 0.0
        for r in range(k):
            base += g[r] * lost[votes[r]]
        for label in range(k):
            if votes[label] == v:
                chat[label] = base + g[label] * (lost[v + 1] - lost[v])
    return chat


@kernel
def vote(label, votes, p, potential):
    """Give `label` a vote; returns the partition that p becomes."""
    step = potential[0]
    v = votes[label]
    votes[label] += 1
    return step[p, v] if len(step) > 0 else p


@kernel
def fill(phi, step, k, won, gamma):
    """φ of all partitions from the last to the first; won[t-1] is the chance to win a tie of t."""
    b = (1.0 - gamma) / k
    a = b + gamma
    count = np.zeros(step.shape, np.int32)
    count[0, 0] = k
    for p in range(len(step)):
        for v in range(step.shape[1]):
            child = step[p, v]
            if child >= 0:
                for u in range(step.shape[1]):
                    count[child, u] = count[p, u] - (u == v) + (u == v + 1)
    for p in range(len(step) - 1, -1, -1):
        top = 0
        for u in range(step.shape[1]):
            if count[p, u] > 0:
                top = u
        for u in range(top + 1):
            if count[p, u] > 0 and step[p, u] < 0:  # the vote is over
                phi[p, u] = 1.0 - won[count[p, u] - 1] if u == top else 1.0
            elif count[p, u] > 0:
                lost = a * phi[step[p, u], u + 1]
                for v in range(top + 1):
                    others = count[p, v] - (u == v)
                    if others > 0:
                        lost += b * others * phi[step[p, v], u]
                phi[p, u] = min(lost, 1.0)


def size(k: int, N: int) -> int:
    """The number of partitions of 0 to N into at most k parts, which is that into parts up to k."""
    ways = [1] + [0] * N
    for part in range(1, min(k, N) + 1):
        for j in range(part, N + 1):
            ways[j] += ways[j - part]
    return sum(ways)


@lru_cache(maxsize=8)
def partitions(k: int, N: int) -> np.ndarray:
    """step[p, v]: the partition that p becomes when a part v of it grows by one, or -1."""
    step = np.full((size(k, N), N + 1), -1, np.int32)
    numbers: dict[tuple[int, ...], int] = {(): 0}
    found: list[tuple[int, ...]] = [()]
    for p, parts in enumerate(found):  # which grows while it is walked
        if sum(parts) == N:
            break
        for i, v in enumerate(parts if len(parts) == k else parts + (0,)):
            if i == 0 or v < parts[i - 1]:
                child = parts[:i] + (v + 1,) + parts[i + 1 :]
                if child not in numbers:
                    numbers[child] = len(found)
                    found.append(child)
                step[p, v] = numbers[child]
    return step


@lru_cache(maxsize=32)
def potential(
    k: int, N: int, gamma: float, ties: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]:
    """(step, phi, nodes, weights, gamma) for the kernels; `step` is empty for the closed form.

    Learners share these arrays and never write to them.

    >>> step, phi, *_ = potential(k=26, N=20, gamma=0.1, ties="random")
    >>> f"{phi[0, 0]:.5f}"
    '0.55445'
    """
    nodes, weights = quadrature(k, ties)
    if size(k, N) * (N + 1) > LARGEST:
        return np.empty((0, 0), np.int32), np.empty((0, 0)), nodes, weights, gamma
    t = np.arange(1, k + 1)
    won = {"strict": 1.0 * (t == 1), "random": 1 / t, "lenient": 1.0 * (t > 0)}[ties]
    step = partitions(min(k, N), N)
    phi = np.zeros(step.shape)
    fill(phi, step, k, won, gamma)
    return step, phi, nodes, weights, gamma
