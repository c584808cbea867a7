"""Confidence sequences: bounds of a mean that hold at all times at once.

They may be looked at after every event, and hold while the logging policy learns: a term needs
only a conditional mean, given the events before it.

**Lower bound of terms that are bounded below.** Let x_t ≥ -k, where k is `least`, have the
conditional mean m_t, ξ_t = x_t/(k+1), and ξ̂_t ≤ 1/(k+1) a guess from earlier events, here

    ξ̂_t = min((½/(k+1) + Σ_{i<t} ξ_i)/t, 1/(k+1)).

Then y = ξ_t - ξ̂_t ≥ -1, and exp(λy - ψ(λ)y²) ≤ 1 + λy for λ in [0, 1), ψ(λ) = -ln(1-λ) - λ. So for
S_t = Σ (ξ_i - m_i/(k+1)) and V_t = Σ (ξ_i - ξ̂_i)², exp(λ S_t - ψ(λ) V_t) is a supermartingale for
each λ, and so is its mean over λ in [0, 1] with the density ∝ e^{-ρ(1-λ)} (1-λ)^{ρ-1}. Its log

    lw(s, v) = s + v + ρ ln ρ - (v+ρ) ln(s+v+ρ) + ln γ(v+ρ, s+v+ρ) - ln γ(ρ, ρ),    ρ = 1,

reaches ln(1/α) at any time with probability at most α. It depends on the conditional means only
through their sum. Hence the bound is one of (m_1 + … + m_t)/t, whatever they are: means may change.
The largest bound so far is a bound only if they do not.

**Betting on terms in [0, 1]** bounds a mean that never changes from both sides. It is narrower for
few events and wider for many.

S. Howard, A. Ramdas, J. McAuliffe, J. Sekhon. Time-uniform, nonparametric, nonasymptotic
confidence sequences. Annals of Statistics 49, 2021: proposition 9.
I. Waudby-Smith, L. Wu, A. Ramdas, N. Karampatziakis, P. Mineiro. Anytime-valid off-policy
inference for contextual bandits. 2022: terms, guess and lemma. vw-estimators has the mixture.
I. Waudby-Smith, A. Ramdas. Estimating means of bounded random variables by betting. Journal of the
Royal Statistical Society B 86, 2024.

Differs: vw-estimators does not limit ξ̂_t to 1, without which y ≥ -1 and the lemma fail.
"""

import math
from typing import Any

import numpy as np

from onearm.core.inputs import as_array
from onearm.core.kernels import kernel
from onearm.ope.intervals import LARGEST, as_alpha, as_terms

ROUNDING = 1e-9  # by which terms may be below their bound, relative to least + 1
CELLS = 256  # of the grid of means in `betting`


def lower_sequence(terms: Any, least: float, alpha: float, at: Any) -> np.ndarray:
    """Return lower bounds of the mean of the first t conditional means, for each t in `at`.

    All of them hold together with probability 1-α. Terms must be at least -`least`, and their
    conditional means at most 1. Rewards in [0, 1] have an upper bound, too: 1 minus the lower
    bound of the same terms, made of 1 - r and 1 - q. Give α/2 to each of the two.

    >>> lower_sequence([0.0, 2.0] * 500, least=0.0, alpha=0.05, at=[10, 100, 1000])
    array([0.        , 0.642..., 0.885...])
    """
    if not 0.0 <= least <= LARGEST:
        raise ValueError(f"least must be in [0, {LARGEST:g}], got {least!r}")
    alpha, scale = as_alpha(alpha), least + 1.0
    terms = as_terms(terms, least=-least - ROUNDING * scale)
    at = as_times(at, len(terms))
    S, V = np.empty(len(at)), np.empty(len(at))
    _sums(terms, scale, at, S, V)
    return np.clip((S - boundary(V, alpha)) / at * scale, 0.0 - least, 1.0)


@kernel
def _sums(x, scale, at, S, V):
    """S and V at the times `at`."""
    total, v, k = 0.0, 0.0, 0
    for t in range(1, at[-1] + 1):
        xi = x[t - 1] / scale
        guess = min((0.5 / scale + total) / t, 1.0 / scale)
        v += (xi - guess) ** 2
        total += xi
        if t == at[k]:
            S[k], V[k] = total, v
            k += 1


def boundary(v: np.ndarray, alpha: float) -> np.ndarray:
    """Return the s with lw(s, v) = ln(1/α): Newton's method from above, where lw is convex."""
    a = np.asarray(v, float) + 1.0
    # a φ(s/a) ≥ s²/(2(a+s)) and P(a, a+s) ≥ ½ make lw(s, v) ≥ ln(1/α) at the first s.
    L = math.log(2.0 / alpha) + 0.6 + 0.5 * np.log(a / (2.0 * math.pi))
    s = L + np.sqrt(L * L + 2.0 * a * L)
    for _ in range(100):
        value, slope = _mixture(s, a)
        step = (value + math.log(alpha)) / slope
        s = np.maximum(s - step, 0.0)
        if (np.abs(step) <= 1e-13 * s).all():
            break
    return s


def _mixture(s: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return lw and its derivative in s, where a = v + 1.

    With φ(h) = h - ln(1+h), lw = a φ(s/a) + c(a) + ln P(a, a+s) - 1 - ln(1 - 1/e): large numbers
    do not cancel, and P, the regularised γ, is in [½, 1].
    """
    from scipy.special import gammainc, ndtr

    bulk, c = a * _phi(s / a), _stirling(a)
    smooth = a > 1e10  # where a + s has too few digits, and P is normal up to 1/a
    P = np.where(smooth, ndtr(np.sqrt(2.0 * bulk)), gammainc(a, a + s))
    value = bulk + c + np.log(P) - 1.0 - math.log1p(-math.exp(-1.0))
    slope = s / (a + s) + np.exp(-bulk - c) / ((a + s) * P)
    return value, slope


def _phi(h: np.ndarray) -> np.ndarray:
    """Return h - ln(1+h), also for small h."""
    series = h * h * (0.5 - h * (1 / 3 - h * (0.25 - h * (0.2 - h / 6))))
    return np.where(h < 1e-3, series, h - np.log1p(h))


def _stirling(a: np.ndarray) -> np.ndarray:
    """Return ln Γ(a) - a ln a + a, also for large a."""
    from scipy.special import gammaln

    small, b = np.minimum(a, 1e3), 1.0 / a
    series = 0.5 * np.log(2.0 * math.pi * b) + b / 12.0 - b**3 / 360.0
    return np.where(a < 1e3, gammaln(small) - small * np.log(small) + small, series)


def betting(terms: Any, alpha: float, at: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return lower and upper bounds of a constant mean of terms in [0, 1], for each t in `at`.

    All of them hold together with probability 1-α if every term has the same conditional mean.
    A lower bound above the upper one shows that they do not have.

    >>> low, high = betting([0.0, 1.0] * 500, alpha=0.05, at=[100, 1000])
    >>> low, high
    (array([0.3..., 0.4...]), array([0.6..., 0.5...]))
    """
    alpha, x = as_alpha(alpha), as_terms(terms, least=0.0, most=1.0)
    at = as_times(at, len(x))
    low, high = np.empty(len(at)), np.empty(len(at))
    _bet_above(x, math.log(2.0 / alpha), at, low)
    _bet_above(1.0 - x, math.log(2.0 / alpha), at, high)
    return low, 1.0 - high


@kernel
def _bet_above(x, L, at, low):
    """The largest mean μ at which Π (1 + λ_i (x_i - μ)) has reached e^L, at the times `at`.

    The product K falls in μ, and ln K is concave: between two means of the grid it is above the
    chord, so where the chord is L, μ is refused as well. Rounding to 0 and the cap only lower K.
    """
    K, g, best, k = np.ones(CELLS + 1), 0, 0.0, 0  # all means up to g / CELLS are refused
    total, spread = 0.5, 0.25
    for i in range(1, at[-1] + 1):
        bet = min(0.5, math.sqrt(2.0 * L / (spread * math.log(i + 1.0))))
        for j in range(g, CELLS + 1):
            K[j] = min(K[j] * (1.0 + bet * (x[i - 1] - j / CELLS)), 1e300)
            if K[j] < 1e-300:
                K[j] = 0.0
        while g < CELLS and K[g + 1] > 0.0 and math.log(K[g + 1]) >= L:
            g += 1
        if K[g] > 0.0 and math.log(K[g]) >= L:
            best = max(best, _crossing(K, g, L))
        total += x[i - 1]
        spread += (x[i - 1] - total / (i + 1.0)) ** 2
        if i == at[k]:
            low[k] = best
            k += 1


@kernel
def _crossing(K, g, L):
    """The mean at which the chord of ln K over cell g is L."""
    if g == CELLS or K[g + 1] == 0.0:
        return g / CELLS
    excess = math.log(K[g]) - L
    return (g + excess / (math.log(K[g]) - math.log(K[g + 1]))) / CELLS


def as_times(at: Any, n: int) -> np.ndarray:
    """Return numbers of events, checked to ascend within 1 … n."""
    times = as_array(at, np.int64, "at")
    ascending = times.ndim == 1 and len(times) > 0 and (times[1:] > times[:-1]).all()
    if not ascending or times[0] < 1 or times[-1] > n:
        raise ValueError(f"at must be ascending numbers of events in [1, {n}], got {at!r}")
    return times


class Running:
    """A lower bound of a running mean whose terms come a few at a time."""

    def __init__(self, least: float) -> None:
        self.least, self.state = least, np.zeros(3)  # Σ ξ, V and the number of terms

    @property
    def n(self) -> int:
        """How many terms there were."""
        return int(self.state[2])

    def add(self, terms: np.ndarray) -> None:
        """Take further terms, which are at least -least."""
        _advance(as_terms(terms, least=-self.least - ROUNDING), self.least + 1.0, self.state)

    def bound(self, alpha: float) -> float:
        """Return the bound; all bounds ever asked for hold together with probability 1-α."""
        if not self.n:
            return -self.least
        S, V, t = self.state
        bound = (S - float(boundary(np.array([V]), alpha)[0])) / t * (self.least + 1.0)
        return float(min(1.0, max(-self.least, bound)))


@kernel
def _advance(x, scale, state):
    """Add terms to Σ ξ, V and their number."""
    for i in range(len(x)):
        state[2] += 1.0
        xi = x[i] / scale
        guess = min((0.5 / scale + state[0]) / state[2], 1.0 / scale)
        state[1] += (xi - guess) ** 2
        state[0] += xi
