"""`onearm serve` as a program of its own, with what it costs: CPU seconds and memory."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import psutil

K, D = 10, 20  # labels, columns
LABELS = [f"label {i}" for i in range(K)]
COLUMNS = [f"x{j}" for j in range(D)]
APP = "bench"
PROGRAM = (sys.executable, "-m", "onearm.cli.program", "serve")


def settings(learner: str, wait: str = "365d") -> str:
    """Return the settings of the service that is measured, as TOML."""
    columns = "\n".join(f'{name} = "number"' for name in COLUMNS)
    return f"""name = "{APP}"
labels = {json.dumps(LABELS)}
wait = "{wait}"

[schema]
{columns}

[learner]
name = "{learner}"

[server]
port = 0
"""


def contexts(n: int = 1000) -> list[str]:
    """Return contexts of 20 numbers, as JSON."""
    X = np.random.default_rng(0).normal(size=(n, D)).round(4)
    return [json.dumps(dict(zip(COLUMNS, x, strict=True))) for x in X.tolist()]


class Serving:
    """A service that runs, and where its log is."""

    def __init__(self, process: subprocess.Popen, url: str, file: Path, seconds: float) -> None:
        self.process, self.url, self.file = process, url, file
        self.seconds = seconds  # from the start of the process until it took requests
        self._usage = psutil.Process(process.pid)

    def cpu(self) -> float:
        """Return the CPU seconds that all its threads have used so far."""
        times = self._usage.cpu_times()
        return times.user + times.system

    def rss(self) -> float:
        """Return its resident memory in MiB."""
        return self._usage.memory_info().rss / 2**20

    def get(self, name: str) -> Any:
        """Return what it answers to a GET."""
        with urlopen(f"{self.url}/v1/{APP}/{name}", timeout=60) as response:
            return json.load(response)

    def refused(self) -> float:
        """Return how many requests it has refused with 503."""
        with urlopen(f"{self.url}/metrics", timeout=60) as response:
            lines = response.read().decode().splitlines()
        values = [line.split()[1] for line in lines if line.startswith("onearm_refused_total ")]
        return float(values[0])


@contextmanager
def serving(folder: Path, learner: str) -> Iterator[Serving]:
    """Have a service run on the log in a folder, which may have been made before."""
    folder.mkdir(parents=True, exist_ok=True)
    toml = folder / "app.toml"
    toml.write_text(settings(learner))
    begin = time.perf_counter()
    with (folder / "stderr").open("w") as errors:
        process = subprocess.Popen(
            [*PROGRAM, str(toml)], stdout=subprocess.PIPE, stderr=errors, text=True
        )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        if not first.startswith("listening: "):
            raise RuntimeError(f"the service did not start: {(folder / 'stderr').read_text()}")
        url = first.strip().removeprefix("listening: ")
        with urlopen(f"{url}/readyz", timeout=60):  # waits in the queue until it is answered
            seconds = time.perf_counter() - begin
        yield Serving(process, url, folder / f"{APP}.db", seconds)
    finally:
        process.kill()
        process.communicate()
