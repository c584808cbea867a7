"""AdaBoost.MH whose base learners ask a bandit for features: Busa-Fekete, Kegl, ICML 2010."""

import math
from itertools import cycle, pairwise

import numpy as np

from onearm.rng import below, pick, seeded, uniform

TINY = 1e-12


def signs(sums):
    return np.array([1.0 if s > 0 else -1.0 for s in sums])


def label_sums(target):
    return np.array([math.fsum(column) for column in target.T])


def constant_edge(target):
    return math.fsum(abs(label_sums(target)))


class Stump:
    def __init__(self, column, threshold, votes):
        self.column, self.threshold, self.votes = column, threshold, votes
        self.columns, self.thresholds = [column], [threshold]

    def phi(self, X):
        return np.array([1.0 if x[self.column] >= self.threshold else -1.0 for x in X])

    def h(self, X):
        return np.outer(self.phi(X), self.votes)


def product_of_phi(terms, X):
    return np.array([math.prod(term.phi([x])[0] for term in terms) for x in X])


class Product:  # without terms: a constant
    def __init__(self, terms, votes):
        self.terms, self.votes = terms, votes
        self.columns = [term.column for term in terms]
        self.thresholds = [term.threshold for term in terms]

    def h(self, X):
        return np.outer(product_of_phi(self.terms, X), self.votes)


class Tree:
    def __init__(self, stumps, child):
        self.stumps, self.child = stumps, child
        self.columns = [stump.column for stump in stumps]
        self.thresholds = [stump.threshold for stump in stumps]

    def h_row(self, x):
        i = 0
        while True:
            side = self.stumps[i].phi([x])[0]
            if (i, side) not in self.child:
                return self.stumps[i].votes * side
            i = self.child[i, side]

    def h(self, X):
        return np.array([self.h_row(x) for x in X])


class Model:
    def __init__(self, n_labels, rewards):
        self.n_labels, self.rewards = n_labels, rewards
        self.alpha, self.loss, self.classifier = [], [], []

    def decision_function(self, X):
        f = np.zeros((len(X), self.n_labels))
        for alpha, classifier in zip(self.alpha, self.classifier, strict=True):
            if classifier is not None:
                f += alpha * classifier.h(X)
        return f


def cuts(x):
    for lo, hi in pairwise(np.unique(x[~np.isnan(x)])):
        b = lo + (hi - lo) / 2
        yield hi if b <= lo else b


def best_cut(X, target, column):
    """The best stump on one column, and its edge; target is w * y."""
    best, best_edge = None, -1.0
    for b in cuts(X[:, column]):
        phi = np.where(X[:, column] >= b, 1.0, -1.0)
        sums = label_sums(target * phi[:, None])
        edge = math.fsum(abs(sums))
        if edge > best_edge + TINY:
            best, best_edge = Stump(column, b, signs(sums)), edge
    return best, best_edge


def reward_of(edge, kind):
    g = min(max(edge, 0.0), 1.0)
    if kind == "square":
        return g * g
    if kind == "edge":
        return 1 - math.sqrt(1 - g * g)
    if g >= 1 - TINY:
        return 1.0
    return min(1.0, -math.log(math.sqrt(1 - g * g)))


class Arms:
    def __init__(self, columns, policy, at_once, reward, lam, eta, horizon, scaled, rng):
        self.columns, self.M, self.policy, self.at_once = columns, len(columns), policy, at_once
        self.reward, self.scaled, self.largest = reward, scaled, 0.0
        self.lam, self.eta, self.horizon, self.rng = lam, eta, horizon, rng
        self.items = np.arange(self.M)
        self.L = np.array([eta * lam / 3 * math.sqrt(horizon / self.M) for _ in columns])
        self.heard = [[] for _ in columns]
        self.last = {}
        self.rewards = []

    def search(self, X, target):
        count = self.M if self.policy == "full" else min(self.at_once, self.M)
        if self.policy == "exp3p" and self.M > 0:
            count = self.at_once
        if self.policy == "uniform":
            pick(count, self.items, self.rng)
        best, best_edge, taken = None, -1.0, []
        for _ in range(count):
            j = self.choose(taken)
            taken.append(j)
            stump, edge = self.pull(j, X, target)
            if edge > best_edge + TINY:
                best, best_edge = stump, edge
        return best, best_edge

    def pull(self, j, X, target):
        stump, edge = best_cut(X, target, self.columns[j])
        node = np.abs(target).sum() if self.policy == "recent" else 1.0
        r = reward_of(edge / node, self.reward)
        self.largest = max(self.largest, r)
        if edge >= 0 or not self.heard[j]:
            self.last[j] = r
        if self.scaled and self.largest > 0:
            r /= self.largest
        if self.policy == "exp3p":
            self.update_exp3p(j, r)
        self.heard[j].append(r)
        self.rewards.append((self.columns[j], r))
        return stump, edge

    def choose(self, taken):
        if self.policy in ("full", "uniform"):
            return int(self.items[len(taken)])
        if self.policy == "exp3p":
            return self.draw()
        if self.policy == "recent":
            return self.draw_recent(taken)
        best, best_index = None, -math.inf
        for j in range(self.M):
            if j not in taken and self.index(j) > best_index + TINY:
                best, best_index = j, self.index(j)
        return best

    def index(self, j):
        log_t = math.log(sum(len(rewards) for rewards in self.heard))
        T, mean, V = len(self.heard[j]), np.mean(self.heard[j]), np.var(self.heard[j])
        if self.policy == "ucb":
            return mean + math.sqrt(2 * log_t / T)
        return mean + math.sqrt(2 * V * log_t / T) + log_t / T

    def chances(self):
        soft = np.exp(self.L - self.L.max())
        return (1 - self.lam) * soft / soft.sum() + self.lam / self.M

    def draw(self):
        u, p = uniform(self.rng), self.chances()
        for j in range(self.M):
            if u < p[j]:
                return j
            u -= p[j]
        return self.M - 1

    def draw_recent(self, taken):
        n = len(taken)
        left = self.items[n:]
        square = np.array([self.last.get(j, self.largest) ** 2 for j in left.tolist()])
        even = np.full(len(left), 1 / len(left))
        share = square / square.sum() if square.sum() > 0 else 0 * even
        u, p = uniform(self.rng), (1 - self.lam) * share + self.lam * even
        where = next((i for i, upto in enumerate(np.cumsum(p)) if u < upto), None)
        if where is None:
            where = below(len(left), self.rng)
        self.items[[n, n + where]] = self.items[[n + where, n]]
        return int(self.items[n])

    def update_exp3p(self, pulled, r):
        p = self.chances()
        hit = np.arange(self.M) == pulled
        bonus = self.eta / (p * math.sqrt(self.M * self.horizon))
        self.L += self.lam / (3 * self.M) * (hit * r / p + bonus)


def fit_product(X, y, w, arms, n_terms):
    terms, labels, best = [], y.copy(), 0.0
    for _ in range(n_terms):
        term, edge = arms.search(X, w * labels)
        if edge <= best + TINY:
            break
        terms.append(term)
        labels, best = labels * term.h(X), edge
    if not terms:
        return None
    for j in cycle(range(n_terms)) if len(terms) == n_terms > 1 else ():
        without = labels * terms[j].h(X)
        term, edge = arms.search(X, w * without)
        if edge <= best + TINY:
            break
        terms[j], labels, best = term, without * term.h(X), edge
    phi = product_of_phi(terms, X)
    return Product(terms, signs(label_sums(w * y * phi[:, None])))


def fit_tree(X, y, w, arms, n_leaves):
    target = w * y
    stump, edge = arms.search(X, target)
    if stump is None or edge - constant_edge(target) < -TINY:
        return Product([], signs(label_sums(target)))
    stumps, child, rows = [stump], {}, np.arange(len(X))
    leaves = []  # in the order of their parents, phi = -1 first
    while len(stumps) < n_leaves - 1:
        parent = len(stumps) - 1
        phi = stumps[parent].phi(X[rows])
        for side in (-1.0, 1.0):
            part = rows[phi == side]
            stump, gain = None, 0.0
            if (y[part] > 0).any(axis=0).sum() > 1:
                stump, edge = arms.search(X[part], target[part])
                if stump is not None:
                    gain = edge - constant_edge(target[part])
            leaves.append((gain, parent, side, stump, part))
        best = 0
        for i, leaf in enumerate(leaves):
            if leaf[0] > leaves[best][0] + TINY:
                best = i
        gain, parent, side, stump, rows = leaves.pop(best)
        if gain <= TINY:
            break
        child[parent, side] = len(stumps)
        stumps.append(stump)
    return Tree(stumps, child)


def initial_weights(y, weights, sample_weight):
    n, K = y.shape
    w = np.full((n, K), 1 / (n * K))
    for i in range(n):
        positive = (y[i] > 0).sum()
        if weights == "shared" and 0 < positive < K:
            w[i] = np.where(y[i] > 0, 1 / (2 * n * positive), 1 / (2 * n * (K - positive)))
        w[i] *= sample_weight[i]
    return w / w.sum()


def fit(
    X,
    y_matrix,
    base,
    n_rounds,
    *,
    n_leaves=8,
    n_terms=3,
    arms="full",
    at_once=1,
    reward="log",
    lam=0.15,
    eta=0.3,
    horizon=1,
    weights="shared",
    sample_weight=None,
    seed=0,
    scaled=False,
):
    X, y = np.asarray(X, float), np.asarray(y_matrix, float)
    sample_weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
    s = 0.01 / sample_weight.sum()
    w = initial_weights(y, weights, sample_weight)
    columns = [j for j in range(X.shape[1]) if len(list(cuts(X[:, j]))) > 0]
    bandit = Arms(columns, arms, at_once, reward, lam, eta, horizon, scaled, seeded(seed))
    model = Model(y.shape[1], bandit.rewards)
    if arms in ("ucb", "ucbv"):
        for j in range(len(columns)):
            bandit.pull(j, X, w * y)
    for _ in range(n_rounds):
        if base == "stump":
            classifier, _ = bandit.search(X, w * y)
        elif base == "tree":
            classifier = fit_tree(X, y, w, bandit, n_leaves)
        else:
            classifier = fit_product(X, y, w, bandit, n_terms)
        margin = 0 * y if classifier is None else y * classifier.h(X)
        right, wrong = w[margin > 0].sum(), w[margin < 0].sum()
        if right - wrong <= TINY:
            if arms == "full":
                break
            alpha, loss, classifier = 0.0, 1.0, None
        else:
            alpha = 0.5 * math.log((right + s) / (wrong + s))
            loss = right * math.exp(-alpha) + wrong * math.exp(alpha)
            w = w * np.exp(-alpha * margin)
            w = w / w.sum()
        model.alpha.append(alpha)
        model.loss.append(loss)
        model.classifier.append(classifier)
    model.weights = w
    return model
