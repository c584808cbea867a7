"""Losses of a prediction p when the answer was y, added up over outputs, and their gradients.

squared   (p - y)²
absolute  |p - y|
logistic  ln(1 + exp(-y p)), for y = ±1
huber     ½(p - y)² up to |p - y| = 1, beyond it |p - y| - ½
"""

import math

from onearm.core.kernels import kernel_without_refcounts

LOSSES = ("squared", "absolute", "logistic", "huber")
SQUARED, ABSOLUTE, LOGISTIC, HUBER = range(4)


@kernel_without_refcounts
def loss_of(p, y, kind):
    """The loss of vectors p and y."""
    total = 0.0
    for k in range(len(p)):
        off = p[k] - y[k]
        if kind == SQUARED:
            total += off * off
        elif kind == ABSOLUTE:
            total += abs(off)
        elif kind == LOGISTIC:
            m = y[k] * p[k]
            total += math.log1p(math.exp(-abs(m))) + max(-m, 0.0)
        else:
            total += 0.5 * off * off if abs(off) <= 1.0 else abs(off) - 0.5
    return total


@kernel_without_refcounts
def slope_of(p, y, kind):
    """The derivative in one output."""
    off = p - y
    if kind == SQUARED:
        return 2.0 * off
    if kind == ABSOLUTE:
        return 1.0 if off > 0.0 else (-1.0 if off < 0.0 else 0.0)
    if kind == LOGISTIC:
        return -y / (1.0 + math.exp(min(y * p, 700.0)))
    return max(-1.0, min(1.0, off))
