"""A file whose bytes have changed is not started, or all is as it was; old events stay old."""

import random
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from onearm.service import upkeep
from onearm.service.records import Decision
from onearm.service.requests import Activate, Decide, Feedback
from onearm.service.sqlite import SqliteStore
from tests.service import making, power
from tests.service.making import Clock

FLIPPED = 40  # bytes
END = 1300.0  # the time after the last record


def write(path):
    """Let a service run, with a snapshot amid."""
    with closing(SqliteStore(path)) as store:
        clock = Clock()
        service = making.core(store, clock, wait=40.0)
        for i, requests in enumerate(power.batches(5, 60)):
            clock.now += 5.0
            service.handle(requests)
            if i == 40:
                service.save_snapshot()


def answers(path, requests=None):
    """Start a service; return what it answers for all events (or requests), its state and log."""
    with closing(SqliteStore(path)) as store:
        service = making.core(store, Clock(END), wait=40.0)
        asked = _decisions(store) if requests is None else requests
        answered = [tuple(answer) for answer in service.handle(asked)]
        return answered, service.models.sha256(), list(store.records())


def _decisions(store):
    every = [r for r in store.records() if isinstance(r, Decision)]
    return [Decide(r.event_id, r.context, None, r.deferred) for r in every]


def flipped(content, seed):
    """Flip bytes: near each other, as a bad sector does, or all over the file."""
    rng, content = random.Random(seed), bytearray(content)
    begin = rng.randrange(len(content) - FLIPPED) if seed % 2 else None
    for i in range(FLIPPED if seed % 3 else 1):
        at = begin + i if begin is not None else rng.randrange(len(content))
        content[at] ^= 1 + rng.randrange(255)
    return bytes(content)


def refusals(path, seeds):
    """Flip bytes again and again; return why starts were refused. The others are as before."""
    with closing(SqliteStore(path, read_only=True)) as store:
        requests = _decisions(store)
    before, refused = answers(path, requests), []
    content = path.read_bytes()
    for seed in range(seeds):
        path.write_bytes(flipped(content, seed))
        try:
            same = answers(path, requests) == before
        except ValueError as error:
            same = True
            refused.append(str(error))
        assert same, f"with the bytes of seed {seed} flipped old events had other answers"
        path.with_name(f"{path.name}-wal").unlink(missing_ok=True)
    return refused


def of_old_event(path, export):
    """Compact a file, and return the answers for an event that was removed."""
    with closing(SqliteStore(path, read_only=True)) as store:
        old = next(r for r in store.records() if isinstance(r, Decision))
    upkeep.compact(path, 1080.0, export)
    with closing(SqliteStore(path)) as store:
        service = making.core(store, Clock(END), wait=40.0)
        event = old.event_id
        return service.handle([Decide(event, old.context), Feedback(event, 1.0), Activate(event)])


def damaged_file(seeds=30):
    """With flipped bytes a service is not started, or all its answers are those of before."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.db"
        write(path)
        assert len(refusals(path, seeds)) > seeds / 3


def old_events():
    """An event that was removed is neither new nor unknown."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.db"
        write(path)
        for answer in of_old_event(path, Path(folder) / "old.parquet"):
            assert (answer.status, answer.body["status"]) == (410, "compacted"), answer
