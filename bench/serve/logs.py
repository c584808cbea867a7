"""Large logs: made by the core itself in large commits, replayed, and recovered by a service.

`python -m bench.serve.logs make FOLDER LEARNER N` writes the log of N decisions with their rewards,
`pending FOLDER LEARNER N` that of N decisions that wait for them, and `replay FOLDER` learns all of
it again. Each prints JSON, and runs in a process of its own.
"""

import json
import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import psutil

from bench.serve.program import APP, PROGRAM, contexts, serving, settings
from bench.timing import child
from onearm.service import app, replay
from onearm.service.clock import Clock
from onearm.service.core import Core
from onearm.service.requests import Decide, Feedback
from onearm.service.sqlite import SqliteStore

POLICIES = ("uniform", "always label 1")  # that are judged
MOST = 1024  # decisions in a commit, or rewards
WARM = 1000  # records that are replayed before the clock runs


def make(folder: Path, learner: str, n: int, with_rewards: bool) -> dict[str, Any]:
    """Write a log without snapshots; return its size, and the memory of its writer on the way."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "app.toml").write_text(settings(learner))
    texts, begin, rss = [text.encode() for text in contexts()], time.perf_counter(), {}
    with closing(SqliteStore(folder / f"{APP}.db")) as store:
        store.connection.execute("PRAGMA synchronous = OFF")  # only until it is made
        core = Core(store, app.read(folder / "app.toml").settings, Clock())
        for first in range(0, n, MOST):
            ids = [f"e{i}" for i in range(first, min(first + MOST, n))]
            core.handle([Decide(e, texts[i % len(texts)]) for i, e in enumerate(ids, first)])
            if with_rewards:
                core.handle([Feedback(e, i % 2) for i, e in enumerate(ids)])
            for part in (0.1, 1.0):
                if first < part * n <= first + MOST:
                    rss[str(int(part * n))] = psutil.Process().memory_info().rss / 2**20
    seconds = time.perf_counter() - begin
    size = (folder / f"{APP}.db").stat().st_size / 1e6
    return {"events": n, "seconds": seconds, "megabytes": size, "rss_mib": rss}


def replayed(folder: Path) -> dict[str, Any]:
    """Learn all events of a log again; return how long that took."""
    with closing(SqliteStore(folder / f"{APP}.db", read_only=True)) as store:
        replay.replayed(store, 0, None, WARM)
        wall, cpu = time.perf_counter(), time.process_time()
        _, models = replay.replayed(store, 0, None, store.last_seq())
        taken = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
        (events,) = store.one("SELECT count(*) FROM log WHERE kind = 2")
    return {"events": events, **taken, "sha256": models.sha256()}


def _process(*words: Any) -> Any:
    """Return what this module prints as a program."""
    command = [sys.executable, "-m", "bench.serve.logs", *map(str, words)]
    return json.loads(child(command).strip().splitlines()[-1])


def recovery(folder: Path, events: int, of_chorus: int) -> dict[str, Any]:
    """Return how long starts and replays take: without a snapshot, and with one of the end."""
    made = {
        "InverseGap": _process("make", folder / "InverseGap", "InverseGap", events),
        "Chorus": _process("make", folder / "Chorus", "Chorus", of_chorus),
    }
    results = {}
    for learner, log in made.items():
        again = _process("replay", folder / learner)
        with serving(folder / learner, learner) as service:
            without, state = service.seconds, service.get("state")
            post(service.url, "snapshot", {})
            while service.get("state")["snapshot_seq"] < state["seq"]:
                time.sleep(0.1)
        with serving(folder / learner, learner) as service:
            from_snapshot, later = service.seconds, service.get("state")
        results[learner] = {
            "log": log, "replay": again, "same_models": state["sha256"] == again["sha256"],
            "start_seconds": without, "start_from_snapshot_seconds": from_snapshot,
            "same_models_from_snapshot": state["sha256"] == later["sha256"],
        }  # fmt: skip
    return results


def memory(folder: Path, many: int) -> dict[str, Any]:
    """Return the memory of services whose logs have few and many decisions that wait."""
    results = {}
    for n in (many // 100, many):
        log = _process("pending", folder / str(n), "InverseGap", n)
        with serving(folder / str(n), "InverseGap") as service:
            post(service.url, "decide", {"context": json.loads(contexts(1)[0])})
            time.sleep(min(20.0, 3.0 + n / 50_000))  # the watcher reads the log
            results[str(n)] = {
                "log": log, "rss_mib": service.rss(), "start_seconds": service.seconds,
                "pending": service.get("state")["pending"],
            }  # fmt: skip
    return results


def evaluated(folder: Path, many: int) -> dict[str, Any]:
    """Return what `onearm evaluate` costs on logs with few and many events."""
    results = {}
    for n in (many // 10, many):
        log = _process("make", folder / str(n), "InverseGap", n)
        command = [*PROGRAM[:-1], "evaluate", str(folder / str(n) / f"{APP}.db")]
        for policy in POLICIES:
            command += ["--policy", policy]
        begin, out = time.perf_counter(), ["--out", str(folder / "page")]
        process = subprocess.Popen([*command, *out], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if status:
            raise RuntimeError(f"onearm evaluate failed with {process.returncode}")
        results[str(n)] = {
            "log": log, "events": n, "seconds": time.perf_counter() - begin,
            "cpu_seconds": usage.ru_utime + usage.ru_stime, "rss_mib": usage.ru_maxrss / 1024,
        }  # fmt: skip
    return results


def post(url: str, name: str, body: dict[str, Any]) -> Any:
    """Return what a service answers to a POST."""
    headers = {"content-type": "application/json"}
    request = Request(f"{url}/v1/{APP}/{name}", json.dumps(body).encode(), headers)
    with urlopen(request, timeout=60) as response:
        return json.load(response)


if __name__ == "__main__":
    what, path, *more = sys.argv[1:]
    if what == "replay":
        printed = replayed(Path(path))
    else:
        printed = make(Path(path), more[0], int(more[1]), what == "make")
    print("\n" + json.dumps(printed))
