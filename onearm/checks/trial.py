"""What checks share: small learners, rows to learn from, and states as bytes."""

from typing import Any

import numpy as np

from onearm.core.choice import Trace

ROUNDS = 200


class CheckError(AssertionError):
    """A learner does not keep a contract."""


def require(holds: Any, otherwise: str) -> None:
    if not holds:
        raise CheckError(otherwise)


def bits(learner: Any, *without: str) -> dict[str, bytes]:
    """The state of a learner as bytes."""
    return {name: a.tobytes() for name, a in learner.content().items() if name not in without}


def fresh(learner: Any, **changes: Any) -> Any:
    return type(learner)(**{**learner.params(), **changes})


def rows(learner: Any, n: int = ROUNDS, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of norm 1, some entries zero, with labels from a linear rule and some noise."""
    rng = np.random.default_rng(seed)
    k, d = learner.n_classes, learner.n_features
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-9)
    y = (X @ rng.normal(size=(d, k))).argmax(axis=1)
    return X, np.where(rng.random(n) < 0.1, rng.integers(0, k, n), y)


def trained(learner: Any, n: int = 60) -> Any:
    """A copy that has seen some rows."""
    copy = fresh(learner)
    copy.play(*rows(copy, n, seed=1))
    return copy


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


def same_trace(first: Trace, second: Trace) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def two_learners(learner: Any) -> tuple[np.ndarray, np.ndarray, Any, Any]:
    """Rows, their labels, and two untrained copies of a learner."""
    return *rows(learner), fresh(learner), fresh(learner)


def require_same(first: Any, second: Any, trace: Trace, other_trace: Trace) -> None:
    """Require equal choices and bit-identical states."""
    require(same_trace(trace, other_trace), "the choices differ")
    require(bits(first) == bits(second), "the states differ")
