"""Anybody's weak learners: our own trees behind other libraries' methods give the same bits."""

from copy import deepcopy

import numpy as np
import pytest

from onearm import AdaBandit, AdaBoostOLM, BanditBBM, BinBandit, OnlineMBBM
from onearm.boosting.trees.forest import Trees
from onearm.boosting.trees.nodes import LABEL, NOTES
from onearm.boosting.weak import WEAK
from onearm.checks.trial import rows, same_trace

K, D, ROUNDS = 4, 5, 120
SETTINGS = {
    "grace_period": 10.0,
    "delta": 0.1,
    "tau": 0.5,
    "leaf_prediction": "majority",
    "max_bytes": 2**20,
}
BOOSTERS = [AdaBandit, AdaBoostOLM, BanditBBM, OnlineMBBM]


class OurTree:
    """One of the trees that weak="tree" makes."""

    def __init__(self, k=K):
        once = (np.array([SETTINGS[name]]) for name in ("grace_period", "delta", "tau"))
        rest = (10, 0, SETTINGS["leaf_prediction"], "gaussian", SETTINGS["max_bytes"])
        self.trees = Trees(1, k, D, (), *rest)
        self.trees.allocate()
        self.trees.rates = tuple(once)
        self.k, self.notes = k, np.empty(NOTES, np.int64)

    def label(self, x):
        WEAK["tree"]["weak_look"](x, 0, self.notes, np.empty(self.k), *self.trees.model())
        return int(self.notes[LABEL])

    def teach(self, x, y, w):
        self.label(x)
        WEAK["tree"]["weak_learn"](x, 0, self.notes, y, w, *self.trees.model())


class RiverTree(OurTree):
    """As River does it: a row is a dict, and before it has learnt a label it knows none."""

    taught = False

    def predict_one(self, x):
        return self.label(np.array([x[j] for j in range(D)])) if self.taught else None

    def learn_one(self, x, y, *, w=1.0):
        assert type(y) is int
        assert type(w) is float
        self.taught = True
        self.teach(np.array([x[j] for j in range(D)]), y, w)


class ScikitTree(OurTree):
    """As in scikit-learn: rows in two dimensions, all classes given, predict after fit only."""

    classes_ = None

    def predict(self, X):
        assert self.classes_ is not None, "scikit-learn raises NotFittedError"
        return np.array([self.label(np.ascontiguousarray(x)) for x in X])

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        self.classes_ = classes
        for x, label, w in zip(X, y, sample_weight, strict=True):
            assert label in classes
            self.teach(np.ascontiguousarray(x), label, w)


@pytest.mark.parametrize("kind", [RiverTree, ScikitTree])
@pytest.mark.parametrize("cls", BOOSTERS)
def test_our_trees_as_objects_give_the_same_bits(cls, kind):
    given = SETTINGS | {"n_learners": 3, "weight_scale": (2.0, 6.0), "seed": 4}
    learner, foreign = cls(K, D, **given), cls(K, D, weak=kind, **given)
    X, y = rows(learner, ROUNDS)
    trace = learner.play(X, y)
    assert same_trace(trace, foreign.play(X, y))
    assert learner.learners.used[:, 0].max() > 3  # they have split more than once
    for name in {
        "choosing",
        "updating",
        "vote_weights",
        "log_expert_weights",
        "squared_gradients",
        "n_updates",
    } & learner.arrays().keys():
        assert getattr(learner, name).tobytes() == getattr(foreign, name).tobytes(), name
    assert learner.scores(X).tobytes() == foreign.scores(X).tobytes()
    assert learner.chances(X).tobytes() == foreign.chances(X).tobytes()
    choice = learner.choose(X[0])
    assert foreign.choose(X[0]) == choice
    assert [type(part) for part in foreign.choose(X[0])] == [int, int, float]


def test_learnt_from_a_log_it_is_the_same():
    learner = BanditBBM(K, D, weak=RiverTree, n_learners=2)
    X, y = rows(learner, 60)
    trace = learner.play(X, y)
    other = BanditBBM(K, D, weak=RiverTree, n_learners=2)
    other.learn(X, trace)
    assert other.scores(X).tobytes() == learner.scores(X).tobytes()


def test_binary_votes_over_objects():
    """Objects predict labels alone: two of them agree on either class, or cancel out."""
    learner = BinBandit(K, D, weak=lambda: RiverTree(2), n_learners=2, rho=0.2)
    X, y = rows(learner, ROUNDS)
    trace = learner.play(X, y)
    assert trace.correct[-40:].mean() > 1 / K
    assert len(np.unique(np.abs(learner.scores(X)))) == 2


def test_a_copy_has_objects_of_its_own():
    learner = AdaBandit(K, D, weak=ScikitTree, n_learners=2)
    X, y = rows(learner, 60)
    learner.play(X[:30], y[:30])
    copy, before = deepcopy(learner), learner.scores(X)
    copy.play(X[30:], y[30:])
    assert learner.scores(X).tobytes() == before.tobytes() != copy.scores(X).tobytes()


@pytest.mark.parametrize("weak", [RiverTree, ScikitTree])
def test_objects_are_not_saved(weak, tmp_path):
    learner = AdaBandit(K, D, weak=weak, n_learners=2)
    with pytest.raises(TypeError, match=f"over {weak.__name__} objects .* cannot be saved"):
        learner.save(tmp_path / "learner")
    assert not list(tmp_path.iterdir())


class OnlyPredicts:
    def predict_one(self, x):
        return 0

    def predict(self, X):
        return np.zeros(len(X), int)


@pytest.mark.parametrize("weak", [object, lambda: None, OnlyPredicts, dict])
def test_other_objects_are_refused(weak):
    message = (
        "weak must make objects with learn_one and predict_one, or partial_fit and predict, got"
    )
    with pytest.raises(ValueError, match=f"{message} {type(weak()).__name__}"):
        AdaBandit(K, D, weak=weak)


@pytest.mark.parametrize("cls", BOOSTERS)
def test_stumps_split_once(cls):
    learner = cls(K, D, weak="stump", n_learners=3, weight_scale=5.0, **SETTINGS)
    learner.play(*rows(learner, ROUNDS))
    assert set(learner.learners.used[:, 0]) == {3}


def easy(n):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    return np.eye(3)[y] + 0.1 * rng.normal(size=(n, 3)), y


def test_over_scikit_learn():
    linear_model = pytest.importorskip("sklearn.linear_model")
    learner = AdaBandit(
        3, 3, 2, rho=0.1, weak=lambda: linear_model.SGDClassifier(random_state=0, alpha=0.01)
    )
    X, y = easy(120)
    assert learner.play(X, y).correct[-40:].mean() > 0.8
    with pytest.raises(TypeError, match="over SGDClassifier objects"):
        learner.save("nowhere")


def test_over_river():
    tree = pytest.importorskip("river.tree")
    learner = BanditBBM(
        3, 3, n_learners=3, rho=0.1, weak=lambda: tree.HoeffdingTreeClassifier(grace_period=20)
    )
    X, y = easy(300)
    assert learner.play(X, y).correct[-100:].mean() > 0.8
    with pytest.raises(TypeError, match="over HoeffdingTreeClassifier objects"):
        learner.save("nowhere")
