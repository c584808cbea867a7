"""Misses of intervals over 1,000 simulated logs: fixed-n ones at n, anytime ones at every event.

Each test states its false-alarm rate: how likely a correct interval would fail it with other seeds.
"""

import numpy as np
import pytest

from onearm.ope import intervals, sequences
from tests.ope.simulated import ROUNDS, fewest_misses, most_misses, simulate

pytestmark = pytest.mark.compiled
ALL = np.arange(1, ROUNDS + 1)


@pytest.mark.parametrize("kind", ["gaussian", "snips", "sndr", "bootstrap", "bootstrap_snips"])
def test_approximate_intervals_miss_as_often_as_they_say(kind):
    """False-alarm rate 2e-6 if the coverage at n = 1,000 is exact: misses are binomial."""
    logs = simulate(learns=False, drifts=False, seed=11)
    q = 0.4
    kinds = {
        "gaussian": lambda w, r: intervals.gaussian(w * r, 0.05),
        "snips": lambda w, r: intervals.gaussian_ratio(w * r, w, 0.05),
        "sndr": lambda w, r: intervals.gaussian_ratio(w * (r - q), w, 0.05, 0 * r + q),
        "bootstrap": lambda w, r: intervals.bootstrap(w * r, 0.05, 0),
        "bootstrap_snips": lambda w, r: intervals.bootstrap_ratio(w * r, w, 0.05, 0),
    }
    bounds = [kinds[kind](w, r) for w, r in zip(logs.w, logs.r, strict=True)]
    misses = sum(not low <= logs.value[0] <= high for low, high in bounds)
    assert fewest_misses(0.05) <= misses <= most_misses(0.05)


@pytest.mark.parametrize("kind", ["empirical_bernstein", "clopper_pearson"])
def test_exact_intervals_miss_at_most_as_often_as_they_say(kind):
    """False-alarm rate 1e-6 at most: misses are binomial with at most α."""
    logs = simulate(learns=False, drifts=False, seed=12)
    kinds = {
        "empirical_bernstein": lambda w, r: intervals.empirical_bernstein(w * r, 0, 1.8, 0.05),
        "clopper_pearson": lambda w, r: intervals.clopper_pearson(r.sum(), len(r), 0.05),
    }
    truth = logs.value[0] if kind == "empirical_bernstein" else logs.logging_value[0, 0]
    bounds = [kinds[kind](w, r) for w, r in zip(logs.w, logs.r, strict=True)]
    assert sum(not low <= truth <= high for low, high in bounds) <= most_misses(0.05)
    assert max(high - low for low, high in bounds) < 0.35


def misses(bounds, truth) -> int:
    """Return in how many logs a lower bound is above the truth at any time."""
    above = [(low > mean).any() for low, mean in zip(bounds, truth, strict=True)]
    return int(np.sum(above))


def running_mean(values):
    return np.cumsum(values, axis=-1) / ALL


@pytest.mark.parametrize("learns", [False, True], ids=["fixed", "learning"])
@pytest.mark.parametrize("kind", ["ips", "dr"])
def test_lower_sequences_hold_at_all_times(learns, kind):
    """False-alarm rate 1e-6 at most for each side: misses are binomial with at most α = 0.1.

    The value of the target changes over time, and so does the policy that logs if it learns."""
    logs = simulate(learns, drifts=True, seed=21)
    sides = {
        "ips": (logs.w * logs.r, logs.w * (1 - logs.r), 0.0),
        "dr": (logs.dr, logs.dr_mirrored, 1.0),
    }
    *terms, least = sides[kind]
    truth = running_mean(logs.value)
    for x, mean in zip(terms, (truth, 1 - truth), strict=True):
        bounds = [sequences.lower_sequence(log, least, 0.1, ALL) for log in x]
        assert misses(bounds, [mean] * len(x)) <= most_misses(0.1)
        assert np.mean([mean[-1] - low[-1] for low in bounds]) < 0.2


def test_differences_to_the_logging_policy_hold_at_all_times():
    """False-alarm rate 1e-6 at most. D = φ - r ≥ -2; its conditional mean depends on the past."""
    logs = simulate(learns=True, drifts=False, seed=22)
    truth = running_mean(logs.value - logs.logging_value)
    bounds = [sequences.lower_sequence(x, 2.0, 0.1, ALL) for x in logs.dr - logs.r]
    assert misses(bounds, truth) <= most_misses(0.1)


@pytest.mark.parametrize("learns", [False, True], ids=["fixed", "learning"])
def test_betting_holds_at_all_times(learns):
    """False-alarm rate 1e-6 at most: misses of either side are binomial with at most α = 0.1."""
    logs = simulate(learns, drifts=False, seed=23)
    largest = logs.w.max()
    truth, missed = logs.value[0] / largest, 0
    for x in logs.w * logs.r / largest:
        low, high = sequences.betting(x, 0.1, [ROUNDS])  # the narrowest of all times
        missed += not low[0] <= truth <= high[0]
    assert missed <= most_misses(0.1)


def test_the_count_of_misses_finds_an_interval_that_does_not_hold_at_all_times():
    logs = simulate(learns=True, drifts=False, seed=24)
    means = running_mean(logs.w * logs.r)
    spread = np.sqrt(np.maximum(running_mean((logs.w * logs.r) ** 2) - means**2, 0.0))
    bounds = means - 1.2816 * spread / np.sqrt(ALL)  # one-sided, 90 % at a fixed time
    assert intervals.gaussian((logs.w * logs.r)[0], 0.2).low == pytest.approx(
        bounds[0, -1], abs=1e-4
    )
    assert misses(bounds, np.full(bounds.shape, logs.value[0])) > most_misses(0.1)
