"""Loss of power and failing disks, at every point where a service writes or syncs.

lose_power   a service runs on a disk that forgets; at many of its syncs, and after answers, a
             loss of power is simulated: what was acknowledged until then must be there
fail         the same run with a disk that fails from its n-th call on, for every n: an error
             or no room; nothing must be acknowledged that is not there afterwards
"""

import random
import shutil
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import apsw

from onearm.service.requests import Activate, Decide, Feedback
from onearm.service.sqlite import SqliteStore
from tests.service.acknowledged import noted, violations
from tests.service.disk import Disk
from tests.service.making import Clock, context, core

ERRORS = (apsw.IOError, apsw.FullError)


def batches(seed, n):
    """Return batches of requests, some of them for events of earlier ones."""
    rng, events = random.Random(seed), 0
    for _ in range(n):
        requests = []
        for _ in range(rng.randrange(1, 6)):
            kind = rng.random()
            if kind < 0.5 or not events:
                deferred = rng.random() < 0.2
                requests.append(Decide(f"e{events}", context(events), None, deferred, False, "b"))
                events += 1
            elif kind < 0.9:
                requests.append(Feedback(f"e{rng.randrange(events)}", rng.choice([0.0, 1.0])))
            else:
                requests.append(Activate(f"e{rng.randrange(events)}"))
        yield requests


class Run:
    """A service on a disk, and what it has acknowledged."""

    def __init__(self, disk, folder, seed):
        self.disk, self.folder, self.seed = disk, folder, seed
        self.acknowledged = []

    def play(self, n, after=lambda: None):
        """Answer n batches, with time passing and a snapshot amid them."""
        clock = Clock()
        with closing(SqliteStore(self.folder / "log.db", vfs=self.disk.vfs_name)) as store:
            store.connection.execute("PRAGMA wal_autocheckpoint = 20")
            service = core(store, clock, wait=30.0)
            for i, requests in enumerate(batches(self.seed, n)):
                clock.now += 5.0
                answers = service.handle(requests)
                lines = map(noted, requests, answers)
                self.acknowledged += [line for line in lines if line is not None]
                after()
                if i == n // 2:
                    service.save_snapshot()


def lose_power(trials, seed=0, n=12):
    """Return how many states after a loss of power were looked at, and what was wrong."""
    looked, wrong = 0, []
    while looked < trials and not wrong:
        with TemporaryDirectory() as folder:
            disk = Disk()
            run = Run(disk, Path(folder) / "disk", seed)
            run.folder.mkdir()
            images = []

            def look(disk=disk, run=run, images=images, folder=folder):
                path = Path(folder) / f"image{len(images)}"
                disk.image(f"{run.seed} {len(images)}", path)
                images.append((path, len(run.acknowledged)))

            disk.looked = lambda disk, look=look: look()
            run.play(n, look)
            for path, known in images[: trials - looked]:
                wrong += violations(path / "log.db", run.acknowledged[:known])
                looked += 1
            disk.unregister()
        seed += 1
    return looked, wrong


def fail(error=apsw.IOError, seed=0, n=5, every=1, only="sync"):
    """Return how many calls were made to fail, in a run each, and what was wrong."""
    total, failed, wrong = count_calls(seed, n), 0, []
    points = [i for i, (kind, _) in enumerate(total) if kind == only or only == "all"]
    for point in points[::every]:
        with TemporaryDirectory() as folder:
            disk = Disk()
            disk.fail_at, disk.error = point, error
            run = Run(disk, Path(folder) / "disk", seed)
            run.folder.mkdir()
            try:
                with quiet():
                    run.play(n)
            except (apsw.Error, OSError, ValueError):
                failed += 1
            if disk.has_failed:
                wrong += checked_copy(run, folder)
            disk.unregister()
        if wrong:
            break
    return failed, wrong


@contextmanager
def quiet():
    """Say nothing about errors that SQLite gets twice: they are wanted here."""
    with (
        mock.patch.object(sys, "unraisablehook"),
        mock.patch.object(sys, "excepthook"),
    ):
        yield


def checked_copy(run, folder):
    """Return what is wrong with the files that a failing disk has left."""
    copied = Path(folder) / "copied"
    copied.mkdir()
    for path in run.folder.iterdir():
        if not path.name.endswith(("-shm", "-lock")):
            shutil.copy(path, copied)
    return violations(copied / "log.db", run.acknowledged)


def count_calls(seed, n):
    """Return the calls of a run without faults."""
    with TemporaryDirectory() as folder:
        disk = Disk()
        run = Run(disk, Path(folder), seed)
        run.play(n)
        disk.unregister()
    return disk.calls
