"""The plain twin of a learner, and how the two are compared, round by round."""

from importlib import import_module

import numpy as np
import pytest

import onearm
from onearm import seeded

K, D, ROUNDS = 5, 6, 150
NOMINAL = (0, 3, 0, 4, 0, 2)


def examples(seed, n=ROUNDS):
    rng = np.random.default_rng(seed)
    U = rng.normal(size=(D, K))
    X = rng.normal(size=(n, D))
    X[::20] = 0.0  # a row of nothing must not break anything
    y = np.where(rng.random(n) < 0.1, rng.integers(0, K, n), (X @ U).argmax(axis=1))
    return X, y


def nominal_examples(seed, missing):
    """Columns 1, 3 and 5 hold codes, now and then one that is none; some entries are missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * ROUNDS, D))
    for j in (1, 3, 5):
        X[:, j] = rng.integers(0, NOMINAL[j], len(X))
        odd = rng.random(len(X)) < 0.1
        X[odd, j] = rng.choice([-1.0, 0.5, 9.0, 1e6], odd.sum())
    y = (np.where(X[:, 0] < X[:, 2], X[:, 3], X[:, 1]) % K).astype(int)
    y = np.where(rng.random(len(X)) < 0.1, rng.integers(0, K, len(X)), y)
    X[(rng.random(X.shape) < 0.1) & missing] = np.nan
    X[::50] = np.nan if missing else 0.0
    return X, y


def reference(learner):
    """The plain twin of a learner."""
    name = type(learner).__name__
    module = import_module(f"tests.reference.{onearm.LEARNERS[name].rsplit('.', 1)[1]}")
    return getattr(module, name).from_learner(learner)


def compare_a_round(learner, naive, x, y, t, reward=None):
    estimate = 1e-7 if learner.estimated_propensity else 0.0
    np.testing.assert_allclose(learner.scores(x[None])[0], naive.scores(x), *naive.tolerance)
    p = naive.chances(x)
    if naive.tied(x):
        p = learner.chances(x[None])[0]
    else:
        np.testing.assert_allclose(learner.chances(x[None])[0], p, 1e-7, 1e-9 + estimate)
    if learner.random_greedy:
        among = [0, 2, 3] if t % 5 == 4 else None
        choice = learner.choose(x, among, seeded(t))
        assert choice == pytest.approx(naive.choose(x, among, seeded(t)), rel=1e-12)
    else:
        choice = learner.choose(x)
        assert choice.greedy == np.argmax(learner.scores(x[None])[0])
        assert choice.propensity == pytest.approx(p[choice.label], rel=1e-7, abs=1e-9 + estimate)
    correct = choice.label == y
    truth = y if correct or learner.full_information else None
    outcome = (float(correct), truth) if reward is None else (reward, None)
    naive.update(x, *choice, *outcome, *naive.draws(learner))
    shown = y if learner.full_information else None
    learner.update(x, choice, correct if reward is None else reward, shown)


def compare_states(learner, naive):
    """Beyond the scores: the arrays that the twin has too, and that trees have grown."""
    arrays = learner.arrays()
    for name, expected in naive.state().items():
        expected = np.array(expected)
        expected = np.where(np.isnan(expected), arrays[name], expected)
        near = naive.tolerances.get(name, naive.tolerance)
        np.testing.assert_allclose(arrays[name], expected, *near, err_msg=name)
    if "used" in naive.state():
        trees = getattr(naive, "weak", [naive])
        assert max(tree.n_nodes() for tree in trees) > trees[0].least_children()
