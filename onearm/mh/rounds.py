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

from onearm.core.kernels import bind, kernel_without_refcounts
from onearm.mh.bandits import is_full
from onearm.mh.binning import common_above
from onearm.mh.full_search import full_search_in_threads
from onearm.mh.products import COLUMN, HIGH, LOW, product
from onearm.mh.stump import copy_sums, sign, signed_sum
from onearm.mh.trees import fit_leaf, tree
from onearm.mh.weights import UNIT, rescale, reset, reweigh_leaves, reweigh_signed, total_weight

LEAST_EDGE = 1e-12


@kernel_without_refcounts
def boost_products(
    output, work, psi, leaf_of, weights, columns, scratch, bandit, rng, smoothing
):  # fmt: skip
    """Fill the output with rounds: how many, fewer if nothing is left to gain."""
    column, low, high, votes, alpha, loss = output
    terms, total, before, positive_factor, negative_factor = work
    A, factors, positive, sums, _ = weights
    for t in range(len(alpha)):
        copy_sums(total, sums)
        m, gamma = product(
            terms, psi, leaf_of, total, before, weights, columns, scratch, bandit, rng
        )
        S = total_weight(sums, factors) / UNIT
        alpha[t], loss[t] = 0.0, 1.0
        if m == 0 or gamma <= LEAST_EDGE:
            reset(psi, 1)
            if is_full(bandit):
                return t
            continue
        Z = _step(t, gamma, S, smoothing, alpha, loss)
        flip = 1  # the sign of the rows with ψ = 1
        for part in range(m):
            column[t, part], low[t, part] = terms[part, COLUMN], terms[part, LOW]
            high[t, part] = terms[part, HIGH]
            if not common_above(terms[part, COLUMN], terms[part, HIGH], columns):
                flip = -flip
        _vote_signed(votes[t], flip, alpha[t], Z, total, factors, positive_factor, negative_factor)
        reweigh_signed(psi, positive_factor, negative_factor, weights)
        rescale(weights)
    return len(alpha)


@kernel_without_refcounts
def _vote_signed(votes, flip, alpha, Z, total, factors, positive_factor, negative_factor):
    """Set the votes of a product, the factors by those of ψ = 1, and what ψ = -1 has besides."""
    plus, minus = factors
    for l in range(len(votes)):  # noqa: E741
        v = sign(signed_sum(l, total, factors))
        votes[l] = v * flip
        plus[l] *= math.exp(-alpha * v) / Z
        minus[l] *= math.exp(alpha * v) / Z
        positive_factor[l] = math.exp(2.0 * alpha * v)
        negative_factor[l] = math.exp(-2.0 * alpha * v)


@kernel_without_refcounts
def _step(t, gamma, S, s, alpha, loss):
    """Set α and E of a round."""
    e_plus, e_minus = 0.5 * (S + gamma), 0.5 * (S - gamma)
    alpha[t] = 0.5 * math.log((e_plus + s) / (e_minus + s))
    Z = e_plus * math.exp(-alpha[t]) + e_minus * math.exp(alpha[t])
    loss[t] = Z / S
    return Z


@kernel_without_refcounts
def boost_trees(output, work, psi, leaf_of, weights, columns, scratch, bandit, rng, smoothing):
    """The same with trees."""
    splits, n_splits, votes, alpha, loss = output
    leaves, positive_factor, negative_factor = work
    parents, stumps, gains, total, below = leaves
    A, factors, positive, sums, before = weights
    for t in range(len(alpha)):
        copy_sums(total[0], sums)
        S = total_weight(sums, factors) / UNIT
        n_splits[t], gamma = tree(
            splits[t], votes[t], leaves, leaf_of, psi, weights, columns, scratch, bandit, rng
        )
        alpha[t], loss[t] = 0.0, 1.0
        if gamma <= LEAST_EDGE:
            reset(leaf_of, 0)
            if is_full(bandit):
                return t
            continue
        Z = _step(t, gamma, S, smoothing, alpha, loss)
        n_leaves = n_splits[t] + 1
        _vote_leaves(votes[t], n_leaves, alpha[t], Z, factors, positive_factor, negative_factor)
        reweigh_leaves(leaf_of, positive_factor, negative_factor, weights)
        rescale(weights)
    return len(alpha)


@kernel_without_refcounts
def _vote_leaves(votes, n_leaves, alpha, Z, factors, positive_factor, negative_factor):
    """Set the factors by the votes of leaf 0, and what the other leaves have besides."""
    plus, minus = factors
    for leaf in range(n_leaves):
        for l in range(votes.shape[1]):  # noqa: E741
            difference = votes[leaf, l] - votes[0, l]
            positive_factor[leaf, l] = math.exp(-alpha * difference)
            negative_factor[leaf, l] = math.exp(alpha * difference)
    for l in range(votes.shape[1]):  # noqa: E741
        plus[l] *= math.exp(-alpha * votes[0, l]) / Z
        minus[l] *= math.exp(alpha * votes[0, l]) / Z


def _threaded():
    """Return the same with full searches that are shared among threads."""
    search = full_search_in_threads
    products = bind(product, "product_in_threads", search=search)
    leaf = bind(fit_leaf, "fit_leaf_in_threads", search=search)
    trees = bind(tree, "tree_in_threads", fit_leaf=leaf)
    return {
        "products": bind(boost_products, "boost_products_in_threads", product=products),
        "trees": bind(boost_trees, "boost_trees_in_threads", tree=trees),
    }


BOOSTERS = {"products": boost_products, "trees": boost_trees}
THREADED_BOOSTERS = _threaded()
