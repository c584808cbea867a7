"""The lock of an estimator: fair, free after an interrupt, new after a fork."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import onearm
from onearm.core.locking import Lock
from tests.core.test_threads import X, Y


def test_waiting_threads_get_in_between_the_parts_of_a_long_call():
    lock, order = Lock(), []

    def part():
        order.append("part")
        time.sleep(0.05)

    def long():
        for _ in lock.parts(120):
            lock.run(part)

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
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[2]
    )
    assert done.stdout == "7\n", done.stderr
