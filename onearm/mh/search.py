"""The search for a stump: the best cut of the columns that a bandit chooses.

Kernels write to the tuple scratch = (by_bin, below, full): sums by bin, sums below the three cuts
of `stump`, and what a full search needs.
"""

from onearm.core.kernels import kernel_without_refcounts
from onearm.mh.bandits import is_full, pull, reward
from onearm.mh.full_search import full_search
from onearm.mh.stump import BEST, MARGIN, NO_CUT, NONE, SELECTED, best_cut, copy_sums
from onearm.mh.weights import UNIT, total_weight


@kernel_without_refcounts
def search(psi, leaf_of, node, total, weights, columns, scratch, bandit, rng):
    """Search the columns that the bandit chooses: (γ, column, last bin below, first above).

    The sums below the best cut become below[SELECTED], and every column searched is rewarded.
    """
    if is_full(bandit):
        return full_search(psi, leaf_of, node, total, weights, columns, scratch, bandit, rng)
    A, factors, positive, sums, before = weights
    by_bin, below, full = scratch
    searched, statistics, clock, L, p, order, settings = bandit
    policy, at_once, kind, lam, eta, horizon, scaled = settings
    best, column, lo, hi = -1.0, NONE, NO_CUT, NO_CUT
    weight = 1.0 if node == NONE else total_weight(total, factors) / UNIT
    for number in range(at_once):
        a = pull(number, bandit, rng)
        j = searched[a]
        gamma, under, over = best_cut(j, psi, leaf_of, node, total, weights, columns, by_bin, below)
        gamma /= UNIT
        reward(a, gamma, weight, bandit)
        if gamma > best + MARGIN:
            best, column, lo, hi = gamma, j, under, over
            copy_sums(below[SELECTED], below[BEST])
    return best, column, lo, hi


@kernel_without_refcounts
def try_all(total, psi, leaf_of, weights, columns, scratch, bandit):
    """Reward every column once, by its edge at the start."""
    by_bin, below, full = scratch
    searched, statistics, clock, L, p, order, settings = bandit
    for a in range(len(searched)):
        j = searched[a]
        gamma, _, _ = best_cut(j, psi, leaf_of, NONE, total, weights, columns, by_bin, below)
        reward(a, gamma / UNIT, 1.0, bandit)
