"""The bake-off's rules of significance: small cases by hand, and their real levels."""

import doctest
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from bench.bakeoff import rules


def test_examples():
    assert doctest.testmod(rules).failed == 0


@pytest.mark.parametrize(
    ("x", "y", "n", "deviations"),
    [(0.5, 0.5, 100, 0.0), (0.5, 0.4, 49, 1.0), (0.0, 0.5, 100, 10.0), (0.2, 0.6, 40, 4.0)],
)
def test_the_bakeoffs_rule_is_its_formula(x, y, n, deviations):
    """The sum of variances is 1/2 · 49/50, 1/4 and 2/5, so √(sum/n) is 1/10, 1/20 and 1/10."""
    p = rules.bakeoff_p(x, y, n)
    assert p == pytest.approx(math.erfc(deviations), abs=1e-4)
    assert p == rules.bakeoff_p(y, x, n)


def test_the_bakeoffs_rule_errs_at_its_real_level():
    rng, n, p = np.random.default_rng(0), 2000, 0.3
    errors = rng.binomial(n, p, (20_000, 2)) / n
    found = np.mean([rules.bakeoff_p(x, y, n) < rules.LEVEL for x, y in errors.tolist()])
    assert abs(found - rules.real_level()) < 0.01
    assert abs(rules.real_level() - 0.166) < 5e-4


@pytest.mark.parametrize("n", range(9))
def test_mcnemar_is_the_enumerated_two_sided_test(n):
    sequences = list(product((0, 1), repeat=n))
    for first in range(n + 1):
        far = min(first, n - first)
        as_far = sum(min(sum(s), n - sum(s)) <= far for s in sequences)
        expected = float(Fraction(as_far, len(sequences)))
        assert rules.mcnemar_p(first, n - first) == pytest.approx(expected, abs=1e-12)


def test_discordant_rounds():
    first = np.array([True, True, False, False, True])
    second = np.array([True, False, True, False, False])
    assert rules.discordant(first, second) == (2, 1)


def test_paired_t_test_is_scipys():
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 10))
    assert rules.above_p(x, y) == pytest.approx(ttest_rel(x, y, alternative="greater").pvalue)
    assert rules.above_p([0.3, 0.3], [0.2, 0.2]) == 0.0
    assert rules.above_p([0.3, 0.3], [0.3, 0.3]) == 1.0
    assert math.isnan(rules.above_p([0.3], [0.2]))


def test_holm_is_the_closure_of_bonferroni():
    """A hypothesis is rejected if Bonferroni rejects every intersection that has it."""
    subsets = [s for s in product((False, True), repeat=4) if any(s)]
    for p_values in product((0.001, 0.012, 0.02, 0.03, 0.2), repeat=4):

        def bonferroni(subset, p_values=p_values):
            inside = [p for p, there in zip(p_values, subset, strict=True) if there]
            return min(inside) <= rules.LEVEL / len(inside)

        expected = [all(bonferroni(s) for s in subsets if s[i]) for i in range(4)]
        assert rules.holm(p_values) == expected
