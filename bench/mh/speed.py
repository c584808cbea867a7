"""How fast AdaBoostMH is: `python -m bench.mh_speed`.

On MNIST a full search and a round of EXP3.P beside a stump of scikit-learn's AdaBoostClassifier,
and two threads beside one; what a round and a policy cost by the number of columns; a million rows
through ten thousand stumps. Writes results/mh_speed.json, .md and .png.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from bench.mh import speed_report as mh_speed_report
from bench.speed import report
from onearm.core.kernels import kernel
from onearm.core.rng import seeded
from onearm.mh.bandits import Arms, pull, reward
from onearm.mh.classifier import AdaBoostMH
from papers.b10.data import load

FOLDER = Path(__file__).parents[1] / "results"
BASES = {"stump": 6, "product": 2, "tree": 1}  # rounds of a full search to be timed
PAIRS = 4  # times that full searches are timed with one thread and with two, in each process
WIDTHS = (100, 1000, 10_000, 100_000)
ROWS = 300  # of the wide tables
POLICIES = ("uniform", "exp3p", "ucb", "ucbv", "recent")


def best_of(repeats: int, run: Callable[[], Any]) -> float:
    """The least wall-clock seconds."""
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def begun(base: str, arms: str, n_jobs: int = 1, rounds: int = 1) -> AdaBoostMH:
    """A classifier on MNIST that has played a round or some."""
    data = load("mnist")
    settings = {"n_rounds": rounds, "n_jobs": n_jobs, "random_state": 0}
    model = AdaBoostMH(base, arms=arms, warm_start=True, **settings)  # keeps what rounds need
    return model.fit(data.X, data.y)


def played(model: AdaBoostMH, rounds: int) -> Callable[[], Any]:
    return lambda: model.ensemble_.boost(rounds, model._training)


def scikit_learn() -> float:
    """Seconds that each further stump takes."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    data = load("mnist")
    X = data.X.astype(np.float32)  # as its trees want it

    def fit(n: int) -> Callable[[], Any]:
        return lambda: AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=n).fit(
            X, data.y
        )

    return (best_of(1, fit(3)) - best_of(1, fit(1))) / 2


def by_turns(base: str) -> list[list[float]]:
    """Seconds of full searches with one thread and with two, by turns."""
    models = [begun(base, "full", n_jobs) for n_jobs in (1, 2)]
    rounds = BASES[base]
    seconds: list[list[float]] = [[], []]
    for _ in range(PAIRS):
        for model, seen in zip(models, seconds, strict=True):
            seen.append(best_of(1, played(model, rounds)) / rounds)
    return seconds


def searches(repeats: int) -> dict[str, Any]:
    """A full search, by threads, and rounds of EXP3.P, in seconds.

    Where arrays happen to lie decides much, so full searches are timed in several processes.
    """
    full: dict[str, Any] = {}
    for base in BASES:
        with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
            seconds = np.concatenate(list(pool.map(by_turns, [base] * repeats)), axis=1)
        full[base] = {"one": seconds[0].tolist(), "two": seconds[1].tolist()}
    bandit = {base: best_of(repeats, played(begun(base, "exp3p", 1, 100), 200)) / 200
              for base in BASES}  # fmt: skip
    return {"full": full, "exp3p": bandit, "AdaBoostClassifier": min(
        scikit_learn() for _ in range(repeats))}  # fmt: skip


@kernel
def play_arms(n, arms, rng):
    """Pull n arms, each with the same reward."""
    for _ in range(n):
        reward(pull(0, arms, rng), 0.01, 1.0, arms)


def policies(repeats: int) -> dict[str, Any]:
    """Seconds of a pull with its reward, by policy and number of columns."""
    found: dict[str, Any] = {}
    for policy in POLICIES:
        found[policy] = {}
        for d in WIDTHS:
            arms = Arms(np.arange(d), policy, 1, "log", 0.15, 0.3, 10_000, False)
            arms.known[:, 0] = 1.0
            pulls, rng = max(20, 2_000_000 // d), seeded(0)
            play_arms(2, arms.model(), rng)
            found[policy][d] = best_of(repeats, lambda a=arms, n=pulls, g=rng: play_arms(
                n, a.model(), g)) / pulls  # fmt: skip
    return found


def widths(repeats: int) -> dict[str, Any]:
    """Seconds of a round by the number of columns: of search and reweighing, and of all."""
    rng, found = np.random.default_rng(0), {}
    for d in WIDTHS:
        X = rng.integers(0, 256, (ROWS, d)).astype(float)
        y = rng.integers(0, 10, ROWS)
        found[d] = {}
        for policy in ("uniform", "exp3p", "recent"):
            model = AdaBoostMH(arms=policy, n_rounds=50, random_state=0).fit(X, y)
            found[d][policy] = best_of(repeats, played(model, 100)) / 100
    return found


def prediction(repeats: int) -> dict[str, Any]:
    """A million rows of 64 columns through 10,000 stumps."""
    rng = np.random.default_rng(0)
    X = rng.random((3000, 64))
    y = (X @ rng.normal(size=(64, 10))).argmax(axis=1)
    model = AdaBoostMH(n_rounds=10_000, random_state=0).fit(X, y)
    rows = rng.random((1_000_000, 64))
    model.predict(rows[:10])
    return {"rows": len(rows), "stumps": int((model.alpha_ > 0).sum()),
            "seconds": best_of(repeats, lambda: model.predict(rows))}  # fmt: skip


def verdicts(results: dict[str, Any]) -> dict[str, float]:
    """What is demanded, as measured."""
    seen, full = results["searches"], results["searches"]["full"]
    widest = {p: max(s / int(d) for d, s in by.items() if int(d) > 100) * 1e9
              for p, by in results["policies"].items()}  # fmt: skip
    return {
        "full over AdaBoostClassifier": seen["AdaBoostClassifier"] / min(full["stump"]["one"]),
        "EXP3.P over AdaBoostClassifier": seen["AdaBoostClassifier"] / seen["exp3p"]["stump"],
        "two threads over one, stump": float(
            np.median(full["stump"]["one"]) / np.median(full["stump"]["two"])
        ),
        "slowest policy, ns a column": max(widest.values()),
        "a million rows, s": results["prediction"]["seconds"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.mh_speed", description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    asked, console = parser.parse_args(), Console(stderr=True)
    results: dict[str, Any] = {
        "command": " ".join(["python -m bench.mh_speed", *sys.argv[1:]]),
        "about": report.about(), "repeats": asked.repeats,
    }  # fmt: skip
    for part in (policies, widths, prediction, searches):
        console.print(f"measuring {part.__name__} …")
        results[part.__name__] = part(asked.repeats)
    results["verdicts"] = verdicts(results)
    (asked.out / "mh_speed.json").write_text(json.dumps(results, indent=1) + "\n")
    mh_speed_report.write(results, asked.out)
    for what, value in results["verdicts"].items():
        bound, how = mh_speed_report.DEMANDS[what]
        console.print(f"{what}: {value:.3g}, demanded {how} {bound}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
