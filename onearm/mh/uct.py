"""UCT: the columns of a base classifier as a path in a tree of sequences of columns.

The other bandits are shared by all searches of a base classifier, each of which is rewarded by
itself. Here the i-th term of a product, or all nodes of depth i of a tree, search the i-th column
of a path from the root. Where the path ends, it goes on to the child with the largest

    mean + √(2 ln n / n_j)    of one that was visited n_j times, of the n visits of its parent
    u + √(2 ln n)             of one that was not, with u uniform in [0, 1]

and at the end of the round every node of the path gets the reward of the whole base classifier.
Nodes are made when they are visited first.

    nodes    (n, 3): column, first child, next sibling; NONE where there is no other
    values   (n, 2): visits, sum of rewards
    path     numbers of nodes, from the root on
    sizes    number of nodes, length of the path, step that is asked for

R. Busa-Fekete, B. Kégl. Accelerating AdaBoost using UCB. KDD Cup 2009. L. Kocsis, C. Szepesvári.
Bandit based Monte-Carlo planning. ECML 2006.
"""

import math
from typing import Any

import numpy as np

from onearm.core.kernels import kernel_without_refcounts
from onearm.core.rng import uniform

NONE = -1
ARM, CHILD, NEXT = range(3)
VISITS, TOTAL = range(2)
N_NODES, LENGTH, STEP = range(3)
Arrays = tuple[np.ndarray, ...]


def root() -> Arrays:
    """Return a tree of the root alone: nodes, values, path and sizes."""
    sizes = np.array([1, 0, 0])
    return np.full((1, 3), NONE), np.zeros((1, 2)), np.zeros(1, np.int64), sizes


def with_room(uct: Arrays, rounds: int, steps: int) -> Arrays:
    """Return the same tree with room for so many rounds of so many steps."""
    nodes, values, path, sizes = uct
    more = max(0, sizes[N_NODES] + rounds * steps - len(nodes))

    def grown(array: np.ndarray, n: int, value: Any) -> np.ndarray:
        return np.concatenate([array, np.full((n, *array.shape[1:]), value, array.dtype)])

    path = grown(path, max(0, steps + 1 - len(path)), 0)
    return grown(nodes, more, NONE), grown(values, more, 0.0), path, sizes


@kernel_without_refcounts
def arm_of_step(uct, scores, child_of, rng):
    """The column of the present step; `scores` and `child_of` are scratch, one for each column."""
    nodes, values, path, sizes = uct
    step = sizes[STEP]
    if step == sizes[LENGTH]:
        path[step + 1] = _next_node(path[step], nodes, values, sizes, scores, child_of, rng)
        sizes[LENGTH] += 1
    return nodes[path[step + 1], ARM]


@kernel_without_refcounts
def _next_node(parent, nodes, values, sizes, scores, child_of, rng):
    """The child with the largest score, which is made if it was not visited before."""
    log_n = math.log(max(values[parent, VISITS], 1.0))
    for a in range(len(scores)):
        scores[a] = uniform(rng) + math.sqrt(2.0 * log_n)
        child_of[a] = NONE
    child = nodes[parent, CHILD]
    while child != NONE:
        a, n = nodes[child, ARM], values[child, VISITS]
        scores[a] = values[child, TOTAL] / n + math.sqrt(2.0 * log_n / n)
        child_of[a] = child
        child = nodes[child, NEXT]
    best = 0
    for a in range(1, len(scores)):
        if scores[a] > scores[best]:
            best = a
    if child_of[best] != NONE:
        return child_of[best]
    new = sizes[N_NODES]
    nodes[new, ARM], nodes[new, CHILD], nodes[new, NEXT] = best, NONE, nodes[parent, CHILD]
    nodes[parent, CHILD] = new
    sizes[N_NODES] += 1
    return new


@kernel_without_refcounts
def end_path(r, uct):
    """Reward every node of the path, and start the next path at the root."""
    nodes, values, path, sizes = uct
    for place in range(sizes[LENGTH] + 1):
        values[path[place], VISITS] += 1.0
        values[path[place], TOTAL] += r
    sizes[LENGTH] = 0
