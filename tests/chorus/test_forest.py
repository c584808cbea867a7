"""The forest of Chorus equals its plain twin, and finds hidden labels."""

import numpy as np
import pytest

import onearm
from onearm import seeded
from onearm.chorus.forest import STORED, grow, store, vote
from onearm.chorus.splits import is_left
from onearm.chorus.trees import Forest
from tests.reference.chorus_forest import Forest as Plain
from tests.twins import K, compare_a_round, compare_states, nominal_examples, reference

NOMINAL = (0, 3, 0, 4, 0, 2)


def made(k, nominal, n_trees, n_components):
    """A forest and its twin."""
    forest = Forest(k, len(nominal), n_trees, n_components)
    forest.allocate()
    return forest, Plain(k, nominal, n_trees, n_components)


@pytest.mark.parametrize("n_trees", [1, 5])
def test_trees_equal_those_of_the_twin(n_trees):
    """On more rows than are stored, nominal columns and missing values among them."""
    nominal = np.array(NOMINAL)
    forest, plain = made(K, NOMINAL, n_trees, 8)
    X, y = nominal_examples(5, missing=True)
    rng, again, answers = seeded(1), seeded(1), np.random.default_rng(2)
    for t, (x, label) in enumerate(zip(np.tile(X, (2, 1)), np.tile(y, 2), strict=True)):
        model, v = forest.model(), plain.single(x)
        m, q = np.zeros(K), 0.1 * (t % 10)
        vote(v, nominal, model, 0, q, m)
        np.testing.assert_allclose(m, plain.vote(plain.trees, x, q), 1e-9, 1e-12)
        chosen, s = int(answers.integers(K)), answers.normal(size=K)
        store(v, chosen, chosen == label, s, model)
        plain.store(x, chosen, chosen == label, s)
        grow(nominal, K, rng, model)
        plain.grow(again)
        assert rng[0] == again[0]
    assert forest.forest_progress[STORED] > 2 * forest.n_rows
    for name, expected in plain.state().items():
        array = getattr(forest, name)
        np.testing.assert_array_equal(array, np.where(np.isnan(expected), array, expected))
    sizes = forest.forest_sizes[: n_trees + 1]
    assert sizes.max() == forest.n_nodes - 1  # a tree that had no room left: nodes come in pairs
    assert (sizes > 0).sum() >= n_trees


@pytest.mark.compiled
def test_splits_of_many_rows_are_judged_by_some():
    """Of a thousand rows and more every second one is looked at."""
    rng, nominal = np.random.default_rng(6), np.array((0, 3, 0))
    X = np.column_stack([rng.normal(size=1500), rng.integers(0, 3, 1500), rng.random(1500)])
    y = (X[:, 0] > 0) + (X[:, 1] == 2)
    forest, plain = made(3, (0, 3, 0), 2, 64)
    for x, label in zip(X, y, strict=True):
        store(plain.single(x), int(label), True, np.zeros(3), forest.model())
        plain.store(x, int(label), True, np.zeros(3))
    draws, again = seeded(1), seeded(1)
    for _ in range(30):
        grow(nominal, 3, draws, forest.model())
        plain.grow(again)
    assert draws[0] == again[0]
    assert plain.n_grown > 1
    for x in X[:50]:
        m = np.zeros(3)
        vote(plain.single(x), nominal, forest.model(), 0, 1.0, m)
        np.testing.assert_allclose(m, plain.vote(plain.trees, x, 1.0), 1e-9, 1e-12)


def test_a_chorus_whose_trees_have_no_room_left():
    learner = onearm.Chorus(K, 6, nominal=NOMINAL, n_components=8, n_trees=3, seed=3)
    naive = reference(learner)
    X, y = nominal_examples(4, missing=True)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        compare_a_round(learner, naive, x, int(label), t)
    compare_states(learner, naive)


@pytest.mark.compiled
def test_hidden_labels_are_found():
    """Labels are chosen at random: of three in four rows the label is hidden."""
    rng = np.random.default_rng(3)
    X = rng.random((2000, 2)).astype(np.float32)
    y = 2 * (X[:, 0] > 0.5) + (X[:, 1] > 0.5)
    forest, _ = made(4, (0, 0), 10, 1024)
    model, nominal, draws = forest.model(), np.zeros(2, np.int64), seeded(1)
    for x, label in zip(X, y, strict=True):
        chosen = int(rng.integers(4))
        store(x, chosen, chosen == label, rng.random(4), model)
        grow(nominal, 4, draws, model)
    for _ in range(200):
        grow(nominal, 4, draws, model)
    labels, wrong = forest.forest_answers[:2000].T
    hidden = wrong >= 0
    assert hidden.sum() > 1400
    assert (labels == y)[hidden].mean() > 0.95


@pytest.mark.compiled
def test_a_forest_knows_thresholds_that_linear_models_do_not():
    """A column decides whether it is near a multiple of 0.5, whatever the scale."""
    rng = np.random.default_rng(4)
    X = np.exp(6 * rng.normal(size=(4000, 3)))
    y = (np.floor(np.log(X[:, 0])) % 2).astype(int)
    errors = []
    for n_trees in (0, 24):
        trace = onearm.Chorus(2, 3, n_trees=n_trees).play(X, y)
        errors.append(float((~trace.correct[-1000:]).mean()))
    assert errors[1] < 0.5 * errors[0]


def test_subsets_of_categories_are_random_halves():
    """Of 40 values a subset has about half: fewer than 8 once in 10⁵ subsets, here of 200."""
    for t in range(200):
        n = sum(is_left(float(v), float(t), 40) for v in range(40))
        assert 8 <= n <= 32
    assert is_left(3.0, -4.0, 40)
    assert not is_left(2.0, -4.0, 40)
    for odd in (-1.0, 40.0, np.inf):
        assert not is_left(odd, 5.0, 40)


def test_rows_of_many_columns_have_no_forest():
    assert onearm.Chorus(2, 512, n_components=64).forest.forest_rows.size
    assert not onearm.Chorus(2, 513, n_components=64).forest.forest_rows.size
    assert not onearm.Chorus(2, 5, n_components=64, n_trees=0).forest.forest_rows.size


def test_only_what_is_in_use_is_saved(tmp_path):
    """A learner that was loaded, after a drift too, goes on as the one that was saved."""
    X, y = nominal_examples(4, missing=True)
    X, y = np.tile(X, (3, 1)), np.tile(y, 3)
    y[500:] = (y[500:] + 1) % K
    for end, stored in ((100, 100), (500, 500), (600, 512), (800, 512)):
        learner = onearm.Chorus(K, 6, nominal=NOMINAL, n_components=16, n_trees=3, seed=3)
        learner.play(X[:end], y[:end])
        learner.save(tmp_path / "model")
        again = onearm.load(tmp_path / "model")
        assert again.content()["forest_rows"].shape[0] == stored
        for model in (learner, again):
            model.play(X[end:], y[end:])
        for name, array in learner.arrays().items():
            np.testing.assert_array_equal(array, again.arrays()[name])
