"""Rows are standardised online, without looking ahead.

Up to MANY numbers, each is centred and scaled by its mean and deviation so far; a nominal value is
one-hot, with √2 for 1, and a missing one 0. If there would be more, the nominal columns with the
most values are left out of the numbers, as many as it takes: one value of thousands tells how near
two rows are hardly ever, and linear models alone see it. Rows of more than MANY numbers without any
nominal column are taken for texts: tf-idf with the root of idf, the row scaled to norm 1; 0 is
absent, also as a nominal value.

Of nominal columns `nominal` has the number of values, of numeric ones 0, and of those left out the
number of values times -1.
"""

import math

import numpy as np

from onearm.core.kernels import kernel
from onearm.core.vectors import entry, size

MANY = 1000
FARTHEST = 2.0  # deviations from the mean: values are clipped, so that rare ones do not decide
SQRT_2 = math.sqrt(2.0)


@kernel
def raw(x, d):
    """Row x with its zeros."""
    values = np.zeros(d)
    for i in range(size(x)):
        j, v = entry(x, i)
        values[j] = v
    return values


@kernel
def place(j, v, start, nominal):
    """Where feature j of value v stands among the numbers; -1 for a nominal value that is none."""
    if nominal[j] == 0:
        return start[j]
    return start[j] + int(v) if 0.0 <= v < abs(nominal[j]) else -1


@kernel
def scaled(values, start, nominal, count, mean, square):
    """All numbers of a row, by what was seen until now."""
    z = np.zeros(start[-1])
    for j in range(len(values)):
        v = values[j]
        if v != v or nominal[j] < 0:
            continue
        at = place(j, v, start, nominal)
        if at >= 0 and nominal[j] > 0:
            z[at] = SQRT_2
        elif square[j] > 0.0:
            far = (v - mean[j]) / math.sqrt(square[j] / count[j])
            z[at] = max(-FARTHEST, min(FARTHEST, far))
    return z


@kernel
def note(values, nominal, count, mean, square):
    """Add a row to the means and the sums of squared deviations."""
    for j in range(len(values)):
        v = values[j]
        if v == v and nominal[j] == 0:
            count[j] += 1.0
            off = v - mean[j]
            mean[j] += off / count[j]
            square[j] += off * (v - mean[j])


@kernel
def rarity(count, rounds):
    """The weight of a word that `count` of so many rounds had: the root of its idf."""
    return math.sqrt(1.0 + math.log((2.0 + rounds) / (1.0 + count)))


@kernel
def weighed(x, start, nominal, count, rounds):
    """The numbers of a text that are not 0: where they stand, and what they are."""
    at, value = np.empty(size(x), np.int64), np.empty(size(x))
    n, total = 0, 0.0
    for i in range(size(x)):
        j, v = entry(x, i)
        if v != v or v == 0.0:
            continue
        p = place(j, v, start, nominal)
        if p < 0:
            continue
        much = 1.0 if nominal[j] > 0 else math.copysign(math.log1p(abs(v)), v)
        much *= rarity(count[p], rounds)
        at[n], value[n] = p, much
        n, total = n + 1, total + much * much
    for i in range(n):
        value[i] /= math.sqrt(total) if total > 0.0 else 1.0
    return at[:n], value[:n]


def split_columns(d: int, nominal: tuple[int, ...]) -> tuple[tuple[int, ...], int, int]:
    """Return `nominal`, times -1 for columns whose values are left out of the numbers.

    Further how many numbers there are, and how many values are left out.
    """
    if len(nominal) not in (0, d):
        raise ValueError(f"nominal must have n_features={d} entries or none, got {len(nominal)}")
    values, apart = list(nominal), 0
    n_numbers = sum(max(1, m) for m in nominal) if nominal else d
    for j in sorted(range(len(values)), key=lambda j: -values[j]):
        if n_numbers <= MANY or d > MANY:
            break
        n_numbers, apart = n_numbers - values[j] + 1, apart + values[j]
        values[j] *= -1
    return tuple(values), n_numbers, apart


def places(d: int, values: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return where columns start among the numbers, `values`, and starts among those left out."""
    n = np.array(values or np.zeros(d), np.int64)
    starts = (np.cumsum(np.append(0, sizes)) for sizes in (np.maximum(n, 1), np.maximum(-n, 0)))
    among, apart = starts
    return among, n, apart


def usual_norm(d: int, values: tuple[int, ...]) -> float:
    """Return about what the norm of the numbers is: 1 a column, √2 a value, 0 if left out."""
    return math.sqrt(max(1, d + sum((m > 0) - (m < 0) for m in values)))
