"""Projection-free online optimisation from noisy gradients or from losses alone.

N online linear optimisers A¹ … Aᴺ choose a_1 … a_N, and

    x^i = (1 - η_i) x^{i-1} + η_i a_i,    η_i = 2/(i+1),    i = 1 … N,

of which x^N is played. Then A^i gets a gradient at x^{i-1}, the point that it was to improve. With
losses alone it is the estimate (n/δ)·ℓ(x^{i-1} + δ u_i)·u_i, with u_i a random unit vector along
the set, and the optimisers keep to a set smaller by δ.

N. Brukhim, E. Hazan. Online boosting with bandit feedback. ALT 2021, Algorithm 1.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from onearm.convex.arguments import SEEDS, finite, gradient, inside, integer, restored
from onearm.convex.convex_set import Set, as_set
from onearm.convex.olo import Optimisers, PerturbedLeader
from onearm.core.rng import fill_normal, seeded

GRADIENTS, LOSSES = "gradients", "losses"


class Query(NamedTuple):
    """What is played, and where an answer is asked for."""

    decision: np.ndarray
    points: np.ndarray  # (N, …): where the gradient or the loss is asked for
    directions: np.ndarray  # (N, …): unit vectors from where the points were moved; else zeros


class ProjectionFree:
    """Algorithm 1.

    Parameters
    ----------
    K
        The set of decisions.
    N
        How many optimisers; in theory of the order of √T for T rounds.
    answers
        "gradients" (noisy, but right in the mean) or "losses".
    delta
        With losses, how far points are moved; below the radius of the set's inner ball.
    optimisers
        The kind of the optimisers.
    seed
        Random seed.

    Examples
    --------
    >>> from onearm.convex.sets import Simplex
    >>> learner = ProjectionFree(Simplex(3), N=8, seed=1)
    >>> wanted = np.array([0.6, 0.3, 0.1])
    >>> for _ in range(300):
    ...     query = learner.choose()
    ...     learner.update(query, query.points - wanted)  # of ½‖x - wanted‖²
    >>> bool(np.abs(learner.mean() - wanted).max() < 0.1)
    True
    """

    def __init__(
        self, K: Set, N: int, answers: str = GRADIENTS, delta: float = 0.0,
        optimisers: Callable[..., Optimisers] = PerturbedLeader, seed: int = 0,
    ) -> None:  # fmt: skip
        as_set(K)
        _check_answers(answers)
        if not callable(optimisers):
            raise ValueError(f"optimisers must be a class of onearm.convex.olo, got {optimisers!r}")
        self.K, self.answers, self.delta = K, answers, 0.0
        if answers == LOSSES:
            if K.n < 1:
                raise ValueError("K must have more than one point to learn from losses")
            self.delta = inside("delta", delta, 0.0, K.inner, f"(0, {K.inner:.4g})")
        self.inside = K.shrunk(self.delta / K.inner) if self.delta else K
        self.optimisers = optimisers(self.inside, N, seed=seed)
        self.N = self.optimisers.N
        self.rng = seeded(integer("seed", seed, *SEEDS), 1)
        self.total, self.t = np.zeros(K.shape), np.zeros(1, np.int64)

    @classmethod
    def for_rounds(cls, K: Set, T: int, answers: str = GRADIENTS, **more: Any) -> "ProjectionFree":
        """Return one with N = √T and, with losses, δ = T^(-1/4) but at most half of what may be."""
        as_set(K)
        _check_answers(answers)
        T = integer("T", T, 1, 2**53)
        delta = min(T**-0.25, K.inner / 2) if answers == LOSSES else 0.0
        return cls(K, max(1, round(T**0.5)), answers, delta, **more)

    def choose(self) -> Query:
        """Return the decision and the points to be answered."""
        x, points = self.K.centre, np.empty((self.N, *self.K.shape))
        for i in range(self.N):
            points[i] = x
            eta = 2.0 / (i + 2)
            x = (1.0 - eta) * x + eta * self.optimisers.predict(i)
        directions = np.zeros_like(points)
        if self.answers == LOSSES:
            fill_normal(directions.reshape(-1), self.rng)
            directions[:] = [self.K.direction(z) for z in directions]
        return Query(x, points + self.delta * directions, directions)

    def update(self, query: Query, answers: Any) -> None:
        """Learn from gradients at the points, (N, …), or losses, (N,)."""
        with restored(self.arrays()):
            self._learn(query, answers)

    def _learn(self, query: Query, answers: Any) -> None:
        self._check(query)
        shape = query.points.shape if self.answers == GRADIENTS else (self.N,)
        answers = finite("answers", answers, shape)
        if self.answers == LOSSES:
            with np.errstate(over="ignore"):
                scale = self.K.n / self.delta * answers
            answers = scale.reshape(-1, *(1,) * len(self.K.shape)) * query.directions
        gradients = gradient("answers", answers, query.points.shape)
        for i in range(self.N):
            self.optimisers.update(gradients[i], i)
        self.total += query.decision
        self.t += 1

    def _check(self, query: Any) -> None:
        if not isinstance(query, Query):
            raise ValueError(f"query must be what choose() returned, got {query!r}")
        many = self.N, *self.K.shape
        for name, part, shape in zip(query._fields, query, (many[1:], many, many), strict=True):
            finite(f"query.{name}", part, shape)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the state: copied into another of the same parameters, it continues from here."""
        sums = {"total": self.total, "t": self.t, "rng": self.rng}
        return sums | {f"optimisers.{name}": v for name, v in self.optimisers.arrays().items()}

    def play(self, oracle: Callable[[np.ndarray, int], Any], seed: int) -> np.ndarray:
        """Play a round, asking an oracle at each point with a seed, and return the decision."""
        seed = integer("seed", seed, *SEEDS) * self.N
        with restored(self.arrays()):
            query = self.choose()
            asked = enumerate(query.points.copy())
            self._learn(query, [oracle(x, seed + i) for i, x in asked])
        return query.decision

    def mean(self) -> np.ndarray:
        """Return the mean of all decisions."""
        return self.total / max(self.t[0], 1)


def _check_answers(answers: Any) -> None:
    if not isinstance(answers, str) or answers not in (GRADIENTS, LOSSES):
        raise ValueError(f"answers must be {GRADIENTS} or {LOSSES}, got {answers!r}")
