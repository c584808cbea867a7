"""The crash loop: a service is killed again and again, and must keep what it has acknowledged.

Each round a child process runs core and writer over a file, with clients that decide, give
feedback, repeat and contradict themselves. It is killed by SIGKILL: from outside at a random time,
or by itself before or after a commit, after the outcomes were applied, or amid a snapshot. What was
acknowledged until then is in a pipe. The files are copied to a fresh folder and checked there.

    python -m tests.service.crash --rounds 20 --seed 1
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from onearm.service import writer as writing
from onearm.service.clock import Clock
from onearm.service.core import Core
from onearm.service.requests import Activate, Decide, Feedback
from onearm.service.sqlite import SqliteStore
from tests.service.acknowledged import noted, violations
from tests.service.making import context, core, settings
from tests.service.planted import BUGS

POINTS = ("outside", "before_commit", "after_commit", "after_apply", "in_snapshot")
LINGER = 0.03  # seconds: a false acknowledgement has the time to leave
CLIENTS, LONGEST, ROUNDS_OF_A_FILE = 8, 10.0, 4
WAIT = 0.08  # seconds until the default reward


@dataclass
class Result:
    """What the rounds have shown."""

    rounds: int = 0
    acknowledged: int = 0
    kills: Counter = field(default_factory=Counter)
    violations: list = field(default_factory=list)


def crash(rounds, seed=0, bug=None):
    """Run rounds until one shows a violation; `bug` is planted into the children."""
    result, rng = Result(), random.Random(seed)
    while result.rounds < rounds and not result.violations:
        with TemporaryDirectory() as folder:
            (Path(folder) / "live").mkdir()
            acknowledged = []
            for i in range(ROUNDS_OF_A_FILE):
                point = POINTS[result.rounds % len(POINTS)]
                acknowledged += _round(Path(folder) / "live", rng, point, bug)
                result.kills[point] += 1
                result.rounds += 1
                result.violations += _checked(Path(folder), i, acknowledged)
                if result.violations or result.rounds == rounds:
                    break
            result.acknowledged += len(acknowledged)
    return result


def _checked(folder, i, acknowledged):
    fresh = folder / f"fresh{i}"
    fresh.mkdir()
    for path in (folder / "live").iterdir():
        if not path.name.endswith("-lock"):
            shutil.copy(path, fresh)
    return violations(fresh / "log.db", acknowledged)


def _round(folder, rng, point, bug):
    """Let a child run until it is killed; return what it has acknowledged."""
    ours, theirs = os.pipe()
    seed, countdown, patience = rng.random(), rng.randrange(2, 25), rng.uniform(0.03, 0.3)
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        _child(folder, seed, point, countdown, theirs, bug)
    os.close(theirs)
    killer = threading.Timer(patience if point == "outside" else LONGEST, _kill, [pid])
    killer.start()
    with os.fdopen(ours, "rb") as pipe:
        lines = pipe.read().split(b"\n")
    os.waitpid(pid, 0)
    killer.cancel()
    killer.join()
    return [json.loads(line) for line in lines[:-1]]  # the last one may be torn


def _kill(pid):
    os.kill(pid, signal.SIGKILL)


def _child(folder, seed, point, countdown, pipe, bug):
    """Run a service and its clients; never return."""
    try:
        with BUGS[bug].planted() if bug else nullcontext():
            Service(folder, seed, Trap(point, countdown), pipe).run()
    except BaseException as error:  # it is reported as what is wrong
        os.write(pipe, json.dumps(["failed", repr(error)]).encode() + b"\n")
    finally:
        os._exit(1)


class Trap:
    """Kills the process when it comes to a point for the n-th time."""

    def __init__(self, point, countdown):
        self.point, self.countdown = point, countdown

    def __call__(self, point):
        if point == self.point:
            self.countdown -= 1
            if self.countdown <= 0:
                time.sleep(LINGER)
                os.kill(os.getpid(), signal.SIGKILL)


class Service:
    """Core, writer and clients in one process."""

    def __init__(self, folder, seed, trap, pipe):
        self.trap, self.pipe, self.seed = trap, pipe, seed
        writing.FEWEST = writing.MOST_OUTCOMES = 15  # outcomes between snapshots
        store = SqliteStore(folder / "log.db")
        self._set_traps(store)
        self.core = Core(store, settings(wait=WAIT), Clock())
        self.writer = writing.Writer(self.core, self._failed)

    def _set_traps(self, store):
        commit, apply, trap = store.commit, Core._commit, self.trap

        def trapped_commit(batch):
            trap("before_commit")
            commit(batch)
            trap("after_commit")
            if batch.pieces:
                trap.countdown -= 4 * (trap.point == "in_snapshot")
                trap("in_snapshot")

        def trapped_apply(core, work):
            apply(core, work)
            trap("after_apply")

        store.commit, Core._commit = trapped_commit, trapped_apply

    def run(self):
        self.writer.start()
        clients = [threading.Thread(target=self._client, args=(i,)) for i in range(CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()

    def _failed(self, error):
        self._say(["failed", repr(error)])
        os._exit(2)

    def _say(self, line):
        """Write what was acknowledged; None, of a writer that failed, promises nothing."""
        if line is not None:
            os.write(self.pipe, json.dumps(line).encode() + b"\n")

    def _ask(self, requests):
        """Send requests and wait; what is acknowledged goes to the pipe as it is answered."""
        answered = threading.Event()

        def done(answers):
            for request, answer in zip(requests, answers or (), strict=False):
                self._say(noted(request, answer))
            answered.set()

        if self.writer.submit(requests, done):
            answered.wait(LONGEST)

    def _client(self, i):
        rng = random.Random(f"{self.seed} {i}")
        for n in range(10**6):
            event, reward = f"{self.seed}-{i}-{n}", float(rng.random() < 0.5)
            self._ask([Decide(event, context(rng.randrange(9)), None, rng.random() < 0.2)])
            kind = rng.random()
            if kind < 0.7:
                self._ask([Activate(event)] if rng.random() < 0.3 else [Feedback(event, reward)])
                self._ask([Feedback(event, reward), Feedback(event, 1.0 - reward)])
            elif kind < 0.8:
                time.sleep(1.2 * WAIT)  # the default reward comes first
                self._ask([Feedback(event, reward), Feedback("unknown", reward)])
            elif kind < 0.9:  # answers are repeated
                self._ask([Decide(event, context()), Decide(event, context(1))])
            else:
                self.writer.ask(lambda core: ["state", core.seq, core.models.sha256()], self._say)


def main():
    parser = argparse.ArgumentParser(description="Kill a service and check what it keeps.")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bugs", default="", help="planted bugs, comma-separated; default: none")
    given = parser.parse_args()
    warm()
    for bug in given.bugs.split(",") if given.bugs else [None]:
        print(json.dumps({"bug": bug} | vars(crash(given.rounds, given.seed, bug))), flush=True)


def warm():
    """Load what is compiled, so that children need not."""
    service = core()
    service.handle([Decide("warm", context())])
    service.handle([Feedback("warm", 1.0)])


if __name__ == "__main__":
    sys.exit(main())
