"""Speed of boosting for regression.

`BanditGradientBooster.play` over linear learners beside the same algorithm in NumPy, whose learners
are the columns of one matrix; then by the number of learners and of features. Writes
results/regression_speed.json, .md and .png.
"""

import argparse
from pathlib import Path

import numpy as np

from bench.benchmark import Option, Requirement, Results, TimedBenchmark, written_by
from bench.timing import best_of, one_core
from onearm import BanditGradientBooster
from papers.figures import subplots
from papers.markdown import table

LEARNERS, FEATURES = (5, 10, 20, 40, 80), (25, 50, 100, 200, 400)
N, D = 20, 100
SETTINGS = {"lr": 0.01, "power": 0.5, "R": 10.0, "delta": 0.5}
NOISE, REQUIRED = 0.1, 8.0


def in_numpy(X: np.ndarray, y: np.ndarray, n: int, seed: int) -> np.ndarray:
    """Return the predictions of Algorithm 2 of BH20 with one output."""
    rng, (lr, power, R, delta) = np.random.default_rng(seed), SETTINGS.values()
    W, predictions = np.zeros((X.shape[1], n)), np.empty(len(X))
    eta = 2.0 / (np.arange(n) + 2)
    # y^i = Σ_k≤i mix[i, k] a_k: with it the stages are one product
    mix = np.zeros((n + 1, n))
    for i in range(n):
        mix[i + 1] = (1 - eta[i]) * mix[i]
        mix[i + 1, i] = eta[i]
    for t, (x, truth) in enumerate(zip(X, y, strict=True), 1):
        stages = mix @ (x @ W)
        predictions[t - 1] = stages[-1]
        v = rng.choice((-1.0, 1.0), n)
        losses = (stages[:-1] + delta * v - truth) ** 2 + rng.uniform(-NOISE, NOISE, n)
        W -= lr * t**-power * np.outer(x, losses * v / delta)
        norms = np.sqrt(np.einsum("jn,jn->n", W, W))
        W *= np.minimum(1.0, R / np.maximum(norms, R))
    return predictions


def make_rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return random rows, and answers that are linear in them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) / np.sqrt(d)
    return X, X @ rng.normal(size=d)


def ours(n_rows: int, n: int, d: int, repeats: int) -> float:
    X, y = make_rows(n_rows, d)
    booster = BanditGradientBooster(d, n_learners=n, **SETTINGS)
    booster.play(X[:10], y[:10], noise=NOISE)
    return best_of(repeats, lambda: booster.play(X, y, noise=NOISE)) / n_rows


def numpys(n_rows: int, n: int, d: int, repeats: int) -> float:
    X, y = make_rows(n_rows, d)
    return best_of(repeats, lambda: in_numpy(X, y, n, 0)) / n_rows


def measure(options: argparse.Namespace) -> Results:
    one_core()
    n_rows, repeats = (300, 1) if options.quick else (20_000, 5)
    return {
        "ours": ours(n_rows, N, D, repeats),
        "numpy": numpys(max(n_rows // 10, 100), N, D, repeats),
        "learners": {n: ours(n_rows, n, D, repeats) for n in LEARNERS},
        "features": {d: ours(n_rows, N, d, repeats) for d in FEATURES},
        "repeats": repeats,
    }


def requirements(results: Results) -> list[Requirement]:
    return [Requirement("rate over NumPy's", results["numpy"] / results["ours"], "≥", REQUIRED)]


def report(results: Results) -> str:
    (ratio,) = requirements(results)
    missed = "" if ratio.met else ", **not met**"
    head = ["µs per round", "ns per learner and feature"]
    by = {
        name: table(
            [name, *head],
            [
                [key, f"{1e6 * s:.2f}", f"{1e9 * s / (int(key) * other):.2f}"]
                for key, s in results[name].items()
            ],
        )
        for name, other in (("learners", D), ("features", N))
    }
    times = [
        ["onearm", f"{1e6 * results['ours']:.2f}"],
        ["the same in NumPy, vectorised over the learners", f"{1e6 * results['numpy']:.2f}"],
    ]
    return f"""# Speed of boosting for regression

{written_by(results, ("onearm", "numba", "numpy"))}
Wall-clock seconds, the best of {results["repeats"]}, one thread. `BanditGradientBooster.play` on
linear learners, squared loss; {N} learners and {D} features unless stated otherwise.

{table(["what", "µs per round"], times)}

{ratio.value:.1f} times NumPy's rate; required is at least {REQUIRED:g}{missed}. The cost is
linear in the number of learners and of features, and less per piece where there are many:

{by["learners"]}

{by["features"]}
"""


def draw(results: Results, path: Path) -> None:
    figure, panels = subplots(1, 2, (8, 3), None, sharey=True)
    fixed = {"learners": f"{D} features", "features": f"{N} learners"}
    for panel, name in zip(panels, fixed, strict=True):
        x = [int(key) for key in results[name]]
        panel.plot(x, [1e6 * s for s in results[name].values()], "o-", color="C0")
        panel.set(xlabel=f"{name} ({fixed[name]})", xlim=(0, None), ylim=(0, None))
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("µs per round")
    figure.tight_layout()
    figure.savefig(path, dpi=130)


OPTIONS = (Option("quick", False, "few rows, to see that it runs"),)
main = TimedBenchmark(
    "regression.speed", __doc__, "regression_speed", measure, report, draw, requirements, OPTIONS
).main
