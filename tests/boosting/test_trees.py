"""Hoeffding trees: odd values, weights, when they split and when not."""

import numpy as np
import pytest

from onearm import AdaBandit, HoeffdingTree
from onearm.boosting.trees.forest import Trees
from onearm.boosting.trees.nodes import LABEL, NOTES
from onearm.boosting.weak import WEAK
from onearm.core.kernels import COMPILED
from tests.cases import EAGER


def tree(k=3, d=2, **params):
    return HoeffdingTree(k, d, **EAGER | params)


def tell(learner, x, y):
    choice = learner.choose(x)
    learner.update(x, choice, choice.label == y, y)


def predictions(learner, *rows):
    return learner.predict(np.array(rows, float)).tolist()


def chess(n, d=2, seed=0):
    """Labels in the squares of a board: there is always more to split."""
    X = np.random.default_rng(seed).random((n, d))
    return X, np.floor(X[:, :2] * 8).astype(int).sum(axis=1) % 2


def n_nodes(learner):
    return int(learner.trees.used[0, 0])


# values


@pytest.fixture
def multiway():
    """A tree that has split its nominal column of three values, of which it has seen two."""
    learner = tree(d=1, nominal=(3,), leaf_prediction="majority")
    for t in range(40):
        tell(learner, [float(t % 2)], t % 2)
    assert n_nodes(learner) == 5
    return learner


def test_values_never_seen_are_answered_by_the_split(multiway):
    tell(multiway, [1.0], 1)  # the children know more than the split, which is balanced
    assert predictions(multiway, [0], [1]) == [0, 1]
    unseen = multiway.scores([[2.0], [3.0], [-1.0], [0.5], [1e9], [-0.5]])
    assert (unseen == unseen[0]).all()
    assert unseen[0, 0] == unseen[0, 1] > unseen[0, 2] > 0


def test_values_never_seen_are_learnt(multiway):
    tell(multiway, [7.0], 2)
    assert predictions(multiway, [0], [1], [7], [-3], [0.25]) == [0, 1, 2, 2, 2]  # 2: odd
    assert predictions(multiway, [2]) == [0]  # which is not that of the value 2
    tell(multiway, [2.0], 1)
    assert predictions(multiway, [2], [7]) == [1, 2]


def test_minus_zero_is_zero(multiway):
    assert predictions(multiway, [-0.0]) == [0]


@pytest.mark.parametrize("leaf_prediction", ["majority", "bayes", "adaptive"])
@pytest.mark.parametrize("splitter", ["gaussian", "histogram"])
def test_nothing_but_missing_values(leaf_prediction, splitter):
    learner = tree(d=3, nominal=(0, 2, 0), leaf_prediction=leaf_prediction, splitter=splitter)
    for t in range(150):
        tell(learner, [np.nan] * 3, (0, 1, 1)[t % 3])
    assert n_nodes(learner) == 1
    assert predictions(learner, [np.nan] * 3, [1.0, 1.0, 1.0]) == [1, 1]
    p = learner.scores([[np.nan] * 3])[0]
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p, [1 / 3, 2 / 3, 0], atol=0.01)


def test_missing_values_go_where_most_went():
    learner = tree(k=2, d=2, leaf_prediction="majority", max_depth=1)
    rng = np.random.default_rng(0)
    for t in range(60):
        tell(learner, [(-1.0 if t % 3 else 1.0) + 0.1 * rng.normal(), 0.0], int(t % 3 == 0))
    assert n_nodes(learner) == 3
    assert predictions(learner, [-1, 0], [1, 0], [np.nan, 0]) == [0, 1, 0]
    for _ in range(60):
        tell(learner, [1.0, 0.0], 1)  # now the other branch is the heavier one
    assert predictions(learner, [np.nan, 0]) == [1]


def test_boosters_take_missing_values_for_0():
    assert HoeffdingTree.missing
    learners = [AdaBandit(3, 2, n_learners=2, max_bytes=2**22) for _ in range(2)]
    rows = np.array([[np.nan, 1.0], [2.0, np.nan]] * 20), np.array([[0.0, 1.0], [2.0, 0.0]] * 20)
    traces = [a.play(X, [0, 1] * 20) for a, X in zip(learners, rows, strict=True)]
    assert all(np.array_equal(a, b) for a, b in zip(*traces, strict=True))
    choices = [a.choose(X[0]) for a, X in zip(learners, rows, strict=True)]
    assert choices[0] == choices[1]
    sparse = [
        a.choose(([0, 1], x)) for a, x in zip(learners, ([np.nan, 1.0], [0.0, 1.0]), strict=True)
    ]
    assert sparse[0] == sparse[1]


# weights


def forest(n=1, k=3, d=2, grace_period=1e9, leaf_prediction="bayes", max_bytes=2**22):
    trees = Trees(n, k, d, (0,) * d, 10, 0, leaf_prediction, "gaussian", max_bytes)
    trees.allocate()
    trees.rates = tuple(np.full(n, value) for value in (grace_period, 0.1, 0.5))
    return trees


def teach(trees, i, x, y, w):
    notes, out = np.empty(NOTES, np.int64), np.empty(trees.mass.shape[2])
    WEAK["tree"]["weak_look"](np.asarray(x, float), i, notes, out, *trees.model())
    WEAK["tree"]["weak_learn"](np.asarray(x, float), i, notes, y, w, *trees.model())
    return int(notes[LABEL])


def test_a_weight_of_three_is_three_of_one():
    rng, heavy, often = np.random.default_rng(0), forest(), forest()
    for t in range(40):
        x, y = rng.normal(size=2), t % 3
        teach(heavy, 0, x, y, 3.0)
        for _ in range(3):
            teach(often, 0, x, y, 1.0)
    assert heavy.mass[0, 0].tolist() == often.mass[0, 0].tolist() == [42, 39, 39]
    for name, array in heavy.arrays().items():  # means and variances too, up to rounding
        if name != "n_values":
            np.testing.assert_allclose(array[:, :1], often.arrays()[name][:, :1], rtol=1e-9)


@pytest.mark.parametrize("w", [0.0, -1.0, np.nan, np.inf, -np.inf])
def test_weights_that_are_none_teach_nothing(w):
    trees, fresh = forest(), forest()
    teach(trees, 0, [1.0, 2.0], 1, w)
    for name, array in trees.arrays().items():
        assert array.tobytes() == fresh.arrays()[name].tobytes(), name


def test_grace_is_a_weight():
    for w, rounds in ((1.0, 100), (10.0, 10), (100.0, 2)):
        trees = forest(k=2, d=1, grace_period=100.0)
        split = []
        for t in range(200):
            teach(trees, 0, [t % 2 + 0.01 * t], t % 2, w)
            split.append(trees.used[0, 0] > 1)
        assert split.index(True) + 1 == rounds


def test_trees_are_independent():
    """Tree 1 of three learns; the others stay as they were, and it equals a tree alone."""
    three, untouched, alone = (forest(n, k=2, grace_period=10.0) for n in (3, 3, 1))
    X, y = chess(300)
    for x, label in zip(X, y, strict=True):
        prediction = teach(three, 1, x, label, 1.5)
        assert prediction == teach(alone, 0, x, label, 1.5)
    assert three.used[:, 0].tolist() == [1, alone.used[0, 0], 1]
    assert three.used[1, 0] > 3
    used = alone.content()
    for name, array in three.content().items():
        if array.size:
            assert array[1, : used[name].shape[1]].tobytes() == used[name][0].tobytes(), name
            for i in (0, 2):
                before = untouched.arrays()[name][i, : array.shape[1]]
                assert array[i].tobytes() == before.tobytes(), name


# splitting


def test_pure_leaves_never_split():
    learner = tree(tau=100.0)
    rng = np.random.default_rng(0)
    for _ in range(150):
        tell(learner, rng.normal(size=2), 1)
    assert n_nodes(learner) == 1
    for _ in range(20):  # a hundredth of another class is not enough
        tell(learner, rng.normal(size=2), 1)
    tell(learner, [50.0, 0.0], 0)
    for _ in range(40):
        tell(learner, rng.normal(size=2), 1)
    assert n_nodes(learner) == 1


@pytest.mark.parametrize("splitter", ["gaussian", "histogram"])
def test_noise_is_never_split(splitter):
    """Gains of chance are below the bound, and the bound never below so small a tie."""
    learner = tree(d=3, delta=1e-7, tau=1e-9, nominal=(0, 0, 4), splitter=splitter)
    n = 5000 if COMPILED else 400
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 4, n)])
    learner.play(X, rng.integers(0, 3, n))
    assert n_nodes(learner) == 1
    X[:, 1] += learner.predict(X)  # a column that tells is split by the same tree
    learner.play(X, np.where(X[:, 1] > 0, 1, 2))
    assert n_nodes(learner) > 1


def test_nothing_to_split():
    """Columns without two values, whatever the tie."""
    learner = tree(d=2, nominal=(0, 3), tau=100.0)
    for t in range(100):
        tell(learner, [1.0, 2.0], t % 3)
    assert n_nodes(learner) == 1


def test_the_threshold_itself_goes_left():
    """The edges of a histogram are values that occur: here 0 … 4, and the labels change after 2."""
    learner = tree(k=2, d=1, splitter="histogram", leaf_prediction="majority", max_depth=1)
    for t in range(130):
        tell(learner, [float(t % 5)], int(t % 5 > 2))
    assert n_nodes(learner) == 3
    assert predictions(learner, [2.0], [np.nextafter(2.0, 3.0)]) == [0, 1]


@pytest.mark.parametrize("leaf_prediction", ["majority", "bayes"])
def test_depth_is_bounded(leaf_prediction):
    X, y = chess(500)
    for depth in (1, 2):
        learner = tree(k=2, max_depth=depth, leaf_prediction=leaf_prediction)
        learner.play(X, y)
        assert n_nodes(learner) == 2 ** (depth + 1) - 1
    learner = tree(k=2, leaf_prediction=leaf_prediction)
    learner.play(X, y)
    assert n_nodes(learner) > 7
