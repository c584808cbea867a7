"""The identity of a log: what a learner has learnt from is known again, in part or in whole."""

import numpy as np
import pytest

from onearm import Log
from onearm.log.identity import n_learnt, with_log
from tests.log.random_logs import random_log

N = 40


def arrays(n=N, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)), rng.integers(0, 3, n), rng.uniform(0.1, 1, n)


def as_log(parts):
    return Log.of(*parts, np.zeros(len(parts[1])), n_classes=3)


def beginning_alike(n):
    """Two logs whose first n events are the same."""
    some, other = arrays(), arrays(seed=1)
    return as_log(some), as_log([np.r_[a[:n], b[n:]] for a, b in zip(some, other, strict=True)])


def test_parts_are_known_as_parts_of_the_whole(small_chunks):
    log = random_log()
    assert log.identity == random_log(sparse=True).identity == log.after(3).after(4).identity
    assert log.identity.startswith(log.first(5).identity)
    for n in range(21):
        learnt = log.first(n).learnt(None)
        assert log.n_learnt(learnt) == log.after(7).n_learnt(learnt) == n
        assert log.first(9).n_learnt(learnt) == n
    assert log.n_learnt(log.after(5).first(3).learnt(None)) == 8


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 16, 39])
def test_logs_that_begin_alike_share_only_their_beginning(n):
    """Within a factor of 2: rather not judged than judged on what was learnt."""
    log, other = beginning_alike(n)
    shared = other.n_learnt(log.learnt(None))
    assert n <= shared <= 2 * n
    assert other.n_learnt(log.first(3).learnt(None)) == min(3, shared)


@pytest.mark.parametrize("field", [0, 1, 2])
def test_all_that_was_logged_counts_but_the_reward(field):
    parts = arrays()
    changed = [part.copy() for part in parts]
    changed[field][N // 2] = 1 - changed[field][N // 2] * 0.5
    learnt = as_log(parts).learnt(None)
    assert as_log(changed).n_learnt(learnt) == 32
    later = Log.of(*parts, np.ones(N), n_classes=3)
    assert later.n_learnt(learnt) == N


def test_rows_are_told_apart_where_only_their_borders_differ():
    """The third and fourth event are one part: which of them has the number must count."""
    rows = np.zeros((4, 2)), np.zeros((4, 2))
    rows[0][2, 1] = rows[1][3, 1] = 5.0
    one, other = (Log.of(X, [0] * 4, [1.0] * 4, [0.0] * 4) for X in rows)
    assert one.identity != other.identity


def test_a_log_that_goes_on_is_remembered_once():
    log, other = beginning_alike(0)
    learnt = log.after(10).learnt(log.first(10).learnt(None))
    assert learnt == {log.identity: N} == log.first(10).learnt(learnt)
    both = other.first(7).learnt(learnt)
    assert both == learnt | {other.first(7).identity: 7}
    assert (log.n_learnt(both), other.n_learnt(both)) == (N, 7)


def test_models_of_before_know_the_first_event():
    log, other = beginning_alike(3)
    old = {log.identity[:64]: 25}
    assert log.n_learnt(old) == other.n_learnt(old) == 25
    assert n_learnt(old, as_log(arrays(seed=2)).identity) == 0
    assert with_log(old, log.identity, 30) == {log.identity: 30}


def test_an_empty_log_has_taught_nothing():
    empty = random_log().first(0)
    assert random_log().n_learnt(empty.learnt(None)) == 0
    assert empty.n_learnt(random_log().learnt(None)) == 0
