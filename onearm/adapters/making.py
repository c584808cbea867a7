"""A learner for an adapter, by its name or class, fitted to sizes."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

import onearm
from onearm.agent.making import require_parameters
from onearm.prepare.learners import learner_class
from onearm.prepare.prepared import wants_preparation


def takes_missing(given: Any) -> bool:
    """Whether a learner takes NaN for a missing value, by itself or as its rows are prepared."""
    cls = learner_class(given)
    return cls.missing or cls.fills_missing or wants_preparation(cls)


def make_learner(
    given: Any, k: int, d: int, seed: int, params: dict[str, Any] | None, sparse: bool = False
) -> Any:
    """Return a new learner of k labels and d features, for rows that are `sparse` or not."""
    cls, params = learner_class(given), {} if params is None else params
    if not isinstance(params, dict):
        raise ValueError(f"params must be a dict of parameters, got {params!r}")
    require_parameters(cls, params, given=("seed",))
    row = csr_array((1, d)) if sparse else np.zeros((1, d))
    stream = onearm.Stream("rows", k, d, lambda: iter([(row, np.zeros(1, int))]))
    return stream.learner(cls, seed=seed, **params)
