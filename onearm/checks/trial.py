"""What checks share: small estimators, rows to learn from, states as bytes, and what must hold."""

import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from onearm.core.choice import Trace
from onearm.core.saving import load

ROUNDS, TRAINED = 200, 60  # rows to learn from, and those that a copy has seen before
REGRESSION_ROUNDS, REGRESSION_TRAINED = 400, 250  # trees make their bins of the first 200
Check = Callable[[Any], None]


class CheckError(AssertionError):
    """A learner or regressor does not keep a contract."""


def require(holds: Any, otherwise: str) -> None:
    if not holds:
        raise CheckError(otherwise)


def require_refused(call: Callable[[], Any], pattern: str, what: str) -> None:
    """Require a ValueError with a message that matches."""
    try:
        call()
    except ValueError as error:
        require(re.search(pattern, f"{error}"), f"{what}: the error does not say why: {error}")
    except Exception as error:
        raise CheckError(f"{what}: {type(error).__name__} and no ValueError: {error}") from error
    else:
        raise CheckError(f"{what}: was accepted")


def run(check: Check, learner: Any) -> None:
    """Run one check; its failure names learner and check."""
    try:
        check(learner)
    except Exception as failure:
        message = f"{failure}" if isinstance(failure, CheckError) else f"{failure!r}"
        raise CheckError(f"{type(learner).__name__}: {check.__name__}: {message}") from failure


def run_all(
    checks: Sequence[Check], estimator: Any, show: Callable[[str], Any], exemption: Any
) -> None:
    """Run checks and show a line for each; stop at the first that fails."""
    show(f"{estimator}")
    for check in checks:
        reason = exemption(check, estimator)
        if reason is None:
            run(check, estimator)
        result = "passed" if reason is None else f"does not apply: {reason}"
        show(f"  {check.__name__:30s} {result}")


def bits(estimator: Any, *without: str) -> dict[str, bytes]:
    """The state of an estimator as bytes."""
    return {name: a.tobytes() for name, a in estimator.content().items() if name not in without}


def fresh(estimator: Any, **changes: Any) -> Any:
    return type(estimator)(**{**estimator.params(), **changes})


def rows(estimator: Any, n: int = 0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of norm 1, some entries zero; and of a linear rule, numbers or labels with noise."""
    rng = np.random.default_rng(seed)
    n_outputs, d = getattr(estimator, "n_outputs", 0), estimator.n_features
    n = n or (REGRESSION_ROUNDS if n_outputs else ROUNDS)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-9)
    if n_outputs:
        return X, np.clip(X @ rng.normal(size=(d, n_outputs)), -2.0, 2.0)
    k = estimator.n_classes
    y = (X @ rng.normal(size=(d, k))).argmax(axis=1)
    return X, np.where(rng.random(n) < 0.1, rng.integers(0, k, n), y)


def play(estimator: Any, X: Any, y: Any = None, **more: Any) -> Any:
    """Play; where the feedback are losses, with noise."""
    if hasattr(estimator, "n_outputs"):
        more["noise"] = 0.0 if estimator.full_information else 0.1
    return estimator.play(X, y, **more)


def trained(estimator: Any) -> Any:
    """A copy that has seen some rows."""
    copy = fresh(estimator)
    n = REGRESSION_TRAINED if hasattr(copy, "n_outputs") else TRAINED
    play(copy, *rows(copy, n, seed=1))
    return copy


def reloaded(estimator: Any) -> Any:
    """The same, saved and loaded."""
    with tempfile.TemporaryDirectory() as folder:
        estimator.save(Path(folder) / "saved")
        return load(Path(folder) / "saved")


def steps(learner: Any, X: Any, y: np.ndarray) -> Trace:
    """Play by choose and update."""
    log = Trace.empty(len(y))
    for t in range(len(y)):
        x = X[[t]] if hasattr(X, "tocsr") else X[t]
        choice = learner.choose(x)
        answer(learner, x, choice, int(y[t]))
        log.label[t], log.greedy[t], log.propensity[t] = choice
        log.correct[t] = choice.label == y[t]
    return log


def answer(learner: Any, x: Any, choice: Any, y: int) -> None:
    truth = y if learner.full_information else None
    learner.update(x, choice, choice[0] == y, truth)


def same_trace(first: Sequence, second: Sequence) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def two_copies(estimator: Any) -> tuple[np.ndarray, np.ndarray, Any, Any]:
    """Rows, their labels or numbers, and two untrained copies of an estimator."""
    return *rows(estimator), fresh(estimator), fresh(estimator)


def require_same(first: Any, second: Any, trace: Sequence, other_trace: Sequence) -> None:
    """Require equal choices or predictions and bit-identical states."""
    require(same_trace(trace, other_trace), "the choices or predictions differ")
    require(bits(first) == bits(second), "the states differ")
