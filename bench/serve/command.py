"""The decision service under load, beside a Vowpal Wabbit daemon, which logs nothing.

On loopback, on one machine, in one run: durable decisions a second, each with its feedback, by wrk;
starts and replays of large logs, and their evaluation; memory while many decisions wait. Next to
each result stands what one fdatasync took just before and after it: it drifts tenfold. Needs
Debian's package wrk. Parts that are left out with --only are those of the stored results. Writes
results/serve.json and .md.
"""

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bench.benchmark import Option, Results, TimedBenchmark
from bench.serve import daemon, load, logs
from bench.serve.report import PACKAGES, report, requirements
from bench.timing import ROOT, now

CACHE = ROOT / ".cache" / "serve_bench"
PEERS = ROOT / ".cache" / "serve_peers"
PARTS = ("inversegap", "chorus", "vw", "recovery", "memory", "evaluate")
FULL = {"seconds": 20, "events": 1_000_000, "chorus_events": 50_000, "pending": 1_000_000}
QUICK = {"seconds": 2, "events": 20_000, "chorus_events": 2_000, "pending": 20_000}
OPTIONS = (
    Option("only", PARTS, "parts to measure", PARTS),
    Option("quick", False, "small sizes, for a trial; they go to .cache unless --out is given"),
    Option("folder", CACHE, "folder of the logs: its disk is what is measured"),
)


def parts(folder: Path, size: dict[str, int]) -> dict[str, Callable]:
    """Return what measures each part."""
    under_load, seconds = load.under_load, size["seconds"]
    return {
        "inversegap": partial(
            under_load, folder / "inversegap", "InverseGap", [1, 16, 64], seconds
        ),
        "chorus": partial(under_load, folder / "chorus", "Chorus", [64], seconds),
        "vw": lambda: daemon.beside(daemon.environment(PEERS), seconds / 2),
        "recovery": partial(
            logs.recovery, folder / "recovery", size["events"], size["chorus_events"]
        ),
        "memory": partial(logs.memory, folder / "memory", size["pending"]),
        "evaluate": partial(logs.evaluated, folder / "evaluate", size["events"]),
    }


def measure(options: argparse.Namespace) -> Results:
    size, path = QUICK if options.quick else FULL, options.out / "serve.json"
    measured: dict[str, Any] = json.loads(path.read_text())["parts"] if path.exists() else {}
    options.folder.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    errors = []
    try:
        for name, run in parts(folder, size).items():
            if name in options.only:
                measured.pop(name, None)
                try:
                    about = {"time": now(), "sizes": size, "load_average": os.getloadavg()[0]}
                    measured[name] = about | {"results": run()}
                except (RuntimeError, OSError, AssertionError) as error:
                    errors.append(f"{name}: {error}")
                shutil.rmtree(folder / name, ignore_errors=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {"parts": {name: measured[name] for name in PARTS if name in measured}, "errors": errors}


def main(arguments: Sequence[str]) -> int:
    """Measure and write; a trial leaves the results of the repository as they are."""
    if "--quick" in arguments and "--out" not in arguments:
        arguments = [*arguments, "--out", str(CACHE / "quick")]
    return BENCHMARK.main(arguments)


BENCHMARK = TimedBenchmark(
    "serve", __doc__, "serve", measure, report, None, requirements, OPTIONS, PACKAGES
)
