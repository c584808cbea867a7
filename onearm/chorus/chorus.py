"""Chorus: the learner to pick first. It needs no more than the sizes.

Rows of any scale become numbers of mean 0 and random waves (`rows`, `waves`). Over each of these
sing two voices (`voices`); two more are memories of rows that surprised, measured in two ways
(`memory`, `metric`); the last is the echo of what was known before the world last changed (`echo`):
m_i,r is what voice i says of label r. The conductor counts them by w_i, which it learns from every
answer, and knows how sure it may be of the label ŷ that is ahead (`conductor`):

    s_r = Σ_i w_i m_i,r ,    ŷ = argmax_r s_r ,    p = P(ŷ is right)

Said is the label with the largest s_r + α·(q-p)₊·σ_r, where σ_r is how little is known of r for
rows like this one: the mean of own's widths, weighed as the voices are; q is how sure it is at
best, what p exceeds in a tenth of the rounds. So it explores where it must expect to be wrong more
often than elsewhere, labels that were not tried there, and stops by itself. And it rules labels out
by wrong answers as far as q allows.
"""

import math
from dataclasses import dataclass

import numpy as np

from onearm.chorus import metric
from onearm.chorus.conductor import DRAW, doubt, judge, lead, rank, weights
from onearm.chorus.echo import BEFORE, HEARD, NOW, alarmed, echo, heard, keep
from onearm.chorus.memory import WIDEST, folded, recall, remember
from onearm.chorus.metric import differ, measure, measured, measured_all
from onearm.chorus.rows import MANY, note, places, raw, scaled, weighed
from onearm.chorus.voices import VARIANCE, sing, teach
from onearm.chorus.waves import drawn, turned, usual, waves
from onearm.explore import best, certain
from onearm.kernels import kernel
from onearm.learner import Learner, state
from onearm.parameters import real, whole, wholes

RIDGE_OWN, RIDGE_BOLD = 0.01, 0.1
TEXT = 0.5  # of α: in a text some words are always new, and widths never small


@kernel
def features(x, moments, rounds, places, edges, signs, scale, shift):
    """The features of a row: where they stand, what they are, and the numbers; of a text, none."""
    start, nominal = places
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
def look(
    x, W, P, S, b, c, top, R, Y, kept, C, M, N, A, E, G, T, change,
    moments, rounds, places, edges, signs, scale, shift, alpha,
):  # fmt: skip
    k, n, groups = W.shape[2], len(c) - 1, max(1, len(edges) - 1)
    at, phi, z = features(x, moments, rounds, places, edges, signs, scale, shift)
    near = np.zeros((len(G), len(A)), np.float32)
    said, width, e = np.zeros((n, k)), np.zeros((groups, k)), 0
    for g in range(groups):
        first, last = (edges[g], edges[g + 1]) if len(edges) else (0, len(phi))
        said[2 * g + 1] = 1.0 / k
        sing(at, phi, first, last, W, said[2 * g], said[2 * g + 1], width[g])
    if len(near):
        folded(z, signs, near[0])
        measured(A, near[0], near[1])
        filled = min(kept[0], Y.shape[1])
        for g in range(len(near)):
            recall(near[g], R[NOW, g], Y[NOW, :filled], top[0], said[2 * groups + g])
    if change[HEARD]:
        e = heard(at, phi, near, E, G, R, Y, top[0])
        echo(e, T, said[n - 1])
    w = weights(c)
    s = np.zeros(k)
    for i in range(n):
        for r in range(k):
            s[r] += w[i] * said[i, r]
    greedy, sure = np.argmax(s), c[n]
    for i in range(n):
        sure += w[i] * lead(said[i], greedy)
    sure = min(1.0, max(0.0, sure))
    much = alpha if len(edges) else TEXT * alpha
    bound = s + much * doubt(sure, top) * mean_width(w, width)
    return at, phi, near, said, s, bound, sure, e


@kernel
def mean_width(w, width):
    """The widths of own over all groups, weighed as own is."""
    total, out = 0.0, np.zeros(width.shape[1])
    for g in range(len(width)):
        total += w[2 * g]
    for g in range(len(width)):
        share = w[2 * g] / total if total > 0.0 else 1.0 / len(width)
        for r in range(len(out)):
            out[r] += share * math.sqrt(width[g, r])
    return out


@kernel
def scores(seen, *model):
    return seen[4]


@kernel
def chances(seen, among, *model):
    return certain(best(seen[5], among), len(seen[5]))


@kernel
def choose(seen, among, rng, *model):
    return best(seen[5], among), best(seen[4], among), 1.0


@kernel
def possible(label, greedy, propensity, k, *model):
    return propensity == 1.0


@kernel
def update(
    x, seen, label, greedy, propensity, reward, truth, rng,
    W, P, S, b, c, top, R, Y, kept, C, M, N, A, E, G, T, change,
    moments, rounds, places, edges, signs, scale, shift, alpha,
):  # fmt: skip
    at, phi, near, said, s, bound, sure, e = seen
    right, groups = label == truth, max(1, len(edges) - 1)
    if label == np.argmax(s) and alarmed(sure, reward, change):
        keep(weights(c), edges, W, E, G, R, Y, T, change)
        begin(W, P, S, b, c, top, Y, kept, C, M, N)
    else:
        judge(said, label, reward, S, b, c)
        for g in range(groups):
            first, last = (edges[g], edges[g + 1]) if len(edges) else (0, len(phi))
            own, bold = said[2 * g], said[2 * g + 1]
            teach(at, phi, first, last, label, right, top[0], own, bold, W, P)
        if len(near):
            expected = 0.5 * (said[2 * groups, label] + said[2 * groups + 1, label])
            remember(near, label, right, expected, R[NOW], Y[NOW], kept)
            if right:
                differ(near[0], label, C, M, N)
                renew(C, N, A, R, kept)
        T[e, label, 0] += 1.0
        T[e, label, 1] += reward
        rank(sure, top)
    rounds[0] += 1.0
    count, mean, square = moments
    if len(edges):
        note(raw(x, len(places[0]) - 1), places[1], count, mean, square)
    else:
        for p in at:
            count[p] += 1.0


@kernel
def renew(C, N, A, R, kept):
    """Measure rows anew if it is due, those that are remembered too."""
    n = 0.0
    for count in N:
        n += count
    if n >= kept[1]:
        kept[1] = int(1.3 * n) + 10
        measure(C, n, A)
        measured_all(A, R[NOW, 0], R[NOW, 1])
        measured_all(A, R[BEFORE, 0], R[BEFORE, 1])


@kernel
def begin(W, P, S, b, c, top, Y, kept, C, M, N):
    """Nothing is known; rows are measured as before until there are as many answers again."""
    n = len(c) - 1
    W[:] = 0.0
    W[:, VARIANCE] = 1.0 / RIDGE_OWN
    P[:], S[:] = 1.0 / RIDGE_BOLD, 0.0
    for i in range(n + 1):
        S[i, i] = DRAW
        c[i] = 1.0 / n if i < n else 0.0
        b[i] = DRAW * c[i]
    top[0], Y[NOW], kept[0] = 1.0, 0, 0
    C[:], M[:], N[:] = 0.0, 0.0, 0.0


@dataclass
class Chorus(
    Learner,
    look=look,
    scores=scores,
    chances=chances,
    choose=choose,
    possible=possible,
    update=update,
):
    """The learner to pick first: scales its rows, tunes itself, explores where it must.

    Parameters
    ----------
    n_classes, n_features
        Sizes k and d; labels are the integers 0 to k-1.
    nominal
        The number of values of each nominal column, 0 for a column of numbers; empty if all are.
    waves
        How many waves a row is turned into, about; at most four times as many rows are remembered.
        Twice as many take twice the time. 0: as suits the columns, 1024 up to 256 of them.
    alpha
        How many widths are added where it is less sure than elsewhere: how much is explored.
    seed
        Seed of the waves; nothing else is drawn.

    Examples
    --------
    >>> from onearm import datasets
    >>> letters = datasets.load("letter").shuffled(1)
    >>> trace = letters.learner(Chorus).play(letters)
    >>> int((~trace.correct).sum())
    3204
    """

    nominal: tuple[int, ...] = wholes((), 0)
    waves: int = whole(0, 0, 2**20)
    alpha: float = real(0.2, "[0, inf)")
    W: np.ndarray = state()  # (features, 3, k): weights of own and bold, variances of own
    P: np.ndarray = state()  # (features,): variances of bold
    S: np.ndarray = state()  # (voices + 1, voices + 1): of leads
    b: np.ndarray = state()  # (voices + 1,): of leads and answers
    c: np.ndarray = state()  # (voices + 1,): what each voice counts, and the constant
    top: np.ndarray = state()  # (1,): how sure it is at best
    R: np.ndarray = state()  # (2, 2, numbers, rows): remembered, now and before, as it is and by A
    Y: np.ndarray = state()  # (2, rows): their labels
    kept: np.ndarray = state()  # (2,): rows since the last change; n at which A is due
    C: np.ndarray = state()  # (numbers, numbers): how rows of one label differ
    M: np.ndarray = state()  # (k, numbers): means of rows by labels
    N: np.ndarray = state()  # (k,): and how many
    A: np.ndarray = state()  # (numbers, numbers): how rows are measured
    E: np.ndarray = state()  # (features, k): what would have been said before the last change
    G: np.ndarray = state()  # (2,): and what the memories counted
    T: np.ndarray = state()  # (k, k, 2): how often each label was said, and right, after an echo
    change: np.ndarray = state()  # (2,): how much worse than expected; whether there is an echo
    moments: np.ndarray = state()  # (3, numbers): counts, means, sums of squared deviations
    rounds: np.ndarray = state()  # (1,)

    exploration = "alpha"
    missing = True

    def __post_init__(self) -> None:
        super().__post_init__()
        k = self.n_classes
        self.places = places(self.n_features, self.nominal)
        numbers = n_features = int(self.places[0, -1])
        self.edges, self.scale = np.zeros(0, np.int64), 0.0
        self.signs, self.shift = np.zeros((3, 0, 0)), np.zeros((0, 0))
        d = rows = memories = 0
        n_voices = 3
        if numbers <= MANY:
            turn = turned(numbers)
            n_waves = self.waves or usual(numbers)
            columns = max(1, round(n_waves / turn))
            spread = sum(2 if m else 1 for m in self.places[1, :-1])
            self.signs, self.scale, self.shift = drawn(
                self.seed, numbers, math.sqrt(spread), columns
            )
            n_features = turn * columns + numbers + 1
            self.edges = np.array([0, turn * columns, n_features])
            d, rows, memories = min(numbers, WIDEST), 4 * n_waves, 2
            n_voices = 7
        self.W, self.P = np.empty((n_features, 3, k)), np.empty(n_features)
        self.S, self.b = np.empty((n_voices + 1, n_voices + 1)), np.empty(n_voices + 1)
        self.c, self.top = np.empty(n_voices + 1), np.empty(1)
        self.R = np.zeros((2, memories, d, rows), np.float32)
        self.Y, self.kept = np.zeros((2, rows), np.int64), np.array([0, metric.FIRST])
        self.C, self.M, self.N = np.zeros((d, d)), np.zeros((k, d)), np.zeros(k)
        self.A = np.eye(d, dtype=np.float32)
        begin(
            self.W, self.P, self.S, self.b, self.c, self.top, self.Y, self.kept, self.C, self.M,
            self.N,
        )  # fmt: skip
        self.E, self.G = np.zeros((n_features, k)), np.zeros(memories)
        self.T, self.change = np.zeros((k, k, 2)), np.zeros(2)
        self.moments, self.rounds = np.zeros((3, numbers)), np.zeros(1)

    def model(self) -> tuple:
        return (
            self.W, self.P, self.S, self.b, self.c, self.top, self.R, self.Y, self.kept, self.C,
            self.M, self.N, self.A, self.E, self.G, self.T, self.change, self.moments, self.rounds,
            self.places, self.edges, self.signs, self.scale, self.shift, self.alpha,
        )  # fmt: skip
