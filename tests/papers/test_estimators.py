"""Estimators (3) and (4) of Z19, over every label that can be chosen."""

from itertools import product

import numpy as np
import pytest

from onearm import HIDDEN
from onearm.core.estimate import zero_one_loss
from papers.z19.estimators import EQUATIONS, Job, loss_when_right

RHO = 0.2


def moments(estimate, k, y, greedy):
    """Return mean and variance of an estimate over the chosen label."""
    p = np.full(k, RHO / (k - 1))
    p[greedy] = 1.0 - RHO
    values = np.array(
        [estimate(label, greedy, p[label], y if label == y else HIDDEN, k) for label in range(k)]
    )
    mean = p @ values
    return mean, p @ (values - mean) ** 2


@pytest.mark.parametrize("k", [2, 3, 5])
def test_both_are_unbiased_and_the_second_varies_less(k):
    for y, greedy in product(range(k), repeat=2):
        (mean3, var3), (mean4, var4) = (
            moments(estimate, k, y, greedy) for estimate in (loss_when_right, zero_one_loss)
        )
        wrong = (np.arange(k) != y).astype(float)
        assert mean3 == pytest.approx(wrong)
        assert mean4 == pytest.approx(wrong)
        differ = np.arange(k) == greedy if greedy != y else np.zeros(k, bool)
        assert var4[~differ] == pytest.approx(var3[~differ])
        assert var3[differ] == pytest.approx((k - 1) / RHO - 1)
        assert var4[differ] == pytest.approx(1 / (1 - RHO) - 1)
        if greedy != y and k > 2:
            assert var4.sum() < var3.sum()


def test_the_boosters_use_the_estimator_of_their_job():
    weights = []
    for equation in EQUATIONS:
        learner = Job("balance", "AdaBandit", equation, 4).make()
        x, wrong = np.ones(4), 0
        choice = learner.choose(x)
        while choice.label != choice.greedy:
            choice = learner.choose(x)
        learner.update(x, choice, wrong == 1)
        weights.append(learner.vote_weights.copy())
        assert learner.n_updates[0] == 1.0
    assert weights[0].tolist() != weights[1].tolist()
