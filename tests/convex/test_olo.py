"""Online linear optimisers: their regret on sequences made to hurt."""

import numpy as np
import pytest

from onearm.convex.flows import Flows
from onearm.convex.matrices import NuclearBall, Permutations, Spectrahedron
from onearm.convex.olo import GradientDescent, PerturbedLeader, RegularisedLeader
from onearm.convex.sets import Ball, Box, L1Ball, Simplex

T = 1000
EDGES = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
SETS = {
    "ball": Ball(5, 2.0),
    "box": Box(-np.ones(4), np.ones(4)),
    "simplex": Simplex(6),
    "l1": L1Ball(5, 1.5),
    "nuclear": NuclearBall(3, 4, 2.0),
    "spectrahedron": Spectrahedron(3, 1.0),
    "flows": Flows(EDGES, 0, 3),
    "permutations": Permutations(3),
}
CHEAP = [name for name in SETS if name not in ("flows", "permutations")]


def swinging(K, x, t, rng):
    """To and fro, half as large in the first round: a leader without noise is always wrong."""
    return (0.5 if t == 0 else (-1.0) ** t) * K.tangent(np.cos(np.arange(x.size)).reshape(x.shape))


def spiteful(K, x, t, rng):
    """Away from the middle of what was just message: it hurts whoever stands still."""
    away = x - K.centre
    return away / max(np.linalg.norm(away), 1e-9)


def turning(K, x, t, rng):
    """One thing for half of the time, then another."""
    bent = np.roll(np.arange(x.size), 2 if t > T // 2 else 0) / x.size
    return bent.reshape(x.shape) + 0.3 * rng.normal(size=x.shape)


ADVERSARIES = (swinging, spiteful, turning)


def regret(optimiser, adversary, late=False):
    """What was paid less what the best point would have; and what the bounds speak of.

    `late`: the adversary knows only the point of the round before, as with random choices.
    """
    K, rng, paid = optimiser.K, np.random.default_rng(0), 0.0
    squares = A = R = G = 0.0
    before = K.centre
    for t in range(T):
        x = optimiser.predict()
        assert K.contains(x, 1e-7)
        g = adversary(K, before if late else x, t, rng)
        before = x
        paid += np.vdot(g, x)
        squares += np.vdot(g, g)
        A, R = max(A, np.abs(g).sum()), max(R, abs(np.vdot(g, x)))
        G = max(G, np.linalg.norm(g))
        optimiser.update(g)
    best = K.minimise(optimiser.G[0])
    return paid - np.vdot(optimiser.G[0], best), squares, A, R, G


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("name", CHEAP)
def test_gradient_descent(name, adversary):
    """At most D√(2 Σ‖g‖²)."""
    K = SETS[name]
    lost, squares, *_ = regret(GradientDescent(K), adversary)
    assert lost <= K.diameter * np.sqrt(2 * squares)


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("name", CHEAP)
def test_regularised_leader(name, adversary):
    """At most 3/2·D G √T by squares and 2·max|g| √(T ln d) by entropy, and a round of getting to
    know how large gradients are."""
    K = SETS[name]
    lost, _, _, _, G = regret(RegularisedLeader(K), adversary)
    bound = 2 * np.sqrt(np.log(6)) if name == "simplex" else 1.5 * K.diameter
    assert lost <= G * (bound * np.sqrt(T) + 2 * K.diameter)


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("name", SETS)
def test_perturbed_leader(name, adversary):
    """In the mean at most 2√(D₁ R A T) where T is known; without, by √2 more at the most."""
    K = SETS[name]
    lost, _, A, R, _ = regret(PerturbedLeader(K), adversary, late=True)
    assert lost <= 2 * np.sqrt(2) * np.sqrt(K.width * R * A * T)


def test_without_noise_the_leader_is_fooled():
    """What the tests above would notice: the leader itself loses half a unit in every round."""

    class Leader(PerturbedLeader):
        def predict(self, i=0):
            self.x[i] = self.K.minimise(self.G[i])
            return self.x[i].copy()

    K = Simplex(2)
    _, _, A, R, _ = regret(PerturbedLeader(K), swinging, late=True)
    lost = regret(Leader(K), swinging, late=True)[0]
    assert lost > 2 * np.sqrt(2) * np.sqrt(K.width * R * A * T)


@pytest.mark.parametrize("kind", [PerturbedLeader, GradientDescent, RegularisedLeader])
def test_many_are_as_many_alone(kind):
    """Optimisers do not influence each other; perturbed ones share a generator."""
    K, rng = Ball(3), np.random.default_rng(0)
    three, alone = kind(K, 3, seed=1), kind(K, 1, seed=1)
    for _ in range(20):
        g = rng.normal(size=(3, 3))
        for i in range(3):
            three.update(g[i], i)
        alone.update(g[1])
    if kind is not PerturbedLeader:
        assert three.predict(1).tolist() == alone.predict().tolist()
    assert three.G[1].tolist() == alone.G[0].tolist()
    again = kind(K, 3, seed=1)
    for name, array in three.arrays().items():
        setattr(again, name, array.copy())
    assert again.predict(2).tolist() == three.predict(2).tolist()


def test_errors_name_what_is_wrong():
    with pytest.raises(ValueError, match="N must be at least 1"):
        GradientDescent(Ball(2), 0)
    with pytest.raises(ValueError, match="g must be finite numbers"):
        GradientDescent(Ball(2)).update([1.0, np.nan])
    with pytest.raises(NotImplementedError, match="no cheap projection"):
        GradientDescent(Permutations(3))
