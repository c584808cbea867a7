"""The frozen previous model: what was learnt before the last drift.

Answers that are worse than expected add up in a sum (Page's test); when it is too large, the labels
have changed their meaning. Then all base models begin anew, and the stacked model is frozen. It
becomes a base model that counts how often each label was right where the frozen model predicts e,
with a prior for e itself. So after labels were exchanged, a few answers each bring back all that
was known.

E. S. Page. Continuous inspection schemes. Biometrika 41, 1954.
"""

from typing import Any

import numpy as np

from onearm.chorus.forest import HALF, vote
from onearm.chorus.memory import BEFORE, NOW, recall
from onearm.chorus.voices import BOLD, OWN
from onearm.core.kernels import kernel, separate_kernel
from onearm.core.state import copy_into_corner

SLACK = 0.1  # how much worse than expected an answer may be, on average
ALARM = 20.0
FIRST = 0.2  # of an answer: the prior for e itself
SUM, FROZEN = 0, 1  # of `change`: Page's sum, and whether a model is frozen
FOLLOWED = 1000  # labels: with more, T would be too large and has only e itself


@kernel
def alarmed(sure, reward, change):
    """Whether the answers have become worse than they should be."""
    change[SUM] = max(0.0, change[SUM] + sure - reward - SLACK)
    return change[SUM] > ALARM


@separate_kernel
def frozen_label(at, phi, near, v, nominal, frozen, memory, forest, q):
    """The greedy label e of the frozen model."""
    E, G, T, _ = frozen
    R, Y, _ = memory
    s = np.zeros(E.shape[1])
    for i in range(len(phi)):
        line = E[at[i]]
        for r in range(len(s)):
            s[r] += phi[i] * line[r]
    for g in range(len(G)):
        m = np.zeros(len(s))
        if g < len(near):
            recall(near[g], R[BEFORE, g], Y[BEFORE], q, m)
        else:
            vote(v, nominal, forest, 1 - forest[1][4][HALF], q, m)
        for r in range(len(s)):
            s[r] += G[g] * m[r]
    e = 0
    for r in range(len(s)):
        after = r if T.shape[1] == len(T) else 0
        if T[r, after, 0] > 0.0 and s[r] > s[e]:  # labels added since have no prior
            e = r
    return e


@kernel
def echo(e, T, m):
    """The score of every label: T[e] counts how often it was chosen, and right, after e.

    Where labels were exchanged, a label that is right after another one is hardly right after e.
    """
    k = len(m)
    if T.shape[1] < k:
        m[:] = 1.0 / k
        m[e] = (T[e, 0, 1] + 1.0 / k) / (T[e, 0, 0] + 1.0)
        return
    for r in range(k):
        taken = 0.0
        for other in range(k):
            if other != e:
                taken = max(taken, T[other, r, 1] / (T[other, r, 0] + 1.0))
        m[r] = (T[e, r, 1] + (1.0 - taken) / k) / (T[e, r, 0] + 1.0)


@kernel
def follow(e, label, reward, T):
    """Count that `label` was chosen after e."""
    if T.shape[1] == len(T):
        T[e, label, 0] += 1.0
        T[e, label, 1] += reward
    elif label == e:
        T[e, 0, 0] += 1.0
        T[e, 0, 1] += reward


def grow(learner: Any, old: np.ndarray, new: np.ndarray) -> None:
    """Copy T into that of a learner with more labels: they get no prior, the frozen model has none.

    Where there are too many by now, only what is known of e itself remains.
    """
    if new.shape[1] < old.shape[1]:
        itself = np.arange(len(old))
        old = old[itself, itself][:, None]
    copy_into_corner(learner, old, new)


@separate_kernel
def freeze(w, edges, W, memory, frozen):
    """Freeze the stacked model, with the weights w of its base models."""
    R, Y, _ = memory
    E, G, T, change = frozen
    for f in range(len(W)):
        g = 0
        if len(edges) and f >= edges[1]:
            g = 1
        for r in range(E.shape[1]):
            E[f, r] = w[2 * g] * W[f, OWN, r] + w[2 * g + 1] * W[f, BOLD, r]
    for g in range(len(G)):  # neighbours, then the forest, which stands before the echo
        G[g] = w[4 + g] if g < R.shape[1] else w[len(w) - 2]
    for g in range(R.shape[1]):
        for j in range(R.shape[2]):
            for i in range(R.shape[3]):
                R[BEFORE, g, j, i] = R[NOW, g, j, i]
    for i in range(Y.shape[1]):
        Y[BEFORE, i] = Y[NOW, i]
    T[:] = 0.0
    for e in range(len(T)):
        after = e if T.shape[1] == len(T) else 0
        T[e, after, 0] = T[e, after, 1] = FIRST
    change[SUM], change[FROZEN] = 0.0, 1.0
