"""Points of the unit circle at which the closed form of the potentials takes its mean.

The mean over 2h evenly spaced points of ω⁻ⁿ times a polynomial is its n-th coefficient plus those
of the powers n ± 2h, n ± 4h, ... Here a coefficient is at most π_j(R), so h is chosen for them to
be below `ALIAS` of π_n(R). The lower half of the circle mirrors the upper one: h points remain.
R need not be n exactly: numbers of votes to come that differ by a few √n share theirs.
"""

import math
from typing import NamedTuple

import numpy as np

BLOCK = 8  # points that are left out together
ALIAS = 1e-16
TINY = 1e-150  # instead of a factor 0, by which products are divided


class Circle(NamedTuple):
    """Tables of the closed form: two arrays, since kernels count references of each.

    layout[n] for n votes to come: the number h of points, the largest j, and where in `numbers` the
    following start. A label that lacks j votes of M is in row j + 1.
    - bounds, (rows, blocks): log of the largest F_{j-1}, F_j or F_{j+1}, from this block on;
    - peaks, (2, rows): log of the chance of j own votes, and of j or more; or of one less;
    - tails, (rows,): the chance that a rival gets j votes or more;
    - turns, (2, h): ω⁻ⁿ; then the scale 1/(h·π_n(R));
    - shares: weights of the nodes, 2ⁱ at level i, one level after the other;
    - for each level its rows, (rows, 8, h, nodes): real and imaginary part of the factor f of a
      rival; and these over f: f after one more vote, j own votes, and j or more own votes.
    """

    layout: np.ndarray  # (N, 7 + levels)
    numbers: np.ndarray


def circle(k: int, N: int, gamma: float, ties: str) -> Circle:
    """Tables for each number n < N of votes to come, of N in all."""
    b, levels = (1.0 - gamma) / k, quadrature(k, ties)
    pieces, ends = [np.empty(0)], [0]

    def put(numbers: np.ndarray) -> int:
        pieces.append(np.ravel(numbers))
        ends.append(ends[-1] + pieces[-1].size)
        return ends[-2]

    shares = put(np.concatenate([w for _, w in levels]))
    layout = np.zeros((N, 7 + len(levels)), np.int64)
    for ns, R in grouped(N):
        h, J = half(ns, R), largest(ns, R, b + gamma)
        angles = [(i + 0.5) * math.pi / h for i in range(h)]
        F = np.cumsum(poisson_terms(b * R, angles, J), axis=0)
        own_votes = poisson_terms((b + gamma) * R, angles, J)
        own_votes[-1] = 0.0  # as good as, and also where j is larger
        of_group = [h, J, put(bounds(F)), put(peaks((b + gamma) * R, J)), put(at_least(b * R, J))]
        most = [J] + [min(J, N // (2**i + 1)) for i in range(1, len(levels))]  # which M can be
        rows = [
            put(factors(F[: j + 2], own_votes, x)) for j, (x, _) in zip(most, levels, strict=True)
        ]
        for n in ns:
            turn = [math.cos(n * v) for v in angles] + [-math.sin(n * v) for v in angles]
            turns = put(np.array([*turn, 1.0 / (h * poisson(n, R))]))
            layout[n] = [*of_group, turns, shares, *rows]
    return Circle(layout, np.concatenate(pieces))


def grouped(N: int) -> list[tuple[range, float]]:
    """The numbers below N in groups of about three times their root, and the mean of each."""
    groups, n = [], 0
    while n < N:
        ns = range(n, min(n + max(math.isqrt(9 * n), 1), N))
        groups.append((ns, max((ns[0] + ns[-1]) / 2, 0.5)))
        n = ns[-1] + 1
    return groups


def poisson(j: int, t: float) -> float:
    """π_j(t)."""
    if j < 0 or t == 0.0:
        return float(j == 0)
    return math.exp(j * math.log(t) - t - math.lgamma(j + 1))


def half(ns: range, R: float) -> int:
    """The least number h of points that keeps other powers than n out."""
    h = 1
    while any(poisson(j, R) > ALIAS * poisson(n, R) for n in ns for j in (n - 2 * h, n + 2 * h)):
        h += 1
    return h


def largest(ns: range, R: float, a: float) -> int:
    """The least j so large that π_j(aR) does not matter beside π_n(R), nor any after it."""
    j = int(a * R) + 1
    while any(poisson(j, a * R) > ALIAS * poisson(n, R) for n in ns):
        j += 1
    return j


def poisson_terms(t: float, angles: list[float], J: int) -> np.ndarray:
    """π_j(t)·ωʲ in row j + 1, as pairs: products of NumPy's complex numbers differ by machine."""
    re, im = np.array([(math.cos(v), math.sin(v)) for v in angles]).T
    terms = np.zeros((J + 2, 2, len(angles)))
    z = math.exp(-t) * np.ones(len(angles)), np.zeros(len(angles))
    for j in range(J + 1):
        terms[j + 1] = z
        c = t / (j + 1)
        z = c * (z[0] * re - z[1] * im), c * (z[0] * im + z[1] * re)
    return terms


def at_least(t: float, J: int) -> np.ndarray:
    """The chance of j or more, for j from -1 to J."""
    chances = [poisson(j, t) for j in range(-1, J + 40)]
    return np.cumsum(chances[::-1])[::-1][: J + 2]


def peaks(t: float, J: int) -> np.ndarray:
    exactly = [max(poisson(j, t), poisson(j - 1, t)) for j in range(J + 1)]
    rows = np.vstack([exactly, at_least(t, J)[:-1]])
    return np.log(np.column_stack([np.ones(2), rows]))


def bounds(F: np.ndarray) -> np.ndarray:
    size = np.hypot(F[:, 0], F[:, 1])
    size = np.maximum(np.maximum(np.vstack([0 * size[:1], size[:-2]]), size[:-1]), size[1:])
    rows = np.vstack([np.ones_like(size[:1]), size])
    return np.log([rows[:, i:].max(axis=1) for i in range(0, size.shape[1], BLOCK)]).T


def factors(F: np.ndarray, own_votes: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The rows of a group and a level."""
    more = np.cumsum(own_votes[::-1], axis=0)[::-1]
    f = (1.0 - x) * F[:-1, :, :, None] + x * F[1:, :, :, None]
    f[:, 0] += TINY
    rows = np.zeros((len(f) + 1, 8, *f.shape[2:]))  # the first: one vote more than M
    rows[1:, 0:2] = f
    rows[2:, 2:4] = quotient(f[:-1], f[1:])
    rows[1:, 4:6] = quotient(own_votes[1 : len(rows), :, :, None], f)
    rows[1:, 6:8] = quotient(more[1 : len(rows), :, :, None], f)
    return rows


def quotient(z: np.ndarray, w: np.ndarray) -> np.ndarray:
    """z/w, of complex numbers as pairs."""
    size = 1.0 / (w[:, 0] * w[:, 0] + w[:, 1] * w[:, 1])
    re = (z[:, 0] * w[:, 0] + z[:, 1] * w[:, 1]) * size
    im = (z[:, 1] * w[:, 0] - z[:, 0] * w[:, 1]) * size
    return np.stack([re, im], axis=1)


def quadrature(k: int, ties: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Nodes x in [0, 1] and weights that average xʲ over the tie rule, at level i for j < 2·2ⁱ."""
    if ties != "random":
        return [(np.array([float(ties == "lenient")]), np.ones(1))]
    levels = []
    for i in range(max(k - 1, 1).bit_length()):
        x, w = np.polynomial.legendre.leggauss(2**i)
        levels.append(((x + 1) / 2, w / 2))
    return levels
