"""AdaBandit: boosting that adapts to its weak learners, for bandit feedback.

N weak learners predict h¹ … h^N. Expert i is the vote of the first i: s^i = s^{i-1} + α_i e_{h^i}
and ŷ^i = argmax s^i. One expert is sampled with P(i) ∝ v_i; ŷ is its label, and the choice is ŷ
with probability 1-ρ and otherwise one of the others. The answer gives an unbiased estimate l̂ of
every label's loss (`estimate.zero_one_loss`) and, with g = 1 - l̂, an unbiased cost vector

    ĉ = C^i g,    C^i[l, r] = σ(s_l - s_r),    C^i[r, r] = -Σ_{j≠r} σ(s_j - s_r),    s = s^{i-1}

that is turned into one label with a weight for weak learner i. Then α_i moves against the gradient
of the logistic loss Σ_r g_r Σ_{l≠r} log(1 + exp(s_l - s_r)) and v_i is multiplied by exp(-l̂[ŷ^i]).

D. Zhang, Y. H. Jung, A. Tewari. Online multiclass boosting with bandit feedback. AISTATS 2019.

Differs from the paper: its step η_t = ρ/(k²√t) hardly moves α, so that all weak learners are taught
the same; the default step here is the inverse root of the squared gradients so far. `paper()` gives
the published settings.
"""

import math
from dataclasses import dataclass

import numpy as np

from onearm.boosting.booster import Booster, answer_rules, clip_field, rho_field, target_field
from onearm.boosting.costs import FULL, SLIGHT, TRUTH, cheapest, importance, sigmoid
from onearm.boosting.presets import BANDIT, STEP
from onearm.boosting.trees.nodes import LABEL
from onearm.core.estimate import zero_one_loss
from onearm.core.explore import add_best_chances, best, elsewhere, elsewhere_chances, one_of_best
from onearm.core.kernels import kernel
from onearm.core.learner import state
from onearm.core.parameters import option, real
from onearm.core.rng import draw

MOST = 2.0  # |α| stays within


@kernel
def shares(logv):
    """P(i) ∝ v_i, from log v."""
    top, total = logv.max(), 0.0
    P = np.empty(len(logv))
    for i in range(len(P)):
        P[i] = math.exp(logv[i] - top)
        total += P[i]
    for i in range(len(P)):
        P[i] /= total
    return P


@kernel
def leaders(seen, among, votes, rules):
    """How likely each label is to be the greedy one, over experts and ties."""
    alpha, logv, _, _ = votes
    k, N, at_random = rules[:3]
    P, s, q = shares(logv), np.zeros(k), np.zeros(k)
    for i in range(len(alpha)):
        s[seen[i, LABEL]] += alpha[i]
        if at_random:
            add_best_chances(s, among, P[i], q)
        else:
            q[best(s, among)] += P[i]
    return q


@kernel
def scores(seen, votes, rules, weak):
    return leaders(seen, np.arange(rules[0]), votes, rules)


@kernel
def chances(seen, among, votes, rules, weak):
    return elsewhere_chances(leaders(seen, among, votes, rules), among, rules[3])


@kernel
def choose(seen, among, rng, votes, rules, weak):
    alpha, logv, _, _ = votes
    k, N, at_random, rho = rules[:4]
    s = np.zeros(k)
    for i in range(draw(shares(logv), rng) + 1):
        s[seen[i, LABEL]] += alpha[i]
    greedy = one_of_best(s, among, rng)[0] if at_random else best(s, among)
    if rho == 0.0:
        return greedy, greedy, 1.0
    return elsewhere(greedy, among, rho, rng)


@kernel
def logistic_cost(s, voted, n_voted, g, cost):
    """ĉ = C g. All labels without a vote score 0, so that they are one group."""
    k = len(s)
    m, rest = k - n_voted, 0.0
    for r in range(k):
        rest += g[r]
    for a in range(n_voted):
        rest -= g[voted[a]]
    A, B = 0.5 * rest, 0.5 * m  # Σ_r σ(0 - s_r) g_r and Σ_r σ(0 - s_r)
    for a in range(n_voted):
        over = sigmoid(-s[voted[a]])
        A += over * g[voted[a]]
        B += over
    for r in range(k):
        cost[r] = A + g[r] * (B - k)
    for a in range(n_voted):
        r = voted[a]
        over = sigmoid(s[r])
        A, B = over * rest, over * m
        for b in range(n_voted):
            over = sigmoid(s[r] - s[voted[b]])
            A += over * g[voted[b]]
            B += over
        cost[r] = A + g[r] * (B - k)


@kernel
def slope(s, h, alpha, g):
    """The derivative by α of Σ_r g_r Σ_{l≠r} log(1 + exp(s_l - s_r)) at s + α e_h."""
    total = 0.0
    for r in range(len(s)):
        if r != h:
            total += (g[r] + g[h]) * sigmoid(s[h] + alpha - s[r]) - g[h]
    return total


def update(x, seen, label, greedy, propensity, reward, truth, rng, votes, rules, weak):
    alpha, logv, squares, t = votes
    k, N, at_random, rho, clip, target, adaptive, rate, share, scale = rules
    t[0] += 1.0
    loss = zero_one_loss(label, greedy, propensity, truth, k)
    if target == FULL:
        for r in range(k):
            loss[r] = 1.0 if r != truth else 0.0
    g = 1.0 - loss
    s, cost, everyone = np.zeros(k), np.empty(k), np.arange(k)
    voted, n_voted = np.empty(k, np.int64), 0
    for i in range(N):
        h = seen[i, LABEL]
        logistic_cost(s, voted, n_voted, g, cost)
        w = scale[i] * (-cost[truth] / (k - 1) if target == FULL else importance(cost, clip))
        if w >= SLIGHT:
            known = target == FULL or (target == TRUTH and truth >= 0)
            y = truth if known else cheapest(cost, truth, clip, rng)
            weak_learn(x, i, seen[i], y, w, *weak)  # noqa: F821 bound to a weak learner's
        grad = slope(s, h, alpha[i], g)
        a = 0
        while a < n_voted and voted[a] != h:
            a += 1
        if a == n_voted:
            voted[a] = h
            n_voted += 1
        s[h] += alpha[i]
        expert = best(s, everyone)
        logv[i] -= loss[greedy if s[greedy] == s[expert] else expert]
        squares[i] += grad * grad
        if grad != 0.0:
            eta = rate / math.sqrt(squares[i] if adaptive else t[0])
            alpha[i] = min(MOST, max(-MOST, alpha[i] - eta * grad))
    _normalise(logv, share)


@kernel
def _normalise(logv, share):
    """Bring the largest log v to 0; with a share, let no expert fall below share/N."""
    top = logv.max()
    for i in range(len(logv)):
        logv[i] -= top
    if share > 0.0:
        P = shares(logv)
        for i in range(len(logv)):
            logv[i] = math.log((1.0 - share) * P[i] + share / len(logv))


@dataclass
class Adaptive(Booster, scores=scores, chances=chances, choose=choose, update=update):
    """What AdaBandit and AdaBoost.OLM share."""

    step: str = option(
        "adaptive", "paper", "adaptive",
        doc="Step size of the vote weights α, times `step_scale`: 'adaptive' is the inverse root "
        "of the squared gradients so far, 'paper' the published one.",
    )  # fmt: skip
    step_scale: float = real(0.01, "[1e-12, 1e12]", doc="Factor of the step; 1 in the paper.")
    tie_break: str = option(
        "random", "random", "lowest",
        doc="Which label wins a tied vote: a 'random' or the 'lowest'.",
    )  # fmt: skip
    share: float = real(0.0, "[0, 1)", doc="Share of uniform probability mixed over the experts.")
    vote_weights: np.ndarray = state("n_learners", range=f"[{-MOST}, {MOST}]")  # α
    log_expert_weights: np.ndarray = state("n_learners", range="(-inf, 1]")  # log v
    squared_gradients: np.ndarray = state("n_learners", range="[0, inf)")
    n_updates: np.ndarray = state(1, range="[0, inf)")

    def first_weight(self) -> float:
        return 0.5 * (1 if self.full_information else self.n_classes * (self.n_classes - 1))

    def model(self) -> tuple:
        k, (rho, clip, target) = self.n_classes, answer_rules(self)
        published = 2.0 * math.sqrt(2.0) / (k - 1) if target == FULL else rho / k**2
        adaptive = self.step == "adaptive"
        rules = (
            k, self.n_learners, self.tie_break == "random", rho, clip, target,
            adaptive, self.step_scale * (1.0 if adaptive else published), self.share, self.scale,
        )  # fmt: skip
        votes = (
            self.vote_weights, self.log_expert_weights, self.squared_gradients, self.n_updates,
        )  # fmt: skip
        return votes, rules, self.learners.model()


@dataclass
class AdaBandit(Adaptive):
    """Boosting that adapts to its weak learners, for bandit feedback.

    Examples
    --------
    >>> from onearm import Diagonal
    >>> stream = Diagonal(10_000, n_features=10, n_used=2)  # a tenth of the labels is noise
    >>> trace = AdaBandit(n_classes=2, n_features=10).play(stream)
    >>> int((~trace.correct[-1000:]).sum())
    120
    """

    rho: float = rho_field()
    clip: float = clip_field()
    target: str = target_field()

    exploration = "rho"
    preset = BANDIT | STEP | {"n_learners": (15, 15, 5, 20, 20, 20)}
