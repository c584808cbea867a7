"""One round by call: kernels compiled for one learner, with all bound that it has itself.

Numba asks at every call what types it is given, which takes as long as the round. Here it does not.
The types of a learner's arrays and numbers are known, the learner makes sure of those of a row,
and the length of a row, its layout and its values the kernel checks itself.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy import ndarray

from onearm.core.assembly import HIDDEN
from onearm.core.kernels import compiled
from onearm.core.locking import FREE

FLOAT, INDEX = np.dtype(np.float64), np.dtype(np.int32)
DENSE, SPARSE = np.empty(0), (np.empty(0, INDEX), np.empty(0))  # rows as kernels take them


@dataclass(slots=True)
class Calls:
    """One round on a row of certain types; what is refused changes nothing.

    The first two refuse while another thread is busy; the others are for who holds the lock.
    """

    choose: Any  # x -> (label, greedy, propensity); label < 0 if refused
    update: Any  # x, (label, greedy, propensity), reward, truth -> False if refused
    choose_locked: Any  # among, rng, x -> as choose
    update_locked: Any  # as update
    decide_locked: Any  # among, rng, out, x -> as choose; out gets the probabilities


REFUSING = Calls(*2 * (lambda *round: (HIDDEN,), lambda *round: False), lambda *round: (HIDDEN,))


def calls_of(learner: Any, x: Any) -> Calls:
    """Return one round of `learner` as it is now, for rows of the types of `x`."""
    if learner.dense_rows and x is SPARSE:
        return REFUSING
    bound = learner.model(), learner.n_features, learner.missing
    busy, among, rng = learner.lock.busy, learner.labels, learner.choosing
    more = learner.n_classes, learner.updating

    def first(name: str, *round: Any) -> Any:
        """Compile when it is called first: who only chooses does not wait for `update`."""
        if name.startswith("choose"):
            kernel = compiled(learner.kernels.choose, *bound, busy, among, rng, x)
            calls.choose = partial(kernel, *bound, busy, among, rng)
            calls.choose_locked = partial(kernel, *bound, FREE)
        elif name == "decide_locked":
            out = np.empty(learner.n_classes)
            kernel = compiled(learner.kernels.decide, *bound, FREE, among, rng, out, x)
            calls.decide_locked = partial(kernel, *bound, FREE)
        else:
            types = *bound, busy, *more, x, (0, 0, 1.0), 1.0, 0
            kernel = compiled(learner.kernels.update, *types)
            calls.update = partial(kernel, *bound, busy, *more)
            calls.update_locked = partial(kernel, *bound, FREE, *more)
        return getattr(calls, name)(*round)

    calls = Calls(*(partial(first, name) for name in Calls.__slots__))
    return calls


class CompiledCalls:
    """The calls of a learner for rows of one kind, made when they are first needed.

    They are put into its attributes under its lock, as they are taken out there when a parameter
    is changed: calls for what it was must not come after that.
    """

    def __init__(self, x: Any) -> None:
        self.x = x

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, learner: Any, owner: type) -> Any:
        if learner is None:
            return self
        return learner.lock.run(self._prepare, learner)

    def _prepare(self, learner: Any) -> Calls:
        calls = vars(learner)[self.name] = calls_of(learner, self.x)
        return calls


def calls_for_sparse(learner: Any, x: Any) -> Calls:
    """Return the calls for a row (indices, values); REFUSING for one that must be converted."""
    if type(x) is tuple and len(x) == 2:
        j, v = x
        if type(j) is ndarray and j.dtype is INDEX and j.ndim == 1:
            if type(v) is ndarray and v.dtype is FLOAT and v.ndim == 1:
                return learner.sparse_calls
    return REFUSING
