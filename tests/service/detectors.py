"""Detectors: the tests of the promises as functions, which raise if a promise is broken.

`python -m tests.service.promises` runs each of them with each planted bug.
"""

import threading
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from onearm.service.memory import MemoryStore
from onearm.service.records import Decision
from onearm.service.requests import Decide, Feedback
from onearm.service.sqlite import SqliteStore
from onearm.service.verify import verify
from onearm.service.writer import Writer
from tests.service import damage, golden, machine, power
from tests.service.making import Clock, context, core
from tests.service.planted import clean

ROOM = 40  # requests in the queue that is overloaded


def state_machine(examples=80):
    """Whatever is asked in whatever order, the service does what a few dicts do."""
    machine.run(examples)


def replay(n=60):
    """A file is sound after some hours, with a snapshot amid, a restart, and an apprentice."""
    with TemporaryDirectory() as folder, closing(SqliteStore(Path(folder) / "log.db")) as store:
        clock = Clock()
        service = core(store, clock, wait=40.0)
        for i, requests in enumerate(power.batches(1, n)):
            clock.now += 5.0
            service.handle(requests)
            if i in (n // 3, n // 2):
                service.save_snapshot()
            if i == n // 2:
                before, service = service.models.sha256(), core(store, clock, wait=40.0)
                assert service.models.sha256() == before
            if i == 3 * n // 4:
                service = core(store, clock, wait=40.0, apprentice=True)
        with clean():
            report = verify(store)
        assert report.is_sound, str(report)
        assert report.counts["decisions equal to the bit"] > n


def power_loss(trials=60):
    """What was acknowledged is there after a loss of power at any moment."""
    looked, wrong = power.lose_power(trials)
    assert not wrong, wrong[:3]
    assert looked >= trials


def failing_disk(every=1, only="sync"):
    """A disk that fails at any point makes no false acknowledgement, and leaves a sound file."""
    for error in power.ERRORS:
        failed, wrong = power.fail(error, every=every, only=only)
        assert not wrong, wrong[:3]
        assert failed


def overload():
    """A full queue refuses; what was accepted is answered once, and all of it is in the log."""
    store, gate = MemoryStore(), threading.Event()
    service = core(store)
    store_commit = store.commit

    def slow(batch):
        gate.wait(10.0)
        store_commit(batch)

    store.commit = slow
    writer = Writer(service, lambda error: None, room=ROOM)
    writer.start()
    answered, accepted, longest = [], 0, 0
    for i in range(5 * ROOM):
        accepted += writer.submit([Decide(f"e{i}", context(i))], answered.append)
        longest = max(longest, writer.n_waiting)
    gate.set()
    writer.drain()
    assert accepted < 5 * ROOM, "nothing was refused"
    assert longest <= ROOM, f"{longest} requests were waiting"
    answers = [answer for some in answered for answer in some]
    logged = [record for record in store.log if isinstance(record, Decision)]
    counts = (accepted, len(answers), len(logged), service.counts["decided"])
    assert len({*counts}) == 1, f"accepted, answered, logged, counted: {counts}"
    assert not writer.submit([Decide("late", context())], answered.append)


def long_run(n=1200):
    """Probabilities are such, and labels are chosen as they say: z-scores are normal."""
    store = MemoryStore()
    service = core(store)
    for i in range(n):
        among = ["a", "b"] if i % 10 == 0 else None
        (answer,) = service.handle([Decide(f"e{i}", context(i), among)])
        assert answer.status == 200, answer
        right = answer.body["label"] == "abc"[i % 2]
        service.handle([Feedback(f"e{i}", 0.9 * right)])
    decisions = [record for record in store.log if isinstance(record, Decision)]
    P = np.array([np.frombuffer(record.pmf) for record in decisions])
    label = np.array([record.label for record in decisions])
    assert np.abs(P.sum(axis=1) - 1).max() < 1e-9, "probabilities do not sum up to 1"
    assert (P >= 0).all()
    assert (P[::10, 2] == 0).all(), "a label has a chance though it was not allowed"
    assert all(p[d.label] == d.propensity for p, d in zip(P, decisions, strict=True))
    z = ((label[:, None] == np.arange(3)) - P).sum(axis=0) / np.sqrt((P * (1 - P)).sum(axis=0))
    assert np.abs(z).max() < 4, f"labels are not chosen as logged: z = {z}"


def golden_file():
    """A file of the first version is read, verified and continued."""
    golden.check()


DETECTORS = {
    "state machine": state_machine, "verify": replay, "power loss": power_loss,
    "failing disk": failing_disk, "overload": overload, "long run": long_run,
    "golden file": golden_file, "damaged file": damage.damaged_file,
    "old events": damage.old_events,
}  # fmt: skip
