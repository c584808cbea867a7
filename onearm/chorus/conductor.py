"""Stacking: the weight of each base model, learnt from the answers.

The lead of a base model is by how much it scores the chosen label above all others. The regression
of the answers, 1 or 0, on the leads, with a constant, gives the weights. Every base model has a
lead for the label that was chosen, so each answer judges all of them, and none by a label that it
would have preferred: nothing needs to be estimated.

The regression forgets, and is regularised: towards equal weights, or, where answers are rewards,
towards the base model that regresses on them with its full covariance. S and b are its sums, c its
solution.

q is how sure the learner is at best. Where it is less sure, exploring may help; where it is nowhere
sure, as with labels that are mostly noise, it does not.
"""

import math

import numpy as np

from onearm.chorus.ridge import NOWHERE
from onearm.core.explore import best, runner_up
from onearm.core.kernels import kernel, separate_kernel

MEMORY = 0.999  # what is left of S and b at the next answer
PRIOR = 10.0  # answers that speak for equal weights, or for one base model
BEST = 0.9  # the quantile of the confidences that q follows
STEP = 0.01  # by which q moves


@kernel
def lead(m, label):
    """By how much a base model with the scores m puts `label` ahead."""
    return m[label] - m[runner_up(m, label)]


@kernel
def weights(c):
    """The stacking weights: not below 0, and equal if all are 0."""
    n = len(c) - 1
    w = np.empty(n)
    total = 0.0
    for i in range(n):
        w[i] = max(0.0, c[i])
        total += w[i]
    if total == 0.0:
        w[:] = 1.0 / n
    return w


@kernel
def confidence(m, s, w, c, among):
    """P(the greedy of these labels is right), from the leads of the base models over the others."""
    greedy, sure = best(s, among), c[len(w)]
    for i in range(len(w)):
        other = -np.inf if len(among) > 1 else m[i, greedy]
        for r in among:
            if r != greedy:
                other = max(other, m[i, r])
        sure += w[i] * (m[i, greedy] - other)
    return min(1.0, max(0.0, sure))


@kernel
def mean_width(w, width):
    """The widths of `own` over all groups, weighed as `own` is."""
    total, out = 0.0, np.zeros(width.shape[1])
    for g in range(len(width)):
        total += w[2 * g]
    for g in range(len(width)):
        share = w[2 * g] / total if total > 0.0 else 1.0 / len(width)
        for r in range(len(out)):
            out[r] += share * math.sqrt(width[g, r])
    return out


@separate_kernel
def judge(m, label, reward, trusted, S, b, c):
    """Add an answer to S and b, and solve S c = b; `trusted` is a base model, or NOWHERE."""
    n = len(m)
    z = np.ones(n + 1)
    for i in range(n):
        z[i] = lead(m[i], label)
    for i in range(n + 1):
        for j in range(n + 1):
            S[i, j] = MEMORY * S[i, j] + z[i] * z[j]
        S[i, i] += (1.0 - MEMORY) * PRIOR
        b[i] = MEMORY * b[i] + reward * z[i]
        if trusted == NOWHERE and i < n:
            b[i] += (1.0 - MEMORY) * PRIOR / n
        elif trusted == i:
            b[i] += (1.0 - MEMORY) * PRIOR
    solve(S, b, c)


@kernel
def doubt(sure, top):
    """How far the confidence is below q."""
    return max(0.0, top[0] - sure)


@kernel
def rank(sure, top):
    """Move q to where a share BEST of the confidences is below."""
    step = STEP * (BEST if sure > top[0] else BEST - 1.0)
    top[0] = min(1.0, max(0.0, top[0] + step))


@kernel
def solve(S, b, c):
    """c = S⁻¹ b for a positive definite S, by Cholesky's decomposition."""
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
