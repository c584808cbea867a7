"""Other ways to optimise online without projections, to compare with.

    OnlineFrankWolfe  one linear minimisation and one gradient a round; regret T^(3/4)
    MetaFrankWolfe    a chain of optimisers on averaged stochastic gradients; √T in the mean
    MORGFW            the same, its averages corrected by the gradient one step before; √T

An oracle takes a point and a seed and returns a stochastic gradient there. MORGFW asks it at two
points with the same seed, which must then mean the same noise.

E. Hazan, S. Kale. Projection-free online learning. ICML 2012.
L. Chen, C. Harshaw, H. Hassani, A. Karbasi. Projection-free online optimization with stochastic
gradient: from convexity to submodularity. ICML 2018.
J. Xie, Z. Shen, C. Zhang, B. Wang, H. Qian. Efficient projection-free online methods with
stochastic recursive gradient. AAAI 2020.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from onearm.convex.arguments import MOST, SEEDS, STEEPEST, finite, gradient, integer, restored
from onearm.convex.convex_set import Set, as_set
from onearm.convex.olo import PerturbedLeader

Oracle = Callable[[np.ndarray, int], np.ndarray]


class OnlineFrankWolfe:
    """Anytime: v = argmin ⟨S + 2σ(x - x₁), v⟩, then x ← (1 - 1/√t) x + v/√t.

    S is the sum of all gradients and σ = Σ G/D·t^(-1/4), with G the largest gradient so far.
    """

    def __init__(self, K: Set) -> None:
        self.K, self.t = as_set(K), 0
        self.x, self.S = K.centre.copy(), np.zeros(K.shape)
        self.G = self.sigma = 0.0

    def choose(self) -> np.ndarray:
        """Return the decision."""
        return self.x.copy()

    def update(self, g: Any) -> None:
        """Learn from the gradient at the decision."""
        g = gradient("g", g, self.K.shape)
        t, S, G = self.t + 1, self.S + g, max(self.G, float(np.linalg.norm(g)))
        sigma = self.sigma + G / self.K.diameter * t**-0.25
        v = self.K.minimise(S + 2.0 * sigma * (self.x - self.K.centre))
        self.x = self.x + (v - self.x) / np.sqrt(t)
        self.t, self.S, self.G, self.sigma = t, S, G, sigma

    def play(self, oracle: Oracle, seed: int) -> np.ndarray:
        """Play a round and return the decision."""
        x = self.choose()
        self.update(oracle(x.copy(), integer("seed", seed, *SEEDS)))
        return x


class MetaFrankWolfe:
    """x^{k+1} = (1-η_k) x^k + η_k a_k, of which the last is played; a_k learns from
    d^k = (1-ρ_k) d^{k-1} + ρ_k g^k, with η_k = 1/(k+3) and ρ_k = 2/(k+3)^(2/3).

    In theory there are T^(3/2) steps in each of T rounds.
    """

    def __init__(self, K: Set, steps: int, seed: int = 0) -> None:
        self.K = as_set(K)
        self.steps = integer("steps", steps, 1, MOST // max(K.centre.size, 1))
        self.leaders = PerturbedLeader(K, self.steps, seed)

    def weight(self, k: int) -> float:
        """η_k."""
        return 1.0 / (k + 3)

    def averaged(self, points: np.ndarray, oracle: Oracle, seeds: Sequence[int]) -> np.ndarray:
        """d^1, d^2, …"""
        d, averages = np.zeros(self.K.shape), np.empty_like(points)
        for k in range(1, self.steps + 1):
            rho = 2.0 / (k + 3) ** (2.0 / 3.0)
            d = (1.0 - rho) * d + rho * self._answer(oracle, points[k - 1], seeds[k - 1])
            averages[k - 1] = d
        return averages

    def play(self, oracle: Oracle, seed: int) -> np.ndarray:
        """Play a round and return the decision."""
        seed = integer("seed", seed, *SEEDS)
        with restored(self.leaders.arrays()):
            return self._play(oracle, seed)

    def _play(self, oracle: Oracle, seed: int) -> np.ndarray:
        x, points = self.K.centre, np.empty((self.steps, *self.K.shape))
        for k in range(1, self.steps + 1):
            points[k - 1] = x
            x = x + self.weight(k) * (self.leaders.predict(k - 1) - x)
        seeds = [seed * self.steps + k for k in range(self.steps)]
        for k, d in enumerate(self.averaged(points, oracle, seeds)):
            self.leaders.update(d, k)
        return x

    def _answer(self, oracle: Oracle, x: np.ndarray, seed: int) -> np.ndarray:
        answer = oracle(x.copy(), int(seed))
        return finite("the gradient of the oracle", answer, self.K.shape, STEEPEST)


class MORGFW(MetaFrankWolfe):
    """The same with η_k = ρ_k = 1/(k+1) and, both gradients with the same noise,
    d^k = g(x^k) + (1-ρ_k)(d^{k-1} - g(x^{k-1})). In theory there are T steps in each round.
    """

    def weight(self, k: int) -> float:
        return 1.0 / (k + 1)

    def averaged(self, points: np.ndarray, oracle: Oracle, seeds: Sequence[int]) -> np.ndarray:
        d, averages = self._answer(oracle, points[0], seeds[0]), np.empty_like(points)
        averages[0] = d
        for k in range(2, self.steps + 1):
            now, before = (self._answer(oracle, points[k - j], seeds[k - 1]) for j in (1, 2))
            d = now + (1.0 - self.weight(k)) * (d - before)
            averages[k - 1] = d
        return averages
