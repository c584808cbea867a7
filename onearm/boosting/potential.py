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

In closed form, where the partitions are too many: let n be the mean of a Poisson number of votes to
come. Then each label gets its votes independently, j of them with chance π_j(t) = e⁻ᵗtʲ/j! where t
is an or bn, and given that n came in all it is the same vote. The chance that r ends with M votes
and all others with fewer is a coefficient of a polynomial in ω, whose powers count the votes:

    1 - φʳ_n(s) = [ωⁿ] Σ_M π_i(an)·ωⁱ · Π_{l≠r} Σ_{j<M-s_l} π_j(bn)·ωʲ / π_n(n),    i = M - s_r.

Add x·π_j(bn)·ωʲ with j = M - s_l to each inner sum: a rival with M votes too, who loses to r with
chance x. Strict is x = 0, lenient x = 1, and random the mean over x in [0, 1], where xʲ becomes
1/(1+j): Gauss-Legendre nodes give it exactly. [ωⁿ] is a mean over the unit circle, of ω⁻ⁿ times
the polynomial. Taken at 10√n + 10 points it adds the coefficients of powers that far from n, which
are below 10⁻¹⁸. No factor exceeds 1, so nothing overflows.

Y. H. Jung, J. Goetz, A. Tewari. Online multiclass boosting. NIPS 2017.
D. T. Zhang, Y. H. Jung, A. Tewari. Online multiclass boosting with bandit feedback. AISTATS 2019,
section 3.2.2 and equation 8.

Differs from the papers: they estimate φ by Monte Carlo, with errors up to 0.05. This is exact.
"""

import math
from functools import lru_cache

import numpy as np

from onearm.kernels import kernel

LARGEST = 50_000  # partitions of a table, of 12(N+1) bytes each
NEGLIGIBLE = 1e-19  # a chance that no sum would notice


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
def closed_form(n, count, nodes, weights, gamma):
    """φ_n of a label with u votes, for every u that some have; count[u] labels have u votes."""
    k, total, top = 0, n, 0
    for u in range(len(count)):
        k += count[u]
        total += u * count[u]
        if count[u] > 0:
            top = u
    b = (1.0 - gamma) / k
    a = b + gamma
    most, chance = 0, math.exp(-a * n)  # which is not 0 as long as N is below 700
    while most < n and (most < a * n or chance > NEGLIGIBLE):
        most += 1
        chance *= a * n / most
    own, other = np.empty((top + most + 1, 2)), np.empty((top + most + 1, 2))
    fewer = np.zeros((top + most + 1, 2))
    rest, powers, won = np.empty((top + 1, 2)), np.empty((top + 1, 2)), np.zeros(len(count))
    h = int(5.0 * math.sqrt(n)) + 6
    for i in range(h):  # the upper half of the circle; the lower one mirrors it
        angle = (i + 0.5) * math.pi / h
        poisson_terms(a * n, angle, -n * angle, own)
        poisson_terms(b * n, angle, 0.0, other)
        for j in range(top + most):
            fewer[j + 1, 0] = fewer[j, 0] + other[j, 0]
            fewer[j + 1, 1] = fewer[j, 1] + other[j, 1]
        for M in range(max(top, (total + k - 1) // k), top + most + 1):
            tied = total // M if M > 0 else k  # no more labels than these can end with M votes
            q = min((tied + 1) // 2, len(nodes))
            for j in range(q):
                x, w = nodes[q - 1, j], weights[q - 1, j]
                add_wins(won, w, M, x, count, own, other, fewer, rest, powers)
    every = 1.0 * h
    for i in range(n):
        every *= n / ((i + 1) * math.e)  # h·π_n(n) in the end
    lost = np.zeros(len(count))
    for u in range(top + 1):
        if count[u] > 0:
            lost[u] = min(max(1.0 - won[u] / every, 0.0), 1.0)
    return lost


@kernel
def poisson_terms(t, angle, turn, terms):
    """Put π_j(t)·ωʲ into terms[j], turned by `turn`; ω is the point of the circle at `angle`."""
    omega = math.cos(angle), math.sin(angle)
    z = math.exp(-t) * math.cos(turn), math.exp(-t) * math.sin(turn)
    for j in range(len(terms)):
        terms[j, 0], terms[j, 1] = z
        re, im = times(z, omega)
        z = re * t / (j + 1), im * t / (j + 1)


@kernel
def add_wins(won, w, M, x, count, own, other, fewer, rest, powers):
    """Add to won[u] w times the chance, as a polynomial at ω, that u votes become M and win."""
    product = 1.0, 0.0
    for u in range(len(rest)):
        if count[u] > 0:
            j = M - u
            rival = fewer[j, 0] + x * other[j, 0], fewer[j, 1] + x * other[j, 1]
            others = power(rival, count[u] - 1)
            rest[u, 0], rest[u, 1] = times(product, others)
            powers[u, 0], powers[u, 1] = times(others, rival)
            product = times(product, (powers[u, 0], powers[u, 1]))
    product = 1.0, 0.0
    for u in range(len(rest) - 1, -1, -1):
        if count[u] > 0:
            rivals = times((rest[u, 0], rest[u, 1]), product)
            won[u] += w * (rivals[0] * own[M - u, 0] - rivals[1] * own[M - u, 1])
            product = times(product, (powers[u, 0], powers[u, 1]))


@kernel
def times(z, w):
    """The product of two complex numbers, each a pair: complex ones may differ in their bits."""
    return z[0] * w[0] - z[1] * w[1], z[0] * w[1] + z[1] * w[0]


@kernel
def power(z, e):
    result = 1.0, 0.0
    while e > 0:
        if e % 2 == 1:
            result = times(result, z)
        z = times(z, z)
        e //= 2
    return result


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


def quadrature(k: int, ties: str) -> tuple[np.ndarray, np.ndarray]:
    """Nodes x in [0, 1] and weights that average xʲ over the tie rule, row q-1 for j < 2q ≤ k+1."""
    if ties != "random":
        return np.full((1, 1), float(ties == "lenient")), np.ones((1, 1))
    most = (k + 1) // 2
    nodes, weights = np.zeros((most, most)), np.zeros((most, most))
    for q in range(1, most + 1):
        x, w = np.polynomial.legendre.leggauss(q)
        nodes[q - 1, :q], weights[q - 1, :q] = (x + 1) / 2, w / 2
    return nodes, weights


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
    if size(k, N) > LARGEST:
        return np.empty((0, 0), np.int32), np.empty((0, 0)), nodes, weights, gamma
    t = np.arange(1, k + 1)
    won = {"strict": 1.0 * (t == 1), "random": 1 / t, "lenient": 1.0 * (t > 0)}[ties]
    step = partitions(min(k, N), N)
    phi = np.zeros(step.shape)
    fill(phi, step, k, won, gamma)
    return step, phi, nodes, weights, gamma
