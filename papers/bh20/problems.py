"""Three problems for projection-free methods: sums of random losses on convex sets.

    completion  a matrix is to be filled in: NuclearBall, ½ (x_ij - m_ij)² over a batch of entries
    routing     a unit of traffic through layers of nodes: Flows, Σ_e c_e x_e + ½ b_e x_e²
    portfolio   money over assets: Simplex, -ln ⟨r, x⟩

The losses of rounds 0, 1, … are sampled independently from one distribution with a seed. A problem
gives the loss and the gradient summed over a slice of rounds, so that a single round and all of
them are the same code. Its oracle adds uniform noise to each coordinate of a gradient, or to a
loss, sampled with a seed of the call.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np

from onearm.convex.flows import Flows
from onearm.convex.matrices import NuclearBall
from onearm.convex.olo import fill_uniform
from onearm.convex.sets import Set, Simplex
from onearm.core.rng import seeded
from papers.z19.data import load

EVERY, PROTEINS, RADIUS, BATCH = 45, 12, 24.0, 32  # completion
LAYERS, WIDE = 2, 3  # routing
LOW, HIGH = (0.2, 0.6), (1.2, 2.0)  # portfolio: of the relatives of the first and last asset
LOSS_NOISE = 0.2  # width
ABOUT = {
    "completion": f"real: every {EVERY}th row of the Mice Protein data set and the {PROTEINS} "
    "proteins with most missing values, standardised; a loss is the mean of ½ (x_ij - m_ij)² "
    f"over {BATCH} random entries that are not missing; the singular values of x add up to "
    f"at most {RADIUS:g}",
    "routing": f"synthetic: {LAYERS} layers of {WIDE} nodes between source and sink, every node "
    "linked to every node of the next; c and b uniform around a mean for each edge",
    "portfolio": "synthetic: 10 assets, price relatives uniform and independent, of the first in "
    f"[{LOW[0]}, {HIGH[0]}], of the last in [{LOW[1]}, {HIGH[1]}], of the others evenly between",
    "three assets": "the same with 3 assets",
}


class Best(NamedTuple):
    """The loss of the best fixed point in hindsight, and by how much at most it is too high."""

    loss: float
    gap: float


class Problem:
    """A sum of losses over rounds on a set, with a noisy oracle for each round."""

    K: Any  # the Set
    noise: float  # the width of a gradient's, in each coordinate
    curved: float  # a bound on how fast a round's gradient changes, along `lift`

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def loss(self, x: np.ndarray, rounds: slice) -> float:
        raise NotImplementedError

    def gradient(self, x: np.ndarray, rounds: slice) -> np.ndarray:
        raise NotImplementedError

    def gradients(self, t: int) -> Callable[[np.ndarray, int], np.ndarray]:
        """Return the oracle of round t."""
        return lambda x, seed: self.gradient(x, single(t)) + self._noise(x.shape, self.noise, seed)

    def losses(self, t: int) -> Callable[[np.ndarray, int], float]:
        """Return the oracle of round t that gives only losses."""
        return lambda x, seed: self.loss(x, single(t)) + self._noise((1,), LOSS_NOISE, seed)[0]

    def lift(self) -> tuple[Set, np.ndarray]:
        """Return a set with a projection, and the matrix that maps its points to those of K."""
        return self.K, np.eye(self.K.shape[0])

    def _noise(self, shape: tuple[int, ...], width: float, seed: int) -> np.ndarray:
        noise = np.empty(shape)
        fill_uniform(noise.reshape(-1), width, seeded(seed, 100 + self.seed))
        return noise


class Completion(Problem):
    noise = 0.02
    curved = 1.0

    def __init__(self, seed: int, T: int) -> None:
        super().__init__(seed)
        X = load("mice").arrays()[0][::EVERY]
        X = X[:, np.argsort((X == 0).sum(axis=0), kind="stable")[-PROTEINS:]]
        seen = np.where(X == 0, np.nan, X)  # 0 stands for missing
        self.M = np.nan_to_num((seen - np.nanmean(seen, axis=0)) / np.nanstd(seen, axis=0))
        self.K = NuclearBall(X.shape[0], X.shape[1], RADIUS)
        rng = np.random.default_rng((seed, 0))
        self.batches = rng.choice(np.flatnonzero(X), (T, BATCH))

    def _weights(self, rounds: slice) -> np.ndarray:
        seen = np.bincount(self.batches[rounds].ravel(), minlength=self.M.size)
        return seen.reshape(self.M.shape) / BATCH

    def loss(self, x: np.ndarray, rounds: slice) -> float:
        return 0.5 * float((self._weights(rounds) * (x - self.M) ** 2).sum())

    def gradient(self, x: np.ndarray, rounds: slice) -> np.ndarray:
        return self._weights(rounds) * (x - self.M)


class Routing(Problem):
    noise = 0.5
    curved = 2.0 * (LAYERS + 1) * WIDE**LAYERS

    def __init__(self, seed: int, T: int) -> None:
        super().__init__(seed)
        inner = np.arange(LAYERS * WIDE).reshape(LAYERS, WIDE) + 1
        layers = [[0], *inner.tolist(), [LAYERS * WIDE + 1]]
        edges = [
            edge for layer, following in pairwise(layers) for edge in product(layer, following)
        ]
        self.K, self.layers = Flows(edges, 0, layers[-1][0]), layers
        means = np.random.default_rng(0).uniform(0.2, 1.0, (2, len(edges)))
        factors = np.random.default_rng((seed, 1)).uniform(0, 2, (T, 2, len(edges)))
        self.c, self.b = np.moveaxis(factors * means, 1, 0)

    def loss(self, x: np.ndarray, rounds: slice) -> float:
        c, b = self.c[rounds].sum(axis=0), self.b[rounds].sum(axis=0)
        return float(c @ x + 0.5 * b @ x**2)

    def gradient(self, x: np.ndarray, rounds: slice) -> np.ndarray:
        return self.c[rounds].sum(axis=0) + self.b[rounds].sum(axis=0) * x

    def lift(self) -> tuple[Set, np.ndarray]:
        """Return the mixtures of paths."""
        paths = [set(pairwise(nodes)) for nodes in product(*self.layers)]
        uses = [[tuple(edge) in path for path in paths] for edge in self.K.edges.tolist()]
        return Simplex(len(paths)), np.array(uses, float)


class Portfolio(Problem):
    noise = 1.0
    curved = 10 * HIGH[1] ** 2 / LOW[0] ** 2

    def __init__(self, seed: int, T: int, assets: int = 10) -> None:
        super().__init__(seed)
        self.K = Simplex(assets)
        low, high = np.linspace(*LOW, assets), np.linspace(*HIGH, assets)
        self.r = np.random.default_rng((seed, 2)).uniform(low, high, (T, assets))

    def loss(self, x: np.ndarray, rounds: slice) -> float:
        return -float(np.log(self.r[rounds] @ x).sum())

    def gradient(self, x: np.ndarray, rounds: slice) -> np.ndarray:
        r = self.r[rounds]
        return -(1 / (r @ x)) @ r


PROBLEMS: dict[str, Callable[[int, int], Problem]] = {
    "completion": Completion,
    "routing": Routing,
    "portfolio": Portfolio,
    "three assets": partial(Portfolio, assets=3),
}


def single(t: int) -> slice:
    """Return the slice of one round."""
    return slice(t, t + 1)


def best(problem: Problem, T: int, steps: int = 3000) -> Best:
    """Return the least loss over T rounds, by accelerated projected gradients with restarts."""
    everything, (L, A) = slice(0, T), problem.lift()
    y = before = L.centre
    age, step = 1.0, 1 / (problem.curved * T)
    for _ in range(steps):
        g = A.T @ problem.gradient(A @ y, everything)
        after = L.project(y - step * g)
        if np.vdot(y - after, after - before) > 0:
            age = 1.0
        older, age = age, (1 + (1 + 4 * age**2) ** 0.5) / 2
        y, before = after + (older - 1) / age * (after - before), after
    x = A @ before
    g = problem.gradient(x, everything)
    return Best(problem.loss(x, everything), float(np.vdot(g, x - problem.K.minimise(g))))
