"""AdaBoostMH against boosted trees and forests: `python -m bench.mh_peers`.

The error on test rows against the time that training took, one thread, five data sets with their
usual splits. All who take part see the same arrays, one after another in one run for each data set;
what they need to get ready (bins, columns) is counted, prediction is not. Writes
results/mh_peers.json, .md and .png; data sets that were not asked for stay as they were there.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from threadpoolctl import threadpool_limits

from bench.mh import peers_report as mh_peers_report
from bench.speed import report
from bench.timing import one_core
from onearm.mh.classifier import AdaBoostMH
from onearm.mh.early_stopping import ValidationCurve
from papers.b10.data import Split, load
from papers.b10.paper import PRINTED, SIZES, of

FOLDER = Path(__file__).parents[1] / "results"
BUDGET = {"mnist": 40.0, "usps": 10.0, "pendigits": 10.0, "isolet": 10.0, "letter": 10.0}
POINTS = 30  # of a curve
MANY = 100_000  # rounds: more than there is time for
Curve = list[tuple[float, float]]  # (seconds, error)
WIDE = ("mnist", "usps", "isolet")  # hundreds of columns


class Bounded(AdaBoostMH):
    """AdaBoostMH that stops when its time is over."""

    def _boost(self, rounds: int, curve: Any) -> None:
        self.clock_, end = [], self.began + self.budget
        while not self.clock_ or time.process_time() < end:
            super()._boost(20, None)
            self.clock_.append((len(self.ensemble_.alpha), time.process_time() - self.began))


def ours(data: Split, budget: float, **settings: Any) -> Curve:
    model = Bounded(n_rounds=MANY, random_state=0, arms="recent", **settings)
    model.began, model.budget = time.process_time(), budget
    model.fit(data.X, data.y)
    curve = ValidationCurve(
        data.X_test, data.y_test[:, None] == model.classes_, np.ones(len(data.y_test))
    )
    curve.update(model.ensemble_, False)
    return [(clock, curve.errors[t - 1]) for t, clock in thinned(model.clock_)]


def lightgbm(data: Split, budget: float, **settings: Any) -> Curve:
    from lightgbm import LGBMClassifier
    from lightgbm.callback import EarlyStopException

    model = LGBMClassifier(n_estimators=MANY, n_jobs=1, verbose=-1, random_state=0, **settings)
    clock, began = [], time.process_time()

    def watch(env: Any) -> None:
        clock.append((env.iteration + 1, time.process_time() - began))
        if clock[-1][1] > budget:
            raise EarlyStopException(env.iteration, [("training", "none", 0.0, True)])

    model.fit(data.X, data.y, callbacks=[watch])
    return [
        (seconds, error(data, model.predict(data.X_test, num_iteration=t)))
        for t, seconds in thinned(clock)
    ]


def xgboost(data: Split, budget: float, **settings: Any) -> Curve:
    import xgboost as xgb

    clock: list[tuple[int, float]] = []

    class Watch(xgb.callback.TrainingCallback):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            clock.append((epoch + 1, time.process_time() - began))
            return clock[-1][1] > budget

    model = xgb.XGBClassifier(
        n_estimators=MANY, n_jobs=1, random_state=0, callbacks=[Watch()], **settings
    )
    began = time.process_time()
    model.fit(data.X, data.y)
    return [
        (seconds, error(data, model.predict(data.X_test, iteration_range=(0, t))))
        for t, seconds in thinned(clock)
    ]


def hist(data: Split, budget: float, **settings: Any) -> Curve:
    """It does not say when a round ends: the time of the rounds is taken to be equal."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    def fitted(rounds: int) -> tuple[Any, float]:
        began = time.process_time()
        model = HistGradientBoostingClassifier(
            max_iter=rounds, early_stopping=False, random_state=0, **settings
        ).fit(data.X, data.y)
        return model, time.process_time() - began

    (_, one), (_, three) = fitted(1), fitted(3)
    rounds = max(1, min(2000, int(1 + (budget - one) / max((three - one) / 2, 1e-3))))
    model, seconds = fitted(rounds)
    each = (seconds - one) / max(rounds - 1, 1)
    clock = thinned([(t, one + each * (t - 1)) for t in range(1, rounds + 1)])
    wanted = dict(clock)
    return [
        (wanted[t], error(data, said))
        for t, said in enumerate(model.staged_predict(data.X_test), 1)
        if t in wanted
    ]


def forest(data: Split, budget: float, **settings: Any) -> Curve:
    from sklearn.ensemble import ExtraTreesClassifier

    model = ExtraTreesClassifier(1, warm_start=True, n_jobs=1, random_state=0, **settings)
    curve: Curve = []
    spent = 0.0
    while spent < budget and model.n_estimators < 2000:
        began = time.process_time()
        model.fit(data.X, data.y)
        spent += time.process_time() - began
        curve.append((spent, error(data, model.predict(data.X_test))))
        model.n_estimators = int(1.3 * model.n_estimators) + 1
    return curve


def error(data: Split, said: np.ndarray) -> float:
    return float((said != data.y_test).mean())


def thinned(clock: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Some of the points, evenly in the logarithm of time."""
    seconds = np.array([at for _, at in clock])
    wanted = np.geomspace(seconds[0], seconds[-1], POINTS)
    return [clock[i] for i in np.unique(np.searchsorted(seconds, wanted).clip(0, len(clock) - 1))]


def competitors(name: str) -> dict[str, tuple[Callable[..., Curve], dict[str, Any]]]:
    """Who takes part: the function that trains it, and its settings."""
    N, wide = of(name, SIZES["tree"]), name in WIDE
    terms = {"arms_per_round": 3} if wide else {"n_terms": 5}
    bytree = {"colsample_bytree": 0.3} if wide else {}
    light = {"learning_rate": 0.2, "min_child_samples": 5} if wide else {"num_leaves": 63}
    few = {"max_features": 0.3 if wide else 1.0}
    return {
        "AdaBoostMH products": (ours, {"base": "product"}),
        "AdaBoostMH products, tuned": (ours, {"base": "product", **terms}),
        "AdaBoostMH trees, tuned": (ours, {"base": "tree", "n_leaves": N}),
        "LightGBM": (lightgbm, {}),
        "LightGBM, tuned": (lightgbm, light | bytree),
        "XGBoost": (xgboost, {}),
        "XGBoost, tuned": (xgboost, {"max_depth": 8, "max_bin": 64, **bytree}),
        "HistGradientBoosting": (hist, {}),
        "HistGradientBoosting, tuned": (hist, {"max_leaf_nodes": 15, **few}),
        "ExtraTrees": (forest, {}),
        "ExtraTrees, tuned": (forest, {"max_features": 0.1 if wide else 0.5}),
    }


def run(name: str, budget: float, console: Console) -> dict[str, Any]:
    """The curves of all on one data set."""
    data, curves = load(name), {}
    small = Split(data.X[:500], data.y[:500], data.X_test[:50], data.y_test[:50])
    for who, (train, settings) in competitors(name).items():
        train(small, 0.1, **settings)  # imports, compiles
        curve = train(data, budget, **settings)
        curves[who] = {"settings": settings, "curve": curve}
        console.print(f"{name} {who}: {100 * curve[-1][1]:.2f} % at {curve[-1][0]:.1f} s")
    return curves


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.mh_peers", description=__doc__)
    parser.add_argument("--data", nargs="+", choices=PRINTED, default=PRINTED)
    parser.add_argument("--budget", type=float, default=1.0, help="of the usual time")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    asked, console = parser.parse_args(), Console(stderr=True)
    one_core()
    curves: dict[str, Any] = {}
    with threadpool_limits(1):  # HistGradientBoosting asks how many cores there are
        for name in asked.data:
            curves[name] = run(name, BUDGET[name] * asked.budget, console)
    about = {
        "command": " ".join(["python -m bench.mh_peers", *sys.argv[1:]]),
        "about": report.about() | mh_peers_report.versions(),
    }
    path = asked.out / "mh_peers.json"
    results = json.loads(path.read_text()) if path.exists() else {}  # of other data sets
    for name, seen in curves.items():
        results[name] = {**about, "budget": BUDGET[name] * asked.budget, "curves": seen}
    path.write_text(json.dumps(results, indent=1) + "\n")
    mh_peers_report.write(results, asked.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
