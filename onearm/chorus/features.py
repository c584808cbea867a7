"""The features of a row: random Fourier features and the standardised numbers, or those of a text.

There are two groups, each with linear models of its own; a text has one.
"""

import math

import numpy as np

from onearm.chorus.rows import raw, scaled, weighed
from onearm.chorus.waves import waves
from onearm.core.kernels import kernel, separate_kernel


@separate_kernel
def features(x, rows, wave):
    """Where the features of a row stand, what they are, and its numbers; of a text, no numbers."""
    moments, rounds, (start, nominal) = rows
    edges, signs, scale, shift = wave
    count, mean, square = moments
    if len(edges) == 0:
        at, phi = weighed(x, start, nominal, count, rounds[0])
        return at, phi, np.zeros(0)
    z = scaled(raw(x, len(start) - 1), start, nominal, count, mean, square)
    phi = np.empty(edges[-1])
    waves(z, signs, scale, shift, phi)
    total = 1.0
    for j in range(len(z)):
        total += z[j] * z[j]
    for j in range(len(z)):
        phi[edges[1] + j] = z[j] / math.sqrt(total)
    phi[-1] = 1.0 / math.sqrt(total)
    return np.arange(len(phi)), phi, z


@kernel
def group(g, edges, phi):
    """The first and last of the features of group g; a text has one group."""
    return (edges[g], edges[g + 1]) if len(edges) else (0, len(phi))
