"""A round of Chorus: what is computed from a row, the choice, what is learnt from feedback."""

import numpy as np

from onearm.chorus import ridge
from onearm.chorus.conductor import PRIOR, confidence, doubt, judge, mean_width, rank, weights
from onearm.chorus.echo import FROZEN, alarmed, echo, follow, freeze, frozen_label
from onearm.chorus.features import features, group
from onearm.chorus.forest import HALF, begin_forest, grow, single, store, vote
from onearm.chorus.memory import NOW, folded, recall, remember
from onearm.chorus.metric import differ, measured, renew
from onearm.chorus.rates import answered, rates
from onearm.chorus.rows import note, raw
from onearm.chorus.voices import VARIANCE, sing, teach
from onearm.core.assembly import HIDDEN
from onearm.core.explore import at_least, best, certain, sample_label
from onearm.core.kernels import kernel, separate_kernel

RIDGE_OWN, RIDGE_BOLD = 0.01, 0.1
COUNT, MEAN = 0, 1  # of rewards
TEXT = 0.25  # of α: in a text some words are always new, and widths never small


@separate_kernel
def look(x, inputs, voices, memories, conductor):
    rows, wave = inputs
    memory, (_, _, _, A), frozen, labelled, forest = memories
    R, Y, counts = memory
    _, _, c, top, earned, _, _ = conductor
    edges, signs, _, _ = wave
    _, _, (start, nominal, _) = rows
    k, n, groups = voices[0].shape[2], len(c) - 1, max(1, len(edges) - 1)
    at, phi, z = features(x, rows, wave)
    near = np.zeros((R.shape[1], len(A)), np.float32)
    m, width, e = np.zeros((n, k)), np.zeros((groups, k)), 0
    for g in range(groups):
        first, last = group(g, edges, phi)
        m[2 * g], m[2 * g + 1] = earned[MEAN], 1.0 / k
        sing(at, phi, first, last, voices[0], m[2 * g], m[2 * g + 1], width[g])
    if groups == 1 and earned[COUNT] == 0.0:
        m[0] = 0.0  # of a text, `own` gives widths alone
    if earned[COUNT] > 0.0 and len(voices[2]):
        ridge.expect(phi[edges[1] : edges[2]], earned[MEAN], voices[2], m[ridge.PLACE])
    if len(near):
        folded(z, signs, near[0])
        measured(A, near[0], near[1])
        filled = min(counts[0], Y.shape[1])
        for g in range(len(near)):
            recall(near[g], R[NOW, g], Y[NOW, :filled], top[0], m[2 * groups + g])
        rates(labelled, m[n - 3])
    v = np.empty(0, np.float32)
    if len(forest[0][0]):
        v = single(raw(x, len(nominal)))
        vote(v, nominal, forest, forest[1][4][HALF], top[0], m[n - 2])
    if frozen[3][FROZEN]:
        e = frozen_label(at, phi, near, v, nominal, frozen, memory, forest, top[0])
        echo(e, frozen[2], m[n - 1])
    w, s = weights(c), np.zeros(k)
    for i in range(n):
        for r in range(k):
            s[r] += w[i] * m[i, r]
    sure = confidence(m, s, w, c, np.arange(k))
    return at, phi, near, m, s, mean_width(w, width), sure, e, v


@kernel
def scores(seen, *model):
    return seen[4]


@kernel
def hopeful(seen, among, inputs, conductor):
    """The allowed label with the largest bound; the confidence is that among these labels."""
    m, s, width, sure = seen[3], seen[4], seen[5], seen[6]
    _, _, c, top, _, alpha, _ = conductor
    if len(among) < len(s):
        sure = confidence(m, s, weights(c), c, among)
    much, bound = alpha * doubt(sure, top), np.empty(len(s))
    if len(inputs[1][0]) == 0:
        much = TEXT * alpha * (1.0 - sure)
    for r in range(len(s)):
        bound[r] = s[r] + much * width[r]
    return best(bound, among)


@kernel
def chances(seen, among, inputs, voices, memories, conductor):
    label = hopeful(seen, among, inputs, conductor)
    return at_least(conductor[-1], certain(label, len(seen[4])), among)


@kernel
def choose(seen, among, rng, inputs, voices, memories, conductor):
    label, greedy = hopeful(seen, among, inputs, conductor), best(seen[4], among)
    if conductor[-1] > 0.0:
        p = at_least(conductor[-1], certain(label, len(seen[4])), among)
        return sample_label(p, greedy, rng)
    return label, greedy, 1.0


@separate_kernel
def update(
    x, seen, label, greedy, propensity, reward, truth, rng, inputs, voices, memories, conductor
):  # fmt: skip
    at, phi, near, m, s, bound, sure, e, v = seen
    (moments, rounds, (start, nominal, _)), (edges, _, _, _) = inputs
    memory, scatter, frozen, labelled, forest = memories
    R, Y, counts = memory
    W, P, B, D = voices
    S, b, c, top, earned, _, _ = conductor
    right, groups = reward >= 1.0 or reward > top[0], max(1, len(edges) - 1)
    if label == np.argmax(s) and alarmed(sure, reward, frozen[3]):
        freeze(weights(c), edges, W, memory, frozen)
        begin(voices, memory, scatter, labelled, conductor)
        begin_forest(forest)
    else:
        paid = earned[COUNT] > 0.0 and len(B) > 0
        judge(m, label, reward, ridge.PLACE if paid else ridge.NOWHERE, S, b, c)
        for g in range(groups):
            first, last = group(g, edges, phi)
            teach(at, phi, first, last, label, reward, right, top[0], m[2 * g], m[2 * g + 1], W, P)
        if paid:
            ridge.regress(phi[edges[1] : edges[2]], label, reward - m[ridge.PLACE, label], B, D)
        if len(near):
            expected = 0.5 * (m[2 * groups, label] + m[2 * groups + 1, label])
            remember(near, label, right, expected, R[NOW], Y[NOW], counts)
            if right:
                differ(near[0], label, scatter)
                renew(scatter, memory)
        follow(e, label, reward, frozen[2])
        rank(sure, top)
        answered(label, reward, labelled)
        if len(v):
            store(v, label, right, s, forest)
            grow(nominal, len(s), rng, forest)
    if truth == HIDDEN and (reward > 0.0 or earned[COUNT] > 0.0):  # a reward, not right or wrong
        earned[COUNT] += 1.0
        earned[MEAN] += (reward - earned[MEAN]) / earned[COUNT]
    rounds[0] += 1.0
    count, mean, square = moments
    if len(edges):
        note(raw(x, len(start) - 1), nominal, count, mean, square)
    else:
        for p in at:
            count[p] += 1.0


@separate_kernel
def begin(voices, memory, scatter, labelled, conductor):
    """Forget all but the metric, which stays until there are as many right answers again."""
    W, P, B, D = voices
    R, Y, counts = memory
    C, M, N, A = scatter
    S, b, c, top, _, _, _ = conductor
    n = len(c) - 1
    W[:], B[:], D[:] = 0.0, 0.0, 0.0
    W[:, VARIANCE] = 1.0 / RIDGE_OWN
    P[:], S[:] = 1.0 / RIDGE_BOLD, 0.0
    for i in range(n + 1):
        S[i, i] = PRIOR
        c[i] = 1.0 / n if i < n else 0.0
        b[i] = PRIOR * c[i]
    top[0], Y[NOW], counts[0] = 1.0, 0, 0
    C[:], M[:], N[:] = 0.0, 0.0, 0.0
    labelled[:] = 0.0
