"""BanditBBM: boosting by majority, for bandit feedback.

N weak learners predict h¹ … h^N; ŷ is the label with most votes, a random one of several. The
choice is ŷ with probability 1-ρ and otherwise one of the others. Weak learner i, given the votes s
of those before it, pays for predicting l where r is right the chance that r then loses the vote if
the rest are right with an edge of γ over guessing:

    C^i[l, r] = φʳ_{N-i}(s + e_l)    (`potential`).

The answer gives an unbiased estimate l̂ of every label's loss (`estimate.zero_one_loss`), and the
cost vector ĉ = C^i (1 - l̂) is turned into one label with a weight.

OnlineMBBM is the same with full information: label y, weight Σ_l (C^i[l, y] - C^i[y, y]).

D. Zhang, Y. H. Jung, A. Tewari. Online multiclass boosting with bandit feedback. AISTATS 2019.
Y. H. Jung, J. Goetz, A. Tewari. Online multiclass boosting. NIPS 2017.

Differs from the papers: potentials are exact and not estimated by simulation.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from onearm.boosting.booster import EDGE, Booster, answer_rules, clip_field, rho_field, target_field
from onearm.boosting.costs import FULL, SLIGHT, TRUTH, cheapest, importance
from onearm.boosting.potential import MOST, expected_costs, potential, vote, without_table
from onearm.boosting.presets import BANDIT, FULL_INFORMATION
from onearm.boosting.trees.nodes import LABEL
from onearm.core.estimate import zero_one_loss
from onearm.core.explore import add_best_chances, elsewhere, elsewhere_chances, one_of_best
from onearm.core.kernels import kernel
from onearm.core.parameters import option, real, whole


@kernel
def scores(seen, potential, rules, weak):
    s = np.zeros(rules[0])
    for i in range(len(seen)):
        s[seen[i, LABEL]] += 1.0
    return s


@kernel
def chances(seen, among, potential, rules, weak):
    q = np.zeros(rules[0])
    add_best_chances(scores(seen, potential, rules, weak), among, 1.0, q)
    return elsewhere_chances(q, among, rules[2])


@kernel
def choose(seen, among, rng, potential, rules, weak):
    greedy = one_of_best(scores(seen, potential, rules, weak), among, rng)[0]
    if rules[2] == 0.0:
        return greedy, greedy, 1.0
    return elsewhere(greedy, among, rules[2], rng)


def update(x, seen, label, greedy, propensity, reward, truth, rng, potential, rules, weak):
    k, N, rho, clip, target, scale = rules
    g = 1.0 - zero_one_loss(label, greedy, propensity, truth, k)
    if target == FULL:
        for r in range(k):
            g[r] = 1.0 if r == truth else 0.0
    votes, count, p = np.zeros(k, np.int64), np.zeros(N + 2, np.int64), 0
    count[0] = k
    for i in range(N):
        cost = expected_costs(votes, count, g, N - i - 1, p, potential)
        if target == FULL:
            w = 0.0
            for r in range(k):
                w += cost[r] - cost[truth]
        else:
            w = importance(cost, clip)
        w *= scale[i]
        if w >= SLIGHT:
            known = target == FULL or (target == TRUTH and truth >= 0)
            y = truth if known else cheapest(cost, truth, clip, rng)
            weak_learn(x, i, seen[i], y, w, *weak)  # noqa: F821 bound to a weak learner's
        p = vote(seen[i, LABEL], votes, count, p, potential)


@dataclass
class ByMajority(Booster, scores=scores, chances=chances, choose=choose, update=update):
    """What BanditBBM and OnlineMBBM share."""

    n_learners: int = whole(20, 1, MOST, doc="Number N of weak learners.")
    gamma: float = real(0.1, "(0, 1)", fixed=True, doc=EDGE)
    potential_ties: str = option(
        "random", "random", "strict", "lenient", fixed=True,
        doc="How a tied vote ends in the potentials: at 'random', lost ('strict') or won "
        "('lenient').",
    )  # fmt: skip

    def start(self) -> None:
        super().start()
        self.potential = potential(self.n_classes, self.n_learners, self.gamma, self.potential_ties)
        if len(self.potential[0]) == 0:
            warnings.warn(without_table(self.n_classes, self.n_learners), stacklevel=5)

    def first_weight(self) -> float:
        k, N = self.n_classes, self.n_learners
        phi = potential(k, N, self.gamma, self.potential_ties)
        votes, count = np.zeros(k, np.int64), np.array([k])
        cost = expected_costs(votes, count, np.eye(k)[0], N - 1, 0, phi)
        return float((k - 1) * (cost[1] - cost[0]))

    def model(self) -> tuple:
        rules = self.n_classes, self.n_learners, *answer_rules(self), self.scale
        return self.potential, rules, self.learners.model()


@dataclass
class BanditBBM(ByMajority):
    """Boosting by majority, for bandit feedback.

    Examples
    --------
    >>> from onearm import Diagonal
    >>> stream = Diagonal(10_000, n_features=10, n_used=2)  # a tenth of the labels is noise
    >>> learner = BanditBBM(n_classes=2, n_features=10)
    >>> trace = learner.play(stream)
    >>> int((~trace.correct[-1000:]).sum())
    112
    """

    rho: float = rho_field()
    clip: float = clip_field()
    target: str = target_field()

    exploration = "rho"
    preset = BANDIT | {"n_learners": (20, 15, 10, 10, 10, 10)}


@dataclass
class OnlineMBBM(ByMajority):
    """Boosting by majority, with full information.

    Examples
    --------
    >>> from onearm import Diagonal
    >>> stream = Diagonal(10_000, n_features=10, n_used=2)  # a tenth of the labels is noise
    >>> trace = OnlineMBBM(n_classes=2, n_features=10).play(stream)
    >>> int((~trace.correct[-1000:]).sum())
    118
    """

    full_information = True
    preset = FULL_INFORMATION | {"n_learners": (20,) * 6}
