"""Chorus: the recommended learner; it needs only `n_classes` and `n_features`.

It stacks base models under bandit feedback. Rows are standardised online and mapped to random
Fourier features (`rows`, `waves`). Over each of the two sets of features there are two linear
models (`voices`); two more are nearest neighbours among rows that surprised, in two metrics
(`memory`, `metric`); one knows how often a label is right at all (`rates`); one is a forest of
randomised trees over all rows that are stored (`forest`, `splits`, `trees`); the last is the model
as it was before the last drift (`echo`). Base model i gives label r the score m_i,r. The stacking
weights w_i are learnt from every answer, and with them the probability p that the greedy label ŷ is
right (`conductor`):

    s_r = Σ_i w_i m_i,r ,    ŷ = argmax_r s_r ,    p = P(ŷ is right)

The label chosen has the largest s_r + α·(q-p)₊·σ_r. σ_r is the mean width of the confidence bounds
of the linear models; q is the 0.9 quantile of p over the rounds so far. So it explores where an
error is more likely than elsewhere, labels that were not tried there, and stops by itself; and it
rules labels out by wrong answers as far as q allows.

Where the feedback is a reward ρ ∈ [0, 1], in place of right or wrong, p is the expected reward of
ŷ, and stacking, the test for drift and the frozen model take ρ. `own` regresses on ρ and starts at
the mean reward ρ̄, in place of 0; over the numbers it has its full covariance (`ridge`), and is the
model that stacking is regularised towards. What knows only right and wrong (`bold`, memory, metric,
forest) takes a reward for right if it is 1 or above q: better than what is expected at best.

The files are named after a choir: features are waves, base models are voices, the conductor weighs
them, and the frozen previous model is an echo.
"""

from dataclasses import dataclass

import numpy as np

from onearm.chorus import ridge
from onearm.chorus.echo import FOLLOWED, grow
from onearm.chorus.memory import WIDEST
from onearm.chorus.metric import FIRST
from onearm.chorus.rounds import begin, chances, choose, look, scores, update
from onearm.chorus.rows import MANY, places, split_columns, usual_norm
from onearm.chorus.trees import Forest
from onearm.chorus.voices import VARIANCE
from onearm.chorus.waves import TURNS, USUAL, random_signs, turned
from onearm.core.explore import FLOOR_DOC
from onearm.core.learner import Learner, real, state, whole
from onearm.core.parameters import wholes
from onearm.core.vectors import LARGEST

NEAR = 256  # numbers in all neighbours, over that of features: so many, if they are of few


@dataclass
class Chorus(Learner, look=look, scores=scores, chances=chances, choose=choose, update=update):
    """The recommended learner: scales its rows, tunes itself, explores where it must.

    Examples
    --------
    >>> from onearm import datasets
    >>> letters = datasets.load("letter").shuffled(1)
    >>> trace = letters.learner(Chorus).play(letters)
    >>> int((~trace.correct).sum())
    3215
    """

    nominal: tuple[int, ...] = wholes(
        (), 0, doc="Number of values of each nominal column, 0 for a numeric one; empty if none."
    )
    n_components: int = whole(
        0, 0, 2**20,
        doc="Number of random Fourier features, about; 4 to 16 times as many rows are stored as "
        "neighbours, 32 times as many for the forest. 0: 1024 up to 256 columns, more for more.",
    )  # fmt: skip
    n_trees: int = whole(
        24, 0, 1000,
        doc="Number of trees of the forest, which rows of up to 512 columns have; 0: no forest.",
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
    frozen_memory_weights: np.ndarray = state("n_frozen", range="[-1e100, 1e100]")
    frozen_outcomes: np.ndarray = state("n_classes", "n_followed", 2, range="[0, inf)", grow=grow)
    change: np.ndarray = state(2, range="[0, inf)")  # Page's sum; whether a model is frozen
    # rates: how often each label was chosen, and right, old answers counting less
    label_rates: np.ndarray = state("n_classes", 2, range="[0, 1e18]")
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
        self.n_compared = self.n_rows = self.n_memories = self.n_frozen = 0
        self.n_leads, self.columns, self.n_regressed, n_waves = 4, 0, 0, 0
        self.n_followed = self.n_classes if self.n_classes <= FOLLOWED else 1
        if self.n_numbers <= MANY:
            turn = turned(self.n_numbers)
            n_waves = self.n_components or max(USUAL, TURNS * turn)
            self.columns = max(1, round(n_waves / turn))
            self.n_dense = turn * self.columns + self.n_numbers + 1
            self.n_phi = self.n_dense + apart
            self.n_compared = min(self.n_numbers, WIDEST)
            self.n_rows = n_waves * max(4, min(16, NEAR // max(1, self.n_compared)))
            self.n_memories, self.n_frozen, self.n_leads = 2, 3, 10
            self.n_regressed = ridge.n_regressed(self.n_numbers, self.n_classes)
        sizes = self.n_classes, self.n_features, self.n_trees if n_waves else 0, n_waves
        self.forest = Forest(*sizes)
        self.parts = (self.forest,)

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
        _, voices, (memory, scatter, _, labelled, _), conductor = self.model()
        begin(voices, memory, scatter, labelled, conductor)

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
        memories = memory, scatter, echo, self.label_rates, self.forest.model()
        voices = self.weights, self.variances, self.ridge_weights, self.ridge_matrices
        return (rows, wave), voices, memories, conductor
