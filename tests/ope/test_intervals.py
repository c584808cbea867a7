"""Fixed-n intervals: equal to plain definitions, exact where they can be."""

import math
from functools import partial

import numpy as np
import pytest

from onearm.core.kernels import interpreted
from onearm.core.rng import bits, seeded
from onearm.ope import intervals, resampling
from onearm.ope.intervals import Bounds
from tests.reference import ope_intervals as plain

RNG = np.random.default_rng(3)
W = RNG.exponential(size=60) * RNG.integers(0, 2, 60)
R = RNG.integers(0, 2, 60) * 1.0
Q = RNG.random(60)
KINDS = {
    "gaussian": lambda x, alpha: intervals.gaussian(x, alpha),
    "gaussian_ratio": lambda x, alpha: intervals.gaussian_ratio(x, 1 + x, alpha, added=x**2),
    "bootstrap": lambda x, alpha: intervals.bootstrap(x, alpha, seed=1),
    "bootstrap_ratio": lambda x, alpha: intervals.bootstrap_ratio(x, 1 + x, alpha, 1, x**2),
    "empirical_bernstein": lambda x, alpha: intervals.empirical_bernstein(x, 0.0, 4.5, alpha),
    "clopper_pearson": lambda x, alpha: intervals.clopper_pearson(int((x > 0).sum()), 60, alpha),
}


@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.5])
def test_gaussian_intervals_equal_the_plain_ones(alpha):
    assert intervals.gaussian(W * R, alpha) == pytest.approx(plain.gaussian(list(W * R), alpha))
    snips = intervals.gaussian_ratio(W * R, W, alpha)
    assert snips == pytest.approx(plain.snips(list(W), list(R), alpha))
    sndr = intervals.gaussian_ratio(W * (R - Q), W, alpha, added=Q)
    expected = plain.ratio_plus_mean(list(W * (R - Q)), list(W), list(Q), alpha)
    assert sndr == pytest.approx(expected)


def test_added_terms_that_cancel_the_ratio_leave_no_variance():
    ones = np.ones(60)
    assert intervals.gaussian_ratio(Q, ones, 0.05, added=-Q) == pytest.approx((0, 0), abs=1e-12)
    boot = intervals.bootstrap_ratio(Q, ones, 0.05, seed=0, added=-Q)
    assert boot == pytest.approx((0, 0), abs=1e-12)


@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.5])
def test_empirical_bernstein_equals_the_plain_one(alpha):
    x = np.tile(R, 20)
    expected = plain.empirical_bernstein(list(x), -0.5, 2.0, alpha)
    assert intervals.empirical_bernstein(x, -0.5, 2.0, alpha) == pytest.approx(expected)
    assert -0.5 < expected[0] < x.mean() < expected[1] < 2.0


@pytest.mark.parametrize("successes", [0, 1, 7, 19, 20])
def test_clopper_pearson_solves_for_the_tails(successes):
    expected = plain.clopper_pearson(successes, 20, 0.05)
    assert intervals.clopper_pearson(successes, 20, 0.05) == pytest.approx(expected, abs=1e-12)


def test_clopper_pearson_of_no_success_is_the_closed_form():
    low, high = intervals.clopper_pearson(0, 100, 0.1)
    assert (low, high) == pytest.approx((0.0, 1 - 0.05 ** (1 / 100)))
    assert intervals.clopper_pearson(0, 0, 0.1) == (0.0, 1.0)
    low, _ = intervals.clopper_pearson(10**9, 10**9, 0.1)
    assert low == pytest.approx(0.05 ** (1 / 10**9))


@pytest.mark.parametrize("n", [1, 5, resampling.CHUNK + 7])
def test_events_are_resampled_as_in_the_plain_version(n):
    columns = np.random.default_rng(n).random((3, n))
    sums = resampling.resampled_sums(columns, 4, seeded(9))
    source = seeded(9)
    for b in range(4):
        state = np.array([bits(source)], np.uint64)
        counts = plain.poisson_counts(n, partial(bits, state))
        np.testing.assert_allclose(sums[b], columns @ counts, rtol=1e-12)


def test_bootstrap_takes_percentiles_of_replicates(monkeypatch):
    monkeypatch.setattr(intervals, "REPLICATES", 40)
    num, den, added, n = resampling.resampled_sums(
        np.array([W * (R - Q), W, Q, np.ones(60)]), 40, seeded(5)
    ).T
    values = list(num / den + added / n)
    expected = plain.quantile(values, 0.1), plain.quantile(values, 0.9)
    boot = intervals.bootstrap_ratio(W * (R - Q), W, 0.2, 5, added=Q)
    assert boot == pytest.approx(expected)
    assert boot == intervals.bootstrap_ratio(W * (R - Q), W, 0.2, 5, added=Q)
    assert boot != intervals.bootstrap_ratio(W * (R - Q), W, 0.2, 6, added=Q)


def test_counts_are_poisson():
    """Mean and variance over all 16 bits are 1 up to the rounding of chances to 2⁻¹⁶."""
    table = resampling._poisson_table().astype(float)
    assert (table.mean(), table.var()) == pytest.approx((1.0, 1.0), abs=2e-4)
    assert (table == 0).mean() == pytest.approx(math.exp(-1), abs=2**-16)


@pytest.mark.compiled
def test_resampling_gives_the_same_bits_compiled_or_not():
    columns, table = np.array([W, R]), resampling._poisson_table()
    compiled, plainly = np.zeros((20, 2)), np.zeros((20, 2))
    resampling._resample(columns, table, seeded(1), compiled)
    interpreted(resampling._resample)(columns, table, seeded(1), plainly)
    np.testing.assert_array_equal(compiled, plainly)


@pytest.mark.compiled
def test_bootstrap_and_gaussian_agree_for_many_events():
    """The ends differ by the noise of 1,000 replicates: at most a tenth of the width here."""
    rng = np.random.default_rng(0)
    w, q = rng.exponential(size=10**5), rng.random(10**5)
    r = (rng.random(10**5) < q) * 1.0
    gauss = intervals.gaussian_ratio(w * (r - q), w, 0.05, added=q)
    boot = intervals.bootstrap_ratio(w * (r - q), w, 0.05, 0, added=q)
    assert boot == pytest.approx(gauss, abs=0.1 * (gauss.high - gauss.low))


@pytest.mark.parametrize("kind", KINDS)
def test_a_smaller_alpha_is_wider(kind):
    before = Bounds(math.inf, -math.inf)
    for alpha in (0.9, 0.5, 0.1, 0.01, 1e-6):
        now = KINDS[kind](W * R, alpha)
        assert now.low <= before.low
        assert now.high >= before.high
        assert now != before
        before = now


def test_one_event_says_nothing():
    assert intervals.gaussian([3.0], 0.05) == (-math.inf, math.inf)
    assert intervals.gaussian_ratio([3.0], [1.0], 0.05) == (-math.inf, math.inf)
    assert intervals.bootstrap([3.0], 0.05, 0) == (-math.inf, math.inf)
    assert intervals.empirical_bernstein([3.0], 0, 5, 0.05) == (0.0, 5.0)


def test_equal_terms_have_no_spread():
    for value in (0.0, 2.0):
        x = np.full(50, value)
        assert intervals.gaussian(x, 0.05) == (value, value)
        assert intervals.bootstrap(x, 0.05, 0) == pytest.approx((value, value))
        low, high = intervals.empirical_bernstein(x, 0.0, 2.0, 0.05)
        assert 0.0 <= low <= value <= high <= 2.0
        assert high - low == pytest.approx(min(2.0, 7 * 2 * math.log(80) / (3 * 49)))


def test_one_huge_weight_gives_finite_bounds():
    w = np.array([1e90, *np.ones(99)])
    for low, high in (
        intervals.gaussian(w, 0.05),
        intervals.gaussian_ratio(w * R[0], w, 0.05),
        intervals.bootstrap(w, 0.05, 0),
        intervals.empirical_bernstein(w, 0.0, 1e90, 0.05),
    ):
        assert math.isfinite(low)
        assert math.isfinite(high)
        assert low <= high


def test_replicates_without_weight_are_left_out():
    """One event of 100 has weight: a third of the replicates leave it out, the others equal it."""
    den = np.zeros(100)
    den[7] = 2.0
    assert intervals.bootstrap_ratio(0.5 * den, den, 0.05, 0) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: intervals.gaussian([1.0, 2.0], 1.0), r"alpha must be in \(0, 1\), got 1.0"),
        (lambda: intervals.gaussian([1.0, 2.0], True), r"alpha must be in \(0, 1\), got True"),
        (lambda: intervals.gaussian([1.0, 2.0], "5%"), r"alpha must be in \(0, 1\), got '5%'"),
        (lambda: intervals.gaussian([], 0.1), r"terms must be one number per event, got shape"),
        (lambda: intervals.gaussian([1.0, np.nan], 0.1), r"in \[-1e\+100, 1e\+100\], got nan of"),
        (
            lambda: intervals.gaussian_ratio([1.0], [-1.0], 0.1),
            r"denominator .* got -1.0 of event 0",
        ),
        (lambda: intervals.gaussian_ratio([0.0], [0.0], 0.1), r"denominator must be above 0 in"),
        (lambda: intervals.gaussian_ratio([0.0], [1.0, 1.0], 0.1), r"same length, got 1, 2, 1"),
        (
            lambda: intervals.bootstrap([1.0], 0.1, -1),
            r"seed must be an integer of at least 0, got",
        ),
        (lambda: intervals.bootstrap([1.0], 0.1, True), r"seed must be .* got True"),
        (lambda: intervals.empirical_bernstein([3.0], 0, 2, 0.1), r"\[0, 2\], got 3.0 of event 0"),
        (lambda: intervals.empirical_bernstein([3.0], 4, 2, 0.1), r"low and high .* got 4 and 2"),
        (lambda: intervals.clopper_pearson(3, 2, 0.1), r"successes must be .* \[0, 2\], got 3"),
        (lambda: intervals.clopper_pearson(0, math.inf, 0.1), r"n must be finite .* got inf"),
    ],
)
def test_errors_name_parameter_range_and_value(call, words):
    with pytest.raises(ValueError, match=words):
        call()
