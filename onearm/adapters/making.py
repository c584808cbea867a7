"""A learner for an adapter, by its name or class, fitted to sizes."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

import onearm
from onearm.agent.making import require_parameters
from onearm.prepare.learners import learner_class


def make_learner(
    given: Any, k: int, d: int, seed: int, params: dict[str, Any] | None, sparse: bool = False
) -> Any:
    """Return a new learner of k labels and d features, for rows that are `sparse` or not."""
    cls, params = learner_class(given), params or {}
    require_parameters(cls, params, given=("seed",))
    row = csr_array((1, d)) if sparse else np.zeros((1, d))
    stream = onearm.Stream("rows", k, d, lambda: iter([(row, np.zeros(1, int))]))
    return stream.learner(cls, seed=seed, **params)
