"""Rows that are held back from boosting, to see when it no longer helps."""

from typing import Any

import numpy as np


class Held:
    """The error on rows held back, by round, and its mean over the last fifth of the rounds."""

    def __init__(self, X: np.ndarray, truth: np.ndarray, weight: np.ndarray) -> None:
        self.X, self.truth = X, truth  # (n, K): +1 or -1
        self.weight = weight / weight.sum()
        self.f = np.zeros(truth.shape)
        self.errors: list[float] = []

    def see(self, form: Any, several: bool) -> None:
        """Let the rounds vote that have not voted yet."""
        for t in range(len(self.errors), len(form.alpha)):
            form.vote(self.X, self.f, t, t + 1)
            if several:
                wrong = ((self.f > 0) != (self.truth > 0)).mean(axis=1)
            else:
                wrong = self.truth[np.arange(len(self.f)), self.f.argmax(axis=1)] < 0
            self.errors.append(float(wrong @ self.weight))

    def smoothed(self) -> np.ndarray:
        """R̄(t) for t = 1, 2, …"""
        t = np.arange(1, len(self.errors) + 1)
        upto = np.append(0.0, np.cumsum(self.errors))
        begin = 4 * t // 5
        return (upto[t] - upto[begin]) / (t - begin)

    def best(self) -> int:
        """The number of rounds with the least smoothed error."""
        return int(self.smoothed().argmin()) + 1
