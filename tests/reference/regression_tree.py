"""A regression tree of linear losses, written down plainly: nodes are objects, sums are lists."""

import numpy as np

B, FIRST, GRACE, SURE, TIE = 16, 200, 50, np.log(1 / 0.05), 0.1


class Leaf:
    def __init__(self, value):
        self.value, self.n, self.examples = value, 0, []


class Node:
    def __init__(self, feature, cut, below, above):
        self.feature, self.cut, self.below, self.above = feature, cut, below, above


class Tree:
    def __init__(self, d, m, lr, power, R, leaves):
        self.lr, self.power, self.R, self.leaves = lr, power, R, leaves
        self.d, self.root, self.first, self.edges = d, Leaf(np.zeros(m)), [], None

    def codes(self, x):
        return (x[:, None] > self.edges).sum(axis=1)

    def path(self, x):
        """The leaf, and how to replace it."""
        place, put = self.root, lambda new: setattr(self, "root", new)
        while isinstance(place, Node):
            side = "below" if self.codes(x)[place.feature] <= place.cut else "above"
            place, put = getattr(place, side), lambda new, p=place, s=side: setattr(p, s, new)
        return place, put

    def predict(self, x):
        return self.path(x)[0].value

    def size(self, place=None):
        place = place or self.root
        return 1 if isinstance(place, Leaf) else self.size(place.below) + self.size(place.above)

    def learn(self, x, g):
        leaf, put = self.path(x)
        leaf.n += 1
        value = leaf.value - self.lr * leaf.n**-self.power * g
        leaf.value = value * min(1.0, self.R / max(np.linalg.norm(value), 1e-300))
        if self.edges is None:
            self.first.append(x)
            if len(self.first) == FIRST:
                ordered = np.sort(self.first, axis=0)
                self.edges = ordered[[(b + 1) * FIRST // B for b in range(B - 1)]].T
                leaf.n = 0
            return
        leaf.examples.append((self.codes(x), g))
        if leaf.n % GRACE == 0 and self.size() < self.leaves:
            self.split(leaf, put)

    def split(self, leaf, put):
        codes, g = (np.array(part) for part in zip(*leaf.examples, strict=True))
        splits = []
        for j in range(self.d):
            gains = []
            for b in range(B - 1):
                under = codes[:, j] <= b
                parts = g[under].sum(axis=0), g[~under].sum(axis=0)
                gains.append(sum(map(np.linalg.norm, parts)) - np.linalg.norm(sum(parts)))
            splits.append((max(gains), j, int(np.argmax(gains))))
        ranked = sorted(splits, key=lambda split: -split[0])
        (best, feature, cut), (second, *_) = [*ranked, (0.0,)][:2]
        n, deviation = leaf.n, np.sqrt((g**2).sum() / leaf.n)
        bound = deviation * np.sqrt(2 * SURE / n)
        if best > 1e-9 and (
            best - second > n * bound or (bound < TIE * deviation and best > n * bound)
        ):
            put(Node(feature, cut, Leaf(leaf.value.copy()), Leaf(leaf.value.copy())))
