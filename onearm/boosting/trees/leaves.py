"""How a leaf predicts, by majority class, naive Bayes or the more accurate of them, and learns.

    log P(c | x) = log n_c + Σ_j log P(x_j | c)  (up to a constant)

over the columns that are not missing in x and that the leaf has seen.
"""

import math

from onearm.boosting.trees.nodes import (
    ADAPTIVE,
    BAYES,
    BY_BAYES,
    BY_MAJORITY,
    BY_NAIVE_BAYES,
    DEPTH,
    LABEL,
    MAJORITY,
    NODE,
    NOWHERE,
    RIGHT_BAYES,
    RIGHT_MAJORITY,
    SLOT,
    TOTAL,
    TRIED,
    code,
    route,
)
from onearm.boosting.trees.observers import (
    BINS,
    EARLY,
    MEAN,
    MU,
    NEVER,
    PRECISION,
    WEIGHT,
    bin_of,
    observe,
    variance,
)
from onearm.boosting.trees.split import try_split
from onearm.core.kernels import kernel, kernel_not_inlined, kernel_without_refcounts


@kernel_without_refcounts
def top(s):
    """The largest entry; the lowest of several."""
    best = 0
    for r in range(1, len(s)):
        if s[r] > s[best]:
            best = r
    return best


@kernel_without_refcounts
def look(x, i, notes, out, nodes, stats, columns, settings):
    """Note what tree i predicts for x; `out` gets log posteriors, or the masses of its leaf."""
    links, numbers, mass, used = nodes
    prediction = settings[-1]
    leaf, spokesman = route(x, i, nodes, columns)
    masses = mass[i, spokesman]
    notes[NODE] = leaf
    notes[LABEL] = notes[MAJORITY] = notes[BAYES] = top(masses)
    notes[BY_BAYES] = 0
    at = links[i, leaf, SLOT]
    if prediction != BY_MAJORITY and at != NOWHERE:
        posterior(x, i, at, mass[i, leaf], out, stats, columns)
        best = top(out)
        if out[best] > -NEVER:
            notes[BAYES] = best
            ahead = numbers[i, leaf, RIGHT_BAYES] >= numbers[i, leaf, RIGHT_MAJORITY]
            if prediction == BY_NAIVE_BAYES or ahead:
                notes[LABEL], notes[BY_BAYES] = best, 1
                return
    for c in range(len(out)):
        out[c] = masses[c]


@kernel_without_refcounts
def learn(x, i, notes, label, w, nodes, stats, columns, settings):
    """Teach tree i that x, about which it made these notes, has this label, with weight w."""
    links, numbers, mass, used = nodes
    grace_period, delta, tau, room, n_splits, max_depth, prediction = settings
    if not 0.0 < w < math.inf:
        return
    leaf = notes[NODE]
    at = links[i, leaf, SLOT]
    if prediction == ADAPTIVE:
        numbers[i, leaf, RIGHT_MAJORITY] += w * (notes[MAJORITY] == label)
        numbers[i, leaf, RIGHT_BAYES] += w * (notes[BAYES] == label)
    mass[i, leaf, label] += w
    numbers[i, leaf, TOTAL] += w
    if at == NOWHERE:
        return
    observe(x, i, at, label, w, mass[i, leaf, label], stats, columns)
    n = numbers[i, leaf, TOTAL]
    due = n - numbers[i, leaf, TRIED] >= grace_period[i] and mass[i, leaf, label] < n
    if due and used[i, 0] + 2 <= links.shape[1]:
        if max_depth == 0 or links[i, leaf, DEPTH] < max_depth:
            numbers[i, leaf, TRIED] = n
            try_split(i, leaf, nodes, stats, columns, settings)


@kernel_without_refcounts
def posterior(x, i, at, mass, out, stats, columns):
    """Put log P(c | x), up to a constant, into `out`; -NEVER or less where c is impossible."""
    moments, density, prior, gaps, counts, edges, bins, early, n_values = stats
    nominal, place = columns
    if len(density) > 0:
        missing = gaps[i, at]
        for j in range(len(x)):
            missing += x[j] != x[j]
        if missing == 0.0:
            _without_gaps(x, density[i, at], prior[i, at], out)
        else:
            _with_gaps(x, nominal, moments[i, at], prior[i, at], mass, out)
    else:
        for c in range(len(out)):
            out[c] = prior[i, at, c]
    if len(counts) == 0 and len(bins) == 0:
        return
    for j in range(len(nominal)):
        m, p = nominal[j], place[j]
        if x[j] != x[j]:
            continue
        if m > 0:
            _add_log(counts[i, at, p + code(x[j], m)], counts[i, at, p + m + 1], m + 1, out)
        elif len(bins) > 0 and n_values[i, at, j] >= EARLY:
            b = bin_of(x[j], edges[i, at, j])
            _add_log(bins[i, at, j, b], bins[i, at, j, BINS], BINS, out)


@kernel_without_refcounts
def _add_log(n, of, m, out):
    """Add log P(value | c) for a column of m values, each counted once more than it was seen."""
    for c in range(len(out)):
        out[c] += math.log((n[c] + 1.0) / (of[c] + m))


@kernel_without_refcounts
def _without_gaps(x, density, prior, out):
    """Four classes at a time, then one, each in a register."""
    k = len(out)
    for c in range(0, k - 3, 4):
        s0 = s1 = s2 = s3 = 0.0
        for j in range(len(x)):
            mu, half = density[j, MU, c : c + 4], density[j, PRECISION, c : c + 4]
            v = x[j]
            o0, o1, o2, o3 = v - mu[0], v - mu[1], v - mu[2], v - mu[3]
            s0, s1 = s0 + o0 * o0 * half[0], s1 + o1 * o1 * half[1]
            s2, s3 = s2 + o2 * o2 * half[2], s3 + o3 * o3 * half[3]
        out[c], out[c + 1] = prior[c] - s0, prior[c + 1] - s1
        out[c + 2], out[c + 3] = prior[c + 2] - s2, prior[c + 3] - s3
    for c in range(k - k % 4, k):
        s = 0.0
        for j in range(len(x)):
            off = x[j] - density[j, MU, c]
            s += off * off * density[j, PRECISION, c]
        out[c] = prior[c] - s


@kernel_not_inlined
def _with_gaps(x, nominal, moments, prior, mass, out):
    """Leave out columns that are missing in x or that the leaf has not seen."""
    for c in range(len(out)):
        out[c] = math.log(mass[c]) if prior[c] > -NEVER else -NEVER
    for j in range(len(x)):
        weight = 0.0
        for c in range(len(out)):
            weight += moments[c, WEIGHT, j]
        if x[j] != x[j] or weight == 0.0 or nominal[j] > 0:
            continue
        for c in range(len(out)):
            if moments[c, WEIGHT, j] == 0.0:
                out[c] = -NEVER
            else:
                off, var = x[j] - moments[c, MEAN, j], variance(moments[c], j)
                out[c] -= 0.5 * math.log(var) + off * off * (0.5 / var)


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
def margin(notes, out):
    """The margin of class 1 over class 0, in [-1, 1], of a tree of two classes."""
    return 2.0 * probabilities(notes, out)[1] - 1.0
