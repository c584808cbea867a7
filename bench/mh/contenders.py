"""AdaBoostMH and its peers with the same budget of CPU time, in which each chooses its rounds.

A learner has a ladder of sizes, the number of rounds or trees. On four fifths of the training rows
it climbs as long as the next step is likely to end within half of the budget; the size with the
least log loss on the other fifth is then fitted to all of them. AdaBoostMH cross-validates what it
makes of its rounds, and no forest is worse for more trees: these climb on all rows, within the
whole budget, and the last step counts. So they take the largest step that is likely to end in time.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from bench.bakeoff.extra_trees import one_hot
from onearm.mh.classifier import AdaBoostMH

OURS, FOREST, TREES = "AdaBoostMH", "ExtraTrees", 100
SIZES = (25, 50, 100, 200, 400, 800, 1600, 3200)
OURS_SIZES = (250, 350, 500, 700, 1000, 1400, 2000, 2800, 4000, 5600, 8000, 16_000)  # of all runs
CLIP = 1e-6  # a probability below counts as this one in the log loss


class Rows(NamedTuple):
    """Rows of a set: a frame, whose nominal columns are categories, and one-hot codes."""

    frame: Any
    codes: np.ndarray
    nominal: list[str]
    y: np.ndarray

    def part(self, chosen: np.ndarray) -> "Rows":
        return Rows(self.frame.iloc[chosen], self.codes[chosen], self.nominal, self.y[chosen])


def rows_of(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...]) -> Rows:
    """Return rows whose columns have so many categories, 0 for numbers."""
    names = [f"x{j}" for j in range(X.shape[1])]
    sizes = sizes or (0,) * len(names)
    columns = {
        name: _categories(x, size) if size else x
        for name, x, size in zip(names, X.T, sizes, strict=True)
    }
    nominal = [name for name, size in zip(names, sizes, strict=True) if size]
    return Rows(pd.DataFrame(columns), one_hot(X, sizes), nominal, y)


def _categories(codes: np.ndarray, size: int) -> Any:
    known = np.where(np.isnan(codes), -1, codes).astype(int)
    return pd.Categorical.from_codes(known, np.arange(size))


class Relabelled(NamedTuple):
    """A model of labels that are numbers of others."""

    model: Any
    classes_: np.ndarray

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.model.predict_proba(X)


def extra_trees(size: Any, tuned: bool, rows: Rows) -> Any:
    from sklearn.ensemble import ExtraTreesClassifier

    more = {"min_samples_leaf": 3, "max_features": 0.5} if tuned else {}
    return ExtraTreesClassifier(size, random_state=0, n_jobs=1, **more).fit(rows.codes, rows.y)


def adaboost_mh(size: Any, tuned: bool, rows: Rows) -> Any:
    more = {"n_leaves": 8} if tuned else {}
    return AdaBoostMH(max_rounds=size, random_state=0, **more).fit(rows.frame, rows.y)


def lightgbm(size: Any, tuned: bool, rows: Rows) -> Any:
    from lightgbm import LGBMClassifier

    more = {"learning_rate": 0.05, "num_leaves": 15} if tuned else {}
    model = LGBMClassifier(n_estimators=size, n_jobs=1, verbose=-1, random_state=0, **more)
    return model.fit(rows.frame, rows.y)


def xgboost(size: Any, tuned: bool, rows: Rows) -> Any:
    from xgboost import XGBClassifier

    more = {"learning_rate": 0.1, "max_depth": 4} if tuned else {}
    given = {"n_estimators": size, "n_jobs": 1, "random_state": 0, "enable_categorical": True}
    classes, y = np.unique(rows.y, return_inverse=True)  # it takes labels 0, 1, … alone
    return Relabelled(XGBClassifier(**given, **more).fit(rows.frame, y), classes)


def catboost(size: Any, tuned: bool, rows: Rows) -> Any:
    from catboost import CatBoostClassifier

    more = {"learning_rate": 0.1, "depth": 4} if tuned else {}
    given = {"iterations": size, "thread_count": 1, "random_seed": 0, "verbose": False}
    model = CatBoostClassifier(**given, **more, allow_writing_files=False)
    return model.fit(texts(rows), rows.y, cat_features=rows.nominal)


def texts(rows: Rows) -> Any:
    """Return the frame with categories as texts, as CatBoost wants them."""
    return rows.frame.astype(dict.fromkeys(rows.nominal, str))


def histograms(size: Any, tuned: bool, rows: Rows) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    more = {"learning_rate": 0.05, "max_leaf_nodes": 15} if tuned else {}
    given = {"max_iter": size, "early_stopping": False, "random_state": 0}
    return HistGradientBoostingClassifier(**given, **more).fit(rows.frame, rows.y)


class Contender(NamedTuple):
    """How a learner is fitted with a size, the sizes it tries, and what it predicts from."""

    fit: Callable[[Any, bool, Rows], Any]
    sizes: Sequence[Any] = SIZES
    inputs: Callable[[Rows], Any] = lambda rows: rows.frame
    held_out: bool = True  # whether rows are, to choose a size; else the largest in time is best


CONTENDERS = {
    OURS: Contender(adaboost_mh, OURS_SIZES, held_out=False),
    "LightGBM": Contender(lightgbm),
    "XGBoost": Contender(xgboost),
    "CatBoost": Contender(catboost, inputs=texts),
    "HistGradientBoosting": Contender(histograms),
    FOREST: Contender(extra_trees, inputs=lambda rows: rows.codes, held_out=False),
}


def forest_seconds(train: Rows) -> float:
    """Return the CPU seconds of a forest of 100 trees: the unit of budgets."""
    began = time.process_time()
    extra_trees(TREES, False, train)
    return time.process_time() - began


def play(name: str, tuned: bool, train: Rows, test: Rows, budget: float) -> dict[str, Any]:
    """Return error and log loss on the test rows, the size chosen, and CPU seconds spent."""
    contender, began = CONTENDERS[name], time.process_time()
    inside, outside, within = train, train, budget
    if contender.held_out:
        parts = train_test_split(np.arange(len(train.y)), test_size=0.2, random_state=0)
        inside, outside = (train.part(np.sort(part)) for part in parts)
        within = budget / 2
    tried: list[tuple[float, int]] = []
    larger = contender.sizes[:1]
    while larger:
        size, start = larger[0 if contender.held_out else -1], time.process_time()
        model = contender.fit(size, tuned, inside)
        loss = scores(model, contender, outside)[1] if contender.held_out else -size
        tried.append((loss, size))
        end = time.process_time()
        most = size * (within - (end - began)) / (end - start)
        larger = [other for other in contender.sizes if size < other <= most]
    chosen = min(tried)[1]
    if contender.held_out:
        model = contender.fit(chosen, tuned, train)
    spent = time.process_time() - began
    error, loss = scores(model, contender, test)
    return {"error": error, "log_loss": loss, "size": chosen, "cpu_seconds": round(spent, 4)}


def scores(model: Any, contender: Contender, rows: Rows) -> tuple[float, float]:
    """Return error and log loss; a label that was not seen has probability 0."""
    p = np.asarray(model.predict_proba(contender.inputs(rows)), float)
    classes = np.asarray(model.classes_).ravel()
    of_truth = (p * (rows.y[:, None] == classes)).sum(axis=1)
    error = float((classes[p.argmax(axis=1)] != rows.y).mean())
    return error, float(-np.log(np.clip(of_truth, CLIP, 1.0)).mean())
