"""Estimators equal their plain versions, and have exact values on small logs."""

import math

import numpy as np
import pytest

from onearm.ope.estimators import (
    SHRINKING,
    SHRUNK,
    Inputs,
    chosen_limit,
    cressie_read,
    terms,
)
from tests.reference import ope as plain

NAMES = ("ips", "clipped_ips", "snips", "dm", "dr", "sndr", "switch_dr", "dros", "sub_gaussian")
LIMITS = {"clipped_ips": 1.7, "switch_dr": 1.7, "dros": 2.5, "sub_gaussian": 0.3}


def inputs(n, seed=0, low=-3.0, high=5.0):
    rng = np.random.default_rng(seed)
    w = rng.exponential(size=n) * (rng.random(n) < 0.7)
    return Inputs(w, *rng.uniform(low, high, (3, n)))


@pytest.mark.parametrize("n", [1, 2, 50])
@pytest.mark.parametrize("name", NAMES)
def test_estimators_equal_the_plain_ones(name, n):
    x = inputs(n, seed=n)
    x = x._replace(w=x.w + 0.1)
    expected = getattr(plain, name)(*map(list, x), LIMITS.get(name))
    assert terms(name, x, LIMITS.get(name)).value == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_values_on_a_log_of_three_events():
    """w = 2, 0, 1; r = 1, 1, 0; q(x, a) = ½, 0, ¼; q(x, π) = ½, 1, ¼: by hand."""
    w, r = np.array([2.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.0])
    x = Inputs(w, r, np.array([0.5, 0.0, 0.25]), np.array([0.5, 1.0, 0.25]))
    value = {name: terms(name, x, 0.5 if name == "sub_gaussian" else 1.0).value for name in NAMES}
    assert value == pytest.approx(
        {
            "ips": 2 / 3, "clipped_ips": 1 / 3, "snips": 2 / 3, "dm": 1.75 / 3,
            "dr": (1.5 + 1 + 0) / 3, "sndr": 1.75 / 3 + 0.75 / 3, "switch_dr": (0.5 + 1 + 0) / 3,
            "dros": (0.5 + 0.4 * 0.5 + 1 + 0.25 - 0.125) / 3, "sub_gaussian": 4 / 9,
        }, rel=1e-15,
    )  # fmt: skip


def test_self_normalised_estimates_of_no_weight_are_undefined():
    x = inputs(5)._replace(w=np.zeros(5))
    assert math.isnan(terms("snips", x).value)
    assert math.isnan(terms("sndr", x).value)
    assert terms("ips", x).value == 0.0


@pytest.mark.parametrize("name", SHRINKING)
def test_limits_that_leave_weights_alone(name):
    x = inputs(40)
    none = {"clipped_ips": 1e9, "switch_dr": 1e9, "dros": math.inf, "sub_gaussian": 0.0}[name]
    whole = "ips" if name in ("clipped_ips", "sub_gaussian") else "dr"
    assert terms(name, x, none).value == pytest.approx(terms(whole, x).value, rel=1e-12)
    direct = {"switch_dr": -1.0, "dros": 1e-12}
    if name in direct:
        assert terms(name, x, direct[name]).value == pytest.approx(terms("dm", x).value)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SHRINKING)
def test_chosen_limit_has_the_least_bound(name, seed):
    """Over a grid of 2,000 limits no bound is lower by more than the step of the own grid costs."""
    x = inputs(200, seed, 0.0, 1.0)
    w, rest = x.w**2, x.r if name in ("clipped_ips", "sub_gaussian") else x.r - x.q
    limit = chosen_limit(SHRUNK[name], w, rest)

    def bound(value):
        return plain.mse_bound(list(w), list(SHRUNK[name](w, value)), list(rest))

    grid = np.linspace(0, 0.99, 300) if name == "sub_gaussian" else np.geomspace(1e-2, 1e4, 300)
    if name in ("clipped_ips", "switch_dr"):
        grid = grid[grid >= 1]
    least = min(bound(value) for value in grid)
    assert bound(limit) <= least * 1.02
    tops = {"sub_gaussian": 0.0, "dros": math.inf}
    assert bound(limit) <= bound(tops.get(name, max(w.max(), 1.0))) * (1 + 1e-12)
    chosen = terms(name, x._replace(w=w)).value
    assert chosen == pytest.approx(terms(name, x._replace(w=w), limit).value, rel=1e-15)


@pytest.mark.parametrize("most", [math.inf, 30.0])
@pytest.mark.parametrize("factor", [0.8, 1.3])
def test_cressie_read_equals_the_plain_one(factor, most):
    w, r, *_ = inputs(80)
    w = w / w.mean() * factor
    expected = plain.cressie_read(list(w), list(r), 0.0, most)
    assert cressie_read(w, r, 0.0, most) == pytest.approx(expected, rel=1e-10)


def test_cressie_read_of_equal_weights_is_the_mean_reward():
    r = np.array([0.0, 1.0, 1.0, 1.0])
    assert cressie_read(np.ones(4), r) == pytest.approx(0.75)
    assert cressie_read(np.ones(4), r, 0.0, 5.0) == pytest.approx(0.75)
    assert cressie_read(np.full(4, 2.0), r, 2.0, 2.0) == pytest.approx(0.75)
    assert cressie_read(np.zeros(4), r) == pytest.approx(0.75)  # all of it is missing


def test_an_estimator_without_terms_is_refused():
    with pytest.raises(ValueError, match="estimator must have terms, got 'cressie_read'"):
        terms("cressie_read", inputs(3))
