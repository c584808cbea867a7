"""The service under load by wrk: durable decisions a second, each with its feedback."""

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.serve.disk import fdatasync
from bench.serve.program import Serving, contexts, serving
from bench.timing import child
from onearm.service.sqlite import SqliteStore

SCRIPT = Path(__file__).with_name("pairs.lua")
COUNT = "SELECT sum(kind = 1), sum(kind = 2) FROM log"


def under_load(folder: Path, learner: str, connections: list[int], seconds: int) -> dict[str, Any]:
    """Return what a service did at each number of connections, on one log."""
    if shutil.which("wrk") is None:
        raise RuntimeError("there is no wrk: apt-get install wrk")
    folder.mkdir()
    (folder / "contexts").write_text("\n".join(contexts()) + "\n")
    runs = []
    with serving(folder, learner) as service:
        _wrk(service, folder, "warm", 16, max(1, seconds // 5))
        for n in connections:
            runs.append(_run(service, folder, n, seconds))
        rss = service.rss()
    return {"learner": learner, "rss_mib": rss, "runs": runs}


def _run(service: Serving, folder: Path, n: int, seconds: int) -> dict[str, Any]:
    before, cpu, counts, refused = (
        fdatasync(folder), service.cpu(), _counts(service.file), service.refused(),
    )  # fmt: skip
    printed = _wrk(service, folder, f"{n}-", n, seconds)
    cpu, refused = service.cpu() - cpu, service.refused() - refused
    decisions, outcomes = (new - old for new, old in zip(_counts(service.file), counts))  # noqa: B905
    return {
        "connections": n, **printed, "cpu_seconds": cpu,
        "decisions": decisions, "outcomes": outcomes, "refused": refused,
        "lost": max(0, printed["requests"] - printed["refused_or_failed"] - decisions - outcomes),
        "fdatasync_ms": [before, fdatasync(folder)],
    }  # fmt: skip


def _wrk(service: Serving, folder: Path, prefix: str, n: int, seconds: int) -> dict[str, Any]:
    """Return what wrk measured with n connections; `prefix` makes the ids of its events new."""
    command = ["wrk", "-t1", f"-c{n}", f"-d{seconds}s", "--timeout", "30s", "-s", str(SCRIPT)]
    command += [service.url, "--", str(folder / "contexts"), prefix, str(4 * n)]
    return json.loads(child(command).strip().splitlines()[-1])


def _counts(file: Path) -> tuple[int, int]:
    """Return how many decisions and outcomes are in the log."""
    with closing(SqliteStore(file, read_only=True)) as store:
        decisions, outcomes = store.one(COUNT)
    return decisions or 0, outcomes or 0
