"""Which columns are searched: the bandits of Busa-Fekete, Kegl, ICML 2010, and `recent`."""

import math

import numpy as np

from onearm.core.rng import below, uniform

from .stumps import TINY, best_cut


def reward_of(edge, kind):
    g = min(max(edge, 0.0), 1.0)
    if kind == "square":
        return g * g
    if kind == "edge":
        return 1 - math.sqrt(1 - g * g)
    if g >= 1 - TINY:
        return 1.0
    return min(1.0, -math.log(math.sqrt(1 - g * g)))


class Bandit:
    def __init__(self, columns, policy, at_once, reward, lam, eta, horizon, scaled, rng):
        self.columns, self.M, self.policy, self.at_once = columns, len(columns), policy, at_once
        self.reward, self.scaled, self.largest = reward, scaled, 0.0
        self.lam, self.eta, self.horizon, self.rng = lam, eta, horizon, rng
        self.items = np.arange(self.M)
        self.L = np.array([eta * lam / 3 * math.sqrt(horizon / self.M) for _ in columns])
        self.history = [[] for _ in columns]
        self.last = {}
        self.rewards = []
        self.visits, self.totals = {}, {}  # of UCT, by sequence of columns
        self.path, self.step = (), 0
        self.cut = None  # in place of the best one

    def search(self, X, target):
        count = self.M if self.policy == "full" else min(self.at_once, self.M)
        if self.policy == "exp3p" and self.M > 0:
            count = self.at_once
        best, best_edge, taken = None, -1.0, []
        for _ in range(count):
            j = self.choose(taken)
            taken.append(j)
            stump, edge = self.pull(j, X, target)
            if edge > best_edge + TINY:
                best, best_edge = stump, edge
        return best, best_edge

    def pull(self, j, X, target):
        stump, edge = (self.cut or best_cut)(X, target, self.columns[j])
        node = np.abs(target).sum() if self.policy == "recent" else 1.0
        r = reward_of(edge / node, self.reward)
        self.largest = max(self.largest, r)
        if edge >= 0 or not self.history[j]:
            self.last[j] = r
        if self.scaled and self.largest > 0:
            r /= self.largest
        if self.policy == "exp3p":
            self.update_exp3p(j, r)
        self.history[j].append(r)
        self.rewards.append((self.columns[j], r))
        return stump, edge

    def choose(self, taken):
        if self.policy == "full":
            return len(taken)
        if self.policy == "uniform":
            n = len(taken)
            where = n + below(self.M - n, self.rng)
            self.items[[n, where]] = self.items[[where, n]]
            return int(self.items[n])
        if self.policy == "exp3p":
            return self.sample_exp3p()
        if self.policy == "recent":
            return self.sample_recent(taken)
        if self.policy == "uct":
            if self.step == len(self.path):
                self.path += (self.uct_child(),)
            return self.path[self.step]
        best, best_index = None, -math.inf
        for j in range(self.M):
            if j not in taken and self.index(j) > best_index + TINY:
                best, best_index = j, self.index(j)
        return best

    def uct_child(self):
        """Kocsis, Szepesvari 2006; as in MultiBoost an unvisited child has the mean U(0,1)."""
        log_n = math.log(max(1, self.visits.get(self.path, 0)))
        scores = []
        for j in range(self.M):
            u, child = uniform(self.rng), (*self.path, j)
            n = self.visits.get(child, 0)
            mean = self.totals[child] / n if n else u
            scores.append(mean + math.sqrt(2 * log_n / max(1, n)))
        return int(np.argmax(scores))

    def end_round(self, edge):
        r = reward_of(edge, self.reward)
        for length in range(len(self.path) + 1):
            node = self.path[:length]
            self.visits[node] = self.visits.get(node, 0) + 1
            self.totals[node] = self.totals.get(node, 0.0) + r
        self.path = ()

    def index(self, j):
        log_t = math.log(sum(len(rewards) for rewards in self.history))
        T, mean, V = len(self.history[j]), np.mean(self.history[j]), np.var(self.history[j])
        if self.policy == "ucb":
            return mean + math.sqrt(2 * log_t / T)
        return mean + math.sqrt(2 * V * log_t / T) + log_t / T

    def chances(self):
        soft = np.exp(self.L - self.L.max())
        return (1 - self.lam) * soft / soft.sum() + self.lam / self.M

    def sample_exp3p(self):
        u, p = uniform(self.rng), self.chances()
        for j in range(self.M):
            if u < p[j]:
                return j
            u -= p[j]
        return self.M - 1

    def sample_recent(self, taken):
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
