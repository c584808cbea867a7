"""The normal distribution from a table."""

import math

import pytest

from onearm.boosting.trees.normal import END, divided


def exact(z):
    below, above = 0.5 * math.erfc(-z / math.sqrt(2.0)), 0.5 * math.erfc(z / math.sqrt(2.0))
    return below, sum(p * math.log(p) for p in (below, above) if p > 0.0)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_the_table_is_right_everywhere(sign):
    for n in range(3000):
        z = sign * n * (END + 0.5) / 3000
        assert divided(z) == pytest.approx(exact(z), rel=0, abs=2e-15)


@pytest.mark.parametrize("z", [-1e300, -math.inf, 1e300, math.inf])
def test_far_away_all_is_certain(z):
    assert divided(z) == (float(z > 0.0), 0.0)
