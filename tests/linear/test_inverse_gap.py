"""FastCB keeps costs away from 0 and 1, so that its chances stay a distribution."""

import numpy as np
import pytest

from onearm import InverseGap
from onearm.linear.inverse_gap import EDGE


@pytest.mark.parametrize("margin", [-50.0, 50.0])
def test_fast_with_certain_regressions(margin):
    """A cost of 0 or 1 is taken as EDGE or 1 - EDGE; the other label's is ½."""
    learner = InverseGap(2, 1, rule="fast", scale=3.0, exponent=0.0)
    learner.weights[0] = [margin, 0.0]
    sure = EDGE if margin > 0 else 1 - EDGE
    best, other = min(sure, 0.5), max(sure, 0.5)
    p = best / (2 * best + 3.0 * (other - best))
    expected = [1 - p, p] if margin > 0 else [p, 1 - p]
    np.testing.assert_allclose(learner.chances([[1.0]])[0], expected, rtol=1e-12)
