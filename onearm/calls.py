"""One round by call: kernels compiled for one learner, with all bound that it has itself.

Numba asks at every call what types it is given, which takes as long as the round. Here it does not.
The types of a learner's own arrays and numbers are known, the learner makes sure of those of a row,
and the length of a row, its layout and its values the kernel checks itself.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy import ndarray

from onearm.assembly import HIDDEN
from onearm.kernels import compiled

FLOAT, INDEX = np.dtype(np.float64), np.dtype(np.int32)
DENSE, SPARSE = np.empty(0), (np.empty(0, INDEX), np.empty(0))  # rows as kernels take them


@dataclass(slots=True)
class Calls:
    """One round on a row of certain types; what is refused changes nothing."""

    choose: Any  # x -> (label, greedy, propensity); label < 0 if x is refused
    choose_among: Any  # among, rng, x -> the same
    update: Any  # x, (label, greedy, propensity), reward, truth -> False if any is refused


REFUSING = Calls(lambda x: (HIDDEN,), lambda *round: (HIDDEN,), lambda *round: False)


def calls_of(learner: Any, x: Any) -> Calls:
    """Return one round of `learner` as it is now, for rows of the types of `x`."""
    if learner.dense_rows and x is SPARSE:
        return REFUSING
    own = learner.model(), learner.n_features, learner.missing
    among, rng = learner.labels, learner.choosing
    choose = partial(compiled(learner.kernels.choose, *own, among, rng, x), *own)
    own_too = *own, learner.n_classes, learner.updating
    update = compiled(learner.kernels.update, *own_too, x, (0, 0, 1.0), 1.0, 0)
    return Calls(partial(choose, among, rng), choose, partial(update, *own_too))


def other_than_dense(learner: Any, x: Any) -> Calls:
    """Return the calls for a row that is no dense vector: REFUSING if it must be converted."""
    if type(x) is tuple and len(x) == 2:
        j, v = x
        if type(j) is ndarray and j.dtype is INDEX and j.ndim == 1:
            if type(v) is ndarray and v.dtype is FLOAT and v.ndim == 1:
                return learner.sparse_calls
    return REFUSING


def forget(attributes: dict[str, Any]) -> dict[str, Any]:
    """Drop the calls from the attributes of a learner: they are for what it was."""
    attributes.pop("dense_calls", None)
    attributes.pop("sparse_calls", None)
    return attributes
