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
from onearm.chorus.echo import BEFORE, FOLLOWED, HEARD, NOW, alarmed, echo, follow, heard, keep
from onearm.chorus.memory import WIDEST, folded, recall, remember
from onearm.chorus.metric import differ, measure, measured, measured_all
from onearm.chorus.rows import MANY, n_numbers, note, places, raw, scaled, weighed
from onearm.chorus.soundness import require_sound
from onearm.chorus.voices import VARIANCE, sing, teach
from onearm.chorus.waves import drawn, turned, usual, waves
from onearm.core.explore import best, certain
from onearm.core.kernels import kernel, separate_kernel
from onearm.core.learner import Learner, state
from onearm.core.parameters import real, whole, wholes

RIDGE_OWN, RIDGE_BOLD = 0.01, 0.1
TEXT = 0.5  # of α: in a text some words are always new, and widths never small


@separate_kernel
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


@separate_kernel
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
    width_of, bound = mean_width(w, width), np.empty(k)
    for r in range(k):
        bound[r] = s[r] + much * doubt(sure, top) * width_of[r]
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


@separate_kernel
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
        follow(e, label, reward, T)
        rank(sure, top)
    rounds[0] += 1.0
    count, mean, square = moments
    if len(edges):
        note(raw(x, len(places[0]) - 1), places[1], count, mean, square)
    else:
        for p in at:
            count[p] += 1.0


@separate_kernel
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


@separate_kernel
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
    update=update,
):
    """The learner to pick first: scales its rows, tunes itself, explores where it must.

    Examples
    --------
    >>> from onearm import datasets
    >>> letters = datasets.load("letter").shuffled(1)
    >>> trace = letters.learner(Chorus).play(letters)
    >>> int((~trace.correct).sum())
    3204
    """

    nominal: tuple[int, ...] = wholes(
        (),
        0,
        doc="The number of values of each nominal column, 0 for a column of numbers; empty if all "
        "are.",
    )
    waves: int = whole(
        0,
        0,
        2**20,
        doc="How many waves a row is turned into, about; at most four times as many rows are "
        "remembered. Twice as many take twice the time. 0: as suits the columns, 1024 up to "
        "256 of them.",
    )
    alpha: float = real(
        0.2,
        "[0, 1e12]",
        doc="How many widths are added where it is less sure than elsewhere: how much is explored.",
    )
    # weights of own and bold, variances of own; variances of bold
    W: np.ndarray = state("n_phi", 3, "n_classes", range="[-1e100, 1e100]")
    P: np.ndarray = state("n_phi", range="(0, 1e100]")
    # sums of leads, and of leads and answers; what each voice counts, and the constant
    S: np.ndarray = state("n_leads", "n_leads", range="[-1e100, 1e100]")
    b: np.ndarray = state("n_leads", range="[-1e100, 1e100]")
    c: np.ndarray = state("n_leads", range="[-1e100, 1e100]")
    top: np.ndarray = state(1, range="[0, 1]")  # how sure it is at best
    # rows remembered, now and before, as they are and by A; their labels, signed, and 0 for none
    R: np.ndarray = state(
        2, "n_memories", "n_compared", "n_rows", range="[-1e6, 1e6]", dtype=np.float32
    )
    Y: np.ndarray = state(2, "n_rows", range="[-n_classes, n_classes]", dtype=np.int64)
    kept: np.ndarray = state(2, range="[0, 4e18]", dtype=np.int64)  # rows kept; n at which A is due
    # how rows of one label differ; their means by label, and how many; how rows are measured
    C: np.ndarray = state("n_compared", "n_compared", range="[-1e24, 1e24]")
    M: np.ndarray = state("n_classes", "n_compared", range="[-1e6, 1e6]")
    N: np.ndarray = state("n_classes", range="[0, 1e18]")
    A: np.ndarray = state("n_compared", "n_compared", range="[-1e3, 1e3]", dtype=np.float32)
    # what would have been said before the last change, and what the memories counted
    E: np.ndarray = state("n_phi", "n_classes", range="[-1e200, 1e200]")
    G: np.ndarray = state("n_memories", range="[-1e100, 1e100]")
    # how often each label was said, and right, after an echo
    T: np.ndarray = state("n_classes", "n_followed", 2, range="[0, inf)")
    change: np.ndarray = state(2, range="[0, inf)")  # Page's sum; whether there is an echo
    moments: np.ndarray = state(
        3, "n_numbers", range="(-inf, inf)"
    )  # counts, means, sums of squared deviations
    rounds: np.ndarray = state(1, range="[0, inf)")

    exploration = "alpha"
    missing = True
    off_policy = True

    def plan(self) -> None:
        self.n_numbers = self.n_phi = n_numbers(self.n_features, self.nominal)
        self.n_compared = self.n_rows = self.n_memories = 0
        self.n_leads, self.turn, self.columns = 4, 0, 0
        self.n_followed = self.n_classes if self.n_classes <= FOLLOWED else 1
        if self.n_numbers <= MANY:
            n_waves = self.waves or usual(self.n_numbers)
            self.turn = turned(self.n_numbers)
            self.columns = max(1, round(n_waves / self.turn))
            self.n_phi = self.turn * self.columns + self.n_numbers + 1
            self.n_compared, self.n_rows = min(self.n_numbers, WIDEST), 4 * n_waves
            self.n_memories, self.n_leads = 2, 8

    def start(self) -> None:
        super().start()
        self.places = places(self.n_features, self.nominal)
        self.edges, self.scale = np.zeros(0, np.int64), 0.0
        self.signs, self.shift = np.zeros((3, 0, 0)), np.zeros((0, 0))
        if self.n_memories:
            self.edges = np.array([0, self.turn * self.columns, self.n_phi])
            spread = sum(2 if m else 1 for m in self.places[1, :-1])
            self.signs, self.scale, self.shift = drawn(
                self.seed, self.n_numbers, math.sqrt(spread), self.columns
            )
        self.kept[1] = metric.FIRST
        np.fill_diagonal(self.A, 1.0)
        begin(
            self.W, self.P, self.S, self.b, self.c, self.top, self.Y, self.kept, self.C, self.M,
            self.N,
        )  # fmt: skip

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        require_sound(saved)

    def model(self) -> tuple:
        return (
            self.W, self.P, self.S, self.b, self.c, self.top, self.R, self.Y, self.kept, self.C,
            self.M, self.N, self.A, self.E, self.G, self.T, self.change, self.moments, self.rounds,
            self.places, self.edges, self.signs, self.scale, self.shift, self.alpha,
        )  # fmt: skip
