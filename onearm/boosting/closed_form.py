"""Potentials of boost-by-majority in closed form, for votes too long for a table.

Let n be the mean of a Poisson number of votes to
come. Then each label gets its votes independently, j of them with chance π_j(t) = e⁻ᵗtʲ/j! where t
is an or bn, and given that n came in all it is the same vote. The chance that r ends with M votes
and all others with fewer is a coefficient of a polynomial in ω, whose powers count the votes:

    1 - φʳ_n(s) = [ωⁿ] Σ_M π_i(an)·ωⁱ · Π_{l≠r} Σ_{j<M-s_l} π_j(bn)·ωʲ / π_n(n),    i = M - s_r.

Add x·π_j(bn)·ωʲ with j = M - s_l to each inner sum: a rival with M votes too, who loses to r with
chance x. Strict is x = 0, lenient x = 1, and random the mean over x in [0, 1], where xʲ becomes
1/(1+j): Gauss-Legendre nodes give it exactly. [ωⁿ] is a mean over the unit circle, of ω⁻ⁿ times
the polynomial. Taken at 10√n + 10 points it adds the coefficients of powers that far from n, which
are below 10⁻¹⁸. No factor exceeds 1, so nothing overflows.
"""

import math

import numpy as np

from onearm.kernels import kernel, large_kernel

NEGLIGIBLE = 1e-19  # a chance that no sum would notice


@large_kernel
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
