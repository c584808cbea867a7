"""Rows and targets prepared online for a regressor, written down plainly."""

import math

import numpy as np

from .prepared import Column


class Rows:
    def __init__(self, nominal):
        self.nominal, self.columns = nominal, [Column() for _ in nominal]

    def prepared(self, x):
        z = []
        for v, size, column in zip(x, self.nominal, self.columns, strict=True):
            if size:
                z += [math.sqrt(2) * (v == code) for code in range(size)]
            else:
                z.append(0.0 if math.isnan(v) else column.scaled(v, True))
        return np.array([*z, 1.0]) / math.sqrt(len(self.nominal) + 1)

    def add(self, x):
        for v, size, column in zip(x, self.nominal, self.columns, strict=True):
            if not size and not math.isnan(v):
                column.add(v)


class Targets:
    def __init__(self, m):
        self.seen = np.empty((0, m))

    def moments(self):
        if len(self.seen) == 0:
            return 0.0, 1.0
        deviation = self.seen.std(axis=0)
        return self.seen.mean(axis=0), np.where(deviation > 0, deviation, 1.0)

    def scaled(self, y):
        mean, deviation = self.moments()
        return np.clip((y - mean) / deviation, -10, 10)

    def original(self, p):
        mean, deviation = self.moments()
        return mean + deviation * p

    def add(self, y):
        self.seen = np.vstack([self.seen, y])
