"""Every sync of a service's file fails, or is the last thing its process does: by strace.

A forked process plays the batches of `power` over a real file, and writes what it acknowledges to a
pipe. strace makes its n-th sync fail with EIO, or kills it there, for every n; what was
acknowledged must be in a copy of the file. The same is done to the program `onearm serve`, at some
syncs of its start and of its writer: after such a commit it must end with exit code 74.

    python -m tests.service.sync_points
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import onearm
from onearm.service.exchange import ServiceError
from onearm.service.sqlite import SqliteStore
from tests.service.acknowledged import noted, violations
from tests.service.crash import warm
from tests.service.killed_server import ENVIRONMENT, PROGRAM, TOML
from tests.service.making import Clock, core
from tests.service.planted import BUGS
from tests.service.power import batches, quiet

FAILED = 74  # exit code of a service after a commit that failed
INJECTED = {"error": "error=EIO", "kill": "signal=KILL"}
CALLS = "fdatasync,fsync"
N = 8  # batches
SERVED = (1, 2, 3, 5, 8, 13)  # syncs of a thread of `onearm serve` that fail
MISSING = "there is no strace that may attach to a process (Debian's package strace)"


def has_strace():
    """Whether strace is installed and may attach to another process."""
    if shutil.which("strace") is None:
        return False
    with TemporaryDirectory() as folder:
        return bool(_played(Path(folder), 0, f"trace={CALLS}")[2])


def play(folder, seed, pipe):
    """Answer batches, and say what is acknowledged."""
    clock = Clock()
    with closing(SqliteStore(folder / "log.db")) as store:
        store.connection.execute("PRAGMA wal_autocheckpoint = 20")
        service = core(store, clock, wait=30.0)
        for i, requests in enumerate(batches(seed, N)):
            clock.now += 5.0
            answers = service.handle(requests)
            lines = [line for line in map(noted, requests, answers) if line is not None]
            os.write(pipe, "".join(json.dumps(line) + "\n" for line in lines).encode())
            if i == N // 2:
                service.save_snapshot()


def swept(what, seed=0, every=1):
    """Return how many syncs did not succeed, how many runs that ended, and what was wrong."""
    wrong, n, ended = [], 0, 0
    for point in range(1, _count(seed) + 1, every):
        with TemporaryDirectory() as folder:
            live = Path(folder) / "live"
            live.mkdir()
            code, acknowledged, _ = _played(live, seed, _injected(what, point))
            if what == "kill" and code != -signal.SIGKILL:
                wrong.append(
                    f"sync {point} should have killed the process, which ended with {code}"
                )
            wrong += _checked(Path(folder), "log.db", acknowledged)
        n, ended = n + 1, ended + (code != 0)
        if wrong:
            break
    return n, ended, wrong


def _count(seed):
    """Return how many syncs there are."""
    with TemporaryDirectory() as folder:
        return _played(Path(folder), seed, f"trace={CALLS}")[2]


def _injected(what, point):
    return f"inject={CALLS}:{INJECTED[what]}:when={point}"


def _played(folder, seed, asked):
    """Return exit code, acknowledgements and syncs of a process that strace is attached to."""
    (ours, theirs), (begin, beginning) = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        _child(folder, seed, theirs, begin)
    os.close(theirs)
    os.close(begin)
    words = ["strace", "-f", "-o", str(folder / "syncs"), "-e", asked, "-p", str(pid)]
    strace = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    is_attached = "attached" in strace.stderr.readline()
    os.write(beginning, b"b")
    os.close(beginning)
    with os.fdopen(ours) as pipe:
        lines = pipe.read().splitlines()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    strace.communicate()
    syncs = (folder / "syncs").read_text() if is_attached else ""
    return code, [json.loads(line) for line in lines], syncs.count("sync(")


def _child(folder, seed, pipe, begin):
    """Be the process; never return."""
    try:
        os.read(begin, 1)
        with quiet():
            play(folder, seed, pipe)
        os._exit(0)
    finally:
        os._exit(1)


def _checked(folder, name, acknowledged):
    """Return what is wrong with a copy of the files."""
    copied = folder / "copied"
    copied.mkdir()
    for path in (folder / "live").glob(f"{name}*"):
        if not path.name.endswith(("-shm", "-lock")):
            shutil.copy(path, copied)
    return violations(copied / name, acknowledged)


def served(points):
    """Let syncs of `onearm serve` fail; return the same."""
    wrong, ended = [], 0
    for point in points:
        with TemporaryDirectory() as folder:
            (Path(folder) / "live").mkdir()
            code, has_listened, acknowledged = _server(Path(folder) / "live", point)
            ended += code != 0
            if code != (FAILED if has_listened else 1):
                wrong.append(f"sync {point} failed, and onearm serve ended with {code}")
            wrong += _checked(Path(folder), "news.db", acknowledged)
    return len(points), ended, wrong


def _server(folder, n):
    """Ask a server until it ends; return its exit code, whether it listened, and its answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "app.toml").write_text(f"{TOML}{port}\n")
    strace = ["strace", "-f", "-qq", "-o", os.devnull, "-e", _injected("error", n)]
    command = [*strace, sys.executable, "-c", PROGRAM, "", "serve"]
    process = subprocess.Popen(
        [*command, str(folder / "app.toml")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, env=ENVIRONMENT,
    )  # fmt: skip
    try:
        has_listened = process.stdout.readline().startswith("listening")
        acknowledged = _asked(port, n) if has_listened else []
        return process.wait(120), has_listened, acknowledged
    finally:
        process.kill()
        process.communicate()


def _asked(port, n):
    """Return what a server acknowledges until it answers no more."""
    acknowledged = []
    names = ("event_id", "label", "propensity", "seq", "model_seq", "policy")
    with onearm.Client(f"http://127.0.0.1:{port}", "news", retries=0) as client:
        for i in range(4 * n + 40):
            try:
                decided = client.decide({"age": 20 + i, "device": "phone"}, event_id=f"e{i}")
                acknowledged.append(["decided", *(getattr(decided, name) for name in names)])
                settled = client.feedback(f"e{i}", i % 2)
                acknowledged.append(["applied", f"e{i}", float(i % 2), settled.seq])
            except ServiceError:
                break
    return acknowledged


def rows(every=1, seed=0, points=SERVED):
    """Yield what did not succeed, at how many syncs, how many runs that ended, what was wrong."""
    for what in INJECTED:
        yield what, *swept(what, seed, every)
    yield "onearm serve", *served(points)


def main():
    parser = argparse.ArgumentParser(description="Fail or kill at every sync, by strace.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=int, default=1, help="each of so many syncs")
    parser.add_argument("--bug", default="", help="a planted bug, for forked processes only")
    given = parser.parse_args()
    warm()
    if not has_strace():
        print(json.dumps(["left out", MISSING]))
    elif given.bug:
        with BUGS[given.bug].planted():
            print(json.dumps(["error", *swept("error", given.seed, given.every)]))
    else:
        for row in rows(given.every, given.seed, SERVED[:: given.every]):
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
