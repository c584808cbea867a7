"""The room that trees take: never more than given, filled to the end, saved as far as used."""

import json
from copy import deepcopy

import numpy as np
import pytest

import onearm
from onearm import AdaBandit, HoeffdingTree
from onearm.checks.trial import bits, rows
from onearm.core.kernels import COMPILED
from tests.boosting.test_trees import chess, n_nodes, predictions, tree
from tests.core.attack_files import model_file, parse

LONG = 200_000 if COMPILED else 300


def nbytes(trees):
    return sum(array.nbytes for array in trees.arrays().values())


@pytest.mark.parametrize("leaf_prediction", ["majority", "adaptive"])
def test_a_full_tree_goes_on_learning(leaf_prediction):
    """In 200,000 rounds it fills its room, splits no more, and still follows a change of labels."""
    learner = tree(k=2, leaf_prediction=leaf_prediction, max_bytes=2**13)
    assert nbytes(learner.trees) <= 2**13
    X, y = chess(LONG)
    tally = learner.play(X, y, trace=False)
    size = n_nodes(learner)
    assert 1 < size <= learner.trees.links.shape[1]
    assert tally.rounds == LONG
    if COMPILED:
        roomy = tree(k=2, leaf_prediction=leaf_prediction)
        roomy.play(X, y, trace=False)
        assert n_nodes(roomy) > 10 * size
        learner.play(*chess(LONG, seed=1), trace=False)
        assert n_nodes(learner) == size
    shape = {name: array.shape for name, array in learner.arrays().items()}
    learner.play(X, 0 * y)
    learner.play(X, 0 * y)
    assert predictions(learner, *X[:50]) == [0] * 50
    assert {name: array.shape for name, array in learner.arrays().items()} == shape
    assert n_nodes(learner) <= learner.trees.links.shape[1]
    assert all(np.isfinite(array).all() for array in learner.content().values())


def test_room_for_splits_is_found_to_the_last_node():
    """Splits of two sizes: what no longer fits is not split, what does is."""
    for max_bytes in range(4000, 6000, 100):
        learner = tree(k=2, d=2, nominal=(0, 3), leaf_prediction="majority", max_bytes=max_bytes)
        X, y = chess(150)
        X[:, 1] = np.floor(X[:, 1] * 3)
        learner.play(X, (y + X[:, 1].astype(int)) % 2)
        assert n_nodes(learner) <= learner.trees.links.shape[1]
        assert nbytes(learner.trees) <= max_bytes


def test_a_split_too_wide_for_its_room_is_not_made():
    """At the last depth leaves remember nothing, so that nodes may run out before statistics."""
    form = {"nominal": (40,), "leaf_prediction": "majority", "max_depth": 1}
    for max_bytes, size in ((1500, 1), (2**16, 42)):
        learner = tree(k=2, d=1, **form, max_bytes=max_bytes)
        learner.play(np.arange(120.0)[:, None] % 40, np.arange(120) % 40 % 2)
        assert n_nodes(learner) == size
    assert learner.predict([[4.0], [7.0]]).tolist() == [0, 1]


@pytest.mark.parametrize("cls", [HoeffdingTree, AdaBandit])
def test_too_little_room_is_refused(cls):
    with pytest.raises(ValueError, match=r"max_bytes must be at least \d+ .*, got 100") as caught:
        cls(3, 4, max_bytes=100)
    least = int(str(caught.value).split("at least ")[1].split()[0])
    learner = cls(3, 4, max_bytes=least)
    learner.play(*rows(learner, 60))
    with pytest.raises(ValueError, match="max_bytes"):
        cls(3, 4, max_bytes=least - 1)


def test_only_what_is_used_is_saved(tmp_path):
    learner = tree(k=2, max_bytes=2**28)
    X, y = chess(300)
    learner.play(X, y)
    assert n_nodes(learner) > 5
    learner.save(tmp_path / "tree")
    assert nbytes(learner.trees) > 2**27
    assert (tmp_path / "tree").stat().st_size < 2**16
    loaded = onearm.load(tmp_path / "tree")
    assert bits(loaded) == bits(learner)
    for either in (loaded, learner):
        either.play(X, 1 - y)
    assert bits(loaded) == bits(learner)


def test_a_saved_tree_must_fit(tmp_path):
    learner = tree(k=2)
    learner.play(*chess(300))
    learner.save(tmp_path / "tree")
    header, arrays = parse((tmp_path / "tree").read_bytes())
    header["parameters"] = json.dumps(learner.params() | {"max_bytes": 2000})
    (tmp_path / "small").write_bytes(model_file(header, arrays))
    with pytest.raises(ValueError, match=r"saved trees must use 1 to \(\d+, \d+\) nodes and slots"):
        onearm.load(tmp_path / "small")


def test_a_deep_copy_goes_its_own_way():
    learner = tree(k=2)
    X, y = chess(300)
    learner.play(X[:150], y[:150])
    copy, before = deepcopy(learner), bits(learner)
    copy.play(X[150:], y[150:])
    assert bits(learner) == before != bits(copy)
    learner.play(X[150:], y[150:])
    assert bits(learner) == bits(copy)


def test_every_learner_of_a_booster_has_its_share():
    learner = AdaBandit(4, 6, n_learners=7, max_bytes=2**17)
    assert nbytes(learner.learners) <= 2**17
    X, y = rows(learner, LONG // 100 if COMPILED else 60)
    learner.play(X, y)
    assert (learner.learners.used[:, 0] <= learner.learners.links.shape[1]).all()
    assert learner.learners.used[:, 0].min() >= 1
