"""What a leaf says: its heaviest class, naive Bayes, or whichever of the two was right more often.

    log P(c | x) = log n_c + Σ_j log P(x_j | c)  (up to a constant)

over the columns that are not missing in x and that the leaf has heard of.
"""

import math

from onearm.boosting.trees.nodes import (
    BAYES,
    BY_BAYES,
    LABEL,
    MAJORITY,
    NODE,
    NOWHERE,
    RIGHT_BAYES,
    RIGHT_MAJORITY,
    SLOT,
    code,
    route,
)
from onearm.boosting.trees.observers import BINS, EARLY, LOG_SD, MU, NEVER, PRECISION, bin_of
from onearm.kernels import kernel

BY_MAJORITY, BY_NAIVE_BAYES, ADAPTIVE = range(3)  # of `leaves`, in the order of its options


@kernel
def top(s):
    """The largest entry; the lowest of several."""
    best = 0
    for r in range(1, len(s)):
        if s[r] > s[best]:
            best = r
    return best


@kernel
def look(x, i, notes, out, nodes, stats, columns, settings):
    """Note what tree i says about x; `out` gets log posteriors, or the masses of its leaf."""
    links, numbers, mass, used = nodes
    grace, delta, tie, n_splits, max_depth, leaves = settings
    leaf, voice = route(x, i, nodes, columns)
    masses = mass[i, voice]
    notes[NODE] = leaf
    notes[LABEL] = notes[MAJORITY] = notes[BAYES] = top(masses)
    notes[BY_BAYES] = 0
    if leaves != BY_MAJORITY and links[i, leaf, SLOT] != NOWHERE:
        posterior(x, i, links[i, leaf, SLOT], out, stats, columns)
        best = top(out)
        if out[best] > -NEVER:
            notes[BAYES] = best
            if (
                leaves == BY_NAIVE_BAYES
                or numbers[i, leaf, RIGHT_BAYES] >= numbers[i, leaf, RIGHT_MAJORITY]
            ):
                notes[LABEL], notes[BY_BAYES] = best, 1
                return
    for c in range(len(out)):
        out[c] = masses[c]


@kernel
def posterior(x, i, at, out, stats, columns):
    """Put log P(c | x), up to a constant, into `out`; -NEVER or less where c is impossible."""
    moments, density, prior, counts, edges, bins, early, heard = stats
    nominal, place = columns
    k = len(out)
    for c in range(k):
        out[c] = prior[i, at, c]
    for j in range(len(nominal)):
        v, p, m = x[j], place[j], nominal[j]
        if v != v or heard[i, at, j] == 0.0:
            continue
        if m > 0:
            n, of = counts[i, at, p + code(v, m)], counts[i, at, p + m + 1]
            for c in range(k):
                out[c] += math.log((n[c] + 1.0) / (of[c] + m + 1.0))
        elif len(density) > 0:
            normal = density[i, at, p]
            mu, precision, log_sd = normal[MU], normal[PRECISION], normal[LOG_SD]
            for c in range(k):
                off = v - mu[c]
                out[c] -= log_sd[c] + off * off * precision[c]
        elif heard[i, at, j] >= EARLY:
            n, of = bins[i, at, p, bin_of(v, edges[i, at, p])], bins[i, at, p, BINS]
            for c in range(k):
                out[c] += math.log((n[c] + 1.0) / (of[c] + BINS))


@kernel
def probabilities(notes, out):
    """From what `look` gave to P(class): a softmax, or masses plus one each."""
    k = len(out)
    p = out.copy()
    if notes[BY_BAYES]:
        largest = out[top(out)]
        for c in range(k):
            p[c] = math.exp(max(out[c] - largest, -700.0))
    else:
        for c in range(k):
            p[c] += 1.0
    whole = 0.0
    for c in range(k):
        whole += p[c]
    for c in range(k):
        p[c] /= whole
    return p


@kernel
def lean(notes, out):
    """How far a tree of two classes leans to class 1, in [-1, 1]."""
    return 2.0 * probabilities(notes, out)[1] - 1.0
