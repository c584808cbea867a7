"""AdaBoost.MH: boosting for several labels at once.

In each round a base classifier h with a large edge γ = Σ_il w_il y_il h_l(x_i) is added to the vote
f = Σ_t α_t h_t, with

    e± = (1 ± γ)/2,    α = ½ ln((e+ + s)/(e- + s)),    s = 0.01/n,

with n the sum of the rows' weights as multiples of the lightest (without weights, their number),
and the weights become w_il·exp(-α h_l(x_i) y_il) over their sum E. The product of all E is the
exponential loss Σ w¹_il exp(-f_l(x_i) y_il), and (up to a factor) above the training error.

R. Schapire, Y. Singer. Improved boosting algorithms using confidence-rated predictions. 1999.
"""

import math
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numba import get_num_threads
from sklearn.utils import check_random_state

from onearm.core.kernels import bind, kernel_without_refcounts
from onearm.core.locking import Lock
from onearm.core.rng import seeded
from onearm.mh.bandits import Bandit, end_round, is_full
from onearm.mh.binning import BinnedColumns
from onearm.mh.products import fit_terms, product
from onearm.mh.random_trees import random_tree, small_step
from onearm.mh.search import full_search_in_threads, try_all
from onearm.mh.settings import Settings
from onearm.mh.trees import fit_leaf, tree
from onearm.mh.weights import (
    LANES,
    Weights,
    aligned_zeros,
    rescale,
    reset,
    reweigh_leaves,
    reweigh_signed,
    total_weight,
)

LEAST_EDGE = 1e-12
_SEARCHING = Lock()  # where Numba has no OpenMP, it aborts if two fits share out searches at once


def boost(output, work, psi, leaf_of, weights, columns, scratch, bandit, rng, smoothing):
    """Fill the output with rounds: how many, fewer if nothing is left to gain."""
    stumps, n_stumps, votes, alpha, loss = output
    state, positive_factor, negative_factor = work
    A, factors, positive, sums, before = weights
    for t in range(len(alpha)):
        S = total_weight(sums, factors)
        n_stumps[t], gamma = fit(  # noqa: F821 bound to `product` or `tree`
            stumps[t], votes[t], state, psi, leaf_of, weights, columns, scratch, bandit, rng
        )
        end_round(gamma, bandit)
        alpha[t], loss[t] = 0.0, 1.0
        if gamma <= LEAST_EDGE:
            reset(psi, leaf_of)
            if is_full(bandit):
                return t
            continue
        alpha[t], Z, divisor = step(  # noqa: F821 bound to `best_step` or `small_step`
            votes[t], n_stumps[t], gamma, S, state, factors, smoothing
        )
        loss[t] = Z / S
        _set_factors(votes[t], alpha[t], divisor, factors, positive_factor, negative_factor)
        reweigh(psi, leaf_of, positive_factor, negative_factor, weights)  # noqa: F821 bound
        rescale(weights)
    return len(alpha)


@kernel_without_refcounts
def best_step(votes, n, gamma, S, state, factors, smoothing):
    """(α of votes ±1, the sum of weights after the round, by what they are divided)."""
    e_plus, e_minus = 0.5 * (S + gamma), 0.5 * (S - gamma)
    alpha = 0.5 * math.log((e_plus + smoothing) / (e_minus + smoothing))
    Z = e_plus * math.exp(-alpha) + e_minus * math.exp(alpha)
    return alpha, Z, Z


@kernel_without_refcounts
def _set_factors(votes, alpha, Z, factors, positive_factor, negative_factor):
    """Set the factors by the votes of leaf 0, and what the other leaves have besides."""
    plus, minus = factors
    for l in range(votes.shape[1]):  # noqa: E741
        for leaf in range(1, len(votes)):
            difference = votes[leaf, l] - votes[0, l]
            positive_factor[leaf, l] = math.exp(-alpha * difference)
            negative_factor[leaf, l] = math.exp(alpha * difference)
        plus[l] *= math.exp(-alpha * votes[0, l]) / Z
        minus[l] *= math.exp(alpha * votes[0, l]) / Z


def _boosters(suffix, product, tree):
    best = bind(boost, f"boost{suffix}", step=best_step)
    return {
        "products": bind(best, f"boost_products{suffix}", fit=product, reweigh=reweigh_signed),
        "trees": bind(best, f"boost_trees{suffix}", fit=tree, reweigh=reweigh_leaves),
    }


def _threaded_boosters():
    """Return boosters with full searches that are shared among threads."""
    terms = bind(fit_terms, "fit_terms_in_threads", search=full_search_in_threads)
    leaf = bind(fit_leaf, "fit_leaf_in_threads", search=full_search_in_threads)
    products = bind(product, "product_in_threads", fit_terms=terms)
    return _boosters("_in_threads", products, bind(tree, "tree_in_threads", fit_leaf=leaf))


BOOSTERS = _boosters("", product, tree) | {
    "random_trees": bind(
        boost, "boost_random_trees", step=small_step, fit=random_tree, reweigh=reweigh_leaves
    )
}
THREADED_BOOSTERS = _threaded_boosters()


class Training:
    """What rounds are played on: binned columns, weights, a bandit and a generator."""

    def __init__(
        self, settings: Settings, columns: BinnedColumns, positive: np.ndarray,
        sample_weight: np.ndarray,
    ) -> None:  # fmt: skip
        self.shared = settings.weights == "shared"
        self.weights = Weights.of(positive, sample_weight, self.shared)
        n, self.K = self.weights.A.shape
        self.columns = columns
        self.rng = seeded(int(check_random_state(settings.random_state).randint(2**31)))
        arms, at_once = settings.arms, int(settings.arms_per_round)
        if settings.base == "random_tree" and arms == "full":
            arms, at_once = "uniform", len(columns.common)  # a random cut of every column
        self.bandit = Bandit(
            self.columns.varying(), arms, at_once, settings.reward, settings.lam, settings.eta,
            settings.horizon(), settings.scale_reward,
        )  # fmt: skip
        self.n_threads = 1
        if self.bandit.full:
            self.n_threads = min(effective_n_jobs(settings.n_jobs), get_num_threads())
        self.psi, self.leaf_of = np.ones(n, np.int8), np.zeros(n, np.int16)
        self.smoothing = 0.01 / sample_weight.sum()
        self.n_members = (n, int(settings.n_leaves)) if settings.base == "random_tree" else (0, 0)
        self.coordinator: Any = None  # of the blocks of rows, if they are on other machines
        self.scratch = self._empty_scratch()
        if self.bandit.tries_all:
            try_all(self.weights.sums.copy(), *self.model()[:7])

    def _empty_scratch(self) -> tuple:
        """Return the tuple `scratch` of `search`; rows are in it only if searches are full."""
        n_bins = 1 if self.columns.exact else int(np.diff(self.columns.offsets).max(initial=1))
        n, n_threads, K = len(self.psi) if self.bandit.full else 0, self.n_threads, self.K
        full = (
            aligned_zeros(n, K), np.zeros(K), aligned_zeros(n_threads, n_bins, K),
            np.zeros(len(self.bandit.columns)), np.zeros(1, np.int64),
            np.zeros((n_threads, n_bins), np.int64), aligned_zeros(n_threads, K),
        )  # fmt: skip
        n_bins = max(n_bins, 2 * LANES)
        n, n_leaves = self.n_members
        members = (
            np.arange(n, dtype=np.uint32),
            np.zeros((n_leaves, 2), np.int64),
            np.zeros(n, np.uint32),
        )
        return aligned_zeros(n_bins, 2, K), np.zeros((3, 2, K)), full, members

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "scratch"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.scratch = self._empty_scratch()

    def start_again(self, positive: np.ndarray, sample_weight: np.ndarray) -> None:
        """Return to the initial weights; the bandit goes on."""
        self.weights = Weights.of(positive, sample_weight, self.shared)

    def copy(self) -> "Training":
        """Return one to resume from without changing this one; the columns are shared."""
        other = copy(self)
        for name in ("weights", "bandit", "rng", "psi", "leaf_of"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def model(self) -> tuple:
        return (
            self.psi, self.leaf_of, self.weights.model(), self.columns.model(), self.scratch,
            self.bandit.model(), self.rng, self.smoothing,
        )  # fmt: skip

    def boost(self, kind: str, output: tuple, work: tuple) -> int:
        """Fill the output with rounds of "products" or "trees"; return how many they are."""
        self.bandit.make_room(*output[0].shape[:2])
        if self.coordinator is not None:
            return self.coordinator.boost(kind, output, work)
        boosters = BOOSTERS if self.n_threads == 1 else THREADED_BOOSTERS
        play = boosters[kind] if self.n_threads == 1 else partial(_SEARCHING.run, boosters[kind])
        return play(output, work, *self.model())
