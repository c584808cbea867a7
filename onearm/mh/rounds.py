"""AdaBoost.MH: boosting for several labels at once.

In each round a base classifier h with a large edge γ = Σ_il w_il y_il h_l(x_i) is added to the vote
f = Σ_t α_t h_t, with

    e± = (1 ± γ)/2,    α = ½ ln((e+ + s)/(e- + s)),    s = 0.01/n,

and the weights become w_il·exp(-α h_l(x_i) y_il) over their sum E. The product of all E is the
exponential loss Σ w¹_il exp(-f_l(x_i) y_il), and (but for a factor) above the training error.

R. Schapire, Y. Singer. Improved boosting algorithms using confidence-rated predictions. 1999.
"""

import math

from onearm.kernels import bind, lean_kernel
from onearm.mh.arms import FULL
from onearm.mh.columns import base_above
from onearm.mh.full import full_search_in_threads
from onearm.mh.product import COLUMN, HIGH, LOW, product
from onearm.mh.stump import keep
from onearm.mh.tree import fit_leaf, sign, tree
from onearm.mh.weights import ALL, HAS, UNIT, mass, rescale, reweigh_row

LEAST_EDGE = 1e-12
STOPPED = -1


@lean_kernel
def boost_products(
    terms, psi, at, total, before, work, weights, columns, room, arms, rng, smooth, model
):
    """Play as many rounds as the model has room for: how many, fewer if nothing is left to gain."""
    column, low, high, votes, alpha, loss = model
    plus, minus, sums = weights[1], weights[2], weights[6]
    n, K = len(weights[0]), votes.shape[-1]
    for t in range(len(alpha)):
        keep(total, sums)
        m, gamma = product(terms, psi, at, total, before, weights, columns, room, arms, rng)
        S = mass(sums, weights) / UNIT
        alpha[t], loss[t] = 0.0, 1.0
        if m == 0 or gamma <= LEAST_EDGE:
            for i in range(n):
                psi[i] = 1
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
        more, less = work[0], work[1]
        for l in range(K):  # noqa: E741
            v = sign(plus[l] * total[HAS, l] - minus[l] * (total[ALL, l] - total[HAS, l]))
            votes[t, l] = v * flip
            plus[l] *= math.exp(-alpha[t] * v) / Z
            minus[l] *= math.exp(alpha[t] * v) / Z
            more[l], less[l] = math.exp(2.0 * alpha[t] * v), math.exp(-2.0 * alpha[t] * v)
        for i in range(n):
            if psi[i] < 0:
                reweigh_row(i, more, less, weights)
                psi[i] = 1
        rescale(weights)
    return len(alpha)


@lean_kernel
def _step(t, gamma, S, s, alpha, loss):
    """Set α and E of a round."""
    e_plus, e_minus = 0.5 * (S + gamma), 0.5 * (S - gamma)
    alpha[t] = 0.5 * math.log((e_plus + s) / (e_minus + s))
    Z = e_plus * math.exp(-alpha[t]) + e_minus * math.exp(alpha[t])
    loss[t] = Z / S
    return Z


@lean_kernel
def boost_trees(leaves, psi, at, work, weights, columns, room, arms, rng, smooth, model):
    """The same with trees."""
    splits, n_splits, votes, alpha, loss = model
    plus, minus, sums = weights[1], weights[2], weights[6]
    n, K = len(weights[0]), votes.shape[-1]
    N = votes.shape[1]
    for t in range(len(alpha)):
        keep(leaves[3][0], sums)
        S = mass(sums, weights) / UNIT
        n_splits[t], gamma = tree(
            splits[t], votes[t], leaves, at, psi, weights, columns, room, arms, rng
        )
        alpha[t], loss[t] = 0.0, 1.0
        if gamma <= LEAST_EDGE:
            for i in range(n):
                at[i] = 0
            if arms[6][0] == FULL:
                return t
            continue
        Z = _step(t, gamma, S, smooth, alpha, loss)
        more, less = work[:N], work[N:]
        for one in range(n_splits[t] + 1):
            for l in range(K):  # noqa: E741
                off = votes[t, one, l] - votes[t, 0, l]
                more[one, l], less[one, l] = math.exp(-alpha[t] * off), math.exp(alpha[t] * off)
        for l in range(K):  # noqa: E741
            plus[l] *= math.exp(-alpha[t] * votes[t, 0, l]) / Z
            minus[l] *= math.exp(alpha[t] * votes[t, 0, l]) / Z
        for i in range(n):
            if at[i] != 0:
                reweigh_row(i, more[at[i]], less[at[i]], weights)
                at[i] = 0
        rescale(weights)
    return len(alpha)


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
