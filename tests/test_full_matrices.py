"""Full matrices stay symmetric and positive definite, and are refused when they cannot fit."""

import numpy as np
import pytest

from onearm import SOBA, Confidit, LinTS, LinUCB, Newtron
from onearm.kernels import COMPILED

ROUNDS = 1_000_000 if COMPILED else 200


@pytest.mark.parametrize("cls", [SOBA, Newtron, Confidit, LinUCB, LinTS])
def test_symmetric_and_positive_definite_after_a_million_updates(cls):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3)) * [1.0, 10.0, 0.1]  # features of unlike scale
    y = (X @ rng.normal(size=(3, 2)) > 0).argmax(axis=1)
    learner = cls(2, 3, diagonal=False)
    for _ in range(ROUNDS // 1000 + 1):
        learner.play(X[:ROUNDS], y[:ROUNDS], trace=False)
    matrices = learner.A.reshape(-1, 6, 6) if cls in (SOBA, Newtron) else learner.A
    for A in matrices:
        assert np.array_equal(A, A.T)
        assert np.linalg.eigvalsh(A).min() > 0


@pytest.mark.parametrize("cls", [SOBA, Newtron, Confidit, LinUCB, LinTS])
def test_sizes_that_cannot_fit_name_the_diagonal_version(cls):
    says = rf"{cls.__name__} with diagonal=False .* use {cls.__name__}\(..., diagonal=True\)"
    with pytest.raises(ValueError, match=says):
        cls(1000, 100_000, diagonal=False)
    assert cls(10, 1000, diagonal=True).A.shape == (1000, 10)
