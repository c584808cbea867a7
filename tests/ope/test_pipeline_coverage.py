"""Intervals of `evaluate` cover the true value over 1,000 logs, from log to estimate.

A right interval at level 1-α misses more often than `most_misses(α)` says with probability 1e-6.
Intervals by large numbers (Gaussian, bootstrap) are given 1.4 α, since logs have 250 events: those
of IPS miss 6 % there.
"""

import numpy as np
import pytest

from onearm.ope import estimating
from onearm.ope.estimating import (
    Settings,
    bounded_terms,
    curve,
    difference,
    estimated,
    logged_value,
    replayed,
)
from onearm.ope.policies import Logged
from onearm.ope.uncertainty import ANYTIME, VALID
from onearm.ope.weighing import weigh
from tests.ope.random_logs import FIXED, REWARD, Given, as_log, simulate
from tests.ope.simulated import most_misses

pytestmark = pytest.mark.compiled
LOGS, N, ALPHA = 1000, 250, 0.05
TARGET = np.array([[0.1, 0.3, 0.6], [0.5, 0.0, 0.5]])
OTHER = np.array([[0.4, 0.3, 0.3], [0.3, 0.3, 0.4]])
VALUE, OTHER_VALUE = ((table * REWARD).sum() / 2 for table in (TARGET, OTHER))
LIMIT = {"fixed": 3.0, "learning": 4.0}  # no weight is above 0.6/0.2, or 0.6/0.15
PAIRS = [
    (name, kind) for name in ("ips", "dr", "snips", "sndr", "clipped_ips") for kind in VALID[name]
]


def run(learns, whole, fitting="predictable"):
    """Return low and high of each interval in every log, and curves over time."""
    logs = simulate(LOGS, N, learns, seed=17)
    found: dict = {}
    limit = LIMIT["learning" if learns else "fixed"]
    pairs = [p for p in PAIRS if p[1] in ANYTIME] if learns else PAIRS
    pairs = [p for p in pairs if fitting == "predictable" or p != ("dr", "confidence_sequence")]
    for i in range(LOGS):
        log, x = as_log(logs.arrays(i), whole), logs.context[i]
        target, other = Given(TARGET[x], "target"), Given(OTHER[x], "other")
        for against in (Logged(), other):
            judged = weigh(log, [target], against, "linear", fitting)
            settings = Settings((), 1 - ALPHA, fitting, limit, seed=i)
            terms = judged.policies[0]
            change = difference(target, against, judged, terms, settings, 1, log)
            found.setdefault(f"against {against.name}", []).append((change.low, change.high))
        for name, kind in pairs:
            most = 2.0 if name == "clipped_ips" else limit
            asked = settings._replace(max_weight=most)
            estimate = estimated(target, judged, terms, name, kind, asked, log)
            found.setdefault((name, kind), []).append((estimate.low, estimate.high))
        logged = logged_value(judged, settings, log)
        found.setdefault("logged", []).append((logged.low, logged.high))
        some = curve(
            "target", terms.values(judged.reward), bounded_terms(terms, judged), settings, log
        )
        found.setdefault("curve", []).append((some.low, some.high))
    return logs, {key: np.array(ends) for key, ends in found.items()}


def misses(ends, value):
    low, high = ends[:, 0], ends[:, 1]
    outside = (low > value + 1e-12) | (high < value - 1e-12)
    return int(outside.reshape(LOGS, -1).any(axis=1).sum())


def check(logs, found):
    logging = logs.logging_value.mean(axis=1)
    truth = {"logged": logging, "against logged": VALUE - logging}
    truth["against other"] = VALUE - OTHER_VALUE
    for key, ends in found.items():
        value = truth.get(key, VALUE)
        by_large_numbers = key[1] in ("gaussian", "bootstrap")
        most = most_misses(1.4 * ALPHA if by_large_numbers else ALPHA)
        assert misses(ends, value) <= most, key
        if key != "curve":
            widest = 0.95 if key[1] == "empirical_bernstein" else 0.7
            assert (ends[:, 1] - ends[:, 0]).mean() < widest, key  # it says something


@pytest.fixture(autouse=True)
def no_forecast(monkeypatch):
    """Leave out how many events more would be needed, which takes half of the time."""
    monkeypatch.setattr(estimating, "_more_events", lambda *given: 0.0)


@pytest.mark.parametrize(("learns", "whole"), [(True, True), (True, False), (False, True)])
def test_predictable_models(learns, whole):
    logs, found = run(learns, whole)
    check(logs, found)
    exact = [key for key in found if key[1] in ANYTIME or isinstance(key, str)]
    assert len(exact) == 9
    if whole:  # q makes the sequence narrower than propensities alone
        widths = {key: np.diff(found[key], axis=1).mean() for key in exact if key != "curve"}
        assert widths["dr", "confidence_sequence"] < widths["ips", "confidence_sequence"]


def test_cross_fitted_models():
    logs, found = run(False, True, "cross_fitted")
    check(logs, found)
    for key in ("against other", "against logged"):  # Gaussian, and not too wide either
        assert misses(found[key], {"against other": VALUE - OTHER_VALUE}.get(key, 9)) >= 15


def test_replay_of_a_fixed_policy():
    """Clopper-Pearson is exact: it misses with probability 5 % at most."""
    logs = simulate(LOGS, N, False, seed=18)
    settings = Settings((), 1 - ALPHA, "predictable", None, seed=0)
    ends = []
    for i in range(LOGS):
        target, log = Given(TARGET[logs.context[i]], "target"), as_log(logs.arrays(i))
        checked = weigh(log, [target], Logged(), "linear", "predictable").check
        estimate = replayed(target, log, checked, settings._replace(seed=i), None)
        assert estimate.interval == "clopper_pearson"
        assert estimate.valid_while_learning is False
        ends.append((estimate.low, estimate.high))
    assert misses(np.array(ends), VALUE) <= most_misses(ALPHA)
    assert misses(np.array(ends), VALUE + 0.1) > 200  # it says something


def test_a_difference_is_narrower_than_two_intervals():
    """Policies that agree on most events differ by little, and the interval shows it."""
    logs = simulate(1, 3000, True, seed=3)
    x = logs.context[0]
    near = FIXED[x] * [1.0, 0.9, 1.0]
    near /= near.sum(axis=1, keepdims=True)
    log = as_log(logs.arrays(0))
    judged = weigh(log, [Given(FIXED[x], "a")], Given(near, "b"), "linear", "predictable")
    settings = Settings((), 0.95, "predictable", None, 0)
    policy = Given(FIXED[x], "a")
    change = difference(policy, policy, judged, judged.policies[0], settings, 1, log)
    single = estimated(
        policy, judged, judged.policies[0], "dr", "confidence_sequence", settings, log
    )
    assert change.high - change.low < 0.5 * (single.high - single.low)
