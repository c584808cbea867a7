"""AdaBoost.MH whose base learners ask a bandit for features: Busa-Fekete, Kegl, ICML 2010."""

import math

import numpy as np

from onearm.rng import pick, seeded, uniform

TINY = 1e-12


def signs(sums):
    return np.array([1.0 if s > 0 else -1.0 for s in sums])


def label_sums(target):
    return np.array([math.fsum(column) for column in target.T])


def constant_edge(target):
    return math.fsum(abs(label_sums(target)))


class Constant:
    def __init__(self, votes):
        self.votes = votes
        self.columns = []
        self.thresholds = []

    def h(self, X):
        return np.array([self.votes for _ in X])


class Stump:
    def __init__(self, column, threshold, votes):
        self.column = column
        self.threshold = threshold
        self.votes = votes
        self.columns = [column]
        self.thresholds = [threshold]

    def phi(self, X):
        return np.array([1.0 if x[self.column] >= self.threshold else -1.0 for x in X])

    def h(self, X):
        return np.outer(self.phi(X), self.votes)


class Product:
    def __init__(self, terms, votes):
        self.terms = terms
        self.votes = votes
        self.columns = [term.column for term in terms]
        self.thresholds = [term.threshold for term in terms]

    def h(self, X):
        return np.outer(np.prod([term.phi(X) for term in self.terms], axis=0), self.votes)


class Tree:
    def __init__(self):
        self.stumps = []
        self.child = {}
        self.columns = []
        self.thresholds = []

    def attach(self, stump, parent=None, side=None):
        self.child[parent, side] = len(self.stumps)
        self.stumps.append(stump)
        self.columns.append(stump.column)
        self.thresholds.append(stump.threshold)

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
        self.n_labels = n_labels
        self.alpha = []
        self.loss = []
        self.classifier = []
        self.weights = None
        self.rewards = rewards

    def decision_function(self, X):
        f = np.zeros((len(X), self.n_labels))
        for alpha, classifier in zip(self.alpha, self.classifier, strict=True):
            if classifier is not None:
                f += alpha * classifier.h(X)
        return f


def cuts(x):
    values = np.unique(x[~np.isnan(x)])
    for lo, hi in zip(values[:-1], values[1:], strict=True):
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
    if edge < 0:
        return 0.0
    g = min(edge, 1.0)
    if kind == "square":
        return g * g
    if kind == "edge":
        return 1 - math.sqrt(1 - g * g)
    if g >= 1 - TINY:
        return 1.0
    return min(1.0, -math.log(math.sqrt(1 - g * g)))


class Arms:
    """The columns, and the policy that chooses among them."""

    def __init__(self, columns, policy, at_once, reward, lam, eta, horizon, scaled, rng):
        self.columns = columns
        self.M = len(columns)
        self.policy = policy
        self.at_once = at_once
        self.reward = reward
        self.lam = lam
        self.eta = eta
        self.horizon = horizon
        self.scaled = scaled
        self.rng = rng
        self.items = np.arange(self.M)
        self.heard = [[] for _ in columns]
        self.largest = 0.0
        self.rewards = []
        if self.M > 0:
            self.L = np.full(self.M, eta * lam / 3 * math.sqrt(horizon / self.M))

    def try_all(self, X, target):
        for j in range(self.M):
            self.pull(j, X, target)

    def search(self, X, target):
        count = min(self.at_once, self.M)
        if self.policy == "full":
            count = self.M
        if self.policy == "exp3p" and self.M > 0:
            count = self.at_once
        if self.policy == "uniform":
            pick(count, self.items, self.rng)
        best, best_edge = None, -1.0
        taken = []
        for _ in range(count):
            j = self.choose(taken)
            taken.append(j)
            stump, edge = self.pull(j, X, target)
            if edge > best_edge + TINY:
                best, best_edge = stump, edge
        return best, best_edge

    def pull(self, j, X, target):
        stump, edge = best_cut(X, target, self.columns[j])
        r = reward_of(edge, self.reward)
        self.largest = max(self.largest, r)
        if self.scaled and self.largest > 0:
            r /= self.largest
        if self.policy == "exp3p":
            self.update_exp3p(j, r)
        self.heard[j].append(r)
        self.rewards.append((self.columns[j], r))
        return stump, edge

    def choose(self, taken):
        if self.policy == "full":
            return len(taken)
        if self.policy == "uniform":
            return int(self.items[len(taken)])
        if self.policy == "exp3p":
            return self.draw_exp3p()
        best, best_index = None, -math.inf
        for j in range(self.M):
            if j not in taken and self.index(j) > best_index + TINY:
                best, best_index = j, self.index(j)
        return best

    def index(self, j):
        log_t = math.log(sum(len(rewards) for rewards in self.heard))
        T = len(self.heard[j])
        mean = np.mean(self.heard[j])
        if self.policy == "ucb":
            return mean + math.sqrt(2 * log_t / T)
        return mean + math.sqrt(2 * np.var(self.heard[j]) * log_t / T) + log_t / T

    def chances(self):
        soft = np.exp(self.L - self.L.max())
        return (1 - self.lam) * soft / soft.sum() + self.lam / self.M

    def draw_exp3p(self):
        u = uniform(self.rng)
        p = self.chances()
        for j in range(self.M):
            if u < p[j]:
                return j
            u -= p[j]
        return self.M - 1

    def update_exp3p(self, pulled, r):
        p = self.chances()
        for j in range(self.M):
            gain = r / p[j] if j == pulled else 0.0
            bonus = self.eta / (p[j] * math.sqrt(self.M * self.horizon))
            self.L[j] += self.lam / (3 * self.M) * (gain + bonus)


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
    if len(terms) == n_terms and n_terms > 1:
        j = 0
        while True:
            without = labels * terms[j].h(X)
            term, edge = arms.search(X, w * without)
            if edge <= best + TINY:
                break
            terms[j] = term
            labels, best = without * term.h(X), edge
            j = (j + 1) % n_terms
    phi = np.prod([term.phi(X) for term in terms], axis=0)
    return Product(terms, signs(label_sums(w * y * phi[:, None])))


def fit_tree(X, y, w, arms, n_leaves):
    target = w * y
    stump, edge = arms.search(X, target)
    if stump is None or edge - constant_edge(target) < -TINY:
        return Constant(signs(label_sums(target)))
    tree = Tree()
    tree.attach(stump)
    rows = np.arange(len(X))
    leaves = []  # in the order of their parents, phi = -1 first
    while len(tree.stumps) < n_leaves - 1:
        parent = len(tree.stumps) - 1
        phi = tree.stumps[parent].phi(X[rows])
        for side in (-1.0, 1.0):
            part = rows[phi == side]
            stump, gain = None, 0.0
            if (y[part] > 0).any(axis=0).sum() > 1:
                stump, edge = arms.search(X[part], target[part])
                if stump is not None:
                    gain = edge - constant_edge(target[part])
            leaves.append((gain, parent, side, stump, part))
        best = 0
        for i in range(len(leaves)):
            if leaves[i][0] > leaves[best][0] + TINY:
                best = i
        gain, parent, side, stump, rows = leaves.pop(best)
        if gain <= TINY:
            break
        tree.attach(stump, parent, side)
    return tree


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
        bandit.try_all(X, w * y)
    for _ in range(n_rounds):
        if base == "stump":
            classifier, _ = bandit.search(X, w * y)
        elif base == "tree":
            classifier = fit_tree(X, y, w, bandit, n_leaves)
        else:
            classifier = fit_product(X, y, w, bandit, n_terms)
        alpha, loss = 0.0, 1.0
        if classifier is not None:
            margin = y * classifier.h(X)
            right, wrong = w[margin > 0].sum(), w[margin < 0].sum()
            if right - wrong <= TINY:
                classifier = None
        if classifier is None and arms == "full":
            break
        if classifier is not None:
            alpha = 0.5 * math.log((right + s) / (wrong + s))
            loss = right * math.exp(-alpha) + wrong * math.exp(alpha)
            w = w * np.exp(-alpha * margin)
            w = w / w.sum()
        model.alpha.append(alpha)
        model.loss.append(loss)
        model.classifier.append(classifier)
    model.weights = w
    return model
