"""Chorus: its pieces by what they are equal to, its rows of any scale, and worlds that change."""

import numpy as np
import pytest
from scipy.linalg import hadamard

import onearm
from onearm import Separable
from onearm.chorus.conductor import DRAW, MEMORY, judge, solve
from onearm.chorus.rows import note, scaled, weighed
from onearm.chorus.voices import NEAR, regress, say
from onearm.chorus.waves import LENGTHS, turn, waves


@pytest.mark.parametrize("n", [1, 2, 32])
def test_turn_multiplies_by_hadamards_matrix(n):
    Y = np.random.default_rng(1).normal(size=(n, 3))
    turned = Y.copy()
    turn(turned)
    np.testing.assert_allclose(turned, hadamard(n) @ Y, atol=1e-12)


def nearness(distance):
    """What waves of ever other lengths make of a distance: parabolas are a few cosines each."""
    odd = np.arange(1, 20, 2)
    parts = (32 / (np.pi * odd) ** 3) ** 2
    return (parts * np.exp(-((odd * distance) ** 2) / 2)).sum()


@pytest.mark.parametrize("d", [7, 32, 100])
def test_products_of_waves_fall_with_the_distance(d):
    learner = onearm.Chorus(2, d, waves=8192, seed=2)
    size = int(learner.edges[1])
    rng = np.random.default_rng(3)
    z, way = rng.normal(size=(2, d))
    way /= np.linalg.norm(way)
    phi, moved = np.zeros((2, learner.edges[-1]))
    waves(z, learner.signs, learner.scale, learner.shift, phi)
    for g, length in enumerate(LENGTHS):
        mine = slice(g * size, (g + 1) * size)
        assert phi[mine] @ phi[mine] == pytest.approx(16 / 15, rel=0.05)
        products = []
        for distance in (0.5, 1.0, 2.0, 4.0):  # in lengths of a wave
            far = z + distance * length * np.sqrt(d) * way
            waves(far, learner.signs, learner.scale, learner.shift, moved)
            products.append(phi[mine] @ moved[mine])
            assert products[-1] == pytest.approx(nearness(distance), abs=0.1)
        assert (np.diff([16 / 15, *products]) < 0).all()


def test_solve_solves():
    rng = np.random.default_rng(4)
    A, b, c = rng.normal(size=(20, 9)), rng.normal(size=9), np.empty(9)
    S = A.T @ A + np.eye(9)
    solve(S, b, c)
    np.testing.assert_allclose(c, np.linalg.solve(S, b), 1e-9)


def test_judge_is_a_ridge_regression_on_leads():
    """Old answers count less; DRAW of them, which do not age, say that all voices are equal."""
    rng = np.random.default_rng(5)
    n, k, rounds = 4, 3, 200
    start = np.array([1 / n] * n + [0.0])
    S, b, c = DRAW * np.eye(n + 1), DRAW * start, start.copy()
    leads, rewards = [], []
    for _ in range(rounds):
        said, label, reward = rng.normal(size=(n, k)), rng.integers(k), float(rng.integers(2))
        judge(said, label, reward, S, b, c)
        others = np.delete(said, label, axis=1).max(axis=1)
        leads.append(np.append(said[:, label] - others, 1.0))
        rewards.append(reward)
    age = np.sqrt(MEMORY ** np.arange(rounds)[::-1])
    Z = np.vstack([age[:, None] * leads, np.sqrt(DRAW) * np.eye(n + 1)])
    wanted = np.append(age * rewards, np.sqrt(DRAW) * start)
    np.testing.assert_allclose(c, np.linalg.lstsq(Z, wanted)[0], 1e-9)


def test_rows_are_scaled_by_what_was_noted():
    rng = np.random.default_rng(6)
    start, nominal = np.array([0, 1, 4, 5, 6]), np.array([0, 3, 0, 0, 0])
    X = np.column_stack(
        [rng.normal(1e3, 5.0, 60), rng.integers(0, 3, 60), rng.normal(size=60), np.full(60, 0.1)]
    )
    X[::7, 2] = np.nan
    moments = np.zeros((3, 6))
    assert not scaled(X[0], start, nominal, *moments)[[0, 4, 5]].any()
    for x in X:
        note(x, nominal, *moments)
    for x in [*X, np.array([1e9, -1.0, -1e9, 5.0]), np.full(4, np.nan)]:
        z = np.zeros(6)
        for i, j in ((0, 0), (4, 2)):
            if not np.isnan(x[j]):
                z[i] = np.clip((x[j] - np.nanmean(X[:, j])) / np.nanstd(X[:, j]), -4, 4)
        if x[1] in (0, 1, 2):
            z[1 + int(x[1])] = np.sqrt(2)
        np.testing.assert_allclose(scaled(x, start, nominal, *moments), z, 1e-9, 1e-12)


def test_texts_are_weighed():
    """Columns: a number, three values, a number, another; a dense row and the same as sparse."""
    start, nominal = np.array([0, 1, 4, 5, 6]), np.array([0, 3, 0, 0, 0])
    count, rounds = np.array([8.0, 0.0, 2.0, 1.0, 0.0, 3.0]), 8.0
    value = np.array([np.log(4) * 1.0, 1.0 * (np.log(10 / 3) + 1), -np.log(2.5) * (np.log(10) + 1)])
    value[0] *= np.log(10 / 9) + 1
    dense = np.array([3.0, 1.0, -1.5, 0.0])
    for x in (dense, (np.arange(3, dtype=np.int32), dense[:3])):
        at, phi = weighed(x, start, nominal, count, rounds)
        assert at.tolist() == [0, 2, 4]
        np.testing.assert_allclose(phi, value / np.linalg.norm(value), 1e-12)
    for x in (np.array([0.0, 3.0, np.nan, 0.0]), np.array([0.0, np.nan, 0.0, 0.0])):
        assert [len(part) for part in weighed(x, start, nominal, count, rounds)] == [0, 0]


def test_exact_is_a_ridge_regression():
    """Of the answers that it did not know nearly enough."""
    rng = np.random.default_rng(7)
    k, h, rounds = 2, 6, 80
    V, Q = np.zeros((h, k)), np.array([10.0 * np.eye(h)] * k)
    A, b = np.array([0.1 * np.eye(h)] * k), np.zeros((k, h))
    skipped = 0
    for _ in range(rounds):
        psi, label = rng.normal(size=h), rng.integers(k)
        reward, said = float(psi[label] > 0), np.zeros(k)
        say(psi, V, said)
        np.testing.assert_allclose(said, psi @ V, 1e-9, 1e-12)
        regress(psi, label, reward, said[label], V, Q)
        if abs(reward - said[label]) < NEAR:
            skipped += 1
            continue
        A[label] += np.outer(psi, psi)
        b[label] += reward * psi
    assert 0 < skipped < rounds / 2
    np.testing.assert_allclose(Q, np.linalg.inv(A), 1e-7, 1e-10)
    np.testing.assert_allclose(V.T, np.linalg.solve(A, b[:, :, None])[:, :, 0], 1e-7, 1e-10)


@pytest.mark.compiled
def test_scales_do_not_matter():
    X, y = Separable(300, 4, 8, seed=1).arrays()
    other = X.copy()
    other[:, ::3] *= 1e6
    other[:, 1::3] += 1e6
    first = onearm.Chorus(4, 8, waves=128).play(X, y)
    again = onearm.Chorus(4, 8, waves=128).play(other, y)
    assert (first.label != again.label).mean() <= 0.02
    assert first.correct[-100:].mean() > 0.8


@pytest.mark.compiled
def test_exchanged_labels_are_learnt_anew():
    k, change = 5, 2000
    X, y = Separable(change + 600, k, 10, seed=2).arrays()
    y[change:] = (y[change:] + 1) % k
    learner = onearm.Chorus(k, 10, waves=256)
    learner.play(X[:change], y[:change])
    assert learner.change[1] == 0
    after = learner.play(X[change:], y[change:])
    assert learner.change[1] == 1
    assert (~after.correct[300:]).mean() < 0.1


@pytest.mark.compiled
def test_labels_that_cannot_be_separated_do_not_ring_the_alarm():
    learner = onearm.Chorus(9, 400, waves=256)
    learner.play(onearm.SynNonSep(3000, seed=1))
    assert learner.change[1] == 0


@pytest.mark.compiled
@pytest.mark.parametrize("noise", [0.05, 0.3, 1.0])
def test_noise_alone_does_not_ring_the_alarm(noise):
    k = 9
    X, y = Separable(3000, k, 40, seed=3).arrays()
    rng = np.random.default_rng(4)
    y = np.where(rng.random(3000) < noise, rng.integers(0, k, 3000), y)
    learner = onearm.Chorus(k, 40, waves=256)
    learner.play(X, y)
    assert learner.change[1] == 0
