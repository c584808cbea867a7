"""Online linear optimisation: choose a point of a set, see a gradient g, pay ⟨g, x⟩.

Each of these classes holds N optimisers of the same set, addressed by i. None needs to know how
many rounds there will be or how large gradients are. Their regret, what was paid less what the best
fixed point would have paid, grows as √T.

    PerturbedLeader    x = argmin ⟨G + noise, x⟩, G the sum of all g: needs `minimise` alone
    GradientDescent    x ← Π(x - η g),  η = D/√(2 Σ‖g‖²)
    RegularisedLeader  x = Π(c - η G),  η = D/(max‖g‖ √t); on a simplex x ∝ exp(-η G)

A. Kalai, S. Vempala. Efficient algorithms for online decision problems. 2005. M. Zinkevich. Online
convex programming and generalized infinitesimal gradient ascent. ICML 2003.
"""

from typing import Any

import numpy as np

from onearm.convex.arguments import MOST, SEEDS, gradient, integer, moderate
from onearm.convex.convex_set import Set, as_set
from onearm.convex.sets import Simplex
from onearm.core.kernels import kernel
from onearm.core.rng import seeded, uniform


class Optimisers:
    """N optimisers: the sum of their gradients, and how many there were."""

    def __init__(self, K: Set, N: int = 1) -> None:
        self.K, self.N = as_set(K), integer("N", N, 1, MOST // max(K.centre.size, 1))
        self.G, self.t = np.zeros((N, *K.shape)), np.zeros(N, np.int64)

    def predict(self, i: int = 0) -> np.ndarray:
        """Return the point that optimiser i chooses."""
        return self._predict(integer("i", i, 0, self.N - 1))

    def update(self, g: Any, i: int = 0) -> None:
        """Let optimiser i learn from a gradient."""
        i, g = integer("i", i, 0, self.N - 1), gradient("g", g, self.K.shape)
        self._learn(g, i)
        self.G[i] += g
        self.t[i] += 1

    def _predict(self, i: int) -> np.ndarray:
        raise NotImplementedError

    def _learn(self, g: np.ndarray, i: int) -> None:
        raise NotImplementedError

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the state."""
        return {name: v for name, v in vars(self).items() if isinstance(v, np.ndarray)}


class PerturbedLeader(Optimisers):
    """Follow the perturbed leader: noise of width 1/ε, ε = √(D₁/(R A t)), anew in every round.

    D₁ is the set's width in the 1-norm, A the largest ‖g‖₁ and R the largest `|⟨g, x⟩|` so far.
    """

    def __init__(self, K: Set, N: int = 1, seed: int = 0) -> None:
        super().__init__(K, N)
        self.x = np.zeros(self.G.shape)  # what was chosen last
        self.A, self.R = np.zeros(self.N), np.zeros(self.N)
        self.rng = seeded(integer("seed", seed, *SEEDS))

    def _predict(self, i: int) -> np.ndarray:
        spread = np.sqrt(self.R[i] * self.A[i] * max(self.t[i], 1) / self.K.width) or 1.0
        noise = np.empty(self.K.shape)
        fill_uniform(noise.reshape(-1), spread, self.rng)
        self.x[i] = self.K._minimise(moderate(self.G[i] + noise))
        return self.x[i].copy()

    def _learn(self, g: np.ndarray, i: int) -> None:
        self.A[i] = max(self.A[i], np.abs(g).sum())
        self.R[i] = max(self.R[i], abs(np.vdot(g, self.x[i])))


class GradientDescent(Optimisers):
    """Online gradient descent, its step by the gradients so far."""

    def __init__(self, K: Set, N: int = 1, seed: int = 0) -> None:
        super().__init__(K, N)
        K.project(K.centre)  # there must be a projection
        self.x = np.repeat(K.centre[None], self.N, axis=0)
        self.squares = np.zeros(self.N)

    def _predict(self, i: int) -> np.ndarray:
        return self.x[i].copy()

    def _learn(self, g: np.ndarray, i: int) -> None:
        squares = self.squares[i] + np.vdot(g, g)
        if squares > 0:
            eta = self.K.diameter / np.sqrt(2.0 * squares)
            self.x[i] = self.K.project(self.x[i] - eta * g)
        self.squares[i] = squares


class RegularisedLeader(Optimisers):
    """Follow the regularised leader: by squares, on a simplex by entropy."""

    def __init__(self, K: Set, N: int = 1, seed: int = 0) -> None:
        super().__init__(K, N)
        K.project(K.centre)
        self.largest = np.zeros(self.N)  # norm of a gradient, on a simplex its largest coordinate

    def _predict(self, i: int) -> np.ndarray:
        if self.largest[i] == 0:
            return self.K.centre.copy()
        root = np.sqrt(self.t[i])
        if isinstance(self.K, Simplex):
            eta = np.sqrt(np.log(self.K.n + 1)) / (root * self.largest[i])
            x = np.exp(-eta * (self.G[i] - self.G[i].min()))
            return x / x.sum()
        return self.K.project(
            self.K.centre - self.K.diameter / (root * self.largest[i]) * self.G[i]
        )

    def _learn(self, g: np.ndarray, i: int) -> None:
        norm = np.abs(g).max() if isinstance(self.K, Simplex) else np.linalg.norm(g)
        self.largest[i] = max(self.largest[i], norm)


@kernel
def fill_uniform(noise, spread, rng):
    """Independent numbers, uniform in ±spread/2."""
    for j in range(len(noise)):
        noise[j] = spread * (uniform(rng) - 0.5)
