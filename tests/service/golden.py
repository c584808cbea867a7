"""Small logs of all formats, with two snapshots each: later versions must read them.

python -m tests.service.golden    writes that of the format of now, once
"""

import lzma
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from onearm.service.core import Core
from onearm.service.logs import read_log
from onearm.service.requests import Change, Decide, Feedback
from onearm.service.sqlite import SqliteStore
from onearm.service.verify import verify
from tests.service import power
from tests.service.making import Clock, context, core, settings

DATA = Path(__file__).parents[1] / "data"
FILES = [DATA / f"service_{number}.db.xz" for number in (1, 2)]
COUNTS = {"reported": 27, "default": 58, "pending": 17, "not_activated": 14}
FIRST = {"label": "c", "propensity": 1 / 3, "policy": "first", "model_seq": 1, "seq": 2}


def write():
    """Make the file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.db"
        with closing(SqliteStore(path)) as store:
            clock = Clock()
            service = core(store, clock, wait=60.0)
            for i, requests in enumerate(power.batches(4, 80)):
                clock.now += 5.0
                service.handle(requests)
                if i == 20:
                    second = {"policy": "second", "learner": {"name": "EpsilonGreedy"}}
                    service.handle([Change("add_label", {"label": "d"})])
                    service.handle([Change("add_policy", second)])
                    service.save_snapshot()
                if i == 60:
                    service.handle([Change("promote", {"policy": "second"})])
                    service.handle([Change("rollback", {"policy": "second", "seq": 100})])
                    service.save_snapshot()
            store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            store.connection.execute("PRAGMA journal_mode = DELETE")
        FILES[-1].write_bytes(lzma.compress(path.read_bytes()))


def check():
    """Read the files, verify them, and let a service go on with each."""
    for file in FILES:
        _check(file)


def _check(file):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.db"
        path.write_bytes(lzma.decompress(file.read_bytes()))
        assert read_log(path).counts == COUNTS
        with closing(SqliteStore(path)) as store:
            report = verify(store)
            assert report.is_sound, str(report)
            assert report.counts["snapshots"] == 2
            service = Core(store, settings(wait=60.0), Clock(store.last_ts()))
            (answer,) = service.handle([Decide("e0", context())])
            assert {name: answer.body[name] for name in FIRST} == FIRST
            service.handle([Decide("new", context())])
            service.handle([Feedback("new", 1.0)])
            report = verify(store)
            assert report.is_sound, str(report)


if __name__ == "__main__":
    write()
