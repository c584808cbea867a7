"""Projection-free optimisation: Algorithm 1 step by step, its estimates and its regret."""

from itertools import product

import numpy as np
import pytest

from onearm.convex.matrices import NuclearBall
from onearm.convex.olo import GradientDescent, PerturbedLeader, RegularisedLeader
from onearm.convex.projection_free import ProjectionFree, Query
from onearm.convex.sets import Ball, Box, Simplex

ROUNDS = {"gradients": (16, 64, 256), "losses": (64, 256, 1024)}


def test_equals_the_algorithm_written_down():
    """With gradient descent inside, which draws nothing."""
    K, N, rng = Ball(3, 1.0), 4, np.random.default_rng(0)
    learner = ProjectionFree(K, N, optimisers=GradientDescent)
    a, squares = np.zeros((N, 3)), np.zeros(N)
    for _ in range(30):
        query, x, before = learner.choose(), np.zeros(3), []
        for i in range(1, N + 1):
            before.append(x)
            x = (1 - 2 / (i + 1)) * x + 2 / (i + 1) * a[i - 1]
        assert query.decision == pytest.approx(x, abs=1e-12)
        assert query.points == pytest.approx(np.array(before), abs=1e-12)
        g = rng.normal(size=(N, 3))
        learner.update(query, g)
        for i in range(N):
            squares[i] += (g[i] ** 2).sum()
            moved = a[i] - 2.0 / np.sqrt(2 * squares[i]) * g[i]
            a[i] = moved / max(1.0, np.linalg.norm(moved))


@pytest.mark.parametrize("K", [Box([-1.0], [1.0]), Simplex(3), Box(-np.ones(2), np.ones(2))])
def test_estimates_are_right_in_the_mean(K):
    """Over directions all round: of a quadratic loss the very gradient, along the set."""
    around = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    plane = np.linalg.svd(np.array([K.tangent(z) for z in np.eye(K.centre.size)]))[0][:, : K.n]
    circle = np.column_stack([np.cos(around), np.sin(around)]) if K.n == 2 else [[1.0], [-1.0]]
    wanted, delta, gradients = np.arange(K.centre.size) / 10, K.inner / 3, []
    learner = ProjectionFree(K, 1, "losses", delta)
    learner.optimisers.update = lambda g, i: gradients.append(g)
    for u in np.asarray(circle) @ plane.T:
        point = K.centre + delta * u
        query = Query(K.centre, point[None], u[None])
        learner.update(query, [((point - wanted) ** 2).sum()])
    gradient = K.tangent(2 * (K.centre - wanted))
    assert np.mean(gradients, axis=0) == pytest.approx(gradient, abs=1e-9)


def regret(T, answers, seed):
    """On ½‖x - b‖² with b drawn around a point of the simplex, against that point."""
    K, rng = Simplex(5), np.random.default_rng(seed)
    wanted = np.array([0.5, 0.2, 0.2, 0.1, 0.0])
    learner, lost = ProjectionFree.for_rounds(K, T, answers, seed=seed), 0.0
    for _ in range(T):
        query = learner.choose()
        assert K.contains(query.decision)
        lost += 0.5 * ((query.decision - wanted) ** 2).sum()
        noise = 0.3 * rng.normal(size=query.points.shape)
        off = query.points - wanted + noise
        learner.update(query, off if answers == "gradients" else 0.5 * (off**2).sum(axis=1))
    return lost


@pytest.mark.compiled
@pytest.mark.parametrize(("answers", "power"), [("gradients", 0.5), ("losses", 0.75)])
def test_regret_grows_as_it_should(answers, power):
    """Means over seeds 0 to 2; the power is that of the bound, and 0.1 is allowed to chance."""
    rounds = ROUNDS[answers]
    lost = [np.mean([regret(T, answers, seed) for seed in range(3)]) for T in rounds]
    slope = np.polyfit(np.log(rounds), np.log(lost), 1)[0]
    assert slope < power + 0.1


@pytest.mark.parametrize("answers", ["gradients", "losses"])
@pytest.mark.parametrize("kind", [PerturbedLeader, GradientDescent, RegularisedLeader])
def test_the_state_is_in_arrays(kind, answers):
    K, wanted = Simplex(4), np.array([0.4, 0.3, 0.2, 0.1])

    def oracle(x, seed):
        return x - wanted if answers == "gradients" else 0.5 * ((x - wanted) ** 2).sum()

    first, second = (ProjectionFree(K, 5, answers, 0.1, kind, seed=3) for _ in range(2))
    for t in range(20):
        first.play(oracle, t)
    for name, array in second.arrays().items():
        array[...] = first.arrays()[name]
    for t in range(20, 40):
        assert first.play(oracle, t).tolist() == second.play(oracle, t).tolist()


def test_errors_name_what_is_wrong():
    with pytest.raises(ValueError, match="answers must be"):
        ProjectionFree(Ball(2), 3, "guesses")
    with pytest.raises(ValueError, match=r"delta must be in \(0, 1\)"):
        ProjectionFree(Ball(2), 3, "losses", 1.0)
    learner = ProjectionFree(NuclearBall(2, 3), 4)
    query = learner.choose()
    with pytest.raises(ValueError, match="answers must be finite"):
        learner.update(query, np.zeros((3, 2, 3)))
    assert learner.t == 0


def test_proposition_5_holds_on_a_problem_with_every_noise():
    """E[regret] ≤ 2βD²T/N + R_A(T), exactly: all signs of the noise of 2 gradients in 4 rounds.

    ℓ_t(x) = ½(x - b_t)² on [-1, 1], so that β = 1 and D = 2; R_A is what the optimisers have.
    """
    K, N, T, b = Box([-1.0], [1.0]), 2, 4, np.array([0.9, -0.2, 0.7, 0.5])
    stages, chosen, gradients = [], [], []
    for signs in product((-0.4, 0.4), repeat=N * T):
        learner = ProjectionFree(K, N, optimisers=GradientDescent)
        for t, noise in enumerate(np.reshape(signs, (T, N))):
            query = learner.choose()
            stages.append([*query.points[:, 0], query.decision[0]])
            chosen.append([learner.optimisers.predict(i)[0] for i in range(N)])
            gradients.append(query.points[:, 0] - b[t] + noise)
            learner.update(query, gradients[-1][:, None])
    x, eta = np.reshape(stages, (-1, T, N + 1)), 2.0 / (np.arange(N) + 2)
    a, g = (np.reshape(values, (-1, T, N)) for values in (chosen, gradients))
    best = b.mean()  # which lies in K
    regret = 0.5 * (((x - b[:, None]) ** 2).sum(axis=1).mean(axis=0) - ((best - b) ** 2).sum())
    sums = g.mean(axis=0).sum(axis=0)
    optimisers = (g * a).sum(axis=1).mean(axis=0) + np.abs(sums)
    for i in range(1, N + 1):
        bound = 2 * 4 * T / (i + 1) + optimisers.max()  # (6) in its proof
        assert 0 < regret[i] <= bound <= 2 * 4 * T / i + optimisers.max()
    moved = (eta**2 / 2 * ((a - x[..., :-1]) ** 2).sum(axis=1).mean(axis=0)).tolist()
    against_best = (g * (a - best)).sum(axis=1).mean(axis=0)
    slack = ((x[..., :-1] - best) ** 2).sum(axis=1).mean(axis=0) / 2
    for i in range(N):  # the step of the proof, of which a square leaves out only the slack
        step = (1 - eta[i]) * regret[i] + moved[i] + eta[i] * against_best[i]
        assert regret[i + 1] == pytest.approx(step - eta[i] * slack[i])
