"""A metric in which what varies among rows of one label counts little.

With C the sum of (z-μ)(z-μ)ᵀ over rows z whose label was right, μ the mean of those of the same
label, n their number and Σ = (C + PRIOR·I) / (n + PRIOR) + LEAST·I = LLᵀ, the distance of two rows
is that of A z, A = L⁻¹: the within-class covariance is whitened. A is computed again when n has
grown by a third.

N. Shental, T. Hertz, D. Weinshall, M. Pavel. Adjustment learning and relevant component analysis.
ECCV 2002.
"""

import math

import numpy as np

from onearm.chorus.memory import BEFORE, NOW
from onearm.core.kernels import kernel, separate_kernel

PRIOR = 50.0  # rows that speak for the identity
LEAST = 0.2  # the least variance within a label
FIRST = 20  # right answers before A is first computed


@kernel
def differ(z, label, scatter):
    """Add a row whose label was right to C (its lower half) and to the mean of its label."""
    C, mean, count, _ = scatter
    count[label] += 1.0
    off = np.empty(len(z))
    for j in range(len(z)):
        off[j] = z[j] - mean[label, j]
        mean[label, j] += off[j] / count[label]
    for i in range(len(z)):
        v, line = off[i] * (1.0 - 1.0 / count[label]), C[i]
        for j in range(i + 1):
            line[j] += v * off[j]


@separate_kernel
def measure(C, n, A):
    """Compute A; it is stored as Aᵀ, whose rows are quicker to add."""
    d = len(C)
    L, inverse = np.zeros((d, d)), np.zeros((d, d))
    for i in range(d):
        for j in range(i + 1):
            total = C[i, j] / (n + PRIOR)
            if i == j:
                total += PRIOR / (n + PRIOR) + LEAST
            for m in range(j):
                total -= L[i, m] * L[j, m]
            L[i, j] = math.sqrt(total) if i == j else total / L[j, j]
        inverse[i, i] = 1.0
        for m in range(i):
            for j in range(m + 1):
                inverse[i, j] -= L[i, m] * inverse[m, j]
        for j in range(i + 1):
            inverse[i, j] /= L[i, i]
            A[j, i] = inverse[i, j]


@kernel
def measured(A, z, u):
    """u = A z."""
    u[:] = 0.0
    for j in range(len(z)):
        v, line = z[j], A[j]
        for i in range(j, len(u)):
            u[i] += v * line[i]


@separate_kernel
def measured_all(A, Z, n, U):
    """U = A Z for the first n rows, which stand in columns."""
    for i in range(len(U)):
        line = U[i, :n]
        line[:] = 0.0
        for j in range(i + 1):
            v, other = A[j, i], Z[j, :n]
            for p in range(n):
                line[p] += v * other[p]


@separate_kernel
def renew(scatter, memory):
    """Compute A again if it is due, and by it the rows that are stored."""
    C, _, N, A = scatter
    R, Y, counts = memory
    n = 0.0
    for count in N:
        n += count
    if n >= counts[1]:
        counts[1] = int(1.3 * n) + 10
        measure(C, n, A)
        for half in (NOW, BEFORE):
            stored = np.count_nonzero(Y[half])  # they stand first
            measured_all(A, R[half, 0], stored, R[half, 1])
