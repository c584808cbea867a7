"""Weighing: numbers per event equal the plain ones; which model judges which event."""

import numpy as np
import pytest

import onearm
from onearm.log import pieces
from onearm.ope import weighing
from onearm.ope.given import Column
from onearm.ope.policies import Logged, Uniform
from onearm.ope.weighing import KAPPA, expected, weigh
from tests.ope.random_logs import Given, as_log, distributions, random_arrays
from tests.reference import ope as plain

K, N = 3, 120


def others(events, seed=1, zeros=0.2):
    """Two random policies over the allowed labels."""
    rng = np.random.default_rng(seed)
    return [distributions(rng, events.allowed, zeros) for _ in range(2)]


def plain_q(events, fitting, rewards=(0.0, 1.0), nominal=()):
    r = (events.reward - rewards[0]) / (rewards[1] - rewards[0])
    triples = [(x, a, b) for x, a, b in zip(events.X, events.label, r, strict=True)]
    fit = plain.ridge(events.chances.shape[1], nominal)
    if fitting == "predictable":
        return plain.predictable(triples, fit, fit([]))
    return plain.cross_fitted(triples, range(len(triples)), fit)


CASES = {
    "whole": {},
    "limited": {"limited": True},
    "no support": {"zeros": 0.4},
    "costs": {"rewards": (-3.0, 5.0)},
    "two labels, one column": {"k": 2, "d": 1},
}


@pytest.mark.parametrize("chunk", [7, 2**16])
@pytest.mark.parametrize("case", CASES)
def test_numbers_equal_the_plain_ones(case, chunk, monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", chunk)
    events = random_arrays(N, **CASES[case])
    log = as_log(events, rewards=CASES[case].get("rewards", (0.0, 1.0)))
    pi, other = others(events)
    judged = weigh(log, [Given(pi)], Given(other), "linear", "predictable")
    q = plain_q(events, "predictable", log.rewards)
    low, high = log.rewards
    for i in range(N):
        r, a = (events.reward[i] - low) / (high - low), events.label[i]
        p, dist = events.chances[i], (pi[i], other[i])
        mirrored = [1 - value for value in q[i]]
        both = [sum(d * q[i]) + d[a] / p[a] * (r - q[i][a]) for d in dist]  # DR terms
        x = judged.policies[0]
        found = (
            judged.reward[i], x.weight[i], x.of_label[i], x.of_policy[i], x.lower[i], x.upper[i],
            x.support[i], x.change[i], x.gain[i], x.loss[i],
        )  # fmt: skip
        wanted = (
            r, pi[i][a] / p[a], q[i][a], sum(pi[i] * q[i]),
            plain.phi(r, q[i], pi[i], p, a, KAPPA),
            plain.phi(1 - r, mirrored, pi[i], p, a, KAPPA),
            sum(pi[i][p > 0]), both[0] - both[1],
            plain.difference_term(r, q[i], pi[i], other[i], p, a, KAPPA),
            plain.difference_term(r, q[i], other[i], pi[i], p, a, KAPPA),
        )  # fmt: skip
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    assert judged.has_distribution.all()
    assert min(x.lower.min(), x.upper.min()) >= -KAPPA - 1e-12
    assert min(x.gain.min(), x.loss.min()) >= -KAPPA - 1 - 1e-12


@pytest.mark.parametrize("fitting", weighing.FITTINGS)
@pytest.mark.parametrize("whole", [True, False])
def test_against_the_logged_policy(whole, fitting):
    events = random_arrays(N)
    pi, _ = others(events)
    log = as_log(events, whole)
    x = weigh(log, [Given(pi)], Logged(), "linear", fitting).policies[0]
    q = plain_q(events, fitting)
    for i in range(N):
        r, a, p = events.reward[i], events.label[i], events.chances[i]
        w = pi[i][a] / p[a]
        dr = sum(pi[i] * q[i]) + w * (r - q[i][a])
        assert (x.weight[i], x.change[i]) == pytest.approx((w, dr - r), rel=1e-9, abs=1e-9)
        if whole and fitting == "predictable":
            gain = plain.difference_term(r, q[i], pi[i], p, p, a, KAPPA)
            assert x.gain[i] == pytest.approx(gain, rel=1e-9, abs=1e-9)
        else:
            assert x.gain[i] == pytest.approx(w * r + (1 - r) - 1)
            assert x.loss[i] == pytest.approx(r + w * (1 - r) - 1)
            assert (x.lower[i], x.upper[i]) == pytest.approx((w * r, w * (1 - r)))


def test_without_distributions_differences_need_the_sign_of_the_change():
    """q̃ is 0 where Δ > 0, else 1: Δ/p r - Σ |Δ| or Δ/p (r - 1) - Σ |Δ|, over Δ < 0."""
    events = random_arrays(N)
    pi, other = others(events)
    x = weigh(as_log(events, False), [Given(pi)], Given(other), "linear", "predictable").policies[0]
    for i in range(N):
        p = events.chances[i].copy()
        p[np.arange(K) != events.label[i]] = np.nan  # which κ = 0 does not use
        zero = np.where(np.isnan(p), 1.0, p)
        wanted = [
            plain.difference_term(events.reward[i], [0.5] * K, *pair, zero, events.label[i], 0.0)
            for pair in ((pi[i], other[i]), (other[i], pi[i]))
        ]
        assert (x.gain[i], x.loss[i]) == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    assert min(x.gain.min(), x.loss.min()) >= -1 - 1e-12


def test_policies_of_which_only_the_logged_label_is_known():
    events = random_arrays(N)
    pi, other = others(events)
    rows = np.arange(N)
    column, compared = (Column(d[rows, events.label]) for d in (pi, other))
    x = weigh(as_log(events), [column], compared, "linear", "predictable").policies[0]
    w, v = (d[rows, events.label] / events.propensity for d in (pi, other))
    r = events.reward
    np.testing.assert_allclose(x.weight, w)
    np.testing.assert_allclose(x.lower, w * r)
    np.testing.assert_allclose(x.upper, w * (1 - r))
    np.testing.assert_allclose(x.change, (w - v) * r)
    np.testing.assert_allclose(x.gain, w * r + v * (1 - r) - 1)
    np.testing.assert_allclose(x.loss, v * r + w * (1 - r) - 1)
    assert np.isnan(x.of_policy).all()
    assert np.isnan(x.support).all()


@pytest.mark.parametrize("against", [Logged(), Uniform()])
@pytest.mark.parametrize("chunk", [50, 2**16])
def test_events_with_and_without_a_distribution(against, chunk, monkeypatch):
    """Terms of events without one are those of κ = 0; the bound is that of the others."""
    monkeypatch.setattr(pieces, "ROWS", chunk)
    events = random_arrays(N)
    known = np.arange(N) % 3 > 0
    log = onearm.Log.of(
        events.X, events.label, events.propensity, events.reward, n_classes=K,
        chances=np.where(known[:, None], events.chances, np.nan),
    )  # fmt: skip
    pi, _ = others(events)
    judged = weigh(log, [Given(pi), Logged()], against, "linear", "predictable")
    x, logged = judged.policies
    q = plain_q(events, "predictable")
    for i in range(N):
        r, a, p = events.reward[i], events.label[i], events.chances[i]
        kappa = KAPPA if known[i] else 0.0
        assert x.lower[i] == pytest.approx(plain.phi(r, q[i], pi[i], p, a, kappa), abs=1e-9)
    np.testing.assert_allclose(logged.weight, 1)
    assert judged.kappa == KAPPA
    assert judged.has_distribution.tolist() == known.tolist()
    result = onearm.evaluate(log, [Given(pi), Logged()], against=against)
    assert any("whole distribution" in note for note in result.notes)


# Which model judges which event


class Recorder(onearm.ope.models.Model):
    """Notes which events a model had seen when it was asked."""

    def __init__(self):
        self.added, self.fitted, self.asked = [], [], []

    def add(self, events, reward):
        self.added += events.X[:, 0].astype(int).tolist()

    def fit(self):
        self.fitted = list(self.added)

    def q(self, X):
        self.asked += [(x, list(self.fitted)) for x in X[:, 0].astype(int).tolist()]
        return np.zeros((X.shape[0], 2))


def recorded(n, fitting, monkeypatch, pending=(), start=0):
    models = []

    def new_model(spec, log):
        models.append(Recorder())
        return models[-1]

    monkeypatch.setattr(weighing, "new_model", new_model)
    reward = [None if i in pending else 0.5 for i in range(n)]
    log = onearm.Log.of(np.arange(n)[:, None], [0, 1] * (n // 2), [0.5] * n, reward).after(start)
    places = [place for _, some, *_ in expected(log, "linear", fitting) for place in some]
    return places, models


@pytest.mark.parametrize("chunk", [1, 7, 30, 2**16])
def test_schedule_of_predictable_models(chunk, monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", chunk)
    places, (model,) = recorded(200, "predictable", monkeypatch)
    assert places == [x for x, _ in model.asked] == list(range(200))
    assert plain.fit_times(200) == [20, 30, 45, 68, 102, 153]
    for x, seen in model.asked:
        assert seen == list(range(max((t for t in plain.fit_times(200) if t <= x), default=0)))


def test_pending_events_do_not_count_for_the_schedule(monkeypatch):
    places, (model,) = recorded(80, "predictable", monkeypatch, pending=range(10, 20))
    assert places == [*range(10), *range(20, 80)]
    assert [len(seen) for x, seen in model.asked if x in (29, 30, 39, 40)] == [0, 20, 20, 30]


@pytest.mark.parametrize("start", [0, 5])
def test_halves_of_cross_fitted_models(start, monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", 7)
    places, models = recorded(40, "cross_fitted", monkeypatch, pending=[8], start=start)
    assert places == [i for i in range(start, 40) if i != 8]
    for half, model in enumerate(models):
        assert model.fitted == [i for i in places if i % 2 != half]
