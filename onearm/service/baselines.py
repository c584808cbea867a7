"""Baselines: what choosing evenly, or always the same label, would have earned.

By SNIPS, Σ w r / Σ w with w = π(A)/p(A): for even choice π(A) is 1 over the number of labels with
a positive probability, for a constant label it is 1 where that label was chosen and 0 elsewhere.
Beside it stand the effective sample size (Σ w)²/Σ w² and the largest weight, which may make it
worthless.
"""

from typing import Any

import numpy as np

W, WW, WR, LARGEST = range(4)  # columns: Σ w, Σ w², Σ w r, the largest w


class Baselines:
    """Sums over events, of even choice and of each label, while labels are added."""

    def __init__(self) -> None:
        self.even, self.constant = np.zeros(4), np.zeros((0, 4))

    def add(self, r: np.ndarray, p: np.ndarray, A: np.ndarray) -> None:
        """Count events with rewards r, distributions p and chosen labels A."""
        n, k = p.shape
        self.constant = np.pad(self.constant, ((0, max(0, k - len(self.constant))), (0, 0)))
        w = 1 / p[np.arange(n), A]
        _add(self.even, w / (p > 0).sum(axis=1), r)
        for a in np.unique(A):
            _add(self.constant[a], w[A == a], r[A == a])

    def rows(self, names: tuple[Any, ...]) -> list[dict[str, Any]]:
        """Return even choice and the label with the highest value, as far as there are events."""
        if not self.even[W]:
            return []
        seen = self.constant[:, W] > 0
        values = np.full(len(seen), -np.inf)
        np.divide(self.constant[:, WR], self.constant[:, W], out=values, where=seen)
        best = int(values.argmax())
        return [
            {"policy": "evenly", "label": ""} | _values(self.even),
            {"policy": "best_label", "label": str(names[best])} | _values(self.constant[best]),
        ]


def _add(sums: np.ndarray, w: np.ndarray, r: np.ndarray) -> None:
    sums[:LARGEST] += w.sum(), w @ w, w @ r
    sums[LARGEST] = max(sums[LARGEST], w.max())


def _values(sums: np.ndarray) -> dict[str, float]:
    return {
        "snips": float(sums[WR] / sums[W]),
        "effective_sample_size": float(sums[W] ** 2 / sums[WW]),
        "largest_weight": float(sums[LARGEST]),
    }
