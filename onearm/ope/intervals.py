"""Confidence intervals of an estimate for a number of events that was fixed beforehand.

They are functions of one term per event: w r for IPS, q(x,π) + w (r - q(x,a)) for DR. A
self-normalised estimate is a ratio Σ num / Σ den, to which the mean of a third term may be added:
SNIPS has num = w r and den = w; SNDR has num = w (r - q(x,a)), den = w and adds q(x,π).

gaussian             x̄ ± z sd(x)/√n; for a ratio by the delta method
bootstrap            percentiles over resampled events; for a ratio it resamples the triples
empirical_bernstein  x̄ ± √(2 V ln(4/α)/n) + 7 B ln(4/α)/(3(n-1)), where B is the length of the range
clopper_pearson      exact for a number of successes

The first two hold for large n only, the others for every n; all need independent events of a
fixed logging policy. `onearm.ope.sequences` has the bounds for one that learns.

A. Maurer, M. Pontil. Empirical Bernstein bounds and sample variance penalization. COLT 2009.
B. Efron. Bootstrap methods: another look at the jackknife. Annals of Statistics 7, 1979.
C. Clopper, E. Pearson. The use of confidence or fiducial limits. Biometrika 26, 1934.
"""

import math
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from onearm.core.inputs import as_array
from onearm.core.rng import seeded
from onearm.ope.resampling import resampled_sums

LARGEST = 1e100  # of a term: sums of squares are finite
REPLICATES = 1000


class Bounds(NamedTuple):
    """The two ends of a confidence interval."""

    low: float
    high: float


NOTHING_KNOWN = Bounds(-math.inf, math.inf)


def gaussian(terms: Any, alpha: float) -> Bounds:
    """Return the interval of the central limit theorem; of a single event, the whole line.

    >>> gaussian([0.0, 1.0, 2.0, 1.0], alpha=0.05)
    Bounds(low=0.199..., high=1.800...)
    """
    terms, alpha = as_terms(terms), as_alpha(alpha)
    if len(terms) < 2:
        return NOTHING_KNOWN
    return _around(float(terms.mean()), float(terms.std(ddof=1)), len(terms), alpha)


def gaussian_ratio(numerator: Any, denominator: Any, alpha: float, added: Any = None) -> Bounds:
    """Return the delta method's interval for Σ num / Σ den + mean(added).

    With R the ratio, event i moves the estimate by (num_i - R den_i)/mean(den) + added_i -
    mean(added), divided by n; the variance is the mean square of that, so it includes how the
    two parts vary together.

    >>> gaussian_ratio([0.0, 2.0, 0.0, 1.0], [1.0, 2.0, 1.0, 1.0], alpha=0.05)
    Bounds(low=0.116..., high=1.083...)
    """
    columns, alpha = _columns(numerator, denominator, added), as_alpha(alpha)
    if columns.shape[1] < 2:
        return NOTHING_KNOWN
    num, den, plus, _ = columns
    ratio = num.sum() / den.sum()
    moves = (num - ratio * den) / den.mean() + (plus - plus.mean())
    middle, sd = float(ratio + plus.mean()), float(np.sqrt(np.mean(moves**2)))
    return _around(middle, sd, len(num), alpha)


def _around(middle: float, sd: float, n: int, alpha: float) -> Bounds:
    from scipy.special import ndtri

    half = -float(ndtri(alpha / 2)) * sd / math.sqrt(n)
    return Bounds(middle - half, middle + half)


def bootstrap(terms: Any, alpha: float, seed: int) -> Bounds:
    """Return the percentile bootstrap's interval of the mean; of one event, the whole line.

    >>> bootstrap([0.0, 1.0] * 50, alpha=0.05, seed=0)
    Bounds(low=0.398..., high=0.598...)
    """
    terms = as_terms(terms)
    return bootstrap_ratio(terms, np.ones(len(terms)), alpha, seed)


def bootstrap_ratio(
    numerator: Any, denominator: Any, alpha: float, seed: int, added: Any = None
) -> Bounds:
    """Return the percentile bootstrap's interval of Σ num / Σ den + mean(added).

    Replicates in which Σ den is 0 are left out: there the ratio is undefined.
    """
    columns, alpha = _columns(numerator, denominator, added), as_alpha(alpha)
    seed = _as_seed(seed)
    if columns.shape[1] < 2:
        return NOTHING_KNOWN
    sums = resampled_sums(columns, REPLICATES, seeded(seed))
    num, den, plus, n = sums[sums[:, 1] > 0.0].T
    if len(num) == 0:
        return NOTHING_KNOWN
    low, high = np.quantile(num / den + plus / n, [alpha / 2, 1.0 - alpha / 2])
    return Bounds(float(low), float(high))


def empirical_bernstein(terms: Any, low: float, high: float, alpha: float) -> Bounds:
    """Return Maurer and Pontil's interval (theorem 4, each side with α/2), cut to [low, high].

    >>> empirical_bernstein([0.0, 1.0] * 500, low=0.0, high=1.0, alpha=0.05)
    Bounds(low=0.442..., high=0.557...)
    """
    terms, alpha, n = as_terms(terms), as_alpha(alpha), len(terms)
    if not (-LARGEST <= low <= high <= LARGEST):
        allowed = f"within ±{LARGEST:g}, and low at most high"
        raise ValueError(f"low and high must be {allowed}, got {low} and {high}")
    within = (terms >= low) & (terms <= high)
    if not within.all():
        got = f"{terms[within.argmin()]} of event {within.argmin()}"
        raise ValueError(f"terms must be in [low, high] = [{low}, {high}], got {got}")
    if n < 2:
        return Bounds(float(low), float(high))
    log = math.log(4.0 / alpha)
    spread = math.sqrt(2.0 * float(terms.var(ddof=1)) * log / n)
    half, mean = spread + 7.0 * (high - low) * log / (3.0 * (n - 1)), float(terms.mean())
    return Bounds(max(float(low), mean - half), min(float(high), mean + half))


def clopper_pearson(successes: float, n: float, alpha: float) -> Bounds:
    """Return the exact interval of a probability; both numbers may be fractions of events.

    >>> clopper_pearson(3, 10, alpha=0.05)
    Bounds(low=0.066..., high=0.652...)
    """
    from scipy.special import betaincinv

    alpha = as_alpha(alpha)
    if not 0.0 <= n < math.inf:
        raise ValueError(f"n must be finite and at least 0, got {n!r}")
    if not 0.0 <= successes <= n:
        raise ValueError(f"successes must be in [0, n] = [0, {n}], got {successes!r}")
    low, high = 0.0, 1.0
    if successes > 0:
        low = float(betaincinv(successes, n - successes + 1, alpha / 2))
    if successes < n:
        high = float(betaincinv(successes + 1, n - successes, 1 - alpha / 2))
    return Bounds(low, high)


def as_alpha(alpha: Any) -> float:
    """Return the probability of a miss, checked to be in (0, 1)."""
    real = isinstance(alpha, Real) and not isinstance(alpha, bool)
    if not real or not 0.0 < float(alpha) < 1.0:
        raise ValueError(f"alpha must be in (0, 1), got {alpha!r}")
    return float(alpha)


def _as_seed(seed: Any) -> int:
    whole = isinstance(seed, Integral) and not isinstance(seed, bool)
    if not whole or int(seed) < 0:
        raise ValueError(f"seed must be an integer of at least 0, got {seed!r}")
    return int(seed)


def as_terms(
    values: Any, what: str = "terms", least: float = -LARGEST, most: float = LARGEST
) -> np.ndarray:
    """Return one number per event, at least one, checked to be in [least, most]."""
    terms = as_array(values, np.float64, what)
    if terms.ndim != 1 or len(terms) == 0:
        raise ValueError(f"{what} must be one number per event, got shape {terms.shape}")
    fine = (terms >= least) & (terms <= most)
    if not fine.all():
        got = f"{terms[fine.argmin()]} of event {fine.argmin()}"
        raise ValueError(f"{what} must be in [{least:g}, {most:g}], got {got}")
    return terms


def _columns(numerator: Any, denominator: Any, added: Any) -> np.ndarray:
    """Return numerator, denominator, added terms and ones as rows of an array."""
    num, den = as_terms(numerator, "numerator"), as_terms(denominator, "denominator", 0.0)
    plus = np.zeros(len(num)) if added is None else as_terms(added, "added")
    if not len(num) == len(den) == len(plus):
        got = f"{len(num)}, {len(den)}, {len(plus)}"
        raise ValueError(f"numerator, denominator and added must have the same length, got {got}")
    if not den.any():
        raise ValueError("denominator must be above 0 in some event, got 0 in all")
    return np.array([num, den, plus, np.ones(len(num))])
