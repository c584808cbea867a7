"""A ridge regression per label of rewards on a row's numbers, with its full covariance.

It takes the place of `own` over the numbers where feedback is a reward. Rewards differ less between
labels than right and wrong do, and vary more for one: then columns that are correlated matter.

With x = (z, 1) for a row of the numbers z, and ρ̄ the mean reward so far, label r is expected to
earn ρ̄ + b_r·x: a label that was never chosen earns what others did. A_r = λI + Σ x xᵀ over the
rounds in which r was chosen. Stored is D_r = I - λA_r⁻¹, which starts at 0, as b_r does. λ is so
large that few rewards do not decide where most are 0, as of clicks.
"""

from typing import Any

import numpy as np

from onearm.core.kernels import separate_kernel

RIDGE = 30.0  # λ
PLACE, NOWHERE = 2, -1  # among the base models, where feedback is a reward, and where it is not
MOST = 2**18  # numbers in all D: with more, `own` stays


@separate_kernel
def expect(x, mean, B, m):
    """The reward that is expected of every label."""
    m[:] = mean
    for j in range(len(x)):
        v, line = x[j] / x[-1], B[j]  # features have norm 1, and the constant is the last
        for r in range(len(m)):
            m[r] += v * line[r]


@separate_kernel
def regress(x, label, missed, B, D):
    """Update the regression of a label, after `missed` is what it earned beyond expectation."""
    D = D[label]
    u = x / x[-1]
    for j in range(len(x)):
        v, line = x[j] / x[-1], D[j]
        for i in range(len(u)):
            u[i] -= v * line[i]
    q = 0.0
    for j in range(len(x)):
        q += x[j] / x[-1] * u[j]
    c = 1.0 / (RIDGE + max(0.0, q))
    for j in range(len(x)):
        B[j, label] += c * u[j] * missed
        line = D[j]
        for i in range(len(u)):
            line[i] += c * (u[i] * u[j])


def n_regressed(n_numbers: int, n_classes: int) -> int:
    """Return the length of x, or 0 where all D together would be too large."""
    return n_numbers + 1 if n_classes * (n_numbers + 1) ** 2 <= MOST else 0


def grow(learner: Any, old: np.ndarray, new: np.ndarray) -> None:
    """Copy B or D of fewer labels, unless those of more are too large."""
    if new.size:
        new[tuple(map(slice, old.shape))] = old
