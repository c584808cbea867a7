"""The normal distribution function Φ, and how mixed it leaves a class that it divides.

    Φ(z)    and    φ ln φ + (1-φ) ln (1-φ),  φ = Φ(z)

from one table: polynomials over short intervals, right to about 1e-14. A try to split asks for both
at every threshold, column and class, and an erf with two logarithms would take three times as long.
"""

import math

import numpy as np

from onearm.core.kernels import kernel_without_refcounts

PER_UNIT, END, TERMS = 64, 9, 6  # intervals between two integers; beyond END all is certain


def _mixture(z: float) -> tuple[float, float]:
    above = 0.5 * math.erfc(z / math.sqrt(2.0))
    below = 1.0 - above
    return below, below * math.log1p(-above) + above * math.log(above)


def _polynomials() -> np.ndarray:
    """For each interval the terms of both polynomials, through the Chebyshev points of it."""
    u = 0.5 - 0.5 * np.cos(np.pi * (np.arange(TERMS) + 0.5) / TERMS)
    starts = np.arange(PER_UNIT * END)
    values = [[_mixture((start + node) / PER_UNIT) for node in u] for start in starts]
    terms = np.linalg.solve(np.vander(u, increasing=True), np.array(values))
    return np.ascontiguousarray(terms.transpose(0, 2, 1))


TABLE = _polynomials()


@kernel_without_refcounts
def divided(z):
    """Φ(z) and φ ln φ + (1-φ) ln (1-φ)."""
    u = abs(z) * PER_UNIT
    if not u < PER_UNIT * END:
        return 1.0 if z > 0.0 else 0.0, 0.0
    n = int(u)
    u -= n
    p, q = TABLE[n, 0], TABLE[n, 1]
    below = p[0] + u * (p[1] + u * (p[2] + u * (p[3] + u * (p[4] + u * p[5]))))
    mixed = q[0] + u * (q[1] + u * (q[2] + u * (q[3] + u * (q[4] + u * q[5]))))
    return below if z >= 0.0 else 1.0 - below, mixed
