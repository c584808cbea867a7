"""Hoeffding tree (VFDT): Domingos, Hulten, Mining high-speed data streams, KDD 2000, with weights.

Columns are numeric (nominal[j] = 0) or hold one of m codes (nominal[j] = m), with a spare value m
for whatever is not an integer in 0 ... m-1.
"""

import math

import numpy as np

from .observers import Gaussian, Histogram, Nominal, code, lowest_argmax, total
from .twin import Twin

MARGIN = 1e-10  # a merit must be larger by more than rounding to be better
PURE = 0.99  # a leaf with a larger share in one class does not split


class Node:
    def __init__(self, masses, parent=None):
        self.n = list(masses)
        self.total = total(masses)
        self.tried = self.total  # the total when a split was last attempted
        self.mc_ok = self.nb_ok = 0.0
        self.parent = parent
        self.depth = 0 if parent is None else parent.depth + 1
        self.labels = set()  # the classes learnt here
        self.observers = None  # one per column, from the first example on
        self.column = self.threshold = None  # of a split node
        self.children = []


class HoeffdingTree(Twin):
    def __init__(
        self,
        k,
        d,
        nominal=(),
        grace_period=200,
        delta=1e-7,
        tau=0.05,
        n_splits=10,
        max_depth=0,
        leaf_prediction="adaptive",
        splitter="gaussian",
    ):
        self.k, self.d = k, d
        self.nominal = tuple(nominal) or (0,) * d
        self.grace_period, self.delta, self.tau = grace_period, delta, tau
        self.n_splits = n_splits
        self.max_depth = max_depth
        self.leaf_prediction = leaf_prediction
        self.splitter = splitter
        self.root = Node([0.0] * k)

    left_out = "seed", "max_bytes"

    def state(self):
        return {"used": [[self.n_nodes(), math.nan]]}

    def n_nodes(self):
        nodes, count = [self.root], 0
        while nodes:
            count += 1
            nodes += nodes.pop().children
        return count

    def least_children(self):
        """How many children a test of 150 rows must see, to show anything."""
        return 2 if self.splitter == "histogram" or self.max_depth == 1 else 6

    def tied(self, x):
        """Where only counts matter, naive Bayes may leave two classes equal but for rounding."""
        if self.splitter == "gaussian" or self.leaf_prediction != "bayes":
            return False
        second, first = np.sort(self.scores(x))[-2:]
        return first - second < 1e-9

    # routing

    def child(self, node, x):
        v = x[node.column]
        if math.isnan(v):
            return node.children[lowest_argmax([child.total for child in node.children])]
        if node.threshold is None:
            return node.children[code(v, self.nominal[node.column])]
        return node.children[0 if v <= node.threshold else 1]

    def route(self, x):
        node = self.root
        while node.children:
            node = self.child(node, x)
        return node

    # predicting

    def spokesman(self, leaf):
        """The node whose masses the leaf predicts with."""
        return leaf.parent if leaf.total == 0 and leaf.parent is not None else leaf

    def mc(self, leaf):
        return lowest_argmax(self.spokesman(leaf).n)

    def majority_scores(self, leaf):
        node = self.spokesman(leaf)
        return np.array([(n + 1) / (node.total + self.k) for n in node.n])

    def log_posterior(self, leaf, x):
        """One number per class, or None without statistics or where every class is impossible."""
        if leaf.observers is None:
            return None
        result = []
        for c in range(self.k):
            if c not in leaf.labels:
                result.append(-math.inf)
                continue
            log_p = math.log(leaf.n[c] / leaf.total)
            for j in range(self.d):
                if not math.isnan(x[j]) and leaf.observers[j].knows():
                    log_p += leaf.observers[j].log_likelihood(x[j], c)
            result.append(log_p)
        return None if max(result) == -math.inf else result

    def nb(self, leaf, x):
        log_p = self.log_posterior(leaf, x)
        return self.mc(leaf) if log_p is None else lowest_argmax(log_p)

    def bayes_scores(self, leaf, x):
        log_p = self.log_posterior(leaf, x)
        if log_p is None:
            return self.majority_scores(leaf)
        e = [math.exp(v - max(log_p)) for v in log_p]
        return np.array([v / total(e) for v in e])

    def is_bayes(self, leaf):
        if self.leaf_prediction == "adaptive":
            return leaf.nb_ok >= leaf.mc_ok
        return self.leaf_prediction == "bayes"

    def predict(self, x):
        leaf = self.route(x)
        return self.nb(leaf, x) if self.is_bayes(leaf) else self.mc(leaf)

    def scores(self, x):
        leaf = self.route(x)
        return self.bayes_scores(leaf, x) if self.is_bayes(leaf) else self.majority_scores(leaf)

    # learning

    def new_observer(self, j):
        if self.nominal[j] > 0:
            return Nominal(self.k, self.nominal[j])
        return Gaussian(self.k, self.n_splits) if self.splitter == "gaussian" else Histogram(self.k)

    def learn(self, x, y, w):
        if w <= 0 or not math.isfinite(w):
            return
        leaf = self.route(x)
        if self.leaf_prediction == "adaptive":
            leaf.mc_ok += w if self.mc(leaf) == y else 0.0
            leaf.nb_ok += w if self.nb(leaf, x) == y else 0.0
        leaf.labels.add(y)
        leaf.n[y] += w
        leaf.total += w
        if leaf.observers is None:
            leaf.observers = [self.new_observer(j) for j in range(self.d)]
        for j in range(self.d):
            if not math.isnan(x[j]):
                leaf.observers[j].hear(float(x[j]), y, w)
        may_grow = self.max_depth == 0 or leaf.depth < self.max_depth
        mixed = sum(n > 0 for n in leaf.n) >= 2
        if may_grow and mixed and leaf.total - leaf.tried >= self.grace_period:
            leaf.tried = leaf.total
            self.try_split(leaf)

    def try_split(self, leaf):
        best_merit, second_merit, column, candidate = 0.0, 0.0, None, None  # the null split
        for j in range(self.d):
            best = None
            for split in leaf.observers[j].candidates():
                if split.merit > (-math.inf if best is None else best.merit + MARGIN):
                    best = split
            if best is not None and best.merit > best_merit + MARGIN:
                best_merit, second_merit, column, candidate = best.merit, best_merit, j, best
            elif best is not None and best.merit > second_merit:
                second_merit = best.merit
        R = math.log2(max(2, sum(n > 0 for n in leaf.n)))
        eps = math.sqrt(R**2 * math.log(1 / self.delta) / (2 * leaf.total))
        sure = best_merit - second_merit > eps or eps < self.tau
        if column is not None and sure and max(leaf.n) / leaf.total <= PURE:
            leaf.column, leaf.threshold = column, candidate.threshold
            leaf.children = [Node(masses, leaf) for masses in candidate.branches]

    # as a learner with full information

    def chances(self, x):
        return np.eye(self.k)[np.argmax(self.scores(x))]

    def update(self, x, label, greedy, propensity, reward, truth):
        self.learn(x, truth, 1.0)
