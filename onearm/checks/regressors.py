"""check_regressor: the contracts of regressors, each a small named check."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from onearm.checks.trial import CheckError, require
from onearm.core.saving import load

N_ROWS = 400


def check_regressor(regressor: Any, show: Callable[[str], Any] = print, **changes: Any) -> None:
    """Check every contract of a class of regressors, with default parameters except for changes.

    Prints the checks that passed; raises CheckError, naming the contract, at the first that fails.

    Examples
    --------
    >>> import onearm
    >>> check_regressor(onearm.OGD, show=lambda line: None)
    """

    def make(**more: Any) -> Any:
        return regressor(**{"n_features": 3, "n_outputs": 2, "seed": 1, **changes, **more})

    show(f"{make()}")
    for check in CHECKS:
        try:
            check(make)
        except Exception as error:
            raise CheckError(f"{regressor.__name__}: {check.__name__}: {error}") from error
        show(f"  {check.__name__:30s} passed")


Make = Callable[..., Any]


def rows(n: int = N_ROWS) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, np.clip(X @ rng.normal(size=(3, 2)), -2.0, 2.0)


def played(regressor: Any, X: Any, y: Any = None, **more: Any) -> tuple[np.ndarray, np.ndarray]:
    """Play; where the feedback are losses, with noise."""
    return regressor.play(X, y, noise=0.0 if regressor.full_information else 0.1, **more)


def bits(regressor: Any) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in regressor.arrays().items()}


def same_seed_same_bits(make: Make) -> None:
    first, second = make(), make()
    predictions = [played(regressor, *rows())[0].tobytes() for regressor in (first, second)]
    same = predictions[0] == predictions[1] and bits(first) == bits(second)
    require(same, "two runs with one seed differ")


def chunked_equals_whole(make: Make) -> None:
    X, y = rows()
    whole, parts = make(), make()
    played(whole, X, y)
    for cut in np.array_split(np.arange(len(X)), 7):
        played(parts, X[cut], y[cut])
    require(bits(whole) == bits(parts), "rows played in parts lead elsewhere")


def streams_equal_arrays(make: Make) -> None:
    X, y = rows()
    array, stream, seen = make(), make(), []
    losses = played(array, X, y)[1]
    result = played(stream, Chunks(X, y), progress=lambda *done: seen.append(done))
    require(bits(array) == bits(stream), "chunks of a stream lead elsewhere than an array")
    require(result[1].tobytes() == losses.tobytes(), "a stream has other losses than an array")
    require(len(seen) > 0 and seen[-1][0] == len(X), "progress is not told of all rounds")
    require(np.isclose(seen[-1][1], losses.sum()), "progress is told another loss")


class Chunks:
    """A stream: pairs (X, y), some rows at a time."""

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        self.X, self.y = X, y

    def chunks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for cut in np.array_split(np.arange(len(self.X)), 7):
            yield self.X[cut], self.y[cut]


def sparse_equals_dense(make: Make) -> None:
    X, y = rows()
    X[np.random.default_rng(1).random(X.shape) < 0.5] = 0.0
    dense, sparse = make(), make()
    results = played(dense, X, y)[0].tobytes(), played(sparse, csr_array(X), y)[0].tobytes()
    require(results[0] == results[1], "sparse rows have other predictions than dense ones")
    require(bits(dense) == bits(sparse), "sparse rows lead elsewhere than dense ones")
    predicted = dense.predict(X).tobytes() == dense.predict(csr_array(X)).tobytes()
    require(predicted, "predict differs on sparse rows")


def save_load_resumes(make: Make) -> None:
    X, y = rows()
    whole, part = make(), make()
    played(whole, X, y)
    played(part, X[:250], y[:250])
    with tempfile.TemporaryDirectory() as folder:
        part.save(Path(folder) / "saved")
        again = load(Path(folder) / "saved")
    played(again, X[250:], y[250:])
    require(bits(whole) == bits(again), "what was saved and loaded continues differently")


def stepwise_equals_play(make: Make) -> None:
    whole, stepwise = make(), make()
    if whole.full_information:
        return
    X, y = rows()
    predictions, _ = whole.play(X, y)
    for n, x in enumerate(X):
        query = stepwise.choose(x)
        same = query.prediction.tobytes() == predictions[n].tobytes()
        require(same, f"row {n}: other predictions")
        stepwise.update(x, query, [sum(off * off for off in p - y[n]) for p in query.points])
    equal = {name for name, b in bits(whole).items() if b == bits(stepwise)[name]}
    require(equal >= bits(whole).keys() - {"noise_generator"}, "choose and update lead elsewhere")


def predict_changes_nothing(make: Make) -> None:
    regressor = make()
    played(regressor, *rows(250))
    before = bits(regressor)
    predictions = regressor.predict(rows()[0])
    finite = predictions.shape == (N_ROWS, 2) and np.isfinite(predictions).all()
    require(finite, "predictions are not numbers")
    require(before == bits(regressor), "predict changes the state")


def predictions_are_in_range(make: Make) -> None:
    regressor = make(low=-0.01, high=0.01)
    played(regressor, *rows(100))
    require(np.abs(regressor.predict(rows()[0])).max() <= 0.01, "a prediction is out of range")


def it_learns(make: Make) -> None:
    X = np.ones((4000, 3))
    y = np.tile([0.5, -0.5], (4000, 1))
    regressor = make(R=2.0)
    _, lost = played(regressor, X, y)
    require(np.isfinite(lost).all(), "losses are not numbers")
    require(lost[-500:].mean() < 0.9 * 0.5, "it predicts nothing better than 0")


def bad_rows_change_nothing(make: Make) -> None:
    regressor = make()
    X, y = rows(20)
    before = bits(regressor)
    wrong = np.where(np.arange(20)[:, None] == 19, np.nan, X)
    for bad, answers in ((wrong, y), (X[:, :2], y), (X, y[:, :1]), (X, wrong[:, :2])):
        try:
            played(regressor, bad, answers)
        except ValueError as error:
            require("must " in str(error), f"it does not say what must be: {error}")
        else:
            raise CheckError("bad rows are accepted")
    require(before == bits(regressor), "bad rows change the state")


CHECKS: list[Callable[[Make], None]] = [
    same_seed_same_bits, chunked_equals_whole, streams_equal_arrays, sparse_equals_dense,
    save_load_resumes, stepwise_equals_play, predict_changes_nothing, predictions_are_in_range,
    it_learns, bad_rows_change_nothing,
]  # fmt: skip
