"""Where trees live: arrays addressed by tree i and node; and the way down.

    links    (N, M, 4)  SPLIT the column asked, or LEAF; CHILD the first of its children, which lie
                        side by side; DEPTH, 0 at the root; SLOT where a leaf's statistics lie
    numbers  (N, M, 5)  THRESHOLD: x ≤ threshold goes to child 0; TOTAL of the masses; TRIED, the
                        total at the last try; how much weight the MAJORITY and BAYES got right
    mass     (N, M, k)  weight of each class; a node that was split keeps them
    used     (N, 2)     nodes and slots in use: nothing is ever moved or given back

A column with m values (nominal) has m+1 children: one for each value and one for any other.
"""

from onearm.core.kernels import kernel_without_refcounts

SPLIT, CHILD, DEPTH, SLOT = range(4)
THRESHOLD, TOTAL, TRIED, RIGHT_MAJORITY, RIGHT_BAYES = range(5)
LEAF = NOWHERE = -1
LABEL, NODE, MAJORITY, BAYES, BY_BAYES = range(5)  # what is noted about x and a tree
NOTES = 5
BY_MAJORITY, BY_NAIVE_BAYES, ADAPTIVE = range(3)  # in the order of LEAF_PREDICTIONS


@kernel_without_refcounts
def code(v, m):
    """The value of a nominal column with values 0 … m-1; m stands for every other."""
    if 0.0 <= v < m:
        c = int(v)
        return c if c == v else m
    return m


@kernel_without_refcounts
def route(x, i, nodes, columns):
    """The leaf of tree i that x comes to, and the node that speaks for it."""
    links, numbers, mass, used = nodes
    nominal, place = columns
    node = above = 0
    while links[i, node, SPLIT] != LEAF:
        j, first = links[i, node, SPLIT], links[i, node, CHILD]
        v, m = x[j], nominal[j]
        above = node
        if v != v:  # missing: the heaviest branch
            node = first
            for other in range(first + 1, first + (m + 1 if m > 0 else 2)):
                if numbers[i, other, TOTAL] > numbers[i, node, TOTAL]:
                    node = other
        elif m == 0:
            node = first if v <= numbers[i, node, THRESHOLD] else first + 1
        else:
            node = first + code(v, m)
    return node, node if numbers[i, node, TOTAL] > 0.0 else above
