"""Two linear base models that predict of every label how likely it is right.

`own` updates a label only when it was chosen, by its reward (1 if right, 0 if wrong): it is slow
and unbiased. `bold` updates all labels when the chosen one was right, and pushes it below 0 when it
was wrong: it is fast, finds by elimination, and is misled by noise; so it pushes less if labels can
be known with probability q at best. Both have a diagonal variance per feature, `own` for each
label, `bold` for all of them.

W is (features, 3, k): the weights of `own` and of `bold`, and the variances of `own`; P are those
of `bold`.
"""

import numpy as np

from onearm.core.kernels import separate_kernel

OWN, BOLD, VARIANCE = 0, 1, 2
KEEP = 0.9995  # forgetting: what is left of each precision at the next update
WRONG = -0.3  # bold's target for a label that was wrong
ANGER = 10.0  # the weight of such an answer; both if there is no noise


@separate_kernel
def sing(at, phi, first, last, W, own, bold, width):
    """Add the scores of own and bold over the features first … last, and own's squared widths."""
    for i in range(first, last):
        v, w = phi[i], W[at[i]]
        for r in range(len(own)):  # three loops: twice as fast as one
            own[r] += v * w[OWN, r]
        for r in range(len(own)):
            bold[r] += v * w[BOLD, r]
        for r in range(len(own)):
            width[r] += v * v * w[VARIANCE, r]


@separate_kernel
def teach(at, phi, first, last, label, reward, right, q, own, bold, W, P):
    """Update both models, whose scores are `own` and `bold`, after the feedback on `label`."""
    v_own = v_bold = 0.0
    for i in range(first, last):
        v_own += phi[i] * phi[i] * W[at[i], VARIANCE, label]
        v_bold += phi[i] * phi[i] * P[at[i]]
    step = (reward - own[label]) / (1.0 + v_own)
    steps = np.empty(len(bold))
    for r in range(len(bold)):
        steps[r] = ((1.0 if r == label else 0.0) - bold[r]) / (1.0 + v_bold)
    anger = 1.0 + q * (ANGER - 1.0)
    down = (q * WRONG - bold[label]) * anger / (1.0 + anger * v_bold)
    for i in range(first, last):
        v, w = phi[i], W[at[i]]
        if v == 0.0:  # the variance of a constant column must not grow for ever
            continue
        c = v * w[VARIANCE, label]
        w[OWN, label] += step * c
        w[VARIANCE, label] /= KEEP + v * c
        c = v * P[at[i]]
        if right:
            for r in range(len(steps)):
                w[BOLD, r] += c * steps[r]
            P[at[i]] /= KEEP + v * c
        else:
            w[BOLD, label] += c * down
