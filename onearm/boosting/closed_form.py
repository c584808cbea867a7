"""Potentials of boost-by-majority in closed form, for votes too long for a table.

Let the number of votes to come be Poisson with mean R. Then each label gets its votes
independently, j of them with chance π_j(t) = e⁻ᵗtʲ/j! where t is aR or bR, and given that n came in
all it is the same vote. The chance that r ends with M votes and all others with fewer is a
coefficient of a polynomial in ω, whose powers count the votes:

    1 - φʳ_n(s) = [ωⁿ] Σ_M π_i(aR)·ωⁱ · Π_{l≠r} F_{M-s_l} / π_n(R),    i = M - s_r,
    F_j = Σ_{i<j} π_i(bR)·ωⁱ.

A rival with M votes too loses to r with chance x: add x·π_j(bR)·ωʲ to F_j, which then is
(1-x)·F_j + x·F_{j+1}. Strict is x = 0, lenient x = 1, and random the mean over x in [0, 1], where
xʲ becomes 1/(1+j): Gauss-Legendre nodes give it exactly. [ωⁿ] is a mean over points of the unit
circle, of ω⁻ⁿ times the polynomial (`circle`).

One more vote for l replaces one factor of the product, and own votes another one, so that all
entries of the cost matrix come from one product and the quotients that are in the tables. Where a
factor is 0 it is `circle.TINY` instead, in the product as in the quotients. Only the number of
different vote counts matters, not that of labels. Terms below `NEGLIGIBLE` are left out.
"""

import math

import numpy as np

from onearm.boosting.circle import BLOCK
from onearm.core.kernels import kernel, kernel_not_inlined

NEGLIGIBLE = 1e-15  # a chance that is left out


@kernel_not_inlined
def expected_wins(values, counts, weights, n, total, circle):
    """Chances to win after one more vote for a label with values[v] votes.

    Row 0: Σ_u weights[u]·(the chance of a label with values[u] votes), over u ≠ v.
    Row 1: the chance of another label with values[v] votes. Row 2: that of the label itself.
    counts[u] labels have values[u] votes; n are to come after this one, `total` in all.
    """
    start, numbers = circle[0][n], circle[1]
    h, most, shares, n_levels = start[0], start[1], numbers[start[6] :], len(start) - 7
    bounds = numbers[start[2] : start[3]].reshape(most + 2, (h + BLOCK - 1) // BLOCK)
    peaks = numbers[start[3] : start[4]].reshape(2, most + 2)
    tails, turns, scale = numbers[start[4] :], numbers[start[5] :], numbers[start[5] + 2 * h]
    m, k, top = len(values), 0, values[-1]
    for u in range(m):
        k += counts[u]
    M, last, negligible = max(top, (total + k - 1) // k), 0, math.log(NEGLIGIBLE / (h * scale))
    widest = h << level_of(M, k, total, n_levels)
    sums, before = np.zeros((3, m, widest)), np.empty((m, 2, widest))
    product, j = np.empty((6, widest)), np.empty(m, np.int64)
    while last == 0 and M <= top + most:
        for u in range(m):
            j[u] = min(M - values[u], most) + 1
        last = is_last(j, counts, peaks, tails, negligible)
        level = level_of(M, k, total, n_levels)
        length = h << level
        width = points(j, counts, bounds, peaks[last], negligible, h) << level
        begin(product, turns, h, scale, shares[(1 << level) - 1 :], level, width)
        table, own = numbers[start[7 + level] :], (4 + 2 * last) * length
        multiply(j, counts, weights, table, own, length, width, product, before)
        add_wins(j, counts, weights, table, own, length, width, product, before, sums)
        M += 1
    wins = np.zeros((3, m))
    for p in range(widest):
        for row in range(3):
            for u in range(m):
                wins[row, u] += sums[row, u, p]
    return wins


@kernel
def begin(product, turns, h, scale, shares, level, width):
    """Put into `product` what multiplies it at each point and node."""
    for p in range(width):
        share = scale * shares[p & ((1 << level) - 1)]
        product[0, p] = share * turns[p >> level]
        product[1, p] = share * turns[h + (p >> level)]


@kernel
def level_of(M, k, total, n_levels):
    """The level whose nodes do for as many labels as can end with M votes."""
    tied = min(total // M, k) if M > 0 else k
    level = 0
    while 2 << level < tied and level + 1 < n_levels:
        level += 1
    return level


@kernel
def is_last(j, counts, peaks, tails, negligible):
    """1 if no rival gets M votes where r gets more: then M stands for all that follow, else 0."""
    rivals = 0.0
    for u in range(len(j)):
        rivals += counts[u] * tails[j[u] - 1]
    return 1 if rivals < math.exp(negligible - peaks[1, j[-1]]) else 0


@kernel
def points(j, counts, bounds, peaks, negligible, h):
    """How many points of the circle matter: beyond them no term exceeds what is negligible."""
    for block in range((h + BLOCK - 1) // BLOCK):
        bound, largest = 0.0, -math.inf
        for u in range(len(j)):
            factor = bounds[j[u], block]
            bound += counts[u] * factor
            largest = max(largest, peaks[j[u]] - factor)
        if bound + largest < negligible:
            return block * BLOCK
    return h


@kernel
def multiply(j, counts, weights, table, own, length, width, product, before):
    """Multiply all factors; before[u]: own votes instead of one factor, over all before u."""
    so_far = product[2:4]
    so_far[:, :width] = 0.0
    for u in range(len(j)):
        row = table[8 * length * j[u] :]
        before[u, 0, :width] = so_far[0, :width]
        before[u, 1, :width] = so_far[1, :width]
        add(weights[u], row[own:], so_far[0], width)
        add(weights[u], row[own + length :], so_far[1], width)
        e = counts[u]
        if e == 1:
            times(product[0], product[1], row, row[length:], width)
            continue
        product[4, :width] = row[:width]
        product[5, :width] = row[length : length + width]
        while e > 0:
            if e % 2 == 1:
                times(product[0], product[1], product[4], product[5], width)
            e //= 2
            if e > 0:
                square(product[4], product[5], width)


@kernel
def add_wins(j, counts, weights, table, own, length, width, product, before, sums):
    """Add the real parts of what `expected_wins` returns, at each point."""
    after, child = product[2:4], product[4:6]
    after[:, :width] = 0.0
    for v in range(len(j) - 1, -1, -1):
        row, less = table[8 * length * j[v] :], table[8 * length * (j[v] - 1) :]
        child[0, :width] = product[0, :width]
        child[1, :width] = product[1, :width]
        times(child[0], child[1], row[2 * length :], row[3 * length :], width)
        add(1.0, after[0], before[v, 0], width)
        add(1.0, after[1], before[v, 1], width)
        add_real(child[0], child[1], before[v, 0], before[v, 1], sums[0, v], width)
        if counts[v] > 1:
            add_real(child[0], child[1], row[own:], row[own + length :], sums[1, v], width)
        add_real(child[0], child[1], less[own:], less[own + length :], sums[2, v], width)
        add(weights[v], row[own:], after[0], width)
        add(weights[v], row[own + length :], after[1], width)


# Complex numbers as pairs, since Numba's may differ in their bits; loops short enough for SIMD.


@kernel
def times(re, im, by_re, by_im, width):
    for p in range(width):
        z = re[p]
        re[p] = z * by_re[p] - im[p] * by_im[p]
        im[p] = z * by_im[p] + im[p] * by_re[p]


@kernel
def square(re, im, width):
    for p in range(width):
        z = re[p]
        re[p] = z * z - im[p] * im[p]
        im[p] = 2.0 * z * im[p]


@kernel
def add(c, values, out, width):
    for p in range(width):
        out[p] += c * values[p]


@kernel
def add_real(re, im, by_re, by_im, out, width):
    for p in range(width):
        out[p] += re[p] * by_re[p] - im[p] * by_im[p]
