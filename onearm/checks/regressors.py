"""check_regressor: the contracts of regressors, each a small named check."""

from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from onearm.checks import trial
from onearm.checks.replay import same_seed_same_bits, save_load_resumes
from onearm.checks.trial import bits, fresh, play, require, require_same, rows, two_copies


def check_regressor(regressor: Any, show: Callable[[str], Any] = print, **changes: Any) -> None:
    """Check every contract of a class of regressors, with default parameters except for changes.

    Prints the checks that passed; raises CheckError, naming the contract, at the first that fails.

    Examples
    --------
    >>> import onearm
    >>> check_regressor(onearm.OGD, show=lambda line: None)
    """
    made = regressor(**{"n_features": 3, "n_outputs": 2, "seed": 1, **changes})
    trial.run_all(CHECKS, made, show, lambda check, regressor: None)


def in_chunks(X: np.ndarray, y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    return ((X[part], y[part]) for part in np.array_split(np.arange(len(X)), 7))


def chunked_equals_whole(regressor: Any) -> None:
    X, y, first, second = two_copies(regressor)
    parts = [play(second, *part) for part in in_chunks(X, y)]
    joined = [*map(np.concatenate, zip(*parts, strict=True))]
    require_same(first, second, play(first, X, y), joined)


def streams_equal_arrays(regressor: Any) -> None:
    X, y, first, second = two_copies(regressor)
    seen: list[tuple] = []
    expected = play(first, X, y)
    stream = SimpleNamespace(chunks=lambda: in_chunks(X, y))
    streamed = play(second, stream, progress=lambda *done: seen.append(done))
    require_same(first, second, expected, streamed)
    require(len(seen) > 0 and seen[-1][0] == len(X), "progress does not report all rounds")
    require(np.isclose(seen[-1][1], expected[1].sum()), "progress reports another loss")


def sparse_equals_dense(regressor: Any) -> None:
    X, y, first, second = two_copies(regressor)
    X = X + 0.0  # without -0.0, which is not stored
    require_same(first, second, play(first, X, y), play(second, csr_array(X), y))
    predicted = first.predict(X).tobytes() == first.predict(csr_array(X)).tobytes()
    require(predicted, "predict differs on sparse rows")


def stepwise_equals_play(regressor: Any) -> None:
    if regressor.full_information:
        return
    X, y, first, second = two_copies(regressor)
    predictions, _ = first.play(X, y)
    for x, target, prediction in zip(X, y, predictions, strict=True):
        query = second.choose(x)
        require(query.prediction.tobytes() == prediction.tobytes(), "the predictions differ")
        second.update(x, query, [sum(off * off for off in p - target) for p in query.points])
    same = bits(first, "noise_generator") == bits(second, "noise_generator")
    require(same, "the states differ")


def predict_changes_nothing(regressor: Any) -> None:
    copy = trial.trained(regressor)
    before, (X, y) = bits(copy), rows(regressor)
    predictions = copy.predict(X)
    finite = predictions.shape == y.shape and np.isfinite(predictions).all()
    require(finite, "predictions are not numbers")
    require(before == bits(copy), "predict changes the state")


def predictions_are_in_range(regressor: Any) -> None:
    copy = trial.trained(fresh(regressor, low=-0.01, high=0.01))
    largest = np.abs(copy.predict(rows(regressor)[0])).max()
    require(largest <= 0.01, "a prediction is out of range")


def it_learns(regressor: Any) -> None:
    X, y = np.ones((4000, 3)), np.tile([0.5, -0.5], (4000, 1))
    _, losses = play(fresh(regressor, R=2.0), X, y)
    require(np.isfinite(losses).all(), "losses are not numbers")
    require(losses[-500:].mean() < 0.9 * 0.5, "it predicts nothing better than 0")


def bad_rows_change_nothing(regressor: Any) -> None:
    copy, (X, y) = fresh(regressor), rows(regressor, 20)
    before, last = bits(copy), np.arange(20)[:, None] == 19
    value = np.inf if regressor.missing else np.nan
    bad = {
        f"{value}": (np.where(last, value, X), y), "a column less": (X[:, :2], y),
        "an output less": (X, y[:, :1]), "NaN as answer": (X, np.where(last, np.nan, y)),
    }  # fmt: skip
    for what, given in bad.items():
        trial.require_refused(partial(play, copy, *given), "must ", what)
        require(before == bits(copy), f"{what}: was refused, but the state changed")


CHECKS: list[trial.Check] = [
    same_seed_same_bits, chunked_equals_whole, streams_equal_arrays, sparse_equals_dense,
    save_load_resumes, stepwise_equals_play, predict_changes_nothing, predictions_are_in_range,
    it_learns, bad_rows_change_nothing,
]  # fmt: skip
