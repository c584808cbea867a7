"""Full matrices stay symmetric and positive definite, and are refused when they cannot fit."""

import numpy as np
import pytest

from onearm import SOBA, Confidit, LinTS, LinUCB, Newtron
from onearm.core.kernels import COMPILED

ROUNDS = 1_000_000 if COMPILED else 200


def matrices(learner):
    """The inverses: one of d·k rows (SOBA, Newtron), or one of d rows for each label."""
    A = learner.second_order
    return A.reshape(1, A.shape[0] * A.shape[1], -1) if A.ndim == 4 else A


@pytest.mark.parametrize("cls", [SOBA, Newtron, Confidit, LinUCB, LinTS])
def test_symmetric_and_positive_definite_after_a_million_updates(cls):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3)) * [1.0, 10.0, 0.1]  # features of unlike scale
    y = (X @ rng.normal(size=(3, 2)) > 0).argmax(axis=1)
    learner = cls(2, 3, diagonal=False)
    for _ in range(ROUNDS // 1000 + 1):
        learner.play(X[:ROUNDS], y[:ROUNDS], trace=False)
    for A in matrices(learner):
        assert np.array_equal(A, A.T)
        assert np.linalg.eigvalsh(A).min() > 0


@pytest.mark.parametrize("cls", [SOBA, Newtron, Confidit, LinUCB, LinTS])
def test_sizes_that_cannot_fit_name_the_diagonal_version(cls):
    says = rf"{cls.__name__}\(.*diagonal=False.*\) needs .* GiB.*: use diagonal=True"
    with pytest.raises(ValueError, match=says):
        cls(1000, 100_000, diagonal=False)
    assert cls(10, 1000, diagonal=True).second_order.shape == (1000, 10)


@pytest.mark.parametrize("cls", [SOBA, Newtron, Confidit, LinUCB, LinTS])
@pytest.mark.parametrize("scale", [1e4, 1e7, 1.7e9, 1e12])
def test_features_of_very_unlike_scale_do_not_break_them(cls, scale):
    """A time in seconds beside standardised numbers, say: finite and positive definite."""
    rng = np.random.default_rng(1)
    n = 3000 if COMPILED else 100
    X = rng.normal(size=(n, 4))
    X[:, 0] = scale * (1 + 1e-3 * rng.random(n))
    y = rng.integers(0, 3, n)
    learner = cls(3, 4, diagonal=False)
    trace = learner.play(X, y)
    assert np.isfinite(learner.second_order).all()
    assert ((trace.propensity > 0) & (trace.propensity <= 1)).all()
    for A in matrices(learner):
        assert np.array_equal(A, A.T)
        assert np.linalg.eigvalsh(A).min() > 0
