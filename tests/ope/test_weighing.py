"""Weighing: numbers per event equal the plain ones, and their means the true values, exactly."""

from itertools import product

import numpy as np
import pytest

import onearm
from onearm.log import pieces
from onearm.ope import weighing
from onearm.ope.policies import Column, Logged, Policy, Uniform
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


# Expected values, over all logs


class Problem:
    """Contexts 0 and 1, rewards of two values, a logging policy that is fixed or learns."""

    REWARD = np.array([[0.2, 0.9, 0.4], [0.7, 0.3, 0.5]])  # chances of the higher reward
    CONTEXT = (0.3, 0.7)
    FIXED = np.array([[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]])

    def __init__(self, n, k, learns=False, rewards=(0.0, 1.0), allowed=None, support=None):
        self.n, self.k, self.learns, self.rewards = n, k, learns, rewards
        self.allowed = np.ones((2, k), bool) if allowed is None else np.array(allowed, bool)
        self.support = self.allowed if support is None else np.array(support, bool)

    def logging(self, past):
        """The chances (2, k) after events (x, a, r): mass on labels that were rewarded."""
        p = self.FIXED[:, : self.k].copy()
        for _, a, high in past if self.learns else ():
            p[:, a] *= 3.0 if high else 0.25
        return limited(p, self.support)

    def logs(self):
        """Every log with its probability: events (x, a, high)."""
        outcomes = list(product(range(2), range(self.k), range(2)))
        for events in product(outcomes, repeat=self.n):
            chance = 1.0
            for t, (x, a, high) in enumerate(events):
                right = self.REWARD[x, a]
                chance *= self.CONTEXT[x] * self.logging(events[:t])[x, a]
                chance *= right if high else 1 - right
            if chance > 0:
                yield events, chance

    def log(self, events, whole=True):
        x, label, high = map(np.array, zip(*events, strict=True))
        p = np.array([self.logging(events[:t])[x[t]] for t in range(self.n)])
        low, top = self.rewards
        return onearm.Log.of(
            x[:, None].astype(float), label, p[np.arange(self.n), label],
            np.where(high, top, low), n_classes=self.k, chances=p if whole else None,
            allowed=self.allowed[x], rewards=self.rewards,
        )  # fmt: skip

    def value(self, pi):
        """The mean of the scaled reward."""
        per_context = (pi * self.REWARD[:, : self.k]).sum(axis=1)
        return float(np.dot(self.CONTEXT, per_context))


def limited(p, allowed):
    p = p * allowed
    return p / p.sum(axis=1, keepdims=True)


class ByContext(Policy):
    """Chances by context, which may depend on past events if `learns`."""

    def __init__(self, chances, learns=False):
        self.table, self.learns, self.name = np.array(chances), learns, f"by context {learns}"

    def start(self, log):
        self.states = [self.table]

    def chances(self, events, places):
        rows = []
        for x, a, r in zip(events.X[:, 0].astype(int), events.label, events.reward, strict=True):
            rows.append(self.states[-1][x])
            shift = 0.5 * np.eye(self.table.shape[1])[a] if self.learns and r > 0.5 else 0.0
            new = (self.states[-1] + shift) * (self.table > 0)
            self.states.append(new / new.sum(axis=1, keepdims=True))
        return np.array(rows)


class Wild:
    """A regressor whose predictions depend on all that it has seen, and are often far off."""

    def get_params(self, deep=True):
        return {}

    def set_params(self):
        return self

    def __sklearn_clone__(self):
        return Wild()

    def fit(self, X, y):
        self.seed = abs(hash((X.sum(), y.sum(), len(y)))) % 97
        return self

    def predict(self, X):
        return np.cos(self.seed + 3 * X[:, 0]) ** 2


PROBLEMS = {
    "fixed": Problem(2, 3),
    "learning": Problem(3, 2, learns=True),
    "costs": Problem(2, 2, learns=True, rewards=(-3.0, 5.0)),
    "allowed": Problem(2, 3, learns=True, allowed=[[1, 1, 0], [1, 1, 1]]),
}
PI = np.array([[0.1, 0.6, 0.3], [0.5, 0.2, 0.3]])
OTHER = np.array([[0.3, 0.3, 0.4], [0.5, 0.5, 0.0]])


@pytest.fixture
def fit_early(monkeypatch):
    """Let models be fitted after 1, 2 and 3 events, so that q depends on the past."""
    monkeypatch.setattr(weighing, "FIRST", 1)


def mean_terms(problem, pi, other, model, fitting="predictable", whole=True):
    """The expected sums of the terms, and of the values of policies that learn, over all logs."""
    total, chances = dict.fromkeys(("ips", "dr", *weighing.Weighed._fields), 0.0), 0.0
    values = 0.0
    for events, chance in problem.logs():
        judged = weigh(problem.log(events, whole), [pi], other, model, fitting)
        x, r = judged.policies[0], judged.reward
        for name in weighing.Weighed._fields:
            total[name] += chance * getattr(x, name).mean()
        total["ips"] += chance * (x.weight * r).mean()
        total["dr"] += chance * (x.of_policy + x.weight * (r - x.of_label)).mean()
        states = getattr(pi, "states", None)
        if states:
            values += chance * np.mean([problem.value(s) for s in states[: problem.n]])
        chances += chance
    assert chances == pytest.approx(1, abs=1e-12)
    return total, values


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("model", ["linear", Wild()], ids=["linear", "wild"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_terms_have_the_true_value_as_mean(name, model, whole, fit_early):
    problem = PROBLEMS[name]
    pi = ByContext(limited(PI[:, : problem.k], problem.allowed))
    other = ByContext(limited(OTHER[:, : problem.k], problem.allowed))
    total, _ = mean_terms(problem, pi, other, model, whole=whole)
    value = problem.value(pi.table)
    change = value - problem.value(other.table)
    exact = {
        "ips": value, "dr": value, "lower": value, "upper": 1 - value, "weight": 1.0,
        "change": change, "gain": change, "loss": -change,
    }  # fmt: skip
    assert {key: total[key] for key in exact} == pytest.approx(exact, abs=1e-12)


def test_a_policy_that_learns_has_the_mean_value_of_its_states(fit_early):
    problem = PROBLEMS["learning"]
    pi = ByContext(PI[:, :2] / PI[:, :2].sum(axis=1, keepdims=True), learns=True)
    other = ByContext([[0.5, 0.5], [0.5, 0.5]])
    total, value = mean_terms(problem, pi, other, "linear")
    change = value - problem.value(other.table)
    exact = {"ips": value, "dr": value, "lower": value, "upper": 1 - value, "gain": change}
    assert {key: total[key] for key in exact} == pytest.approx(exact, abs=1e-12)


def test_difference_to_the_logged_policy(fit_early):
    """Its mean is V(π) minus the expected reward of the log, also while it learns."""
    problem = PROBLEMS["learning"]
    pi = ByContext(PI[:, :2] / PI[:, :2].sum(axis=1, keepdims=True))
    logged = sum(
        chance * np.mean([high for _, _, high in events]) for events, chance in problem.logs()
    )
    for whole in (True, False):
        total, _ = mean_terms(problem, pi, Logged(), "linear", whole=whole)
        change = problem.value(pi.table) - logged
        exact = {"change": change, "gain": change, "loss": -change}
        assert {key: total[key] for key in exact} == pytest.approx(exact, abs=1e-12)


def test_cross_fitted_terms_are_unbiased_for_a_fixed_policy_only():
    """Their q has seen later events, which depend on this one if the policy learns."""
    for learns in (False, True):
        problem = Problem(3, 2, learns=learns)
        pi = ByContext(PI[:, :2] / PI[:, :2].sum(axis=1, keepdims=True))
        other = ByContext([[0.5, 0.5], [0.5, 0.5]])
        total, _ = mean_terms(problem, pi, other, "linear", "cross_fitted")
        bias = total["dr"] - problem.value(pi.table)
        assert abs(bias) > 1e-3 if learns else abs(bias) < 1e-12
        for name, value in (("lower", problem.value(pi.table)), ("ips", problem.value(pi.table))):
            assert total[name] == pytest.approx(value, abs=1e-12)  # which do not use q


@pytest.mark.parametrize("whole", [True, False])
def test_labels_without_support_make_bounds_wider_never_wrong(whole, fit_early):
    problem = Problem(3, 2, learns=True, support=[[1, 0], [1, 1]])
    pi, other = ByContext([[0.4, 0.6], [0.5, 0.5]]), ByContext([[0.8, 0.2], [0.9, 0.1]])
    total, _ = mean_terms(problem, pi, other, "linear", whole=whole)
    value, compared = problem.value(pi.table), problem.value(other.table)
    lost = problem.CONTEXT[0] * 0.6  # the chance of choices without support
    assert total["lower"] == pytest.approx(value - lost * problem.REWARD[0, 1], abs=1e-12)
    assert total["upper"] == pytest.approx(1 - value - lost * (1 - problem.REWARD[0, 1]), abs=1e-12)
    assert total["gain"] < value - compared - 1e-3
    assert total["loss"] < compared - value - 1e-3
    if whole:
        assert total["support"] == pytest.approx(1 - lost, abs=1e-12)
    against_logged, _ = mean_terms(problem, pi, Logged(), "linear", whole=whole)
    logged = sum(c * np.mean([h for _, _, h in events]) for events, c in problem.logs())
    assert against_logged["gain"] < value - logged - 1e-3
    assert against_logged["loss"] < logged - value - 1e-3


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
