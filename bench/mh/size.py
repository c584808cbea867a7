"""Memory of AdaBoostMH on a million rows, and its time on wide sparse ones.

A million rows of 100 columns, as bytes: by how much the memory of the process grows at most during
a fit. 2,000 rows of 100,000 columns with 100 entries each: CPU seconds of 300 rounds. Each fit has
its own process. Writes results/mh_size.json and .md.
"""

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from bench.benchmark import Option, Requirement, Results, TimedBenchmark, written_by
from onearm.mh.classifier import AdaBoostMH
from papers.markdown import table

BASES = ("random_tree", "stump", "product", "tree")
TIMES, SECONDS = 1.5, 3.0  # what is required
ROUNDS = 300  # on wide rows
WIDE, ENTRIES = (2000, 100_000), 100  # entries of each row
OPTIONS = (Option("rows", 1_000_000, "of which the memory is measured"),)


def rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).integers(0, 256, (n, 100), np.uint8)
    return X, (X[:, 0].astype(int) + X[:, 1] > 255).astype(int)


def memory(base: str, n: int) -> Results:
    """Return by how many bytes a fit makes the process grow, those of X and those of weights."""
    model = AdaBoostMH(base, max_rounds=20, random_state=0)
    model.fit(*rows(3000))  # compiles
    X, y = rows(n)
    before = int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    model.fit(X, y)
    grown = getrusage(RUSAGE_SELF).ru_maxrss * 1024 - before
    a_row = 8 * 4 + 8 + 8 + 4  # A, its weight in the sample, and which label it has
    return {"grown": grown, "bytes": X.nbytes, "weights": a_row * n}


def wide(base: str) -> Results:
    """Return CPU seconds of `fit` and `predict` on wide sparse rows."""
    (n, d), rng = WIDE, np.random.default_rng(0)
    place = (np.repeat(np.arange(n), ENTRIES), rng.integers(0, d, n * ENTRIES))
    X, y = csr_array((rng.random(n * ENTRIES) + 0.5, place), shape=WIDE), np.arange(n) % 2
    model = AdaBoostMH(base, n_rounds=ROUNDS, random_state=0).fit(X[:60], y[:60])  # compiles
    model.predict(X[:60])
    calls: list[Callable[[], Any]] = [lambda: model.fit(X, y), lambda: model.predict(X)]
    seconds = []
    for call in calls:
        began = time.process_time()
        call()
        seconds.append(time.process_time() - began)
    return dict(zip(("fit", "predict"), seconds, strict=True))


def measure(options: argparse.Namespace) -> Results:
    results: Results = {"rows": options.rows, "memory": {}, "wide": {}}
    for base in BASES:
        with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
            results["memory"][base] = pool.submit(memory, base, options.rows).result()
            results["wide"][base] = pool.submit(wide, base).result()
    return results


def share(one: Results) -> float:
    """Return the growth without weights, by the bytes of X."""
    return float((one["grown"] - one["weights"]) / one["bytes"])


def requirements(results: Results) -> list[Requirement]:
    return [
        *(Requirement(f"memory, {base}", share(one), "≤", TIMES)
          for base, one in results["memory"].items()),
        *(Requirement(f"wide rows, s, {base}", one["fit"], "<", SECONDS)
          for base, one in results["wide"].items()),
    ]  # fmt: skip


def report(results: Results) -> str:
    body = [
        [base, f"{one['grown'] / 1e6:.0f}", f"{share(one):.2f}",
         *(f"{results['wide'][base][what]:.2f}" for what in ("fit", "predict"))]
        for base, one in results["memory"].items()
    ]  # fmt: skip
    head = ["base", "memory, MB", "less weights, × X", "wide: fit, s", "predict, s"]
    missed = [str(bound) for bound in requirements(results) if not bound.met]
    return f"""# Memory and wide rows of AdaBoostMH

{written_by(results)}
{results["rows"]:,} rows of 100 columns, as bytes: by how much the process grows at most during a
fit of 20 rounds; and how much that is, without the weights of rows and labels, by the bytes of the
rows (required: at most {TIMES}). Then CPU seconds of {ROUNDS} rounds on {WIDE[0]:,} × {WIDE[1]:,}
sparse rows with {ENTRIES} entries each (required: less than {SECONDS:g}).

{table(head, body)}

{"Not met: " + "; ".join(missed) + "." if missed else "All requirements are met."}
"""


main = TimedBenchmark(
    "mh.size", __doc__, "mh_size", measure, report, None, requirements, OPTIONS
).main
