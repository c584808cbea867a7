"""Confidence sequences: equal to plain versions, and stable."""

import math

import numpy as np
import pytest

from onearm.core.kernels import interpreted
from onearm.ope import sequences
from tests.reference import ope_intervals as plain

RNG = np.random.default_rng(5)
IPS = RNG.integers(0, 2, 300) * RNG.exponential(size=300) * RNG.integers(0, 3, 300)
UNIT = RNG.integers(0, 2, 300) * RNG.random(300)
AT = [1, 2, 10, 57, 300]


@pytest.mark.parametrize("least", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("alpha", [0.025, 0.3])
def test_lower_sequence_equals_the_integral(least, alpha):
    x = np.maximum(IPS - 0.7 * (least > 0), -least)
    low = sequences.lower_sequence(x, least, alpha, AT)
    expected = [plain.lower_sequence(list(x), least, alpha, t) for t in AT]
    np.testing.assert_allclose(low, expected, atol=1e-9)
    assert low[-1] > low[0]


def test_lower_sequence_equals_vw_estimators():
    """Numbers of vw-estimators' cs.IntervalImpl, in which no guess is above 1 here.

    w = 0, 3, 0, 0, 3, ... and r = 1 in two of three events with weight, rewards in [-1, 2]."""
    t = np.arange(600)
    w, r = np.where(t % 3 == 1, 3.0, 0.0), np.where(t % 9 == 4, -1.0, 1.0)
    x, y = w * (r + 1) / 3, w * (2 - r) / 3
    low = -1 + 3 * sequences.lower_sequence(x, 0.0, 0.025, [60, 200, 600])
    high = 2 - 3 * sequences.lower_sequence(y, 0.0, 0.025, [60, 200, 600])
    np.testing.assert_allclose(
        low, [-0.9610549601586484, -0.323152122250153, -0.055927686754969175], atol=1e-9
    )
    np.testing.assert_allclose(
        high, [1.7669283473200554, 1.1015967335911006, 0.7762712459706973], atol=1e-9
    )


def test_a_guess_never_exceeds_the_largest_mean():
    """Without the limit one huge term would let y = ξ - ξ̂ fall below -1: vw-estimators' do."""
    x = np.array([50.0, *np.zeros(40)])
    S, V = np.empty(1), np.empty(1)
    sequences._sums(x, 1.0, np.array([41]), S, V)
    assert S[0] == 50.0
    assert V[0] == pytest.approx(49.5**2 + 40)


@pytest.mark.parametrize("v", [0.0, 1e-3, 1.0, 50.0, 1e3, 1e5, 1e7, 1e9])
@pytest.mark.parametrize("alpha", [1e-30, 0.05, 0.9])
def test_mixture_is_its_integral_up_to_large_variances(v, alpha):
    s = float(sequences.boundary(np.array([v]), alpha)[0])
    assert s > 0
    assert plain.log_mixture(s, v) == pytest.approx(math.log(1 / alpha), abs=1e-6)
    for times in (0.1, 1.0, 3.0):
        value = float(sequences._mixture(np.array(times * s), np.array(v + 1.0))[0])
        assert value == pytest.approx(plain.log_mixture(times * s, v), abs=1e-6, rel=1e-9)


def test_boundary_passes_smoothly_from_one_formula_to_another():
    for v in (1e3, 1e10):
        below, above = sequences.boundary(np.array([v * (1 - 1e-9), v * (1 + 1e-9)]), 0.05)
        assert above / below - 1 == pytest.approx(1e-9, rel=0.5)


def test_boundary_grows_with_variance_and_confidence():
    v = np.concatenate([[0.0], np.geomspace(1e-6, 1e200, 2000)])
    before = np.zeros(len(v))
    for alpha in (0.999, 0.5, 0.05, 1e-10, 1e-300):
        s = sequences.boundary(v, alpha)
        assert np.isfinite(s).all()
        assert (np.diff(s) >= 0).all()
        assert (s > before).all()
        before = s


@pytest.mark.parametrize("alpha", [0.02, 0.2])
def test_betting_equals_the_products(alpha):
    """The chord is below ln K, so a bound may be a little too low, never too high."""
    at = [1, 8, 40, 300]
    low, high = sequences.betting(UNIT, alpha, at)
    for x, bound in ((UNIT, low), (1 - UNIT, 1 - high)):
        exact = np.array([plain.betting_lower(list(x), alpha, t) for t in at])
        assert (bound <= exact + 1e-12).all()
        np.testing.assert_allclose(bound, exact, atol=1e-5)
    assert 0.05 < low[-1] < UNIT.mean() < high[-1] < 0.5


def test_betting_bounds_only_narrow():
    low, high = sequences.betting(UNIT, 0.1, np.arange(1, 301))
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()


def test_betting_on_equal_terms():
    at = [1, 10, 100, 2000]
    for value in (0.0, 0.3, 1.0):
        low, high = sequences.betting(np.full(2000, value), 0.05, at)
        assert ((low <= value) & (value <= high)).all()
        assert high[-1] - low[-1] < 0.03
        assert (low[0], high[0]) == (0.0, 1.0)


@pytest.mark.parametrize("terms", [[0.0], [1.0], [1e90]])
def test_one_event_is_too_few(terms):
    low = sequences.lower_sequence(terms, 0.0, 0.05, [1])
    assert low.tolist() == [0.0]


def test_degenerate_terms():
    assert sequences.lower_sequence(np.zeros(500), 0.0, 0.05, [500]).tolist() == [0.0]
    low = sequences.lower_sequence(np.ones(5000), 0.0, 0.05, [50, 5000])
    assert 0.85 < low[0] < 0.95 < low[1] < 1.0
    assert sequences.lower_sequence(np.full(500, -2.0), 2.0, 0.05, [500]).tolist() == [-2.0]
    huge = np.array([1e90, *np.ones(99)])
    assert sequences.lower_sequence(huge, 0.0, 0.05, [1, 100]).tolist() == [0.0, 0.0]
    assert sequences.lower_sequence(np.full(500, 9.0), 0.0, 0.05, [500]).tolist() == [1.0]


@pytest.mark.parametrize("least", [0.0, 1.0])
def test_a_smaller_alpha_is_wider(least):
    last, low, high = -1.0, -1.0, 2.0
    for alpha in (1e-9, 1e-3, 0.05, 0.5):
        lower = sequences.lower_sequence(IPS - least * 0.5, least, alpha, [300])[0]
        (lo,), (hi,) = sequences.betting(UNIT, alpha, [300])
        assert lower > last
        assert low < lo < hi < high
        last, low, high = lower, lo, hi


@pytest.mark.compiled
def test_same_bits_compiled_or_not():
    at = np.array(AT)
    for kernel, arguments in (
        (sequences._sums, (IPS, 1.5, at, np.empty(5), np.empty(5))),
        (sequences._bet_above, (UNIT, 3.0, at, np.empty(5))),
    ):
        plainly = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in arguments)
        kernel(*arguments)
        interpreted(kernel)(*plainly)
        for one, other in zip(arguments, plainly, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sequences.lower_sequence([1.0], -1, 0.1, [1]), r"least must be in \[0, .*got -1"),
        (
            lambda: sequences.lower_sequence([-1.1], 1.0, 0.1, [1]),
            r"in \[-1, 1e\+100\], got -1.1 of",
        ),
        (
            lambda: sequences.lower_sequence([1.0], 0.0, 0.0, [1]),
            r"alpha must be in \(0, 1\), got 0",
        ),
        (lambda: sequences.lower_sequence([1.0], 0.0, 0.1, [2]), r"at must be .* in \[1, 1\], got"),
        (lambda: sequences.lower_sequence([1.0] * 3, 0.0, 0.1, [2, 1]), r"at must be ascending"),
        (lambda: sequences.lower_sequence([1.0] * 3, 0.0, 0.1, []), r"at must be"),
        (lambda: sequences.lower_sequence([1.0] * 3, 0.0, 0.1, [0, 1]), r"at must be"),
        (
            lambda: sequences.betting([1.5], 0.1, [1]),
            r"terms must be in \[0, 1\], got 1.5 of event 0",
        ),
    ],
)
def test_errors_name_parameter_range_and_value(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_terms_may_be_rounded():
    x = np.full(10, -1.0 - 1e-12)
    assert sequences.lower_sequence(x, 1.0, 0.1, [10]).tolist() == [-1.0]
