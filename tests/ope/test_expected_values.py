"""Expected values, over all logs of small problems, are the true ones.

Contexts, choices and rewards are enumerated with their probabilities; the logging policy is fixed,
or depends on the rewards before.
"""

from itertools import product

import numpy as np
import pytest

import onearm
from onearm.ope import weighing
from onearm.ope.policies import Logged, Policy
from onearm.ope.weighing import weigh


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
