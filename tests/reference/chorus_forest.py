"""The forest of Chorus: one list of nodes per tree, rows as they came."""

import numpy as np

from onearm.core.rng import below, uniform

SHARE, READ = 1.5, 64


class Node:
    def __init__(self, rows):
        self.rows, self.column, self.t, self.children = rows, None, None, ()


class Forest:
    def __init__(self, k, nominal, n_trees, n_components):
        self.k, self.nominal = k, nominal
        d = len(nominal)
        self.room = min(32 * n_components, 2**23 // d) if 0 < d <= 512 and n_trees else 0
        self.most_nodes, self.work = self.room // 2, 10 * n_components
        self.tries = int(np.ceil(2 * np.sqrt(d)))
        self.before, self.n_slots = [], n_trees + 1
        self.begin()

    def begin(self):
        """Forget the rows; the trees are another forest's by now."""
        self.rows, self.labels, self.wrong, self.votes = [], [], [], []  # of those stored
        self.n_stored = self.n_grown = 0
        self.trees = [None] * self.n_slots  # each a root and the labels of the leaves' rows
        self.nodes = None  # of the tree at hand, in the order of their depth

    def drift(self):
        self.before = self.trees
        self.begin()

    def single(self, x):
        return np.clip(np.nan_to_num(x, nan=np.inf, posinf=1e38), -1e38, np.inf).astype(np.float32)

    # What trees say

    def left(self, v, j, t):
        m = self.nominal[j]
        if m == 0:
            return v <= t
        if not 0 <= v < m:
            return False
        if t < 0:
            return v == -t - 1
        h = (int(v) * 2654435 + int(t) * 40503) % 2**28
        h = (h ^ h >> 13) * 1274126177 % 2**28
        return h // 2**15 % 2 == 0

    def leaf(self, node, row):
        while node.children:
            node = node.children[0 if self.left(row[node.column], node.column, node.t) else 1]
        return node

    def vote(self, trees, x, q):
        complete, m = [tree for tree in trees if tree], np.zeros(self.k)
        for root, labels in complete:
            rows = self.leaf(root, self.single(x)).rows[:READ]
            for i in rows:
                label, wrong = labels[i]
                m[label] += 1 / len(rows)
                if wrong is not None:
                    m[wrong] -= q * SHARE / len(rows)
        return m / max(1, len(complete))

    # How they grow

    def store(self, x, label, right, scores):
        others = np.delete(np.arange(self.k), label)
        guess = label if right else others[np.argmax(scores[others])]
        place = self.n_stored % self.room
        self.rows[place : place + 1] = [self.single(x)]
        self.labels[place : place + 1] = [int(guess)]
        self.wrong[place : place + 1] = [None if right else label]
        self.votes[place : place + 1] = [0]
        self.n_stored += 1

    def grow(self, rng):
        if self.nodes is None:
            if self.n_stored < 4:
                return
            self.out, part = [], []
            for i, wrong in enumerate(self.wrong):
                takes_part = wrong is None or uniform(rng) >= 0.5
                (part if takes_part else self.out).append(i)
            self.nodes, self.next, self.n_rows = [Node(part)], 0, len(self.rows)
            self.trees[self.n_grown % self.n_slots] = None
        left = self.work + self.work * 4096 // self.n_rows
        while self.next < len(self.nodes) and left > 0:
            left -= self.look_at(self.nodes[self.next], rng)
            self.next += 1
        if self.next == len(self.nodes):
            root = self.nodes[0]
            labels = {i: (self.labels[i], self.wrong[i]) for i in root.all_rows}
            for i in reversed(self.out):
                self.guess_again(i, root, labels)
            self.trees[self.n_grown % self.n_slots] = root, labels
            self.n_grown, self.nodes = self.n_grown + 1, None

    def look_at(self, node, rng):
        rows, cost = node.rows, len(node.rows)
        if node is self.nodes[0]:
            node.all_rows = list(rows)
        y = [self.labels[i] for i in rows]
        if len(self.nodes) + 2 > self.most_nodes or len(set(y)) < 2:
            return cost
        some = rows[:: max(1, cost // 512)]
        y = [self.labels[i] for i in some]
        best, valid = (0.0, None, None), 0
        for _ in range(2 * self.tries + 8):
            if valid < self.tries:
                j = below(len(self.nominal), rng)
                values = np.array([float(self.rows[i][j]) for i in some])
                t = self.threshold(values, self.nominal[j], rng)
                purity = self.purity(values, j, t, y)
                cost += 2 * len(some)
                valid += purity > 0
                if purity > best[0]:
                    best = purity, j, t
        _, node.column, t = best
        if node.column is not None:
            node.t = float(np.float32(t))
            sides = self.sorted_rows(rows, node.column, t)
            node.children = [Node(side) for side in sides]
            self.nodes.extend(node.children)
        return cost

    def threshold(self, values, m, rng):
        if m > 0:
            v = values[below(len(values), rng)]
            alone = uniform(rng) < 0.5
            return -v - 1 if alone and 0 <= v < m else float(below(2**20, rng))
        there = values[np.isfinite(values)]
        if len(there) == 0:
            return 0.0
        least, most = there.min(), there.max()
        if len(there) < len(values) and (least == most or uniform(rng) < 0.3):
            return most
        t = float(np.float32(least + uniform(rng) * (most - least)))
        return least if t >= most else t

    def purity(self, values, j, t, y):
        sides = np.array([0 if self.left(v, j, t) else 1 for v in values])
        if len(set(sides)) < 2:
            return 0.0
        squares = [(np.bincount(np.array(y)[sides == side]) ** 2).sum() for side in (0, 1)]
        return sum(float(s) / (sides == side).sum() for side, s in enumerate(squares))

    def sorted_rows(self, rows, j, t):
        """Rows of both sides, in the order in which swaps from both ends bring them."""
        rows, first, last = list(rows), 0, len(rows) - 1
        while first <= last:
            if self.left(float(self.rows[rows[first]][j]), j, t):
                first += 1
            else:
                rows[first], rows[last] = rows[last], rows[first]
                last -= 1
        return rows[:first], rows[first:]

    def guess_again(self, i, root, labels):
        counts, there = np.zeros(self.k), []
        for p in self.leaf(root, self.rows[i]).rows[:READ]:
            label, wrong = labels[p]
            counts[label] += 1
            if wrong is not None:
                counts[wrong] -= SHARE
            there.append(label)
        able = [r for r in there if r != self.wrong[i]]
        if not able:
            return
        vote = max(able, key=lambda r: counts[r])
        if vote == self.labels[i]:
            self.votes[i] = min(20, self.votes[i] + 1)
        elif self.votes[i] > 0:
            self.votes[i] -= 1
        else:
            self.labels[i] = vote

    def state(self):
        """What the forest has stored, NaN where there is nothing."""
        pad = self.room - len(self.rows)
        answers = [
            (label, -1 if wrong is None else wrong)
            for label, wrong in zip(self.labels, self.wrong, strict=True)
        ]
        rows = np.array(self.rows, float).reshape(-1, len(self.nominal))
        rows[np.isinf(rows)] = np.nan
        return {
            "forest_rows": np.pad(rows, ((0, pad), (0, 0)), constant_values=np.nan),
            "forest_answers": np.pad(
                np.array(answers, float).reshape(-1, 2), ((0, pad), (0, 0)), constant_values=np.nan
            ),
            "forest_votes": self.votes + [np.nan] * pad,
        }
