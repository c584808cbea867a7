"""check_regressor: the contracts of regressors, each a small named check."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from onearm.checks.trial import CheckError, demand
from onearm.core.saving import load

N_ROWS = 400


def check_regressor(regressor: Any, show: Callable[[str], Any] = print, **changes: Any) -> None:
    """Check every contract of a class of regressors, with its default parameters but for changes.

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


def told(regressor: Any) -> dict[str, float]:
    """How `play` is called: where losses are heard, with noise."""
    return {"noise": 0.1} if hasattr(regressor, "choose") else {}


def played(regressor: Any, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return regressor.play(X, y, **told(regressor))


def bits(regressor: Any) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in regressor.arrays().items()}


def same_seed_same_bits(make: Make) -> None:
    one, two = make(), make()
    said = [played(regressor, *rows())[0].tobytes() for regressor in (one, two)]
    demand(said[0] == said[1] and bits(one) == bits(two), "two runs with one seed differ")


def chunks_do_not_matter(make: Make) -> None:
    X, y = rows()
    whole, parts = make(), make()
    played(whole, X, y)
    for cut in np.array_split(np.arange(len(X)), 7):
        played(parts, X[cut], y[cut])
    demand(bits(whole) == bits(parts), "rows played in parts lead elsewhere")


def save_load_resumes(make: Make) -> None:
    X, y = rows()
    whole, part = make(), make()
    played(whole, X, y)
    played(part, X[:250], y[:250])
    with tempfile.TemporaryDirectory() as folder:
        part.save(Path(folder) / "saved")
        again = load(Path(folder) / "saved")
    played(again, X[250:], y[250:])
    demand(bits(whole) == bits(again), "what was saved and loaded goes on differently")


def stepwise_equals_play(make: Make) -> None:
    one, two = make(), make()
    if not hasattr(one, "choose"):
        return
    X, y = rows()
    said, _ = one.play(X, y)
    for n, x in enumerate(X):
        query = two.choose(x)
        demand(query.prediction.tobytes() == said[n].tobytes(), f"row {n}: other predictions")
        two.update(x, query, [sum(off * off for off in p - y[n]) for p in query.points])
    same = {name for name, b in bits(one).items() if b == bits(two)[name]}
    demand(same >= bits(one).keys() - {"noise_rng"}, "choose and update lead elsewhere")


def predict_changes_nothing(make: Make) -> None:
    regressor = make()
    played(regressor, *rows(250))
    before = bits(regressor)
    said = regressor.predict(rows()[0])
    demand(said.shape == (N_ROWS, 2) and np.isfinite(said).all(), "predictions are not numbers")
    demand(before == bits(regressor), "predict changes the state")


def predictions_are_answers(make: Make) -> None:
    regressor = make(low=-0.01, high=0.01)
    played(regressor, *rows(100))
    demand(np.abs(regressor.predict(rows()[0])).max() <= 0.01, "a prediction is no answer")


def it_learns(make: Make) -> None:
    X = np.ones((4000, 3))
    y = np.tile([0.5, -0.5], (4000, 1))
    regressor = make(R=2.0)
    _, lost = played(regressor, X, y)
    demand(np.isfinite(lost).all(), "losses are not numbers")
    demand(lost[-500:].mean() < 0.9 * 0.5, "it says nothing better than 0")


def bad_rows_change_nothing(make: Make) -> None:
    regressor = make()
    X, y = rows(20)
    before = bits(regressor)
    wrong = np.where(np.arange(20)[:, None] == 19, np.nan, X)
    for bad, answers in ((wrong, y), (X[:, :2], y), (X, y[:, :1]), (X, wrong[:, :2])):
        try:
            played(regressor, bad, answers)
        except ValueError as error:
            demand("must be" in str(error), f"it does not say what must be: {error}")
        else:
            raise CheckError("bad rows are taken")
    demand(before == bits(regressor), "bad rows change the state")


CHECKS: list[Callable[[Make], None]] = [
    same_seed_same_bits, chunks_do_not_matter, save_load_resumes, stepwise_equals_play,
    predict_changes_nothing, predictions_are_answers, it_learns, bad_rows_change_nothing,
]  # fmt: skip
