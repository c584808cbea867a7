"""AdaBoost.MH whose base learners ask a bandit for features: Busa-Fekete, Kegl, ICML 2010."""

import math
from itertools import cycle

import numpy as np

from onearm.core.rng import seeded

from .mh_bandits import Bandit
from .random_trees import ALPHA, RandomTree, cuts_at_random
from .stumps import TINY, constant_edge, cuts, label_sums, signs


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


def fit_product(X, y, w, arms, n_terms):
    terms, labels, best = [], y.copy(), 0.0
    for arms.step in range(n_terms):
        term, edge = arms.search(X, w * labels)
        if edge <= best + TINY:
            break
        terms.append(term)
        labels, best = labels * term.h(X), edge
    if not terms:
        return None
    for j in cycle(range(n_terms)) if len(terms) == n_terms > 1 else ():
        without = labels * terms[j].h(X)
        arms.step = j
        term, edge = arms.search(X, w * without)
        if edge <= best + TINY:
            break
        terms[j], labels, best = term, without * term.h(X), edge
    phi = product_of_phi(terms, X)
    return Product(terms, signs(label_sums(w * y * phi[:, None])))


def fit_tree(X, y, w, arms, n_leaves):
    target, depth = w * y, [0]
    arms.step = 0
    stump, edge = arms.search(X, target)
    if stump is None or edge - constant_edge(target) < -TINY:
        return Product([], signs(label_sums(target)))
    stumps, child, rows = [stump], {}, np.arange(len(X))
    leaves = []  # in the order of their parents, phi = -1 first
    while len(stumps) < n_leaves - 1:
        parent = len(stumps) - 1
        phi = stumps[parent].phi(X[rows])
        arms.step = depth[parent] + 1
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
        depth.append(depth[parent] + 1)
        stumps.append(stump)
    return Tree(stumps, child)


def fit_base(base, X, y, w, bandit, n_leaves, n_terms):
    if base == "stump":
        return bandit.search(X, w * y)[0]
    if base == "product":
        return fit_product(X, y, w, bandit, n_terms)
    return fit_tree(X, y, w, bandit, n_leaves)


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
    common=None,
):
    X, y = np.asarray(X, float), np.asarray(y_matrix, float)
    sample_weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
    sample_weight = (sample_weight / sample_weight.min()).astype(np.float32).astype(float)
    s = 0.01 / sample_weight.sum()
    w = initial_weights(y, weights, sample_weight)
    columns = [j for j in range(X.shape[1]) if len(list(cuts(X[:, j]))) > 0]
    if base == "random_tree" and arms == "full":
        arms, at_once = "uniform", len(columns)
    bandit = Bandit(columns, arms, at_once, reward, lam, eta, horizon, scaled, seeded(seed))
    model = Model(y.shape[1], bandit.rewards)
    if arms in ("ucb", "ucbv"):
        for j in range(len(columns)):
            bandit.pull(j, X, w * y)
    bandit.cut = cuts_at_random(X, common or {}, bandit.rng) if base == "random_tree" else None
    for _ in range(n_rounds):
        bandit.step = 0
        classifier = fit_base(base, X, y, w, bandit, n_leaves, n_terms)
        margin = 0 * y if classifier is None else y * classifier.h(X)
        right, wrong = w[margin > 0].sum(), w[margin < 0].sum()
        bandit.end_round(right - wrong)
        if right - wrong <= TINY:
            if arms == "full":
                break
            alpha, loss, classifier = 0.0, 1.0, None
        else:
            alpha, before = 0.5 * math.log((right + s) / (wrong + s)), w.sum()
            if base == "random_tree":
                classifier, alpha = RandomTree(classifier, X, y, w, s), ALPHA
                margin = y * classifier.h(X)
            w = w * np.exp(-alpha * margin)
            loss = w.sum() / before
            w = w if base == "random_tree" else w / w.sum()
        model.alpha.append(alpha)
        model.loss.append(loss)
        model.classifier.append(classifier)
    model.weights = w
    return model
