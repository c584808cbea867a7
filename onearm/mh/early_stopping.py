"""Early stopping: the error on validation rows, by round."""

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from onearm.core.kernels import kernel
from onearm.mh.settings import Settings


def split(X: Any, y: np.ndarray, sample_weight: np.ndarray, settings: Settings) -> tuple:
    """Return the rows to learn from, and those for validation or None."""
    if settings.validation == 0:
        return (X, y, sample_weight), None
    rng = check_random_state(settings.random_state)
    parts = train_test_split(X, y, sample_weight, test_size=settings.validation, random_state=rng)
    return parts[::2], parts[1::2]


class ValidationCurve:
    """The error on validation rows after each round, and its mean over the last fifth of them."""

    def __init__(self, X: Any, truth: np.ndarray, weight: np.ndarray) -> None:
        self.X, self.truth = X, truth  # (n, K): whether a row has a label
        self.weight = weight / weight.sum()
        self.f = np.zeros(truth.shape)
        self.errors: list[float] = []

    def update(self, ensemble: Any, multilabel: bool) -> None:
        """Add the rounds that are new in the ensemble."""
        voters, X = ensemble.with_dense(self.X)
        for t in range(len(self.errors), len(ensemble.alpha)):
            voters.vote(X, self.f, t, t + 1)
            self.errors.append(error(self.f, self.truth, self.weight, multilabel))

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
def error(f, truth, weight, multilabel):
    """The weight of wrong rows; with several labels at once, of the share of wrong labels."""
    wrong, K = 0.0, f.shape[1]
    for i in range(len(f)):
        if multilabel:
            for l in range(K):  # noqa: E741
                wrong += weight[i] / K * ((f[i, l] > 0.0) != truth[i, l])
        else:
            best = 0
            for l in range(1, K):  # noqa: E741
                if f[i, l] > f[i, best]:
                    best = l
            wrong += weight[i] * (not truth[i, best])
    return wrong
