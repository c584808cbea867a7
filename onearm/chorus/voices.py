"""The voices of the chorus: regressions that say of every label how sure they are that it is right.

`own` learns of a label only what was heard when that label was said: it is slow and unbiased.
`bold` learns of all labels when it was right, and pushes the label said below 0 when it was wrong:
it is fast, finds by elimination, and is led astray by noise; so it pushes less if labels can be
known with probability q at best. Both keep a variance per feature, own for each label, bold for
all of them.

W is (features, 3, k): the weights of own and of bold, and own's variances; P are bold's.
"""

import numpy as np

from onearm.core.kernels import separate_kernel

OWN, BOLD, VARIANCE = 0, 1, 2
KEEP = 0.9995  # what is left of each certainty at the next update: the world may change
WRONG = -0.3  # what bold should have said of a label that was wrong
ANGER = 10.0  # how much more such an answer counts; both if there is no noise


@separate_kernel
def sing(at, phi, first, last, W, own, bold, width):
    """Add what own and bold say over the features first … last, and own's squared widths."""
    for i in range(first, last):
        v, w = phi[i], W[at[i]]
        for r in range(len(own)):  # three loops: twice as fast as one
            own[r] += v * w[OWN, r]
        for r in range(len(own)):
            bold[r] += v * w[BOLD, r]
        for r in range(len(own)):
            width[r] += v * v * w[VARIANCE, r]


@separate_kernel
def teach(at, phi, first, last, label, right, q, own, bold, W, P):
    """Own and bold learn that `label` was right or wrong, having said `own` and `bold`."""
    v_own = v_bold = 0.0
    for i in range(first, last):
        v_own += phi[i] * phi[i] * W[at[i], VARIANCE, label]
        v_bold += phi[i] * phi[i] * P[at[i]]
    step = ((1.0 if right else 0.0) - own[label]) / (1.0 + v_own)
    steps = np.empty(len(bold))
    for r in range(len(bold)):
        steps[r] = ((1.0 if r == label else 0.0) - bold[r]) / (1.0 + v_bold)
    anger = 1.0 + q * (ANGER - 1.0)
    down = (q * WRONG - bold[label]) * anger / (1.0 + anger * v_bold)
    for i in range(first, last):
        v, w = phi[i], W[at[i]]
        if v == 0.0:  # a column that never changes must not be forgotten for ever
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
