"""The bandits that point at columns."""

import numpy as np
import pytest

from onearm.core.rng import seeded
from onearm.mh.bandits import (
    BLOCK,
    LOG,
    SQUARE,
    Bandit,
    end_round,
    pull,
    reward,
    reward_of,
    set_step,
)
from tests.reference.mh_bandits import Bandit as PlainBandit


def test_exp3p_finds_the_only_good_arm():
    """At 100 pulls an arm. Over seeds 0 to 9 its share of the last 500 pulls was .56 to .77."""
    bandit = Bandit(np.arange(20), "exp3p", 1, "log", 0.15, 0.3, 2000, False)
    rng, arms = seeded(0), bandit.model()
    pulled = []
    for _ in range(2000):
        pulled.append(pull(0, arms, rng))
        reward(pulled[-1], 1.0 if pulled[-1] == 7 else 0.0, 1.0, arms)
    assert np.mean(np.array(pulled[-500:]) == 7) > 0.5


def test_recent_forgets():
    """The only good arm changes halfway. Over seeds 0 to 9 its share of the last
    250 pulls of either half was .868 to .944."""
    bandit = Bandit(np.arange(20), "recent", 1, "edge", 0.1, 0.3, 1000, False)
    rng, arms = seeded(0), bandit.model()
    pulled = []
    for t in range(1000):
        pulled.append(pull(0, arms, rng))
        good = pulled[-1] == (7 if t < 500 else 11)
        reward(pulled[-1], 0.9 if good else 0.01, 1.0, arms)
    assert np.mean(np.array(pulled[250:500]) == 7) > 0.8
    assert np.mean(np.array(pulled[750:]) == 11) > 0.8


def test_rewards_grow_with_the_edge():
    assert reward_of(0.5, LOG) == pytest.approx(-0.5 * np.log(0.75))
    assert reward_of(1.0, LOG) == 1.0
    assert reward_of(-1.0, LOG) == 0.0


def test_uct_finds_the_only_good_sequence():
    """Of sequences of two of 4 arms. Over seeds 0 to 9 its share of the last 500 was .994."""
    bandit = Bandit(np.arange(4), "uct", 1, "edge", 0.15, 0.3, 2000, False)
    bandit.make_room(2000, 2)
    rng, arms, found = seeded(0), bandit.model(), []
    for _ in range(2000):
        path = []
        for step in range(2):
            set_step(step, arms)
            path.append(pull(0, arms, rng))
            assert pull(0, arms, rng) == path[-1]  # refitted, a term keeps its column
        found.append(path == [2, 1])
        end_round(1.0 if found[-1] else 0.0, arms)
    assert np.mean(found[-500:]) > 0.9


@pytest.mark.parametrize(("M", "at_once"), [(BLOCK, 3), (3 * BLOCK - 5, 4), (2 * BLOCK, BLOCK + 9)])
def test_recent_samples_many_columns_as_plain_python_does(M, at_once):
    """Beyond the places that are searched it sums by blocks."""
    bandit = Bandit(np.arange(M), "recent", at_once, "square", 0.15, 0.3, 1000, False)
    plain = PlainBandit(range(M), "recent", at_once, "square", 0.15, 0.3, 1000, False, seeded(5))
    rng, arms, gammas = seeded(5), bandit.model(), np.random.default_rng(0)
    most = max(2000 // at_once, 6)
    for _ in range(most):
        taken = []
        for number in range(at_once):
            a = pull(number, arms, rng)
            assert plain.choose(taken) == a
            taken.append(a)
            gamma = gammas.uniform(-0.1, 1.0) ** 3
            reward(a, gamma, 1.0, arms)
            r = reward_of(gamma, SQUARE)
            plain.largest = max(plain.largest, r)
            if gamma >= 0 or not plain.history[a]:
                plain.last[a] = r
            plain.history[a].append(r)
    assert at_once > BLOCK or len(plain.last) > M // 2
