"""Chorus equals its plain twin on rows that take every turn of it."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import onearm
from tests.twins import NOMINAL, D, K, compare_a_round, compare_states, nominal_examples, reference


def test_chorus_with_nominal_columns_and_missing_values():
    learner = onearm.Chorus(K, D, nominal=NOMINAL, n_components=64, seed=3)
    naive = reference(learner)
    X, y = nominal_examples(4, missing=True)
    for t, (x, label) in enumerate(zip(X[:120], y, strict=False)):
        compare_a_round(learner, naive, x, int(label), t)
    compare_states(learner, naive)


def test_labels_that_are_not_allowed_do_not_count_in_the_confidence():
    """It explores among the allowed labels as if there were no others."""
    learner = onearm.Chorus(K, D, n_components=64, seed=3, alpha=3.0)
    naive = reference(learner)
    X, y = nominal_examples(4, missing=False)
    changed = 0
    for t, (x, label) in enumerate(zip(X[:60], y, strict=False)):
        compare_a_round(learner, naive, x, int(label), t)
        for among in ([0, 2], [1, 2, 3]):
            expected = naive.chances(x, np.array(among))
            assert learner.chances(x, among).tolist() == expected.tolist()
            changed += expected.argmax() != among[learner.scores(x)[among].argmax()]
    assert changed > 5  # where another than the greedy label was explored


@pytest.mark.compiled
def test_chorus_with_many_numbers():
    """More than are compared: they are projected, and the metric is computed three times."""
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, 70)
    X = rng.normal(size=(70, 150)) + 3 * rng.normal(size=(3, 150))[y]
    learner = onearm.Chorus(3, 150, n_components=64, seed=3)
    naive = reference(learner)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        compare_a_round(learner, naive, x, int(label), t)
    assert naive.due > int(1.3 * (int(1.3 * 20) + 10)) + 10  # at 20, 36 and later
    compare_states(learner, naive)


@pytest.mark.compiled
def test_chorus_stores_the_last_rows_only():
    """Where labels are noise, most rows are stored: soon there are more than there is room for."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(600, D))
    y = np.where(rng.random(600) < 0.5, rng.integers(0, 3, 600), X[:, :3].argmax(axis=1))
    learner = onearm.Chorus(3, D, n_components=16, seed=3)
    naive = reference(learner)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        compare_a_round(learner, naive, x, int(label), t)
    assert naive.remembered > 300 > len(naive.memory) == 256
    compare_states(learner, naive)


def test_chorus_with_categories_of_many_values():
    """Two of them are left out of the numbers; now and then a value is missing, or none of them."""
    nominal = (0, 3, 1100, 0, 1200, 2)
    rng = np.random.default_rng(11)
    X, y = nominal_examples(4, missing=True)
    X[:, 2] = np.where(rng.random(len(X)) < 0.7, y * 20 + rng.integers(0, 20, len(X)), X[:, 2])
    X[:, 4] = rng.choice([0, 5, 1199, 1200, -1, np.nan], len(X))
    learner = onearm.Chorus(K, D, nominal=nominal, n_components=64, seed=3)
    assert learner.n_values == (0, 3, -1100, 0, -1200, 2)
    naive = reference(learner)
    for t, (x, label) in enumerate(zip(X[:120], y, strict=False)):
        row = csr_array(x[None])
        np.testing.assert_array_equal(learner.scores(row), learner.scores(x[None]))
        compare_a_round(learner, naive, x, int(label), t, None if t < 60 else (t % 5) / 5)
    compare_states(learner, naive)


@pytest.mark.parametrize("nominal", [(), (0,) * 1001 + (3, 500, 4)])
def test_chorus_with_texts(nominal):
    """Sparse rows of more than a thousand numbers, now and then without any."""
    d = len(nominal) or 1100
    rng = np.random.default_rng(7)
    X = rng.poisson(rng.exponential(0.02, d), (150, d)) * rng.choice([1.0, -0.5], (150, d))
    X[:, 1001:1004] += 1.0  # codes, if nominal
    X[:, 1002] += rng.integers(0, 510, 150)
    y = np.where(rng.random(150) < 0.1, 0, abs(X[:, :K]).argmax(axis=1))
    X[::20] = 0.0
    X[5:100:9, 590:] = np.nan
    learner = onearm.Chorus(K, d, nominal=nominal, seed=3)
    naive = reference(learner)
    rows = csr_array(X)
    for t in range(len(X)):
        row, x = rows[[t]], X[t]
        np.testing.assert_array_equal(learner.scores(row), learner.scores(x[None]))
        np.testing.assert_allclose(learner.scores(row)[0], naive.scores(x), 1e-7, 1e-9)
        choice = learner.choose(row)
        assert choice == (np.argmax(naive.chances(x)), np.argmax(naive.scores(x)), 1.0)
        correct = choice.label == y[t]
        naive.update(x, *choice, float(correct), y[t] if correct else None)
        learner.update(row, choice, bool(correct))
    compare_states(learner, naive)


def compare_through_a_change(X, y, change):
    """Both detect the drift at the same time, and freeze the same model."""
    k = y.max() + 1
    learner = onearm.Chorus(k, X.shape[1], n_components=64, seed=3)
    naive = reference(learner)
    y = np.where(np.arange(len(y)) < change, y, (y + 1) % k)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        alarms = naive.alarms
        compare_a_round(learner, naive, x, int(label), t)
        assert learner.change[1] == naive.alarms
        assert t >= change or not naive.alarms
        if naive.alarms > alarms:
            due = learner.memory_counts[1]
            compare_states(learner, naive)
    assert learner.change[1] == 1
    compare_states(learner, naive)
    return learner, due


@pytest.mark.compiled
def test_chorus_when_labels_are_exchanged():
    """And go on until the rows of before are measured by the new metric, too."""
    X = np.random.default_rng(8).normal(size=(900, D))
    learner, due = compare_through_a_change(X, X[:, :K].argmax(axis=1), 250)
    assert learner.memory_counts[1] > due
    assert learner.memory_labels.any(axis=1).all()


def test_chorus_when_labels_of_texts_are_exchanged():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 4, 220)
    X = (rng.random((220, 1001)) < 0.003).astype(float)
    X[np.arange(220), 3 * y + rng.integers(0, 3, 220)] = 2.0
    compare_through_a_change(X, y, 150)
