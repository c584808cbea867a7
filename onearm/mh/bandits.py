"""Which column is searched next: bandits whose arms are the columns.

The reward of an arm grows with the edge γ of the best stump on it: "log" min(1, -ln √(1-γ²)), by
which the logarithm of the exponential loss falls; "edge" 1 - √(1-γ²); "square" γ².

    full     all columns
    uniform  any (LazyBoost)
    ucb      the largest mean + √(2 ln t / T_j)
    ucbv     the largest mean + √(2 V_j ln t / T_j) + ln t / T_j, V_j the variance of its rewards
    exp3p    p = (1-λ) softmax(L) + λ/M; then L_j += λ/3M·(1[j pulled] r/p_j + η/(p_j √(MT)))
    recent   p = (1-λ) s_j²/Σ s² + λ/M, with s_j the reward when last pulled
    uct      a path in a tree of sequences of columns, see `uct`; one column in each search

The reward of a column changes with every round: it falls when the column's best stump has been
added and rises slowly afterwards. `recent` forgets all but the last reward. At a node of a tree it
takes the edge as a share of the node's weight; the published policies take it as it is. It searches
the first places of `order`, and only there rewards change. The places after these are summed by
blocks, so that not all of 100,000 columns are passed over.

Kernels take the tuple (columns, statistics, clock, L, p, order, blocks, uct, settings) of a
Bandit.

R. Busa-Fekete, B. Kégl. Fast boosting using adversarial bandits. ICML 2010.
"""

import math
from copy import copy

import numpy as np
from scipy.sparse import csr_array

from onearm.core.kernels import kernel_without_refcounts
from onearm.core.rng import below, uniform
from onearm.mh.uct import STEP, arm_of_step, end_path, root, with_room

POLICIES = ("full", "uniform", "ucb", "ucbv", "exp3p", "recent", "uct")
FULL, UNIFORM, UCB, UCBV, EXP3P, RECENT, UCT = range(7)
REWARDS = ("log", "edge", "square")
LOG, EDGE, SQUARE = range(3)
PULLS, SUM, SQUARES, LAST = range(4)  # statistics of an arm: three of all rewards, and the last
TIME, LARGEST = range(2)  # of the clock: pulls so far, the largest reward so far
BLOCK = 256  # places of `order` that are summed together
REWARDED, NEW = range(2)  # of a block: Σ s² of the arms that were pulled, how many never were


class Bandit:
    """The state of a bandit over columns."""

    def __init__(
        self, columns: np.ndarray, policy: str, at_once: int, reward: str, lam: float, eta: float,
        horizon: float, scaled: bool,
    ) -> None:  # fmt: skip
        M = len(columns)
        self.columns = columns
        self.statistics, self.clock = np.zeros((M, 4)), np.zeros(2)
        self.L, self.p = np.full(M, eta * lam / 3.0 * math.sqrt(horizon / max(M, 1))), np.zeros(M)
        self.order, self.uct = np.arange(M), root()
        self.blocks = np.zeros((-(-M // BLOCK), 2))
        self.blocks[:, NEW] = np.minimum(BLOCK, M - BLOCK * np.arange(len(self.blocks)))
        self.pulled = np.zeros(M, np.int64)
        self.stages: list[csr_array] = []
        self.full = policy == "full"
        self.tries_all = policy in ("ucb", "ucbv")  # each once before the first round
        codes = POLICIES.index(policy), min(at_once, M), REWARDS.index(reward)
        self.settings = (*codes, lam, eta, horizon, scaled)

    def copy(self) -> "Bandit":
        """Return an independent bandit in the same state; `columns` do not change."""
        other = copy(self)
        for name in ("statistics", "clock", "L", "p", "order", "blocks"):
            setattr(other, name, getattr(self, name).copy())
        other.uct = tuple(array.copy() for array in self.uct)
        other.stages = list(self.stages)
        return other

    def make_room(self, rounds: int, steps: int) -> None:
        """Make room for what so many rounds of at most so many steps may add."""
        if self.settings[0] == UCT:
            self.uct = with_room(self.uct, rounds, steps)

    def end_stage(self, d: int) -> None:
        """Record how often each of d columns was pulled since the last stage."""
        pulled = self.statistics[:, PULLS].astype(np.int64)
        row = np.zeros((1, d), np.int64)
        row[0, self.columns], self.pulled = pulled - self.pulled, pulled
        self.stages.append(csr_array(row))

    def model(self) -> tuple:
        arrays = self.columns, self.statistics, self.clock, self.L, self.p, self.order
        return (*arrays, self.blocks, self.uct, self.settings)


@kernel_without_refcounts
def is_full(bandit):
    """Whether all columns are searched."""
    columns, statistics, clock, L, p, order, blocks, uct, settings = bandit
    policy, at_once, kind, lam, eta, horizon, scaled = settings
    return policy == FULL


@kernel_without_refcounts
def pull(number, bandit, rng):
    """The arm to pull, as the `number`-th of those of a search."""
    columns, statistics, clock, L, p, order, blocks, uct, settings = bandit
    policy, at_once, kind, lam, eta, horizon, scaled = settings
    if policy == EXP3P:
        return _sample_exp3p(L, p, lam, rng)
    if policy == UCT:
        return arm_of_step(uct, p, order, rng)
    if policy == UNIFORM:
        other = number + below(len(order) - number, rng)
    elif policy == RECENT:
        other = _sample_recent(number, at_once, statistics, clock[LARGEST], order, blocks, lam, rng)
    else:
        other = _largest_index(number, policy, statistics, clock[TIME], order)
    order[number], order[other] = order[other], order[number]
    if policy == RECENT and other >= BLOCK:
        _sum_block(other // BLOCK, statistics, order, blocks)
    return order[number]


@kernel_without_refcounts
def set_step(step, bandit):
    """Say which term of a product is searched next, or nodes of which depth of a tree."""
    columns, statistics, clock, L, p, order, blocks, uct, settings = bandit
    nodes, values, path, sizes = uct
    sizes[STEP] = step


@kernel_without_refcounts
def end_round(gamma, bandit):
    """Reward the path that led to a base classifier of edge γ, if the policy has paths."""
    columns, statistics, clock, L, p, order, blocks, uct, settings = bandit
    policy, at_once, kind, lam, eta, horizon, scaled = settings
    if policy == UCT:
        end_path(reward_of(gamma, kind), uct)


@kernel_without_refcounts
def reward(a, gamma, weight, bandit):
    """Reward arm a for the edge γ of its best cut, at most `weight`; γ < 0 if it has no cut."""
    columns, statistics, clock, L, p, order, blocks, uct, settings = bandit
    policy, at_once, kind, lam, eta, horizon, scaled = settings
    r = reward_of(gamma / weight if policy == RECENT else gamma, kind)
    clock[TIME] += 1.0
    clock[LARGEST] = max(clock[LARGEST], r)
    if gamma >= 0.0:
        statistics[a, LAST] = r
    if scaled and clock[LARGEST] > 0.0:
        r /= clock[LARGEST]
    statistics[a, PULLS] += 1.0
    statistics[a, SUM] += r
    statistics[a, SQUARES] += r * r
    if policy == EXP3P:
        M = len(L)
        bonus = eta / math.sqrt(M * horizon)
        for j in range(M):
            L[j] += lam / (3.0 * M) * (((r if j == a else 0.0) + bonus) / p[j])


@kernel_without_refcounts
def reward_of(gamma, kind):
    """The reward of an edge."""
    if gamma <= 0.0:
        return 0.0
    if kind == SQUARE:
        return min(1.0, gamma * gamma)
    if gamma >= 1.0 - 1e-12:
        return 1.0
    root = math.sqrt(1.0 - gamma * gamma)
    return min(1.0, -math.log(root)) if kind == LOG else 1.0 - root


@kernel_without_refcounts
def _largest_index(number, policy, statistics, t, order):
    """The place in `order`, from `number` on, of the largest index; of ties the lowest arm."""
    best, at = -math.inf, number
    log_t = math.log(max(t, 1.0))
    for place in range(number, len(order)):
        a = order[place]
        T = statistics[a, PULLS]
        mean = statistics[a, SUM] / T
        if policy == UCB:
            index = mean + math.sqrt(2.0 * log_t / T)
        else:
            V = max(statistics[a, SQUARES] / T - mean * mean, 0.0)
            index = mean + math.sqrt(2.0 * V * log_t / T) + log_t / T
        if index > best or (index == best and a < order[at]):
            best, at = index, place
    return at


@kernel_without_refcounts
def _sample_exp3p(L, p, lam, rng):
    """Set p and sample an arm from it."""
    M, top, total = len(L), -math.inf, 0.0
    for j in range(M):
        top = max(top, L[j])
    for j in range(M):
        p[j] = math.exp(L[j] - top)
        total += p[j]
    u, arm, sampled = uniform(rng), M - 1, False
    for j in range(M):
        p[j] = (1.0 - lam) * p[j] / total + lam / M
        if not sampled and u < p[j]:
            arm, sampled = j, True
        u -= p[j]
    return arm


@kernel_without_refcounts
def _sample_recent(number, at_once, statistics, largest, order, blocks, lam, rng):
    """The place in `order`, from `number` on, of an arm sampled by the squares of last rewards."""
    M, first = len(order), (at_once - 1) // BLOCK + 1
    head, total = min(M, first * BLOCK), 0.0
    for place in range(number, head):
        total += _last(statistics[order[place]], largest) ** 2
    for b in range(first, len(blocks)):
        total += blocks[b, REWARDED] + blocks[b, NEW] * largest**2
    by_reward = (1.0 - lam) / total if total > 0.0 else 0.0
    evenly, u = lam / (M - number), uniform(rng)
    for place in range(number, head):
        u -= by_reward * _last(statistics[order[place]], largest) ** 2 + evenly
        if u < 0.0:
            return place
    for b in range(first, len(blocks)):
        end = min(M, (b + 1) * BLOCK)
        of_rewards = blocks[b, REWARDED] + blocks[b, NEW] * largest**2
        share = by_reward * of_rewards + evenly * (end - b * BLOCK)
        if u >= share:
            u -= share
            continue
        for place in range(b * BLOCK, end):
            u -= by_reward * _last(statistics[order[place]], largest) ** 2 + evenly
            if u < 0.0:
                return place
    return number + below(M - number, rng)


@kernel_without_refcounts
def _sum_block(b, statistics, order, blocks):
    """Sum a block again, since one of its places has another arm."""
    blocks[b, REWARDED] = blocks[b, NEW] = 0.0
    for place in range(b * BLOCK, min(len(order), (b + 1) * BLOCK)):
        a = order[place]
        if statistics[a, PULLS] > 0.0:
            blocks[b, REWARDED] += statistics[a, LAST] ** 2
        else:
            blocks[b, NEW] += 1.0


@kernel_without_refcounts
def _last(of_arm, largest):
    """The last reward of an arm; the largest of all if it was never pulled."""
    return of_arm[LAST] if of_arm[PULLS] > 0.0 else largest
