"""Rows prepared online, for the plain twin of a linear learner: written from the description in the
docs, with one list of values a column and nothing computed ahead."""

import math
from importlib import import_module

import numpy as np

from .twin import Twin

MODULES = {
    "InverseGap": "inverse_gap",
    "Banditron": "banditron",
    "LinUCB": "linucb",
    "ConservativeOVA": "conservative",
    "Perceptron": "perceptron",
}


def twin(name):
    return getattr(import_module(f"tests.reference.{MODULES[name]}"), name)


class Column:
    """Numbers of a column so far; far ones are pulled in when they come."""

    def __init__(self):
        self.values = []

    def mean(self):
        return sum(self.values) / len(self.values) if self.values else 0.0

    def variance(self):
        mean = self.mean()
        return sum((v - mean) ** 2 for v in self.values) / len(self.values) if self.values else 0.0

    def add(self, v):
        mean, deviation = self.mean(), math.sqrt(self.variance())
        if len(self.values) >= 10 and deviation > 0:
            v = min(max(v, mean - 10 * deviation), mean + 10 * deviation)
        self.values.append(v)

    def scaled(self, v, centred):
        mean, variance = self.mean(), self.variance()
        if not centred:
            variance, mean = variance + mean**2, 0.0
        if variance == 0:
            return 0.0
        return min(max((v - mean) / math.sqrt(variance), -2.0), 2.0)


class Prepared(Twin):
    def __init__(self, k, d, learner, settings, nominal, n_words, interactions):
        self.d, self.n_words, self.pairs = d, n_words, interactions
        self.nominal = list(nominal) or [0] * d
        self.columns = [Column() for _ in range(d)]
        self.rows_with = [0] * d  # of words
        self.t = 0
        sizes = [max(1, m) for m in self.nominal]
        self.width = sum(sizes) + sum(sizes[i] * sizes[j] for i, j in interactions) + 1
        self.centred = n_words == 0 and self.width <= 4096
        self.learner = twin(learner)(k, self.width, **settings)

    @classmethod
    def resolved(cls, learner):
        """All parameters of the inner learner, with those that it derives."""
        inner, name = learner.inner, learner.learner
        hidden = ("n_classes", "n_features", *twin(name).left_out)
        given = {key: v for key, v in inner.params().items() if key not in hidden}
        return {"settings": given | twin(name).resolved(inner)}

    def block(self, j, v):
        """The numbers that value v of column j becomes."""
        if self.nominal[j]:
            block = [0.0] * self.nominal[j]
            if 0 <= v < self.nominal[j]:
                block[int(v)] = math.sqrt(2)
            return block
        if math.isnan(v):
            return [0.0]
        if j >= self.d - self.n_words:
            return [v * (math.log((2 + self.t) / (1 + self.rows_with[j])) + 1)]
        return [self.columns[j].scaled(v, self.centred)]

    def product(self, i, j, x):
        hot = math.sqrt(2) if self.nominal[i] or self.nominal[j] else 1.0
        blocks = self.block(i, x[i]), self.block(j, x[j])
        return [min(max(a * b / hot, -2.0), 2.0) for a in blocks[0] for b in blocks[1]]

    def prepared(self, x):
        z = [number for j in range(self.d) for number in self.block(j, x[j])]
        for i, j in self.pairs:
            z += self.product(i, j, x)
        z = np.array([*z, 1.0])
        assert len(z) == self.width
        return z / math.sqrt((z**2).sum())

    def scores(self, x):
        return self.learner.scores(self.prepared(x))

    def chances(self, x):
        return self.learner.chances(self.prepared(x))

    def tied(self, x):
        return self.learner.tied(self.prepared(x))

    def update(self, x, *round):
        self.learner.update(self.prepared(x), *round)
        for j in range(self.d):
            if j >= self.d - self.n_words:
                self.rows_with[j] += not math.isnan(x[j]) and x[j] != 0
            elif not self.nominal[j] and not math.isnan(x[j]):
                self.columns[j].add(x[j])
        self.t += 1

    def state(self):
        numbers = [j for j in range(self.d - self.n_words) if not self.nominal[j]]
        moments = np.full((3, self.d), np.nan)
        for j in numbers:
            column = self.columns[j]
            n = len(column.values)
            moments[:, j] = n, column.mean(), n * column.variance()
        return {"moments": moments, "n_rounds": [self.t]}
