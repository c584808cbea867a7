"""AdaBoostMH beside boosted trees and forests: error on test rows against the time of training.

One thread, five data sets with their usual splits. All models get the same arrays, one after
another in one run for each data set; their preparation (bins, columns) is counted, prediction is
not. Writes results/mh_peers.json, .md and .png; data sets that --data leaves out stay as they are
there.
"""

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from threadpoolctl import threadpool_limits

from bench.benchmark import Option, Results, TimedBenchmark
from bench.mh.peers_report import PACKAGES, draw, report
from bench.timing import one_core
from onearm.experiments.identity import about
from onearm.mh.classifier import AdaBoostMH
from onearm.mh.early_stopping import ValidationCurve
from papers.b10.data import Split, load
from papers.b10.paper import PRINTED, SIZES, of

FILES = "mh_peers"
BUDGET = {"mnist": 40.0, "usps": 10.0, "pendigits": 10.0, "isolet": 10.0, "letter": 10.0}
POINTS = 30  # of a curve
MANY = 100_000  # rounds: more than the budget allows
Curve = list[tuple[float, float]]  # (seconds, error)
WIDE = ("mnist", "usps", "isolet")  # hundreds of columns


class Bounded(AdaBoostMH):
    """AdaBoostMH that stops when its budget is spent."""

    def _boost(self, rounds: int, curve: Any, advance: Any) -> None:
        self.clock_, end = [], self.began + self.budget
        while not self.clock_ or time.process_time() < end:
            super()._boost(20, None, advance)
            self.clock_.append((len(self.ensemble_.alpha), time.process_time() - self.began))


def adaboost_mh(data: Split, budget: float, **settings: Any) -> Curve:
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
    return scored(data, clock, lambda t: model.predict(data.X_test, num_iteration=t))


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
    return scored(data, clock, lambda t: model.predict(data.X_test, iteration_range=(0, t)))


def histograms(data: Split, budget: float, **settings: Any) -> Curve:
    """Train HistGradientBoosting; its rounds are taken to last equally long."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    def fitted(rounds: int) -> tuple[Any, float]:
        began = time.process_time()
        model = HistGradientBoostingClassifier(
            max_iter=rounds, early_stopping=False, random_state=0, **settings
        ).fit(data.X, data.y)
        return model, time.process_time() - began

    (_, first), (_, three) = fitted(1), fitted(3)
    rounds = max(1, min(2000, int(1 + (budget - first) / max((three - first) / 2, 1e-3))))
    model, seconds = fitted(rounds)
    per_round = (seconds - first) / max(rounds - 1, 1)
    points = dict(thinned([(t, first + per_round * (t - 1)) for t in range(1, rounds + 1)]))
    return [
        (points[t], error(data, labels))
        for t, labels in enumerate(model.staged_predict(data.X_test), 1)
        if t in points
    ]


def forest(data: Split, budget: float, **settings: Any) -> Curve:
    """Train forests of more and more trees for so many CPU seconds."""
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


def error(data: Split, labels: np.ndarray) -> float:
    return float((labels != data.y_test).mean())


def scored(data: Split, clock: list[tuple[int, float]], predict: Callable) -> Curve:
    return [(seconds, error(data, predict(t))) for t, seconds in thinned(clock)]


def thinned(clock: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Return some of the points, even in the logarithm of time."""
    seconds = np.array([second for _, second in clock])
    grid = np.geomspace(seconds[0], seconds[-1], POINTS)
    return [clock[i] for i in np.unique(np.searchsorted(seconds, grid).clip(0, len(clock) - 1))]


def competitors(name: str) -> dict[str, tuple[Callable[..., Curve], dict[str, Any]]]:
    """Return for each model the function that trains it, and its settings."""
    N, wide = of(name, SIZES["tree"]), name in WIDE
    terms = {"arms_per_round": 3} if wide else {"n_terms": 5}
    bytree = {"colsample_bytree": 0.3} if wide else {}
    light = {"learning_rate": 0.2, "min_child_samples": 5} if wide else {"num_leaves": 63}
    few = {"max_features": 0.3 if wide else 1.0}
    return {
        "AdaBoostMH products": (adaboost_mh, {"base": "product"}),
        "AdaBoostMH products, tuned": (adaboost_mh, {"base": "product", **terms}),
        "AdaBoostMH trees, tuned": (adaboost_mh, {"base": "tree", "n_leaves": N}),
        "LightGBM": (lightgbm, {}),
        "LightGBM, tuned": (lightgbm, light | bytree),
        "XGBoost": (xgboost, {}),
        "XGBoost, tuned": (xgboost, {"max_depth": 8, "max_bin": 64, **bytree}),
        "HistGradientBoosting": (histograms, {}),
        "HistGradientBoosting, tuned": (histograms, {"max_leaf_nodes": 15, **few}),
        "ExtraTrees": (forest, {}),
        "ExtraTrees, tuned": (forest, {"max_features": 0.1 if wide else 0.5}),
    }


def run(name: str, budget: float, console: Console) -> dict[str, Any]:
    data, curves = load(name), {}
    small = Split(data.X[:500], data.y[:500], data.X_test[:50], data.y_test[:50])
    for model, (train, settings) in competitors(name).items():
        train(small, 0.1, **settings)  # imports, compiles
        curve = train(data, budget, **settings)
        curves[model] = {"settings": settings, "curve": curve}
        console.print(f"{name} {model}: {100 * curve[-1][1]:.2f} % at {curve[-1][0]:.1f} s")
    return curves


def measure(options: argparse.Namespace) -> Results:
    """Measure the chosen data sets; others stay as they are in the results."""
    path, console = options.out / f"{FILES}.json", Console(stderr=True)
    data = json.loads(path.read_text())["data"] if path.exists() else {}
    one_core()
    with threadpool_limits(1):  # HistGradientBoosting asks how many cores there are
        for name in options.data:
            budget = BUDGET[name] * options.budget
            curves = run(name, budget, console)
            header = {"command": options.command, "about": about(PACKAGES)}
            data[name] = {**header, "budget": budget, "curves": curves}
    return {"data": data}


OPTIONS = (
    Option("data", tuple(PRINTED), "data sets", PRINTED),
    Option("budget", 1.0, "CPU seconds, as a multiple of the usual ones"),
)
main = TimedBenchmark(
    "mh.peers", __doc__, FILES, measure, report, draw, options=OPTIONS, packages=PACKAGES
).main
