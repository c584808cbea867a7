"""Hoeffding tree (VFDT): Domingos, Hulten, Mining high-speed data streams, KDD 2000, with weights.

Columns are numeric (nominal[j] = 0) or hold one of m codes (nominal[j] = m), with a spare value m
for whatever is not an integer in 0 ... m-1.
"""

import math

import numpy as np

FLOOR = 1e-6  # of a standard deviation
LEAST_BRANCH = 0.01  # share of the mass that at least two branches of a split must exceed
MARGIN = 1e-10  # a merit must be larger by more than rounding to be better
PURE = 0.99  # a leaf with a larger share in one class does not split
WAIT, BINS = 100, 32  # a histogram sets its bins at the 100th value


def total(values):
    """The sum, from first to last (the built-in one compensates rounding since Python 3.12)."""
    result = 0.0
    for value in values:
        result += value
    return result


def lowest_argmax(values):
    return list(values).index(max(values))


def code(v, m):
    """The number of a nominal value: itself, or the spare one."""
    return int(v) if v in range(m) else m


def entropy(masses):
    """In bits."""
    whole = total(masses)
    shares = [mass / whole for mass in masses if mass > 0]
    return -total(p * math.log2(p) for p in shares)


def merit(branches):
    """The information that a split into these branches (class masses each) gains."""
    together = [total(masses) for masses in zip(*branches, strict=True)]
    W = total(together)
    if sum(total(branch) > LEAST_BRANCH * W for branch in branches) < 2:
        return -math.inf
    after = total(total(b) / W * entropy(b) for b in branches if total(b) > 0)
    return entropy(together) - after


class Candidate:
    """A way to split a leaf: by threshold, or (threshold None) one branch for each value."""

    def __init__(self, threshold, branches):
        self.threshold = threshold
        self.branches = branches
        self.merit = merit(branches)


class Gaussian:
    """What one leaf heard in one numeric column: a weighted normal distribution per class."""

    def __init__(self, k, n_splits):
        self.k = k
        self.n_splits = n_splits
        self.W = [0.0] * k
        self.mu = [0.0] * k
        self.S = [0.0] * k
        self.low = [math.inf] * k
        self.high = [-math.inf] * k

    def hear(self, v, y, w):
        self.W[y] += w
        dl = v - self.mu[y]
        self.mu[y] += w * dl / self.W[y]
        self.S[y] += w * dl * (v - self.mu[y])
        self.low[y] = min(self.low[y], v)
        self.high[y] = max(self.high[y], v)

    def knows(self):
        return any(W > 0 for W in self.W)

    def sd(self, c):
        return math.sqrt(max(self.S[c] / self.W[c], FLOOR**2))

    def log_likelihood(self, v, c):
        if self.W[c] == 0:
            return -math.inf
        return -math.log(self.sd(c)) - (v - self.mu[c]) ** 2 / (2 * self.sd(c) ** 2)

    def left(self, t, c):
        """The mass of class c at or below t."""
        if self.W[c] == 0 or t < self.low[c]:
            return 0.0
        if t >= self.high[c]:
            return self.W[c]
        z = (t - self.mu[c]) / self.sd(c)
        return self.W[c] * (0.5 * (1 + math.erf(z / math.sqrt(2))))

    def candidates(self):
        low, high = min(self.low), max(self.high)
        if high <= low:
            return []
        result = []
        for i in range(1, self.n_splits + 1):
            t = low + i * (high - low) / (self.n_splits + 1)
            left = [self.left(t, c) for c in range(self.k)]
            right = [self.W[c] - left[c] for c in range(self.k)]
            result.append(Candidate(t, [left, right]))
        return result


class Histogram:
    """What one leaf heard in one numeric column: class masses in 32 bins between quantiles."""

    def __init__(self, k):
        self.k = k
        self.kept = []  # (value, class, weight), until there are 100
        self.edges = None
        self.bins = [[0.0] * k for _ in range(BINS)]

    def hear(self, v, y, w):
        if self.edges is not None:
            self.count(v, y, w)
            return
        self.kept.append((v, y, w))
        if len(self.kept) == WAIT:
            values = sorted(value for value, _, _ in self.kept)
            self.edges = [values[(b + 1) * WAIT // BINS] for b in range(BINS - 1)]
            for value, label, weight in self.kept:
                self.count(value, label, weight)

    def bin_of(self, v):
        return sum(edge < v for edge in self.edges)

    def count(self, v, y, w):
        self.bins[self.bin_of(v)][y] += w

    def knows(self):
        return self.edges is not None

    def log_likelihood(self, v, c):
        W = total(masses[c] for masses in self.bins)
        return math.log((self.bins[self.bin_of(v)][c] + 1) / (W + BINS))

    def candidates(self):
        if self.edges is None:
            return []
        result = []
        for b, edge in enumerate(self.edges):
            left = [total(masses[c] for masses in self.bins[: b + 1]) for c in range(self.k)]
            right = [total(masses[c] for masses in self.bins[b + 1 :]) for c in range(self.k)]
            result.append(Candidate(edge, [left, right]))
        return result


class Nominal:
    """What one leaf heard in one nominal column: class masses of each value, the spare one last."""

    def __init__(self, k, m):
        self.m = m
        self.table = [[0.0] * k for _ in range(m + 1)]

    def hear(self, v, y, w):
        self.table[code(v, self.m)][y] += w

    def values_seen(self):
        return sum(total(masses) > 0 for masses in self.table)

    def knows(self):
        return self.values_seen() > 0

    def log_likelihood(self, v, c):
        W = total(masses[c] for masses in self.table)
        return math.log((self.table[code(v, self.m)][c] + 1) / (W + self.m + 1))

    def candidates(self):
        if self.values_seen() < 2:
            return []
        return [Candidate(None, [list(masses) for masses in self.table])]


class Node:
    def __init__(self, masses, parent=None):
        self.n = list(masses)
        self.total = total(masses)
        self.tried = self.total  # the total when a split was last attempted
        self.mc_ok = self.nb_ok = 0.0
        self.parent = parent
        self.depth = 0 if parent is None else parent.depth + 1
        self.heard = set()  # the classes learnt here
        self.observers = None  # one per column, from the first example on
        self.column = self.threshold = None  # of a split node
        self.children = []


class HoeffdingTree:
    def __init__(
        self,
        k,
        d,
        nominal=(),
        grace=200,
        delta=1e-7,
        tie=0.05,
        n_splits=10,
        max_depth=0,
        leaves="adaptive",
        observer="gaussian",
    ):
        self.k, self.d = k, d
        self.nominal = tuple(nominal) or (0,) * d
        self.grace, self.delta, self.tie = grace, delta, tie
        self.n_splits = n_splits
        self.max_depth = max_depth
        self.leaves = leaves
        self.observer = observer
        self.root = Node([0.0] * k)

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
        """One number per class, or None where naive Bayes has nothing to say."""
        if leaf.observers is None:
            return None
        result = []
        for c in range(self.k):
            if c not in leaf.heard:
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
        if self.leaves == "adaptive":
            return leaf.nb_ok >= leaf.mc_ok
        return self.leaves == "bayes"

    def says(self, x):
        leaf = self.route(x)
        return self.nb(leaf, x) if self.is_bayes(leaf) else self.mc(leaf)

    def scores(self, x):
        leaf = self.route(x)
        return self.bayes_scores(leaf, x) if self.is_bayes(leaf) else self.majority_scores(leaf)

    # learning

    def new_observer(self, j):
        if self.nominal[j] > 0:
            return Nominal(self.k, self.nominal[j])
        return Gaussian(self.k, self.n_splits) if self.observer == "gaussian" else Histogram(self.k)

    def learn(self, x, y, w):
        if w <= 0 or not math.isfinite(w):
            return
        leaf = self.route(x)
        if self.leaves == "adaptive":
            leaf.mc_ok += w if self.mc(leaf) == y else 0.0
            leaf.nb_ok += w if self.nb(leaf, x) == y else 0.0
        leaf.heard.add(y)
        leaf.n[y] += w
        leaf.total += w
        if leaf.observers is None:
            leaf.observers = [self.new_observer(j) for j in range(self.d)]
        for j in range(self.d):
            if not math.isnan(x[j]):
                leaf.observers[j].hear(float(x[j]), y, w)
        may_grow = self.max_depth == 0 or leaf.depth < self.max_depth
        mixed = sum(n > 0 for n in leaf.n) >= 2
        if may_grow and mixed and leaf.total - leaf.tried >= self.grace:
            leaf.tried = leaf.total
            self.try_split(leaf)

    def try_split(self, leaf):
        best_merit, second_merit, column, candidate = 0.0, 0.0, None, None  # the null split
        for j in range(self.d):
            best = None
            for one in leaf.observers[j].candidates():
                if one.merit > (-math.inf if best is None else best.merit + MARGIN):
                    best = one
            if best is not None and best.merit > best_merit + MARGIN:
                best_merit, second_merit, column, candidate = best.merit, best_merit, j, best
            elif best is not None and best.merit > second_merit:
                second_merit = best.merit
        R = math.log2(max(2, sum(n > 0 for n in leaf.n)))
        eps = math.sqrt(R**2 * math.log(1 / self.delta) / (2 * leaf.total))
        sure = best_merit - second_merit > eps or eps < self.tie
        if column is not None and sure and max(leaf.n) / leaf.total <= PURE:
            leaf.column, leaf.threshold = column, candidate.threshold
            leaf.children = [Node(masses, leaf) for masses in candidate.branches]

    # as a learner that is told every label

    def chances(self, x):
        return np.eye(self.k)[np.argmax(self.scores(x))]

    def update(self, x, label, greedy, propensity, reward, truth):
        self.learn(x, truth, 1.0)
