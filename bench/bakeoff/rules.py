"""When a difference is significant: the bake-off's own rule, McNemar's test, and a paired t-test.

The bake-off (Bietti, Agarwal, Langford, JMLR 2021) compares errors x and y over n rounds by
p = 1 - erf(|x - y|/se) with se = 1e-6 + √((x(1-x) + y(1-y))/n), significant if p < .05. It takes
the rounds of both as independent, though they are the same rows, and lacks a √2: two equal learners
with independent rounds differ significantly with probability `real_level()`, .166.

McNemar's test looks at the rounds where exactly one of the two is correct: of equal learners each
is it with probability 1/2. The p-value is exact and two-sided.
"""

import math
from collections.abc import Sequence

import numpy as np

LEVEL = 0.05


def bakeoff_p(x: float, y: float, n: int) -> float:
    """Return the p-value of the bake-off's rule for two errors over n rounds each.

    >>> round(bakeoff_p(0.5, 0.6, 100), 4)
    0.0434
    """
    se = 1e-6 + math.sqrt((x * (1 - x) + y * (1 - y)) / n)
    return 1 - math.erf(abs(x - y) / se)


def real_level() -> float:
    """Return how often the bake-off's rule finds a difference where there is none.

    >>> round(real_level(), 3)
    0.166
    """
    from scipy.special import erfinv

    return math.erfc(float(erfinv(1 - LEVEL)) / math.sqrt(2))


def mcnemar_p(first: int, second: int) -> float:
    """Return the p-value for numbers of rounds where only the first, or only the second, is right.

    >>> mcnemar_p(0, 5), mcnemar_p(2, 3)
    (0.0625, 1.0)
    """
    from scipy.stats import binom

    return min(1.0, 2 * float(binom.cdf(min(first, second), first + second, 0.5)))


def discordant(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    """Return in how many rounds only the first, and only the second, is correct."""
    return int(np.sum(first & ~second)), int(np.sum(second & ~first))


def above_p(errors: Sequence[float], others: Sequence[float]) -> float:
    """Return the one-sided p-value of a paired t-test that errors are above others.

    >>> round(above_p([0.2, 0.3, 0.4], [0.1, 0.1, 0.1]), 4)
    0.0371
    """
    from scipy.stats import t

    difference = np.subtract(errors, others)
    if len(difference) < 2:
        return math.nan
    mean, spread = difference.mean(), difference.std(ddof=1) / math.sqrt(len(difference))
    if spread == 0:
        return 0.0 if mean > 0 else 1.0
    return float(t.sf(mean / spread, len(difference) - 1))


def holm(p_values: Sequence[float]) -> list[bool]:
    """Return which hypotheses Holm's procedure rejects at LEVEL, for all of them together.

    >>> holm([0.03, 0.01, 0.026]), holm([0.016, 0.02, 0.9])
    ([False, True, False], [True, True, False])
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    rejected = [False] * len(p_values)
    for rank, i in enumerate(order):
        if not p_values[i] <= LEVEL / (len(p_values) - rank):
            break
        rejected[i] = True
    return rejected
