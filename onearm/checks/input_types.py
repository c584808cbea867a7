"""Contracts on input: its type does not matter, and invalid input changes nothing."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from onearm.checks import trial
from onearm.checks.trial import bits, require, rows, same_trace, trained, two_copies
from onearm.core.rng import seeded

PROPENSITY = r"propensity must be in \[1e-12, 1\]"
Refusals = Iterator[tuple[str, Callable[[], Any], str]]


def dense_equals_sparse(learner: Any) -> None:
    """A CSR matrix gives the same choices and state as the dense array."""
    X, y, first, second = two_copies(learner)
    require(same_trace(first.play(X, y), second.play(csr_array(X), y)), "the choices differ")
    equal = all(np.array_equal(a, second.content()[n]) for n, a in first.content().items())
    require(equal, "the states differ")
    first_steps, second_steps = trial.steps(first, X, y), trial.steps(second, csr_array(X), y)
    require(same_trace(first_steps, second_steps), "single choices differ")


def input_types_agree(learner: Any) -> None:
    """Lists, other dtypes, other memory orders and (indices, values) mean the same."""
    copy = trained(learner)
    X = rows(learner, 8)[0].astype(np.float32).astype(float)
    scores = copy.scores(X)
    read_only = X.copy()
    read_only.setflags(write=False)
    backwards = X[:, ::-1].copy()[:, ::-1]
    for given in (X.tolist(), X.astype(np.float32), np.asfortranarray(X), read_only, backwards):
        require(np.array_equal(copy.scores(given), scores), f"scores differ for a {type(given)}")
    for x in X:
        choice = copy.choose(x, rng=seeded(3))
        stored = np.flatnonzero(x)
        for given in (x.tolist(), tuple(x), x.astype(np.float32), (stored, x[stored])):
            require(copy.choose(given, rng=seeded(3)) == choice, f"choose differs for {given!r}")


def errors_are_clear(learner: Any) -> None:
    """Invalid input gets a ValueError with the reason, and the state does not change."""
    copy = trained(learner)
    before = bits(copy)
    for what, call, pattern in refusals(copy, *rows(learner, 12)):
        trial.require_refused(call, pattern, what)
        require(bits(copy) == before, f"{what}: was refused, but the state changed")


def refusals(learner: Any, X: np.ndarray, y: np.ndarray) -> Refusals:
    """Yield (what is wrong, a call that must be refused, what the error must match)."""
    for kind in (_bad_rows, _bad_choices, _bad_batches, _bad_traces):
        yield from kind(learner, X, y)


def _bad_rows(learner: Any, X: np.ndarray, y: np.ndarray) -> Refusals:
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
    if not (learner.missing or learner.fills_missing):
        bad["NaN"] = (nan, "finite")
        bad["NaN in a sparse row"] = (([0], [np.nan]), "finite")
    for what, (x, says) in bad.items():
        yield f"choose: {what}", partial(learner.choose, x), says
        yield f"update: {what}", partial(learner.update, x, choice, True, truth), says
    nothing = [False] * len(learner.labels)
    for among in ([], [learner.n_classes], [-1], [0, 0], [0.5], [True], nothing):
        yield f"among={among}", partial(learner.choose, X[0], among), "among"


def _bad_choices(learner: Any, X: np.ndarray, y: np.ndarray) -> Refusals:
    k, x = learner.n_classes, X[0]
    label, greedy, p = learner.choose(x, rng=np.zeros(1, np.uint64))
    truth = label if learner.full_information else None

    def update(choice: Any, correct: Any = True, truth: Any = truth) -> Callable[[], Any]:
        return partial(learner.update, x, choice, correct, truth)

    for wrong in (-1, k):
        yield f"label {wrong}", update((wrong, greedy, p)), rf"\[0, {k - 1}\], got {wrong}"
        yield f"greedy {wrong}", update((label, wrong, p)), rf"\[0, {k - 1}\], got {wrong}"
    for wrong in (0.0, -0.1, 1e-13, 1.5, np.nan):
        yield f"propensity {wrong}", update((label, greedy, wrong)), PROPENSITY
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


def _bad_batches(learner: Any, X: np.ndarray, y: np.ndarray) -> Refusals:
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
    for what, (given, labels, says) in bad.items():
        yield f"play: {what}", partial(learner.play, given, labels), says


def _bad_traces(learner: Any, X: np.ndarray, y: np.ndarray) -> Refusals:
    k = learner.n_classes
    truth = y if learner.full_information else None
    good = type(learner)(**learner.params()).play(X, y)

    def learn(X: Any = X, y: Any = truth, **changes: Any) -> Callable[[], Any]:
        return partial(learner.learn, X, good._replace(**changes), y)

    last = np.arange(len(y)) == len(y) - 1
    for p in (0.0, 1.5, np.nan):
        wrong = np.where(last, p, good.propensity)
        yield f"learn: propensity {p}", learn(propensity=wrong), PROPENSITY
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
