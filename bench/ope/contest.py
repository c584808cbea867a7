"""Off-policy evaluation beside vw-estimators, pybandits and Vowpal Wabbit, on the same logs.

Values must be equal to 1e-9 where the formula is the same. Times are CPU seconds of one core on
arrays in memory, ours and theirs by turns, and of a Parquet log that is read in chunks. The others
run in an environment of their own, which is made first. Writes results/ope.json and ope.md.
"""

import argparse
import json
import lzma
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import onearm
from bench.benchmark import Option, Results, TimedBenchmark
from bench.ope import million, peers
from bench.ope.arrays import TIMED, log_arrays, values
from bench.ope.report import PACKAGES, report, requirements
from bench.timing import ROOT, child, one_core
from onearm.ope import Column

INSTALLED = ("vw-estimators==0.2.2", "pybandits==8.4.1", "vowpalwabbit>=9.10")
FOLDER = ROOT / ".cache" / "ope_peers"
DATA = Path(os.environ.get("ONEARM_DATA", "data"))
OPTIONS = (
    Option("events", 20_000, "of the arrays in memory"),
    Option("large", 1_000_000, "events of the Parquet log"),
    Option("repeats", 5, "of each timed call"),
    Option(
        "vw", DATA / "rcv1_vw_bandit_log.vw.xz", "rcv1_raw_cb_small.vw of Vowpal Wabbit's tests"
    ),
)


def environment() -> str:
    """Return the interpreter of an environment with the others, which is made if there is none."""
    python = FOLDER / "bin" / "python"
    if not (FOLDER / "ready").exists():
        child([sys.executable, "-m", "venv", str(FOLDER)])
        child([str(python), "-m", "pip", "install", "-q", *INSTALLED])
        (FOLDER / "ready").touch()
    return str(python)


def last_line(printed: str) -> Any:
    return json.loads(printed.strip().splitlines()[-1])


def on_arrays(options: argparse.Namespace, python: str, folder: Path) -> Results:
    """Return values and times of all on the same arrays."""
    data, path = log_arrays(options.events), folder / "arrays.npz"
    np.savez(path, **data)  # type: ignore[arg-type] # its stub has allow_pickle among the names
    command = [python, str(Path(peers.__file__)), str(path), str(options.repeats)]
    theirs = last_line(child(command))
    for call in TIMED.values():
        call(data)  # compiled before it is timed
    seconds = {
        name: peers.seconds(lambda call=call: call(data), options.repeats)  # type: ignore[misc]
        for name, call in TIMED.items()
    }
    times = {"ours": seconds, "theirs": theirs.pop("seconds")}
    return {"values": {"ours": values(data), "theirs": theirs}, "seconds": times}


def on_a_file(options: argparse.Namespace, folder: Path) -> Results:
    """Return times and memory of reading a large log, and of judging a policy on it."""
    path = folder / "log.parquet"
    million.write(path, options.large)
    command = [sys.executable, "-m", "bench.ope.million"]
    return {
        "megabytes": path.stat().st_size / 1e6,
        **{task: last_line(child([*command, task, str(path)])) for task in ("read", "judge")},
    }


def vowpal_wabbit(options: argparse.Namespace, python: str, folder: Path) -> Results:
    """Return the loss that it prints, and the value of its predictions by our log."""
    path = folder / "log.vw"
    path.write_bytes(lzma.decompress(options.vw.read_bytes()))
    command = [python, "-m", "vowpalwabbit", "-d", "log.vw", "--cb", "2", "--cb_type", "ips"]
    printed = child([*command, "-p", "predictions"], cwd=folder)
    loss = re.search(r"average loss = ([\d.]+)", printed)
    if loss is None:
        raise RuntimeError(f"no average loss in what was printed: {printed[-400:]}")
    labels = np.array((folder / "predictions").read_text().split(), np.int64)
    log = onearm.Log.read(path)
    policy = Column(labels - labels.min(), "Vowpal Wabbit")
    value = onearm.evaluate(log, policy, estimator="ips", model="none").estimates[1].value
    return {"printed": loss[1], "ours": -value, "events": len(log)}


def versions(python: str) -> dict[str, str]:
    names = [re.split("[=>]", name)[0] for name in INSTALLED]
    code = f"import importlib.metadata as m; print({{n: m.version(n) for n in {names}}})"
    return json.loads(child([python, "-c", code]).replace("'", '"'))


def measure(options: argparse.Namespace) -> Results:
    python = environment()
    one_core()
    sizes = {name: getattr(options, name) for name in ("events", "large", "repeats")}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return {
            "sizes": sizes, "peers": versions(python), **on_arrays(options, python, folder),
            "file": on_a_file(options, folder),
            "vowpal_wabbit": vowpal_wabbit(options, python, folder),
        }  # fmt: skip


main = TimedBenchmark(
    "ope", __doc__, "ope", measure, report, None, requirements, OPTIONS, PACKAGES
).main
