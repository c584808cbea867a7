"""How fast boosting for regression is: `python -m bench.regression_speed`.

`BanditGradientBooster.play` over linear learners beside the same algorithm in NumPy, whose learners
are the columns of one matrix; then by the number of learners and of features. Writes
results/regression_speed.json, .md and .png.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from bench.mh.speed import best_of
from bench.speed import report
from bench.timing import one_core
from onearm import BanditGradientBooster

FOLDER = Path(__file__).parents[1] / "results"
LEARNERS, FEATURES = (5, 10, 20, 40, 80), (25, 50, 100, 200, 400)
N, D = 20, 100
SETTINGS = {"lr": 0.01, "power": 0.5, "R": 10.0, "delta": 0.5}
NOISE, DEMANDED = 0.1, 8.0


def in_numpy(X: np.ndarray, y: np.ndarray, n: int, seed: int) -> np.ndarray:
    """Algorithm 2 of BH20 with one output: the predictions."""
    rng, (lr, power, R, delta) = np.random.default_rng(seed), SETTINGS.values()
    W, said = np.zeros((X.shape[1], n)), np.empty(len(X))
    eta = 2.0 / (np.arange(n) + 2)
    # y^i = Σ_k≤i mix[i, k] a_k: with it the stages are one product
    mix = np.zeros((n + 1, n))
    for i in range(n):
        mix[i + 1] = (1 - eta[i]) * mix[i]
        mix[i + 1, i] = eta[i]
    for t, (x, answer) in enumerate(zip(X, y, strict=True), 1):
        stages = mix @ (x @ W)
        said[t - 1] = stages[-1]
        v = rng.choice((-1.0, 1.0), n)
        losses = (stages[:-1] + delta * v - answer) ** 2 + rng.uniform(-NOISE, NOISE, n)
        W -= lr * t**-power * np.outer(x, losses * v / delta)
        norms = np.sqrt(np.einsum("jn,jn->n", W, W))
        W *= np.minimum(1.0, R / np.maximum(norms, R))
    return said


def rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) / np.sqrt(d)
    return X, X @ rng.normal(size=d)


def ours(n_rows: int, n: int, d: int, repeats: int) -> float:
    """Seconds a round."""
    X, y = rows(n_rows, d)
    booster = BanditGradientBooster(d, n_learners=n, **SETTINGS)
    booster.play(X[:10], y[:10], noise=NOISE)
    return best_of(repeats, lambda: booster.play(X, y, noise=NOISE)) / n_rows


def theirs(n_rows: int, n: int, d: int, repeats: int) -> float:
    X, y = rows(n_rows, d)
    return best_of(repeats, lambda: in_numpy(X, y, n, 0)) / n_rows


def measured(quick: bool) -> dict[str, Any]:
    n_rows, repeats = (300, 1) if quick else (20_000, 5)
    return {
        "ours": ours(n_rows, N, D, repeats),
        "numpy": theirs(max(n_rows // 10, 100), N, D, repeats),
        "learners": {n: ours(n_rows, n, D, repeats) for n in LEARNERS},
        "features": {d: ours(n_rows, N, d, repeats) for d in FEATURES},
        "repeats": repeats,
    }


def text(results: dict[str, Any]) -> str:
    facts, times = results["about"], results["numpy"] / results["ours"]
    shown = ", ".join(f"{k} {facts[k]}" for k in ("python", "onearm", "numba", "numpy"))
    by = {
        name: report.table(
            [name, "µs a round", f"ns a {each}"],
            [
                [f"{key}", f"{1e6 * s:.2f}", f"{1e9 * s / (key * other):.2f}"]
                for key, s in some.items()
            ],
        )
        for name, each, other, some in (
            ("learners", "learner and feature", D, results["learners"]),
            ("features", "learner and feature", N, results["features"]),
        )
    }
    verdict = "" if times >= DEMANDED else " **not met**"
    return f"""# Speed of boosting for regression

Written by `{results["command"]}` on {facts["date"]}, {facts["cpu"]}; {shown}. Wall-clock
seconds, the best of {results["repeats"]}, one thread. `BanditGradientBooster.play` on linear
learners, squared loss; {N} learners and {D} features unless said.

| what | µs a round |
| --- | --- |
| onearm | {1e6 * results["ours"]:.2f} |
| the same in NumPy, vectorised over the learners | {1e6 * results["numpy"]:.2f} |

{times:.1f} times NumPy's; demanded is at least {DEMANDED:g}{verdict}. The cost is linear in the
number of learners and of features, and by the piece falls where there are many:

{by["learners"]}

{by["features"]}
"""


def draw(results: dict[str, Any], path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(8, 3), sharey=True)
    fixed = {"learners": f"{D} features", "features": f"{N} learners"}
    for panel, name in zip(panels, fixed, strict=True):
        some = results[name]
        panel.plot(list(some), [1e6 * s for s in some.values()], "o-", color="C0")
        panel.set(xlabel=f"{name} ({fixed[name]})", xlim=(0, None), ylim=(0, None))
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("µs a round")
    figure.tight_layout()
    figure.savefig(path, dpi=130)


def main() -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="python -m bench.regression_speed", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rows, to see that it runs")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    asked, console = parser.parse_args(), Console(stderr=True)
    one_core()
    console.print("measuring …")
    command = "python -m bench.regression_speed" + (" --quick" if asked.quick else "")
    results = {"command": command, "about": report.about(), **measured(asked.quick)}
    (asked.out / "regression_speed.json").write_text(json.dumps(results, indent=1) + "\n")
    (asked.out / "regression_speed.md").write_text(text(results))
    draw(results, asked.out / "regression_speed.png")
    times = results["numpy"] / results["ours"]
    console.print(f"{times:.1f} times NumPy, demanded at least {DEMANDED:g}")
    return 0 if times >= DEMANDED else 1


if __name__ == "__main__":
    sys.exit(main())
