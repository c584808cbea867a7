"""From right or wrong to unbiased estimates: what each label would have got, had it been chosen.

p is the propensity of the chosen label. Means are over that label, drawn with its chances.
"""

import numpy as np

from onearm.core.kernels import kernel


@kernel
def zero_one_loss(label, greedy, propensity, truth, k):
    """A vector with mean 1[r ≠ y] when labels are chosen by `explore.elsewhere` (Z19, eq. 4).

    Right: 1/p for every label but y and the greedy one, whose loss shows when chosen and wrong.
    """
    loss = np.zeros(k)
    if label == truth:
        for r in range(k):
            if r != label and r != greedy:
                loss[r] = 1.0 / propensity
    elif label == greedy:
        loss[greedy] = 1.0 / propensity
    return loss


@kernel
def inverse_propensity(label, propensity, reward, k):
    """A vector with mean -(1 - reward): minus the cost over p for the chosen label."""
    value = np.zeros(k)
    value[label] = -(1.0 - reward) / propensity
    return value


@kernel
def doubly_robust(q, label, propensity, reward):
    """A vector with mean the reward: a model's guess q, corrected where a reward is known."""
    value = q.copy()
    value[label] += (reward - q[label]) / propensity
    return value
