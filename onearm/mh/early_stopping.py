"""Rows that are held back from boosting, to see when it no longer helps."""

from typing import Any

import numpy as np

from onearm.core.kernels import kernel


class ValidationCurve:
    """The error on rows held back, by round, and its mean over the last fifth of the rounds."""

    def __init__(self, X: np.ndarray, truth: np.ndarray, weight: np.ndarray) -> None:
        self.X, self.truth = X, truth  # (n, K): whether a row has a label
        self.weight = weight / weight.sum()
        self.f = np.zeros(truth.shape)
        self.errors: list[float] = []

    def update(self, ensemble: Any, several: bool) -> None:
        """Let the rounds vote that have not voted yet."""
        for t in range(len(self.errors), len(ensemble.alpha)):
            ensemble.vote(self.X, self.f, t, t + 1)
            self.errors.append(error(self.f, self.truth, self.weight, several))

    def smoothed(self) -> np.ndarray:
        """R̄(t) for t = 1, 2, …"""
        t = np.arange(1, len(self.errors) + 1)
        upto = np.append(0.0, np.cumsum(self.errors))
        begin = 4 * t // 5
        return (upto[t] - upto[begin]) / (t - begin)

    def best(self) -> int:
        """The number of rounds with the least smoothed error."""
        return int(self.smoothed().argmin()) + 1


@kernel
def error(f, truth, weight, several):
    """The weight of wrong rows; with several labels at once, of the share of wrong labels."""
    wrong, K = 0.0, f.shape[1]
    for i in range(len(f)):
        if several:
            for l in range(K):  # noqa: E741
                wrong += weight[i] / K * ((f[i, l] > 0.0) != truth[i, l])
        else:
            most = 0
            for l in range(1, K):  # noqa: E741
                if f[i, l] > f[i, most]:
                    most = l
            wrong += weight[i] * (not truth[i, most])
    return wrong
