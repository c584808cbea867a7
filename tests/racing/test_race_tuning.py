"""Exploration rates are chosen on rows that are not part of the race."""

import numpy as np
import pytest

import onearm
from onearm import metrics
from onearm.racing.plan import Plan
from onearm.racing.race import race
from onearm.racing.rows import n_tuning_rows, resolve, rows
from tests.racing.racers import ROUNDS

TUNING = min(900, ROUNDS // 2)  # 100 rounds for each of 9 labels


def test_tuning_is_not_part_of_the_race():
    """Tuned or not, all learners are judged on the rows after the first part."""
    tuned = race("SynSep", ["Banditron", "Perceptron"], rounds=ROUNDS, tune=0.25, on=1)
    for record in tuned.runs:
        assert record["n_rounds"] == ROUNDS - TUNING
    banditron, perceptron = tuned.runs
    assert banditron["tuned"]["gamma"] in [9 / 64 * 4.0**p for p in range(-3, 3)]
    assert perceptron["tuned"] == {}
    stream = rows(resolve("SynSep"), ROUNDS, 0, False)
    gamma = banditron["tuned"]["gamma"]
    learner = stream.learner(onearm.Banditron, gamma=gamma)
    correct = learner.play(*(a[TUNING:] for a in stream.arrays())).correct
    assert banditron["error"] == round(metrics.error(correct), 8)
    head = stream.first(TUNING)
    errors = {
        rate: metrics.error(head.learner(onearm.Banditron, gamma=rate).play(head).correct)
        for rate in (9 / 64 * 4.0**p for p in range(-3, 3))
        if rate < 1
    }
    assert errors[gamma] == min(errors.values())


def test_a_given_rate_is_not_tuned():
    results = race("SynSep", [{"name": "Banditron", "gamma": 0.3}], rounds=ROUNDS, tune=0.2, on=1)
    assert results.runs[0]["tuned"] == {}
    assert results.runs[0]["played"]["gamma"] == 0.3


def test_of_equal_rates_the_nearest_to_the_default_is_chosen():
    record = race("letter", ["Banditron"], rounds=10, tune=0.1, on=1).runs[0]
    assert record["tuned"] == {"gamma": 0.25}  # five rounds of 26 labels: all are wrong
    assert record["n_rounds"] == 5


@pytest.mark.parametrize("in_order", [False, True])
def test_rows_of_tuning_do_not_come_again(in_order):
    X, y = np.arange(50.0)[:, None], np.arange(50) % 3
    (job,) = Plan(
        [onearm.Stream.of(X, y)], ["HoeffdingTree"], rounds=500, tune=0.1, in_order=in_order
    ).jobs()
    shown, apart = job.stream().arrays()[0][:, 0], n_tuning_rows(job.source, 500, 0.1)
    assert (apart, len(shown)) == (25, 500)
    assert not set(shown[:25]) & set(shown[25:])
    counts = np.unique(shown[25:], return_counts=True)[1]
    assert (len(counts), counts.min(), counts.max()) == (25, 19, 19)
