"""Invalid input of every kind, and what its error must match, for `errors_are_clear`."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array

Refusal = tuple[str, Callable[[], Any], re.Pattern]


def refusals(learner: Any, X: np.ndarray, y: np.ndarray) -> Iterator[Refusal]:
    """Yield (what is wrong, a call that must be refused, what the error must match)."""
    for kind in (_bad_rows, _bad_choices, _bad_batches, _bad_traces):
        for what, call, pattern in kind(learner, X, y):
            yield what, call, re.compile(pattern)


def _bad_rows(learner: Any, X: np.ndarray, y: np.ndarray) -> Iterator[tuple]:
    d = learner.n_features
    choice = learner.choose(X[0], rng=np.zeros(1, np.uint64))
    truth = choice.label if learner.full_information else None
    infinite, nan = X[0].copy(), X[0].copy()
    infinite[-1], nan[0] = np.inf, np.nan
    bad = {
        "a row that is too wide": (np.zeros(d + 1), "features"),
        "an empty row": ([], "features"),
        "a matrix for a row": (X, "one row"),
        "infinity": (infinite, "finite"),
        "text": (["a"] * d, "dtype|numbers"),
        "a negative index": (([-1], [1.0]), "indices must be in"),
        "an index out of range": (([d], [1.0]), "indices must be in"),
        "an index of the wrong type": (([0.5], [1.0]), "indices"),
        "unsorted indices": (([1, 0], [1.0, 1.0]), "ascend"),
        "duplicate indices": (([1, 1], [1.0, 1.0]), "ascend"),
        "more indices than values": (([0, 1], [1.0]), "same length"),
        "infinity in a sparse row": (([0], [np.inf]), "finite"),
    }
    if not learner.missing:
        bad["NaN"] = (nan, "finite")
        bad["NaN in a sparse row"] = (([0], [np.nan]), "finite")
    for what, (x, says) in bad.items():
        yield f"choose: {what}", lambda x=x: learner.choose(x), says
        yield f"update: {what}", lambda x=x: learner.update(x, choice, True, truth), says
    for among in (
        [],
        [learner.n_classes],
        [-1],
        [0, 0],
        [0.5],
        [True],
        [False] * len(learner.labels),
    ):
        yield f"among={among}", lambda among=among: learner.choose(X[0], among), "among"


def _bad_choices(learner: Any, X: np.ndarray, y: np.ndarray) -> Iterator[tuple]:
    k, x = learner.n_classes, X[0]
    label, greedy, p = learner.choose(x, rng=np.zeros(1, np.uint64))
    truth = label if learner.full_information else None

    def update(choice: Any, correct: Any = True, truth: Any = truth) -> Callable[[], Any]:
        return lambda: learner.update(x, choice, correct, truth)

    for wrong in (-1, k):
        yield f"label {wrong}", update((wrong, greedy, p)), rf"\[0, {k - 1}\], got {wrong}"
        yield f"greedy {wrong}", update((label, wrong, p)), rf"\[0, {k - 1}\], got {wrong}"
    for wrong in (0.0, -0.1, 1e-13, 1.5, np.nan):
        yield (
            f"propensity {wrong}",
            update((label, greedy, wrong)),
            r"propensity must be in \[1e-12, 1\]",
        )
    for wrong in (None, 3, (label, p), (0.5, greedy, p), ("a", greedy, p)):
        yield f"choice {wrong}", update(wrong), "choice must be"
    for wrong in (None, "yes", 2, -0.5, np.nan):
        yield f"correct={wrong}", update((label, greedy, p), wrong), "correct must be"
    if not learner.real_rewards:
        yield "a reward", update((label, greedy, p), 0.5), "correct must be True or False"
    if learner.full_information:
        yield "no truth", update((label, greedy, p), True, None), "truth must be given"
        yield "truth k", update((label, greedy, p), False, k), "truth"
        yield "a wrong truth", update((label, greedy, p), False, label), "correct is False"
    else:
        yield "a truth", update((label, greedy, p), True, label), "truth must not be given"


def _bad_batches(learner: Any, X: np.ndarray, y: np.ndarray) -> Iterator[tuple]:
    k, n = learner.n_classes, len(y)
    infinite, last = X.copy(), y.copy()
    infinite[-1, 0], last[-1] = np.inf, k
    unsorted = csr_array((np.ones(2), [1, 0], [0, 2]), shape=(1, X.shape[1]))
    bad = {
        "wrong width": (X[:, 1:], y, "features"),
        "no rows": (X[:0], y[:0], "empty"),
        "one dimension": (X[0], y, "two dimensions|one label"),
        "infinity in the last row": (infinite, y, f"row {n - 1}.*finite"),
        "text": (X.astype(str), y, "dtype"),
        "unsorted CSR": (unsorted, y[:1], "ascend"),
        "label out of range in the last row": (X, last, rf"\[0, {k - 1}\], got {k} in row {n - 1}"),
        "negative label": (X, y - k, "labels in"),
        "labels of the wrong type": (X, y.astype(float), "dtype"),
        "too few labels": (X, y[1:], "one label"),
        "no labels": (X, None, "y must be given"),
    }
    for what, (rows, labels, says) in bad.items():
        yield f"play: {what}", lambda rows=rows, y=labels: learner.play(rows, y), says


def _bad_traces(learner: Any, X: np.ndarray, y: np.ndarray) -> Iterator[tuple]:
    k = learner.n_classes
    told = y if learner.full_information else None
    good = type(learner)(**learner.params()).play(X, y)

    def learn(X: Any = X, y: Any = told, **changes: Any) -> Callable[[], Any]:
        return lambda: learner.learn(X, good._replace(**changes), y)

    last = np.arange(len(y)) == len(y) - 1
    for p in (0.0, 1.5, np.nan):
        wrong = np.where(last, p, good.propensity)
        yield (
            f"learn: propensity {p}",
            learn(propensity=wrong),
            r"propensity must be in \[1e-12, 1\]",
        )
    yield "learn: label k", learn(label=np.where(last, k, good.label)), "label"
    yield "learn: greedy -2", learn(greedy=np.where(last, -2, good.greedy)), "greedy"
    yield "learn: correct as text", learn(correct=good.correct.astype(str)), "correct must be"
    yield "learn: too few rows", learn(X[1:]), "rows, as the trace has"
    yield "learn: too few outcomes", learn(correct=good.correct[1:]), "entries, as label has"
    yield "learn: a width", learn(X[:, 1:]), "features"
    if learner.full_information:
        yield "learn: no truth", learn(y=None), "y must be given"
        yield "learn: not so", learn(correct=~good.correct), "where label equals y"
    else:
        yield "learn: a truth", learn(y=y), "y must not be given"
        yield "learn: a trace", learn(correct=None), "correct|entries"
    if not learner.real_rewards:
        yield "learn: rewards", learn(correct=good.correct * 0.5), "correct must be True or False"
