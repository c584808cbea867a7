"""The conductor: how much each voice counts.

Having said a label, it hears whether that was right. By how much each voice put this label ahead of
all others, it should have known: a regression of the answer on these leads, with a constant, gives
the weights. Every voice has a lead for the label that was said, so each answer judges all of them,
and none is judged by what it would have said instead: nothing needs to be guessed.

The regression forgets, and is drawn to equal weights: S and b are its sums, c its solution.

It also knows how sure it is at best. Where it is not, there may be something to find; where it is
nowhere sure, as with labels that are mostly noise, there is nothing.
"""

import math

import numpy as np

from onearm.core.kernels import kernel, separate_kernel

MEMORY = 0.999  # what is left of S and b at the next answer
DRAW = 10.0  # answers that speak for equal weights
BEST = 0.9  # in how many of the rounds it is less sure than at best
STEP = 0.01  # by which `top` moves


@kernel
def lead(said, label):
    """By how much a voice puts `label` ahead."""
    other = -np.inf
    for r in range(len(said)):
        if r != label:
            other = max(other, said[r])
    return said[label] - other


@kernel
def weights(c):
    """What each voice counts: not less than nothing; all the same if none counts."""
    n = len(c) - 1
    w = np.empty(n)
    total = 0.0
    for i in range(n):
        w[i] = max(0.0, c[i])
        total += w[i]
    if total == 0.0:
        w[:] = 1.0 / n
    return w


@separate_kernel
def judge(said, label, reward, S, b, c):
    """Take an answer into S and b, and solve S c = b."""
    n = len(said)
    z = np.ones(n + 1)
    for i in range(n):
        z[i] = lead(said[i], label)
    for i in range(n + 1):
        for j in range(n + 1):
            S[i, j] = MEMORY * S[i, j] + z[i] * z[j]
        S[i, i] += (1.0 - MEMORY) * DRAW
        b[i] = MEMORY * b[i] + reward * z[i]
        if i < n:
            b[i] += (1.0 - MEMORY) * DRAW / n
    solve(S, b, c)


@kernel
def doubt(sure, top):
    """How much less sure it is than at best."""
    return max(0.0, top[0] - sure)


@kernel
def rank(sure, top):
    """Move `top` to where BEST of the rounds are below."""
    step = STEP * (BEST if sure > top[0] else BEST - 1.0)
    top[0] = min(1.0, max(0.0, top[0] + step))


@kernel
def solve(S, b, c):
    """c = S⁻¹ b for a positive definite S, by Cholesky's way."""
    n = len(b)
    L = np.zeros((n, n))
    for j in range(n):
        for i in range(j, n):
            total = S[i, j]
            for m in range(j):
                total -= L[i, m] * L[j, m]
            L[i, j] = math.sqrt(total) if i == j else total / L[j, j]
    for i in range(n):
        total = b[i]
        for m in range(i):
            total -= L[i, m] * c[m]
        c[i] = total / L[i, i]
    for i in range(n - 1, -1, -1):
        total = c[i]
        for m in range(i + 1, n):
            total -= L[m, i] * c[m]
        c[i] = total / L[i, i]
