"""AdaBoost.MH: boosting for several labels at once.

In each round a base classifier h with a large edge γ = Σ_il w_il y_il h_l(x_i) is added to the vote
f = Σ_t α_t h_t, with

    e± = (1 ± γ)/2,    α = ½ ln((e+ + s)/(e- + s)),    s = 0.01/n,

with n the sum of the rows' weights as multiples of the lightest (without weights, their number),
and the weights become w_il·exp(-α h_l(x_i) y_il) over their sum E. The product of all E is the
exponential loss Σ w¹_il exp(-f_l(x_i) y_il), and (but for a factor) above the training error.

R. Schapire, Y. Singer. Improved boosting algorithms using confidence-rated predictions. 1999.
"""

import math

from onearm.core.kernels import bind, kernel_without_refcounts
from onearm.mh.bandits import FULL
from onearm.mh.binning import base_above
from onearm.mh.full_search import full_search_in_threads
from onearm.mh.products import COLUMN, HIGH, LOW, product
from onearm.mh.stump import keep
from onearm.mh.trees import fit_leaf, sign, tree
from onearm.mh.weights import (
    ALL,
    HAS,
    UNIT,
    mass,
    rescale,
    reset,
    reweigh_leaves,
    reweigh_signed,
)

LEAST_EDGE = 1e-12
STOPPED = -1


@kernel_without_refcounts
def boost_products(
    terms, psi, at, total, before, work, weights, columns, room, arms, rng, smooth, model
):
    """Play as many rounds as the model has room for: how many, fewer if nothing is left to gain."""
    column, low, high, votes, alpha, loss = model
    sums = weights[6]
    for t in range(len(alpha)):
        keep(total, sums)
        m, gamma = product(terms, psi, at, total, before, weights, columns, room, arms, rng)
        S = mass(sums, weights) / UNIT
        alpha[t], loss[t] = 0.0, 1.0
        if m == 0 or gamma <= LEAST_EDGE:
            reset(psi, 1)
            if arms[6][0] == FULL:
                return t
            continue
        Z = _step(t, gamma, S, smooth, alpha, loss)
        flip = 1  # what the rows say that ψ does not speak of
        for part in range(m):
            column[t, part], low[t, part] = terms[part, COLUMN], terms[part, LOW]
            high[t, part] = terms[part, HIGH]
            if not base_above(terms[part, COLUMN], terms[part, HIGH], columns):
                flip = -flip
        _vote_signed(votes[t], flip, alpha[t], Z, total, weights, work[0], work[1])
        reweigh_signed(psi, work[0], work[1], weights)
        rescale(weights)
    return len(alpha)


@kernel_without_refcounts
def _vote_signed(votes, flip, alpha, Z, total, weights, more, less):
    """Set the votes of a product; take up what rows with ψ = 1 hear, and how far others are off."""
    plus, minus = weights[1], weights[2]
    for l in range(len(votes)):  # noqa: E741
        v = sign(plus[l] * total[HAS, l] - minus[l] * (total[ALL, l] - total[HAS, l]))
        votes[l] = v * flip
        plus[l] *= math.exp(-alpha * v) / Z
        minus[l] *= math.exp(alpha * v) / Z
        more[l], less[l] = math.exp(2.0 * alpha * v), math.exp(-2.0 * alpha * v)


@kernel_without_refcounts
def _step(t, gamma, S, s, alpha, loss):
    """Set α and E of a round."""
    e_plus, e_minus = 0.5 * (S + gamma), 0.5 * (S - gamma)
    alpha[t] = 0.5 * math.log((e_plus + s) / (e_minus + s))
    Z = e_plus * math.exp(-alpha[t]) + e_minus * math.exp(alpha[t])
    loss[t] = Z / S
    return Z


@kernel_without_refcounts
def boost_trees(leaves, psi, at, work, weights, columns, room, arms, rng, smooth, model):
    """The same with trees."""
    splits, n_splits, votes, alpha, loss = model
    sums, N = weights[6], votes.shape[1]
    for t in range(len(alpha)):
        keep(leaves[3][0], sums)
        S = mass(sums, weights) / UNIT
        n_splits[t], gamma = tree(
            splits[t], votes[t], leaves, at, psi, weights, columns, room, arms, rng
        )
        alpha[t], loss[t] = 0.0, 1.0
        if gamma <= LEAST_EDGE:
            reset(at, 0)
            if arms[6][0] == FULL:
                return t
            continue
        Z = _step(t, gamma, S, smooth, alpha, loss)
        more, less = work[:N], work[N:]
        _vote_leaves(votes[t], n_splits[t] + 1, alpha[t], Z, weights, more, less)
        reweigh_leaves(at, more, less, weights)
        rescale(weights)
    return len(alpha)


@kernel_without_refcounts
def _vote_leaves(votes, n_leaves, alpha, Z, weights, more, less):
    """Take up what leaf 0 says, and how far the others are from it."""
    plus, minus = weights[1], weights[2]
    for one in range(n_leaves):
        for l in range(votes.shape[1]):  # noqa: E741
            off = votes[one, l] - votes[0, l]
            more[one, l], less[one, l] = math.exp(-alpha * off), math.exp(alpha * off)
    for l in range(votes.shape[1]):  # noqa: E741
        plus[l] *= math.exp(-alpha * votes[0, l]) / Z
        minus[l] *= math.exp(alpha * votes[0, l]) / Z


def _in_threads():
    """The same with full searches that are shared among threads."""
    threaded = {"search": full_search_in_threads}
    term_by_term = bind(product, "product_in_threads", **threaded)
    leaf_by_leaf = bind(fit_leaf, "fit_leaf_in_threads", **threaded)
    grown = bind(tree, "tree_in_threads", fit_leaf=leaf_by_leaf)
    return (
        bind(boost_products, "boost_products_in_threads", product=term_by_term),
        bind(boost_trees, "boost_trees_in_threads", tree=grown),
    )


boost_products_in_threads, boost_trees_in_threads = _in_threads()
