"""One estimator, many threads: any mixture of public calls, and none of what is learnt is lost."""

import copy
import pickle
import sys
import threading

import numpy as np
import pytest

import onearm
from onearm.checks.trial import bits
from onearm.core.kernels import COMPILED
from onearm.core.locking import Lock
from tests.cases import SMALL

N = 400 if COMPILED else 20
X = np.random.default_rng(0).normal(size=(N, 6))
Y = (X[:, 0] > 0) + 2 * (X[:, 1] > 0)


def together(*calls, times=20):
    """Run the calls again and again, each in a thread of its own; raises what they raise."""
    errors = []

    def run(call):
        try:
            for _ in range(times):
                call()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def round_by_call(learner, n=20):
    for x in X[:n]:
        choice = learner.choose(x)
        learner.update(x, choice, choice.label == 1, 1 if learner.full_information else None)


def counted(learner, times=20):
    """Let four threads learn from rounds that are counted; returns counted minus played."""
    start = float(learner.n_updates[0])
    together(
        lambda: learner.play(X, Y),
        lambda: learner.play(X, Y, trace=False),
        lambda: round_by_call(learner),
        lambda: round_by_call(learner),
        times=times,
    )
    return learner.n_updates[0] - start - times * (2 * N + 40)


def test_no_round_is_lost():
    assert counted(onearm.InverseGap(4, 6), times=20 if COMPILED else 2) == 0.0


@pytest.mark.compiled
def test_without_the_lock_rounds_are_lost(monkeypatch):
    """The test above can fail: threads that overlap overwrite each other's count."""
    monkeypatch.setattr(Lock, "run", lambda self, call, *given: call(*given))
    learner = onearm.InverseGap(4, 6)
    assert any(counted(learner, times=100) != 0.0 for _ in range(30))


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["Chorus", "HoeffdingTree", "AdaBandit", "LinTS", "Banditron"])
def test_any_mixture_of_calls(name, tmp_path):
    learner = getattr(onearm, name)(4, 6, **SMALL.get(name, {}))
    truth = Y if learner.full_information else None
    log = copy.deepcopy(learner).play(X, Y)
    together(
        lambda: learner.play(X, Y, progress=lambda *done: learner.predict(X[0])),
        lambda: learner.learn(X, log, truth),
        lambda: learner.predict(X),
        lambda: learner.chances(X[0], among=[1, 2]),
        lambda: round_by_call(learner),
        lambda: learner.save(tmp_path / "learner"),
        lambda: pickle.loads(pickle.dumps(learner)).choose(X[0]),
        times=5,
    )
    assert all(np.isfinite(array).all() for array in learner.content().values())
    assert bits(onearm.load(tmp_path / "learner")).keys() == bits(learner).keys()


@pytest.mark.parametrize("name", onearm.REGRESSORS)
def test_any_mixture_of_calls_of_a_regressor(name, tmp_path):
    regressor = getattr(onearm, name)(6)
    y = np.clip(X[:, 0], -1, 1)

    def by_call():
        if not regressor.full_information:
            query = regressor.choose(X[0])
            regressor.update(X[0], query, query.points[:, 0])

    together(
        lambda: regressor.play(X, y),
        lambda: regressor.play(X, y),
        lambda: regressor.predict(X),
        by_call,
        lambda: regressor.save(tmp_path / "regressor"),
        times=4,
    )
    assert np.isfinite(regressor.predict(X)).all()
    played = regressor.rounds[0] - 4 * (not regressor.full_information)
    assert played == 8 * N


def test_a_file_saved_while_other_threads_learn_is_consistent(tmp_path):
    """G is Σ g² over all features: of rows that are all 1, the same in every feature."""
    learner = onearm.InverseGap(3, 200)
    ones, labels = np.ones((50, 200)), np.zeros(50, np.int64)
    stop = threading.Event()

    def learn():
        while not stop.is_set():
            learner.play(ones, labels)
            learner.update(ones[0], learner.choose(ones[0]), True)

    thread = threading.Thread(target=learn)
    thread.start()
    try:
        for _ in range(10):
            learner.save(tmp_path / "moment")
            G = onearm.load(tmp_path / "moment").squared_gradients
            assert (G == G[0]).all()
            G = copy.deepcopy(learner).squared_gradients
            assert (G == G[0]).all()
    finally:
        stop.set()
        thread.join()


def test_calls_are_never_compiled_for_old_parameters():
    """A parameter is changed while another thread prepares calls: the next choice heeds it."""
    learner = onearm.Banditron(3, 6, gamma=0.1)
    stop = threading.Event()

    def choose():
        while not stop.is_set():
            learner.choose(X[0])

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread = threading.Thread(target=choose)
    thread.start()
    try:
        for n in range(300):
            gamma = learner.gamma = 0.1 + n / 1000
            p = learner.choose(X[0]).propensity
            assert min(abs(p - gamma / 3), abs(p - (1 - gamma + gamma / 3))) < 1e-12
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(before)


def test_rounds_that_python_may_interrupt_always_wait():
    """Where kernels run as plain Python, nothing keeps two rounds apart but the lock."""
    river = pytest.importorskip("river.tree")
    learner = onearm.AdaBandit(2, 6, n_learners=2, weak=river.HoeffdingTreeClassifier)
    assert learner.lock.busy[0] == 1
    together(lambda: round_by_call(learner, 3), lambda: learner.predict(X[:3]), times=3)
    assert learner.n_updates[0] == 9
    assert copy.deepcopy(learner).lock.always
