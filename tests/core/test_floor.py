"""floor: no allowed label has a lower probability, and all else stays in proportion."""

from itertools import product

import numpy as np
import pytest

from onearm import Chorus, Confidit, ConservativeOVA, LinUCB, OffsetTree, Separable, seeded
from onearm.core.explore import at_least

K, D = 4, 6
LEARNERS = [Chorus, Confidit, ConservativeOVA, LinUCB, OffsetTree]
AMONG = [None, [0, 2, 3], [1, 3], [2]]


def trained(cls, n=60, **params):
    params |= {"n_components": 64} if cls is Chorus else {}
    learner = cls(K, D, **params)
    X, y = Separable(n + 5, K, D, seed=1).arrays()
    learner.play(X[:n], y[:n])
    return learner, X[n:]


def test_at_least_raises_and_keeps_proportions():
    q = np.array([0.0, 0.25, 0.0, 0.75])
    for among, floor in product(([0, 1, 3], [1, 3]), (0.0, 0.01, 0.4, 0.5)):
        p = at_least(floor, q.copy(), np.array(among))
        m = len(among)
        least = min(floor, 1 / (2 * m))
        assert p.sum() == pytest.approx(1)
        assert p[2] == 0.0
        np.testing.assert_allclose(p[among], least + (1 - m * least) * q[among], 1e-15)
    assert at_least(0.3, np.array([0.0, 1.0]), np.array([1]))[1] == 1.0


@pytest.mark.parametrize("cls", LEARNERS, ids=lambda cls: cls.__name__)
def test_choices_have_the_chances_of_the_floor(cls):
    """Every label that is chosen in 60 draws has the propensity that `chances` states."""
    learner, X = trained(cls)
    for x, among in product(X, AMONG):
        learner.floor = 0.0
        q, m = learner.chances(x, among), len(among or range(K))
        for floor in (0.02, 0.5):
            learner.floor = floor
            least = min(floor, 1 / (2 * m))
            p = learner.chances(x, among)
            np.testing.assert_allclose(p[q > 0], least + (1 - m * least) * q[q > 0], 1e-14)
            np.testing.assert_allclose(p[among or range(K)].min(), least if m > 1 else 1.0, 1e-14)
            assert p.sum() == pytest.approx(1)
            for i in range(60):
                choice = learner.choose(x, among, rng=seeded(i))
                assert choice.propensity == p[choice.label]


@pytest.mark.parametrize("cls", LEARNERS, ids=lambda cls: cls.__name__)
def test_every_label_is_chosen_as_often_as_stated(cls):
    """2,000 draws; a count is off by 5.5 standard deviations with a chance of 4 in 10⁸."""
    learner, X = trained(cls, floor=0.1)
    n, rng, counts = 2000, seeded(3), np.zeros(K)
    for _ in range(n):
        counts[learner.choose(X[0], rng=rng).label] += 1
    p = learner.chances(X[0])
    assert (counts > 0).all()
    assert (abs(counts - n * p) <= 5.5 * np.sqrt(n * p * (1 - p))).all()


@pytest.mark.parametrize("cls", [Chorus, Confidit, ConservativeOVA, LinUCB])
def test_without_a_floor_nothing_is_sampled(cls):
    learner, X = trained(cls)
    before = learner.choosing.copy()
    assert learner.choose(X[0]).propensity == 1.0
    assert learner.choosing == before
    learner.floor = 0.01
    learner.choose(X[0])
    assert learner.choosing != before


@pytest.mark.parametrize("cls", LEARNERS, ids=lambda cls: cls.__name__)
def test_floor_must_leave_half_to_the_learner(cls):
    for wrong in (-0.01, 0.51, float("nan"), "a"):
        with pytest.raises(ValueError, match=r"floor must be a number in \[0, 0.5\], got"):
            cls(K, D, floor=wrong)


@pytest.mark.compiled
@pytest.mark.parametrize("cls", LEARNERS, ids=lambda cls: cls.__name__)
def test_learning_is_not_harmed_by_labels_chosen_at_random(cls):
    """Greedy labels along 2,000 rounds, half of which are chosen at random."""
    X, y = Separable(2000, K, D, seed=2).arrays()
    params = {"n_components": 64} if cls is Chorus else {}
    errors = [
        (cls(K, D, floor=floor, **params).play(X, y).greedy != y).mean() for floor in (0.0, 0.5)
    ]
    assert errors[1] <= 1.2 * errors[0] + 0.01
