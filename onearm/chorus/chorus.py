"""Chorus: the recommended learner; it needs only `n_classes` and `n_features`.

It stacks base models under bandit feedback. Rows are standardised online and mapped to random
Fourier features (`rows`, `waves`). Over each of the two sets of features there are two linear
models (`voices`); two more are nearest neighbours among rows that surprised, in two metrics
(`memory`, `metric`); the last is the model as it was before the last drift (`echo`). Base model i
gives label r the score m_i,r. The stacking weights w_i are learnt from every answer, and with them
the probability p that the greedy label ŷ is right (`conductor`):

    s_r = Σ_i w_i m_i,r ,    ŷ = argmax_r s_r ,    p = P(ŷ is right)

The label chosen has the largest s_r + α·(q-p)₊·σ_r. σ_r is the mean width of the confidence bounds
of the linear models; q is the 0.9 quantile of p over the rounds so far. So it explores where an
error is more likely than elsewhere, labels that were not tried there, and stops by itself; and it
rules labels out by wrong answers as far as q allows.

Where the feedback is a reward ρ ∈ [0, 1], in place of right or wrong, p is the expected reward of
ŷ, and stacking, the test for drift and the frozen model take ρ. `own` regresses on ρ and starts at
the mean reward ρ̄, in place of 0; over the numbers it has its full covariance (`ridge`), and is the
model that stacking is regularised towards. What knows only right and wrong (`bold`, memory, metric)
takes a reward for right if it is 1 or above q: better than what is expected at best.

The files are named after a choir: features are waves, base models are voices, the conductor weighs
them, and the frozen previous model is an echo.
"""

from dataclasses import dataclass

import numpy as np

from onearm.chorus import ridge
from onearm.chorus.conductor import PRIOR, confidence, doubt, judge, mean_width, rank, weights
from onearm.chorus.echo import FOLLOWED, FROZEN, alarmed, echo, follow, freeze, frozen_label, grow
from onearm.chorus.features import features, group
from onearm.chorus.memory import NOW, WIDEST, folded, recall, remember
from onearm.chorus.metric import FIRST, differ, measured, renew
from onearm.chorus.rows import MANY, note, places, raw, split_columns, usual_norm
from onearm.chorus.voices import VARIANCE, sing, teach
from onearm.chorus.waves import TURNS, USUAL, random_signs, turned
from onearm.core.assembly import HIDDEN
from onearm.core.explore import FLOOR_DOC, at_least, best, certain, sample_label
from onearm.core.kernels import kernel, separate_kernel
from onearm.core.learner import Learner, real, state, whole
from onearm.core.parameters import wholes
from onearm.core.vectors import LARGEST

RIDGE_OWN, RIDGE_BOLD = 0.01, 0.1
COUNT, MEAN = 0, 1  # of rewards
TEXT = 0.5  # of α: in a text some words are always new, and widths never small


@separate_kernel
def look(x, inputs, voices, memories, conductor):
    rows, wave = inputs
    memory, (_, _, _, A), frozen = memories
    R, Y, counts = memory
    _, _, c, top, earned, _, _ = conductor
    edges, signs, _, _ = wave
    k, n, groups = voices[0].shape[2], len(c) - 1, max(1, len(edges) - 1)
    at, phi, z = features(x, rows, wave)
    near = np.zeros((R.shape[1], len(A)), np.float32)
    m, width, e = np.zeros((n, k)), np.zeros((groups, k)), 0
    for g in range(groups):
        first, last = group(g, edges, phi)
        m[2 * g], m[2 * g + 1] = earned[MEAN], 1.0 / k
        sing(at, phi, first, last, voices[0], m[2 * g], m[2 * g + 1], width[g])
    if earned[COUNT] > 0.0 and len(voices[2]):
        ridge.expect(phi[edges[1] : edges[2]], earned[MEAN], voices[2], m[ridge.PLACE])
    if len(near):
        folded(z, signs, near[0])
        measured(A, near[0], near[1])
        filled = min(counts[0], Y.shape[1])
        for g in range(len(near)):
            recall(near[g], R[NOW, g], Y[NOW, :filled], top[0], m[2 * groups + g])
    if frozen[3][FROZEN]:
        e = frozen_label(at, phi, near, frozen, memory, top[0])
        echo(e, frozen[2], m[n - 1])
    w, s = weights(c), np.zeros(k)
    for i in range(n):
        for r in range(k):
            s[r] += w[i] * m[i, r]
    return at, phi, near, m, s, mean_width(w, width), confidence(m, s, w, c, np.arange(k)), e


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
    much, bound = alpha if len(inputs[1][0]) else TEXT * alpha, np.empty(len(s))
    for r in range(len(s)):
        bound[r] = s[r] + much * doubt(sure, top) * width[r]
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
    at, phi, near, m, s, bound, sure, e = seen
    (moments, rounds, (start, nominal, _)), (edges, _, _, _) = inputs
    memory, scatter, frozen = memories
    R, Y, counts = memory
    W, P, B, D = voices
    S, b, c, top, earned, _, _ = conductor
    right, groups = reward >= 1.0 or reward > top[0], max(1, len(edges) - 1)
    if label == np.argmax(s) and alarmed(sure, reward, frozen[3]):
        freeze(weights(c), edges, W, memory, frozen)
        begin(voices, memory, scatter, conductor)
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
def begin(voices, memory, scatter, conductor):
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


@dataclass
class Chorus(Learner, look=look, scores=scores, chances=chances, choose=choose, update=update):
    """The recommended learner: scales its rows, tunes itself, explores where it must.

    Examples
    --------
    >>> from onearm import datasets
    >>> letters = datasets.load("letter").shuffled(1)
    >>> trace = letters.learner(Chorus).play(letters)
    >>> int((~trace.correct).sum())
    3204
    """

    nominal: tuple[int, ...] = wholes(
        (), 0, doc="Number of values of each nominal column, 0 for a numeric one; empty if none."
    )
    n_components: int = whole(
        0, 0, 2**20,
        doc="Number of random Fourier features, about; up to four times as many rows are stored as "
        "neighbours. 0: 1024 up to 256 columns, more for more.",
    )  # fmt: skip
    alpha: float = real(0.2, "[0, 1e12]", doc="Width α of the confidence bound.")
    floor: float = real(0.0, "[0, 0.5]", doc=FLOOR_DOC)
    # voices: the weights of `own` and `bold` and the variances of `own`; the variances of `bold`
    weights: np.ndarray = state("n_phi", 3, "n_classes", range="[-1e100, 1e100]")
    variances: np.ndarray = state("n_phi", range="(0, 1e100]")
    # ridge, of rewards: the weights b and D of every label; how many rewards there were, their mean
    ridge_weights: np.ndarray = state(
        "n_regressed", "n_classes", range="[-1e100, 1e100]", grow=ridge.grow
    )
    ridge_matrices: np.ndarray = state(
        "n_classes", "n_regressed", "n_regressed", range="[-1.01, 1.01]", grow=ridge.grow
    )
    mean_reward: np.ndarray = state(2, range="[0, 1e18]")
    # conductor: the sums S and b of a regression on leads, its solution c, and q
    lead_products: np.ndarray = state("n_leads", "n_leads", range="[-1e100, 1e100]")
    lead_rewards: np.ndarray = state("n_leads", range="[-1e100, 1e100]")
    stacking_weights: np.ndarray = state("n_leads", range="[-1e100, 1e100]")
    top_confidence: np.ndarray = state(1, range="[0, 1]")
    # memory, now and before the last drift: rows as they are and by A; their labels, signed, or 0
    memory_rows: np.ndarray = state(
        2, "n_memories", "n_compared", "n_rows", range="[-1e6, 1e6]", dtype=np.float32
    )
    memory_labels: np.ndarray = state(2, "n_rows", range="[-n_classes, n_classes]", dtype=np.int64)
    memory_counts: np.ndarray = state(2, range="[0, 4e18]", dtype=np.int64)  # rows; when A is due
    # metric: how rows of one label differ; means and numbers of rows by label; A
    scatter: np.ndarray = state("n_compared", "n_compared", range="[-1e24, 1e24]")
    label_means: np.ndarray = state("n_classes", "n_compared", range="[-1e6, 1e6]")
    label_counts: np.ndarray = state("n_classes", range="[0, 1e18]")
    metric: np.ndarray = state("n_compared", "n_compared", range="[-1e3, 1e3]", dtype=np.float32)
    # echo: the frozen model; how often each label was chosen, and right, after its label
    frozen_weights: np.ndarray = state("n_phi", "n_classes", range="[-1e200, 1e200]")
    frozen_memory_weights: np.ndarray = state("n_memories", range="[-1e100, 1e100]")
    frozen_outcomes: np.ndarray = state("n_classes", "n_followed", 2, range="[0, inf)", grow=grow)
    change: np.ndarray = state(2, range="[0, inf)")  # Page's sum; whether a model is frozen
    # rows: counts, means and sums of squared deviations of the numbers
    moments: np.ndarray = state(3, "n_numbers", range="(-inf, inf)")
    n_rounds: np.ndarray = state(1, range="[0, inf)")

    exploration = "alpha"
    added_later = ("ridge_weights", "ridge_matrices", "mean_reward")
    missing = True
    real_rewards = True
    off_policy = True

    def plan(self) -> None:
        self.n_values, self.n_numbers, apart = split_columns(self.n_features, self.nominal)
        self.n_phi = self.n_numbers
        self.n_compared = self.n_rows = self.n_memories = 0
        self.n_leads, self.columns, self.n_regressed = 4, 0, 0
        self.n_followed = self.n_classes if self.n_classes <= FOLLOWED else 1
        if self.n_numbers <= MANY:
            turn = turned(self.n_numbers)
            n_waves = self.n_components or max(USUAL, TURNS * turn)
            self.columns = max(1, round(n_waves / turn))
            self.n_dense = turn * self.columns + self.n_numbers + 1
            self.n_phi = self.n_dense + apart
            self.n_compared, self.n_rows = min(self.n_numbers, WIDEST), 4 * n_waves
            self.n_memories, self.n_leads = 2, 8
            self.n_regressed = ridge.n_regressed(self.n_numbers, self.n_classes)

    def start(self) -> None:
        super().start()
        self.places = places(self.n_features, self.n_values)
        edges = [0, self.n_dense - self.n_numbers - 1, self.n_dense] if self.n_memories else []
        self.edges = np.array(edges, np.int64)
        norm = usual_norm(self.n_features, self.n_values)
        self.signs, self.scale, self.shift = random_signs(
            self.seed, self.n_numbers, norm, self.columns
        )
        self.memory_counts[1] = FIRST
        np.fill_diagonal(self.metric, 1.0)
        _, voices, (memory, scatter, _), conductor = self.model()
        begin(voices, memory, scatter, conductor)

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        if not (saved["weights"][:, VARIANCE] > 0.0).all():
            raise ValueError("saved array weights of Chorus must have variances above 0")
        if not (saved["moments"][::2] >= 0.0).all():
            raise ValueError("saved array moments of Chorus must have counts and squares from 0 on")
        if not (abs(saved["moments"][1]) <= LARGEST).all():
            raise ValueError(f"saved array moments of Chorus must have means within ±{LARGEST:g}")
        C, S = np.tril(saved["scatter"]), saved["lead_products"]
        if len(C) and np.linalg.eigvalsh(C)[0] < -1e-6 * (1.0 + np.trace(C)):
            raise ValueError("saved array scatter of Chorus must be positive definite")
        if not np.array_equal(S, S.T) or np.linalg.eigvalsh(S)[0] <= 0.0:
            raise ValueError(
                "saved array lead_products of Chorus must be symmetric and positive definite"
            )

    def model(self) -> tuple:
        rows = self.moments, self.n_rounds, self.places
        wave = self.edges, self.signs, self.scale, self.shift
        memory = self.memory_rows, self.memory_labels, self.memory_counts
        scatter = self.scatter, self.label_means, self.label_counts, self.metric
        echo = self.frozen_weights, self.frozen_memory_weights, self.frozen_outcomes, self.change
        stacking = self.lead_products, self.lead_rewards, self.stacking_weights
        conductor = *stacking, self.top_confidence, self.mean_reward, self.alpha, self.floor
        voices = self.weights, self.variances, self.ridge_weights, self.ridge_matrices
        return (rows, wave), voices, (memory, scatter, echo), conductor
