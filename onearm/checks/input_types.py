"""Contracts on input: its type does not matter, and invalid input changes nothing."""

from typing import Any

import numpy as np

from onearm.checks.refusals import refusals
from onearm.checks.trial import (
    CheckError,
    bits,
    require,
    rows,
    same_trace,
    steps,
    trained,
    two_learners,
)
from onearm.core.rng import seeded


def dense_equals_sparse(learner: Any) -> None:
    """A CSR matrix gives the same choices and state as the dense array."""
    from scipy.sparse import csr_array

    X, y, first, second = two_learners(learner)
    require(same_trace(first.play(X, y), second.play(csr_array(X), y)), "the choices differ")
    equal = all(np.array_equal(a, second.content()[n]) for n, a in first.content().items())
    require(equal, "the states differ")
    require(same_trace(steps(first, X, y), steps(second, csr_array(X), y)), "single choices differ")


def input_types_agree(learner: Any) -> None:
    """Lists, other dtypes, other memory orders and (indices, values) mean the same."""
    copy = trained(learner)
    X = rows(learner, 8)[0].astype(np.float32).astype(float)
    scores = copy.scores(X)
    read_only = X.copy()
    read_only.setflags(write=False)
    inputs = [
        X.tolist(),
        X.astype(np.float32),
        np.asfortranarray(X),
        read_only,
        X[:, ::-1][:, ::-1],
    ]
    for given in inputs:
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
        try:
            call()
        except ValueError as error:
            require(pattern.search(str(error)), f"{what}: the error does not say why: {error}")
        except Exception as error:
            raise CheckError(
                f"{what}: {type(error).__name__} and no ValueError: {error}"
            ) from error
        else:
            raise CheckError(f"{what}: was accepted")
        require(bits(copy) == before, f"{what}: was refused, but the state changed")
