"""One estimator, many threads: any mixture of public calls, and none of what is learnt is lost."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import onearm
from onearm.checks.trial import bits
from onearm.core.locking import Lock
from onearm.kernels import COMPILED
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
    start = float(learner.t[0])
    together(
        lambda: learner.play(X, Y),
        lambda: learner.play(X, Y, trace=False),
        lambda: round_by_call(learner),
        lambda: round_by_call(learner),
        times=times,
    )
    return learner.t[0] - start - times * (2 * N + 40)


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
        if hasattr(regressor, "choose"):
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
    played = regressor.t[0] - 4 * hasattr(regressor, "choose")
    assert played == 8 * N


def test_a_file_saved_while_others_learn_is_of_one_moment(tmp_path):
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
            G = onearm.load(tmp_path / "moment").G
            assert (G == G[0]).all()
            G = copy.deepcopy(learner).G
            assert (G == G[0]).all()
    finally:
        stop.set()
        thread.join()


def test_waiting_threads_get_in_between_the_parts_of_a_long_call():
    lock, order = Lock(), []

    def part():
        order.append("part")
        time.sleep(0.05)

    def long():
        for _ in range(5):
            lock.run(part)
            lock.give_way()

    thread = threading.Thread(target=long)
    thread.start()
    while not order:
        time.sleep(0.001)
    lock.run(order.append, "short")
    thread.join()
    assert order.index("short") < len(order) - 1


def test_a_signal_handler_may_use_what_its_thread_waits_for():
    """The main thread waits for the lock, and its handler wants it too: both get it in turn."""
    lock, inside = Lock(), threading.Event()
    entered = []

    def hold():
        inside.set()
        time.sleep(0.3)

    def handler(*signal):
        lock.run(entered.append, "handler")

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        threading.Thread(target=lock.run, args=(hold,)).start()
        inside.wait()
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        lock.run(entered.append, "main")
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert entered == ["handler", "main"]


def test_no_call_is_prepared_for_what_a_learner_was():
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


def test_a_thread_may_enter_again():
    lock, flags = Lock(), []
    lock.run(lambda: (lock.run(lambda: None), flags.append(int(lock.busy[0]))))
    assert flags == [1]  # the inner call has not lowered it
    assert lock.busy[0] == 0


def test_an_interrupt_leaves_the_lock_free():
    """At random moments of play and predict: afterwards another thread gets in at once."""
    learner = onearm.Banditron(3, 6)
    learner.play(X[:20], Y[:20] % 3), learner.predict(X[0])
    rng = np.random.default_rng(0)

    def interrupt(*signal):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, float(rng.uniform(1e-6, 3e-4)))
                while True:
                    learner.play(X[:20], Y[:20] % 3, trace=False)
                    learner.predict(X[0])
            except KeyboardInterrupt:
                pass
            assert not learner.lock._inside._is_owned()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    thread = threading.Thread(target=learner.predict, args=(X[0],))
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    learner.choose(X[0])
    assert learner.lock.busy[0] == learner.lock.always


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_locks_are_new_after_a_fork():
    """A child whose parent forked amid a loop would wait for a thread that is not there."""
    code = """
import os, threading, time, warnings
import numpy as np, onearm
warnings.simplefilter("ignore")
learner = onearm.Banditron(3, 2)
learner.choose(np.ones(2))
inside, leave = threading.Event(), threading.Event()
def hold():
    inside.set(); leave.wait()
threading.Thread(target=learner.lock.run, args=(hold,)).start()
inside.wait()
child = os.fork()
if child == 0:
    learner.choose(np.ones(2)); learner.play(np.ones((3, 2)), np.zeros(3, int))
    os._exit(7)
end = time.monotonic() + 60
while time.monotonic() < end:
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        break
    time.sleep(0.05)
else:
    os.kill(child, 9)
leave.set()
print(done and os.waitstatus_to_exitcode(status))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[1]
    )
    assert done.stdout == "7\n", done.stderr


def test_rounds_that_python_may_interrupt_always_wait():
    """Where kernels run as plain Python, nothing keeps two rounds apart but the lock."""
    river = pytest.importorskip("river.tree")
    learner = onearm.AdaBandit(2, 6, n_learners=2, weak=river.HoeffdingTreeClassifier)
    assert learner.lock.busy[0] == 1
    together(lambda: round_by_call(learner, 3), lambda: learner.predict(X[:3]), times=3)
    assert learner.t[0] == 9
    assert copy.deepcopy(learner).lock.always


def test_a_classifier_is_used_while_it_is_fitted_again(tmp_path):
    """Other rows, columns and classes each time: every call sees one fit or another, whole."""
    n = 200 if COMPILED else 30
    rng = np.random.default_rng(0)
    shapes = [(3, 2), (40, 6)]
    fits = [(rng.normal(size=(n, d)), rng.integers(0, k, n)) for d, k in shapes]
    model = onearm.AdaBoostMH("tree", n_rounds=5, n_leaves=3).fit(*fits[0])

    def refit():
        for X, y in fits:
            model.fit(X, y)

    def use():
        for X, _ in fits:
            try:
                assert set(model.predict(X)) <= set(range(6))
                assert model.predict_proba(X).shape in ((n, 2), (n, 6))
            except ValueError as error:  # fitted on the other columns meanwhile
                if "features" not in str(error):
                    raise
            model.save(tmp_path / "model")
            onearm.load(tmp_path / "model")

    together(refit, use, use, times=5)


def test_sizes_of_a_fitted_classifier_cannot_mislead():
    X = np.random.default_rng(0).normal(size=(60, 5))
    model = onearm.AdaBoostMH(n_rounds=5).fit(X, (X[:, 4] > 0).astype(int))
    model.n_features_in_ = 2
    with pytest.raises(ValueError, match="n_features_in_ and classes_ must be those of the fit"):
        model.predict(X[:, :2])
    model.n_features_in_, model.classes_ = 5, np.arange(3)
    with pytest.raises(ValueError, match="those of the fit, got 5 and 3 labels"):
        model.predict(X)


@pytest.mark.compiled
def test_two_fits_share_out_their_searches_one_after_the_other():
    X = np.random.default_rng(0).normal(size=(300, 5))
    y = (X[:, 0] > 0).astype(int)
    together(*[lambda: onearm.AdaBoostMH(arms="full", n_jobs=2, n_rounds=5).fit(X, y)] * 3, times=3)
