"""Contracts on input: its form does not matter, and bad input changes nothing."""

from typing import Any

import numpy as np

from onearm.checks.refusals import refusals
from onearm.checks.trial import CheckError, bits, demand, fresh, rows, same_trace, steps, taught
from onearm.core.rng import seeded


def dense_equals_sparse(learner: Any) -> None:
    """A CSR matrix gives the choices and the state of the dense array."""
    from scipy.sparse import csr_array

    X, y = rows(learner)
    one, other = fresh(learner), fresh(learner)
    demand(same_trace(one.play(X, y), other.play(csr_array(X), y)), "the choices differ")
    equal = all(np.array_equal(a, other.content()[n]) for n, a in one.content().items())
    demand(equal, "the states differ")
    demand(same_trace(steps(one, X, y), steps(other, csr_array(X), y)), "single choices differ")


def input_forms_agree(learner: Any) -> None:
    """Lists, other dtypes, other memory orders and (indices, values) mean the same."""
    one = taught(learner)
    X = rows(learner, 8)[0].astype(np.float32).astype(float)
    scores = one.scores(X)
    read_only = X.copy()
    read_only.setflags(write=False)
    forms = [X.tolist(), X.astype(np.float32), np.asfortranarray(X), read_only, X[:, ::-1][:, ::-1]]
    for form in forms:
        demand(np.array_equal(one.scores(form), scores), f"scores differ for a {type(form)}")
    for x in X:
        choice = one.choose(x, rng=seeded(3))
        stored = np.flatnonzero(x)
        for form in (x.tolist(), tuple(x), x.astype(np.float32), (stored, x[stored])):
            demand(one.choose(form, rng=seeded(3)) == choice, f"choose differs for {form!r}")


def errors_are_clear(learner: Any) -> None:
    """Bad input gets a ValueError that says what is wrong, and leaves the state as it was."""
    one = taught(learner)
    before = bits(one)
    for what, call, says in refusals(one, *rows(learner, 12)):
        try:
            call()
        except ValueError as error:
            demand(says.search(str(error)), f"{what}: the error does not say why: {error}")
        except Exception as error:
            raise CheckError(
                f"{what}: {type(error).__name__} and no ValueError: {error}"
            ) from error
        else:
            raise CheckError(f"{what}: was accepted")
        demand(bits(one) == before, f"{what}: was refused, but the state changed")
