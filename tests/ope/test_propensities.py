"""Propensities of chosen labels alone: what refutes them, and what must not."""

import numpy as np
import pytest
from scipy.stats import binom

import onearm
from onearm.ope import propensities
from onearm.ope.checks import LogCheck
from onearm.ope.propensities import DELTA, room_terms

REFUSED = r"logged propensities are wrong: the mean of 1.chosen./propensity is [0-9.]+ for label "
EXPECTED = r"[0-9]+, expected [01]\.[0-9]{3} ± 0\.[0-9]{3}, the share of events that allowed it"


def softmax(s):
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def logged(P, propensity=None, seed=0, allowed=None):
    """A log of chances P; `propensity(P, label)` says what is logged."""
    rng, n = np.random.default_rng(seed), len(P)
    label = (rng.random((n, 1)) > P.cumsum(axis=1)[:, :-1]).sum(axis=1)
    p = P[np.arange(n), label]
    p = p if propensity is None else propensity(p, label)
    return onearm.Log.of(None, label, p, rng.random(n), n_classes=P.shape[1], allowed=allowed)


def finding(log):
    check = LogCheck(log)
    for events in log.judged():
        check.add(events)
    return {found.check: found for found in check.findings()}["propensities"]


def fixed(k, n=3000, seed=0):
    return np.tile(np.random.default_rng(seed).dirichlet(np.full(k, 3.0)), (n, 1))


def by_context(k, n=4000, seed=0, spread=0.5):
    rng = np.random.default_rng(seed)
    return softmax(spread * rng.normal(size=(n, 4)) @ rng.normal(size=(4, k)))


@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("even", [False, True])
def test_a_doubled_propensity_of_a_policy_that_stays_is_refused(k, even):
    P = np.full((8000, k), 1 / k) if even else fixed(k, 8000)
    label = int(np.flatnonzero(P[0] > 0.05)[0])
    log = logged(P, lambda p, a: np.where(a == label, 2 * p, p))
    words = f"{REFUSED}{label}, .*: its propensities are too large: the other labels leave no room"
    with pytest.raises(ValueError, match=words):
        onearm.evaluate(log, "uniform", model="none")
    assert finding(logged(P)).passed


def test_allowed_sets_may_vary():
    n = 4000
    allowed = np.ones((n, 4), bool)
    allowed[::5, 3] = False
    P = allowed * [0.4, 0.3, 0.1, 0.2]
    P[::5] /= 0.8
    assert finding(logged(P, allowed=allowed)).passed
    doubled = logged(P, lambda p, a: np.where(a == 2, 2 * p, p), allowed=allowed)
    assert not finding(doubled).passed
    assert "for label 2" in finding(doubled).text


@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("policy", [fixed, by_context])
@pytest.mark.parametrize("planted", ["halved", "stale", "1/k"])
def test_too_small_propensities_of_any_policy_are_refused(k, policy, planted):
    P, stale = policy(k, 20_000, 3), policy(k, 20_000, 2)
    label = int(P.sum(axis=0).argmin())
    wrong = {
        "halved": lambda p, a: np.where(a == label, p / 2, p),
        "stale": lambda p, a: stale[np.arange(len(a)), a],
        "1/k": lambda p, a: np.full(len(a), 1 / k),
    }[planted]
    with pytest.raises(ValueError, match=REFUSED + EXPECTED):
        onearm.evaluate(logged(P, wrong), "uniform", model="none")


def test_a_doubled_propensity_of_a_policy_that_varies_is_doubtful():
    log = logged(by_context(3), lambda p, a: np.where(a == 1, np.minimum(2 * p, 1), p))
    found = finding(log)
    assert (found.passed, found.doubtful) == (True, True)
    assert "which this log cannot tell apart" in found.text


def two_of_three(n=6000, seed=0):
    """Chances of a policy that each time chooses evenly among two of three labels."""
    left_out = np.random.default_rng(seed).integers(0, 3, n)
    return np.where(np.arange(3) == left_out[:, None], 0.0, 0.5)


def test_a_wrong_log_may_equal_a_right_one():
    """Chances of 1/3 logged as 1/2, and even choices among two of three labels, are the same."""
    wrong = finding(logged(np.full((6000, 3), 1 / 3), lambda p, a: np.full(len(a), 0.5)))
    right = finding(logged(two_of_three()))
    for found in (wrong, right):
        assert (found.passed, found.doubtful) == (True, True)
        assert found.text.startswith("the mean of 1[chosen]/propensity is 0.6")


def test_missing_support_of_a_right_log_is_not_refused():
    """Of 300 right logs, each refused with probability 1e-3 at most, more than 6 have 1e-6."""

    def chances(i):
        rng = np.random.default_rng(i)
        P = np.tile([0.2, 0.3, 0.5], (600, 1))
        P[rng.random(600) < 0.5] = [0.4, 0.0, 0.6] if i % 2 else [0.0, 0.5, 0.5]
        return P

    found = [finding(logged(chances(i), seed=1000 + i)) for i in range(300)]
    assert sum(not each.passed for each in found) <= binom.isf(1e-6, 300, 1e-3)
    assert sum(each.doubtful for each in found) > 250


def test_terms_have_a_mean_of_at_most_0_for_every_distribution():
    """Enumerated: Σ P(a) T(a, P(a)) is at most 0, and no term is below the bound."""
    rng = np.random.default_rng(0)
    for _ in range(3000):
        m = int(rng.integers(2, 6))
        c = rng.dirichlet(np.ones(m))
        c[0] += rng.choice([0.0, 0.0, -0.3, 2 * DELTA, -c[0]])  # it need not be what is left
        code, P = 0, c.copy()
        c[0] = 1 - c[1:].sum()
        moved = rng.choice(m, 2, replace=False)
        P[moved] += np.array([1, -1]) * rng.choice([0.0, 0.5 * DELTA, 2 * DELTA, 0.05, P[moved[1]]])
        P = np.maximum(P, 0) / np.maximum(P, 0).sum()
        at = np.flatnonzero(P > 1e-9)
        terms, least = room_terms(at, P[at], c, code, m)
        assert (P[at] * terms).sum() <= 1e-6
        assert terms.min() >= -least - 1e-9


def test_what_refutes_is_not_learnt_from_the_events_it_is_tested_on(monkeypatch):
    """With c of all events, those with the most frequent propensity would be chosen twice."""
    seen = []
    monkeypatch.setattr(
        propensities, "room_terms",
        lambda label, *rest: seen.append(len(label)) or (np.zeros(len(label)), 0.0),
    )  # fmt: skip
    finding(logged(fixed(3), lambda p, a: np.where(a == 1, np.minimum(1, 2 * p), p)))
    assert seen == [2250]


@pytest.mark.parametrize("k", [50, 3000])
def test_labels_that_were_chosen_a_few_times_raise_no_doubt(k):
    """Their own largest 1/p says nothing of what it may be."""
    for seed in range(3):
        found = finding(logged(np.full((1000, k), 1 / k), seed=seed))
        assert (found.passed, found.doubtful) == (True, False)


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("factor", [0.5, 0.8, 0.9, 1.0, 1.1, 1.25, 2.0])
def test_labels_that_are_not_tested_could_not_fail(monkeypatch, factor, limited):
    """What is left out beforehand changes nothing."""
    n, k = 600, 5
    for seed in range(4):
        rng = np.random.default_rng(seed)
        allowed = np.ones((n, k), bool)
        if limited:
            allowed[rng.random(n) < 0.5, int(rng.integers(0, k))] = False
        P = allowed * rng.dirichlet(np.full(k, 0.7))
        P /= P.sum(axis=1, keepdims=True)
        wrong = rng.integers(0, k)
        log = logged(
            P,
            lambda p, a, w=wrong: np.where(a == w, np.clip(factor * p, 1e-6, 1), p),
            seed,
            allowed,
        )
        found = finding(log)
        with monkeypatch.context() as patch:
            patch.setattr(propensities, "_possibly_above", lambda *given: range(k))
            patch.setattr(propensities, "_possibly_below", lambda *given: range(k))
            assert finding(log) == found


def test_of_many_labels_that_lack_the_worst_are_asked():
    """A policy that always chooses one of 300 labels: each of the others lacks."""
    n = 4000
    log = onearm.Log.of(None, np.zeros(n, int), np.ones(n), np.arange(n) % 2, n_classes=300)
    assert finding(log).doubtful


def test_too_large_propensities_make_the_default_interval_wide_not_wrong():
    """It allows any reward for the weight that is missing, so those that are only doubted cover."""
    for seed in range(20):
        P, rng = np.full((3000, 3), 1 / 3), np.random.default_rng(seed)
        label = (rng.random((3000, 1)) > P.cumsum(axis=1)[:, :-1]).sum(axis=1)
        reward = rng.random(3000) < np.array([0.2, 0.5, 0.8])[label]
        log = onearm.Log.of(None, label, np.full(3000, 0.5), reward)
        result = onearm.evaluate(log, ["always 0", "always 2"])
        assert any("propensities are too large" in text for text in result.warnings)
        for estimate, value in zip(result.estimates[1:], (0.2, 0.8), strict=True):
            assert estimate.low < value < estimate.high
        for difference, value in zip(result.differences, (-0.3, 0.3), strict=True):
            assert difference.low < value < difference.high
