"""The features of a row: random Fourier features and the standardised numbers, or those of a text.

There are two groups, each with linear models of its own; a text has one. To the second belong also
the values of columns that are left out of the numbers, one feature each.
"""

import math

import numpy as np

from onearm.chorus.rows import place, raw, scaled, weighed
from onearm.chorus.waves import waves
from onearm.core.kernels import kernel, separate_kernel

APART = 0.3  # the feature of a value that is left out of the numbers


@separate_kernel
def features(x, rows, wave):
    """Where the features of a row stand, what they are, and its numbers; of a text, no numbers."""
    moments, rounds, (start, nominal, apart) = rows
    edges, signs, scale, shift = wave
    count, mean, square = moments
    if len(edges) == 0:
        at, phi = weighed(x, start, nominal, count, rounds[0])
        return at, phi, np.zeros(0)
    values = raw(x, len(start) - 1)
    z = scaled(values, start, nominal, count, mean, square)
    at = left_out(values, apart, nominal, edges[-1])
    phi = np.empty(len(at))
    waves(z, signs, scale, shift, phi)
    total = 1.0
    for j in range(len(z)):
        total += z[j] * z[j]
    for j in range(len(z)):
        phi[edges[1] + j] = z[j] / math.sqrt(total)
    phi[edges[-1] - 1] = 1.0 / math.sqrt(total)
    phi[edges[-1] :] = APART
    return at, phi, z


@kernel
def group(g, edges, phi):
    """The first and last of the features of group g; a text has one group."""
    first = edges[g] if len(edges) else 0
    return first, edges[1] if g + 2 < len(edges) else len(phi)


@kernel
def left_out(values, apart, nominal, n):
    """Where n features stand, and after them those of the values left out of the numbers."""
    at, size = np.arange(n + len(values)), n
    for j in range(len(values)):
        if nominal[j] < 0 and values[j] == values[j]:
            p = place(j, values[j], apart, nominal)
            if p >= 0:
                at[size] = n + p
                size += 1
    return at[:size]
