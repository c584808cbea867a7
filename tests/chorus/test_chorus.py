"""Chorus: its parts by what they equal, rows of any scale, and drift."""

import numpy as np
import pytest
from scipy.linalg import hadamard

import onearm
from onearm import Separable
from onearm.chorus.conductor import MEMORY, PRIOR, doubt, judge, rank, solve
from onearm.chorus.echo import echo
from onearm.chorus.memory import BLOCK, distances, folded, recall, remember
from onearm.chorus.metric import LEAST, differ, measure, measured, measured_all
from onearm.chorus.metric import PRIOR as IDENTITY
from onearm.chorus.ridge import NOWHERE, PLACE
from onearm.chorus.rows import note, scaled, weighed
from onearm.chorus.waves import LENGTH, turn, waves
from tests.reference.neighbours import squared_distances


@pytest.mark.parametrize("n", [1, 2, 32])
def test_turn_multiplies_by_hadamards_matrix(n):
    Y = np.random.default_rng(1).normal(size=(n, 3))
    turned = Y.copy()
    turn(turned)
    np.testing.assert_allclose(turned, hadamard(n) @ Y, atol=1e-12)


def nearness(distance):
    """The kernel at a distance: a parabola is a sum of cosines."""
    odd = np.arange(1, 20, 2)
    parts = (32 / (np.pi * odd) ** 3) ** 2
    return (parts * np.exp(-((odd * distance) ** 2) / 2)).sum()


@pytest.mark.parametrize("d", [7, 32, 100])
def test_products_of_waves_fall_with_the_distance(d):
    learner = onearm.Chorus(2, d, n_components=4096, seed=2)
    rng = np.random.default_rng(3)
    z, way = rng.normal(size=(2, d))
    way /= np.linalg.norm(way)
    phi, moved = np.zeros((2, learner.edges[1]))
    waves(z, learner.signs, learner.scale, learner.shift, phi)
    assert phi @ phi == pytest.approx(16 / 15, rel=0.05)
    products = []
    for distance in (0.5, 1.0, 2.0, 4.0):  # in lengths of a wave
        far = z + distance * LENGTH * np.sqrt(d) * way
        waves(far, learner.signs, learner.scale, learner.shift, moved)
        products.append(phi @ moved)
        assert products[-1] == pytest.approx(nearness(distance), abs=0.1)
    assert (np.diff([16 / 15, *products]) < 0).all()


def test_solve_solves():
    rng = np.random.default_rng(4)
    A, b, c = rng.normal(size=(20, 9)), rng.normal(size=9), np.empty(9)
    S = A.T @ A + np.eye(9)
    solve(S, b, c)
    np.testing.assert_allclose(c, np.linalg.solve(S, b), 1e-9)


@pytest.mark.parametrize("trusted", [NOWHERE, PLACE])
def test_judge_is_a_ridge_regression_on_leads(trusted):
    """Old answers count less; PRIOR of them, which do not age, stand for what is trusted."""
    rng = np.random.default_rng(5)
    n, k, rounds = 4, 3, 200
    start = np.array([1 / n] * n + [0.0]) if trusted == NOWHERE else np.eye(n + 1)[trusted]
    S, b, c = PRIOR * np.eye(n + 1), PRIOR * start, start.copy()
    leads, rewards = [], []
    for _ in range(rounds):
        outputs, label, reward = rng.normal(size=(n, k)), rng.integers(k), float(rng.integers(2))
        judge(outputs, label, reward, trusted, S, b, c)
        others = np.delete(outputs, label, axis=1).max(axis=1)
        leads.append(np.append(outputs[:, label] - others, 1.0))
        rewards.append(reward)
    age = np.sqrt(MEMORY ** np.arange(rounds)[::-1])
    Z = np.vstack([age[:, None] * leads, np.sqrt(PRIOR) * np.eye(n + 1)])
    wanted = np.append(age * rewards, np.sqrt(PRIOR) * start)
    np.testing.assert_allclose(c, np.linalg.lstsq(Z, wanted)[0], 1e-9)


@pytest.mark.parametrize("d", [1, 3, 4, 6, 9])
def test_distances_are_sums_of_squares_in_the_order_of_the_numbers(d):
    """To the bit, also beyond a block, and for rows that are not yet stored."""
    rng = np.random.default_rng(6)
    stored, n = BLOCK + 50, BLOCK + 7
    rows, u = rng.normal(size=(d, stored)).astype(np.float32), rng.normal(size=d)
    u = u.astype(np.float32)
    np.testing.assert_array_equal(distances(u, rows, n), squared_distances(rows[:, :n].T, u))


def test_rows_are_standardised_by_the_moments_so_far():
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
                z[i] = np.clip((x[j] - np.nanmean(X[:, j])) / np.nanstd(X[:, j]), -2, 2)
        if x[1] in (0, 1, 2):
            z[1 + int(x[1])] = np.sqrt(2)
        np.testing.assert_allclose(scaled(x, start, nominal, *moments), z, 1e-9, 1e-12)


def test_texts_are_weighed_by_tf_idf():
    """Columns: a number, three values, a number, another; a dense row and the same as sparse."""
    start, nominal = np.array([0, 1, 4, 5, 6]), np.array([0, 3, 0, 0, 0])
    count, rounds = np.array([8.0, 0.0, 2.0, 1.0, 0.0, 3.0]), 8.0
    rarity = np.sqrt(1 + np.log([10 / 9, 10 / 3, 10]))
    value = np.array([np.log(4), 1.0, -np.log(2.5)]) * rarity
    dense = np.array([3.0, 1.0, -1.5, 0.0])
    for x in (dense, (np.arange(3, dtype=np.int32), dense[:3])):
        at, phi = weighed(x, start, nominal, count, rounds)
        assert at.tolist() == [0, 2, 4]
        np.testing.assert_allclose(phi, value / np.linalg.norm(value), 1e-12)
    for x in (np.array([0.0, 3.0, np.nan, 0.0]), np.array([0.0, np.nan, 0.0, 0.0])):
        assert [len(part) for part in weighed(x, start, nominal, count, rounds)] == [0, 0]


def test_scores_come_from_the_nearest_rows():
    """Of six rows on a line the farthest is no neighbour; a wrong one near by counts q."""
    rows = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1.0]], np.float32)
    Y = np.array([1, 2, 1, 1, 1, 2, -3])
    w = 1 / (np.arange(1, 6) ** 2 + 1e-3) ** 2
    for q in (1.0, 0.3):
        outputs, no = np.zeros(4), q * w[0]
        recall(np.zeros(1, np.float32), rows, Y, q, outputs)
        expected = [w[[0, 2, 3, 4]].sum() / w.sum(), w[1] / w.sum(), -no / (w.sum() + no), 0.0]
        np.testing.assert_allclose(outputs, expected, 1e-6)


def test_an_empty_memory_scores_0():
    outputs = np.zeros(3)
    recall(
        np.zeros(2, np.float32), np.zeros((2, 4), np.float32), np.zeros(4, np.int64), 1.0, outputs
    )
    assert not outputs.any()


def test_rows_not_predicted_are_stored_and_replace_the_oldest():
    rows, Y, counts = np.zeros((2, 1, 3), np.float32), np.zeros(3, np.int64), np.zeros(2, np.int64)
    outputs = [
        (True, 0.69),
        (True, 0.71),
        (False, -0.49),
        (False, -0.51),
        (False, 0.9),
        (True, -1.0),
    ]
    for t, (right, expected) in enumerate(outputs):
        remember(np.full((2, 1), t, np.float32), t, right, expected, rows, Y, counts)
    assert Y.tolist() == [6, -3, -5]
    assert rows[0, 0].tolist() == rows[1, 0].tolist() == [5, 2, 4]
    assert counts[0] == 4


def test_random_signs_preserve_distances():
    """Their distances stay what they are on average: here within a quarter, of 200 pairs."""
    rng = np.random.default_rng(8)
    signs = rng.choice([-1.0, 1.0], (3, 512, 2))
    ratios = []
    for _ in range(200):
        z = rng.normal(size=(2, 500))
        u = np.zeros((2, 128), np.float32)
        for row, short in zip(z, u, strict=True):
            folded(row, signs, short)
        ratios.append(((u[0] - u[1]) ** 2).sum() / ((z[0] - z[1]) ** 2).sum())
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.05)
    assert np.std(ratios) < 0.25


def test_the_metric_whitens_the_covariance_within_labels():
    rng = np.random.default_rng(9)
    k, d, n = 3, 5, 200
    mix = rng.normal(size=(d, d))
    y = rng.integers(0, k, n)
    Z = (rng.normal(size=(k, d))[y] * 5 + rng.normal(size=(n, d)) @ mix).astype(np.float32)
    C, mean, count = np.zeros((d, d)), np.zeros((k, d)), np.zeros(k)
    for z, label in zip(Z, y, strict=True):
        differ(z, label, (C, mean, count, C))
    off = Z - np.array([Z[y == r].mean(axis=0) for r in range(k)])[y]
    np.testing.assert_allclose(np.tril(off.T @ off), C, 1e-4, 1e-3)
    A, u, U = np.zeros((d, d), np.float32), np.zeros(d, np.float32), np.zeros((d, n), np.float32)
    measure(C, n, A)
    spread = (off.T @ off + IDENTITY * np.eye(d)) / (n + IDENTITY) + LEAST * np.eye(d)
    np.testing.assert_allclose(A @ A.T, np.linalg.inv(spread), 1e-4, 1e-5)
    measured_all(A, np.ascontiguousarray(Z.T), 150, U)
    assert not U[:, 150:].any()
    measured_all(A, np.ascontiguousarray(Z.T), n, U)
    measured(A, Z[7], u)
    np.testing.assert_array_equal(u, U[:, 7])
    np.testing.assert_allclose(U, A.T @ Z.T, 1e-4, 1e-4)


def test_top_confidence_is_the_ninth_decile():
    rng = np.random.default_rng(10)
    top, tops = np.ones(1), []
    for _ in range(20_000):
        rank(rng.random() ** 2, top)
        tops.append(top[0])
    assert np.mean(tops[2000:]) == pytest.approx(0.9**2, abs=0.01)


def test_doubt_is_the_confidence_below_the_top():
    assert doubt(0.9, np.array([0.8])) == 0.0
    assert doubt(0.5, np.array([0.8])) == pytest.approx(0.3)


def test_the_variance_of_a_constant_column_stays():
    """They are those of the start."""
    X, y = Separable(400, 3, 4, seed=5).arrays()
    learner = onearm.Chorus(3, 5, n_components=64)
    learner.play(np.column_stack([X, np.full(400, 7.0)]), y)
    first = learner.edges[1]
    np.testing.assert_array_equal(learner.weights[first + 4, 2], learner.weights[first + 4, 2, 0])
    assert learner.variances[first + 4] == 1 / 0.1


@pytest.mark.compiled
def test_scales_do_not_matter():
    X, y = Separable(300, 4, 8, seed=1).arrays()
    other = X.copy()
    other[:, ::3] *= 1e6
    other[:, 1::3] += 1e6
    first = onearm.Chorus(4, 8, n_components=128).play(X, y)
    again = onearm.Chorus(4, 8, n_components=128).play(other, y)
    assert (first.label != again.label).mean() <= 0.02
    assert first.correct[-100:].mean() > 0.8


@pytest.mark.compiled
def test_exchanged_labels_are_learnt_anew():
    k, change = 5, 2000
    X, y = Separable(change + 600, k, 10, seed=2).arrays()
    y[change:] = (y[change:] + 1) % k
    learner = onearm.Chorus(k, 10, n_components=256)
    learner.play(X[:change], y[:change])
    assert learner.change[1] == 0
    after = learner.play(X[change:], y[change:])
    assert learner.change[1] == 1
    assert (~after.correct[300:]).mean() < 0.1


@pytest.mark.compiled
def test_labels_that_cannot_be_separated_are_no_drift():
    learner = onearm.Chorus(9, 400, n_components=256)
    learner.play(onearm.SynNonSep(3000, seed=1))
    assert learner.change[1] == 0


@pytest.mark.compiled
@pytest.mark.parametrize("noise", [0.05, 0.3, 1.0])
def test_noise_alone_is_no_drift(noise):
    k = 9
    X, y = Separable(3000, k, 40, seed=3).arrays()
    rng = np.random.default_rng(4)
    y = np.where(rng.random(3000) < noise, rng.integers(0, k, 3000), y)
    learner = onearm.Chorus(k, 40, n_components=256)
    trace = learner.play(X, y)
    assert learner.change[1] == 0
    if noise == 1.0:  # there is nothing to learn, and it stops exploring
        assert (trace.label != trace.greedy)[-1000:].mean() < 0.1


def test_wide_rows_have_more_components_by_default():
    cases = ((16, 0, 1024), (256, 0, 1024), (400, 0, 2048), (784, 0, 4096), (784, 64, 1024))
    for d, asked, n in cases:
        learner = onearm.Chorus(2, d, n_components=asked)
        assert learner.edges[1] == n
        assert learner.memory_labels.shape[1] == (asked or n) * max(4, 256 // min(128, d))


def test_a_label_right_after_another_frozen_label_has_a_low_score():
    T, outputs = np.zeros((3, 3, 2)), np.zeros(3)
    T[1, 2] = 10.0, 9.0
    T[0, 0] = 4.0, 1.0
    echo(0, T, outputs)
    np.testing.assert_allclose(outputs, [(1 + 1 / 3) / 5, 1 / 3, (1 - 9 / 11) / 3])
    echo(1, T, outputs)  # of which it is right as often as before
    np.testing.assert_allclose(outputs, [(1 - 1 / 5) / 3, 1 / 3, (9 + 1 / 3) / 11])
