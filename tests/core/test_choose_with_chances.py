"""A choice and its probabilities in one call are those of two calls, to the bit."""

import numpy as np
import pytest

import onearm
from tests import cases

ONE_OF_EACH = list({case.split(":")[0].split("-")[0]: case for case in cases.ids()}.values())


@pytest.mark.parametrize("case", ONE_OF_EACH)
def test_it_is_choose_and_chances(case):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    learner = cases.make(case, 3, 4)
    learner.play(X, y)
    before = learner.content()
    state = {name: array.copy() for name, array in before.items()}
    for i, among in enumerate([None, [0, 2], [1], None]):
        choice, chances = learner.choose_with_chances(X[i], among, f"event {i}")
        assert choice == learner.choose(X[i], among, key=f"event {i}")
        assert chances.tobytes() == learner.chances(X[i], among).tobytes()
    for name, array in learner.content().items():
        assert array.tobytes() == state[name].tobytes()


def test_sparse_rows_and_rows_that_are_refused():
    learner = onearm.InverseGap(3, 4)
    x = np.array([1, 3], np.int32), np.array([0.5, 2.0])
    choice, chances = learner.choose_with_chances(x, None, "key")
    assert choice == learner.choose(x, key="key")
    assert chances.tobytes() == learner.chances(x).tobytes()
    with pytest.raises(ValueError, match="finite"):
        learner.choose_with_chances(np.array([np.inf, 0, 0, 0]), None, "key")
    with pytest.raises(ValueError, match="4 features"):
        learner.choose_with_chances(np.ones(3), None, "key")
