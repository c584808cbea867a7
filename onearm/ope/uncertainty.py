"""Which interval is valid for which estimator, and the interval itself.

    estimator      gaussian   bootstrap   empirical_bernstein   clopper_pearson   betting   confidence_sequence
    ips            yes        yes         with max_weight       -                 with max_weight   yes
    clipped_ips    -          -           yes                   -                 yes       yes
    snips, sndr    yes        yes         -                     -                 -         -
    dr             yes        yes         with max_weight       -                 -         predictable models
    replay         -          -           -                     rewards 0 and 1   -         -
    others         -          -           -                     -                 -         -

Estimators that shrink weights are biased by an amount that is not known: they have none. Clipped
IPS has bounds on both sides, because min(w, λ) r can only be too small, and so can the same of 1 - r.
Betting and the confidence sequence hold at all times and while the logging policy learns.
"""  # noqa: E501 a table

from typing import NamedTuple

import numpy as np

from onearm.ope.estimators import Terms
from onearm.ope.intervals import (
    NOTHING_KNOWN,
    Bounds,
    bootstrap,
    bootstrap_ratio,
    empirical_bernstein,
    gaussian,
    gaussian_ratio,
)
from onearm.ope.sequences import betting, lower_sequence

FIXED = ("gaussian", "bootstrap", "empirical_bernstein", "clopper_pearson")
ANYTIME = ("betting", "confidence_sequence")  # valid while the logging policy learns
VALID: dict[str, tuple[str, ...]] = {  # the first is the default
    "ips": ("confidence_sequence", "gaussian", "bootstrap", "empirical_bernstein", "betting"),
    "clipped_ips": ("confidence_sequence", "empirical_bernstein", "betting"),
    "snips": ("gaussian", "bootstrap"),
    "dm": (),
    "dr": ("confidence_sequence", "gaussian", "bootstrap", "empirical_bernstein"),
    "sndr": ("gaussian", "bootstrap"),
    "switch_dr": (),
    "dros": (),
    "sub_gaussian": (),
    "cressie_read": (),
    "replay": ("clopper_pearson",),
}
BOUNDED = {("ips", "empirical_bernstein"), ("ips", "betting"), ("dr", "empirical_bernstein")}


class Bounded(NamedTuple):
    """Terms of a value in [0, 1] and of 1 minus it, none of them below -least."""

    lower: np.ndarray
    upper: np.ndarray
    least: float


def require_valid(estimator: str, interval: str, fitting: str, max_weight: float | None) -> None:
    """Refuse an interval that is not valid for an estimator."""
    if estimator not in VALID:
        raise ValueError(f"estimator must be one of {', '.join(VALID)}, got {estimator!r}")
    allowed = VALID[estimator]
    if interval not in allowed:
        known = f"one of {', '.join(allowed)}" if allowed else "none: its bias is not known"
        raise ValueError(f"interval must be {known} for {estimator}, got {interval!r}")
    if estimator == "dr" and interval in ANYTIME and fitting != "predictable":
        other = "or give interval='gaussian'"
        raise ValueError(f"fitting must be 'predictable' for {interval}, {other}, got {fitting!r}")
    needs = (estimator, interval) in BOUNDED or estimator == "clipped_ips"
    if needs and max_weight is None:
        wanted = "what no weight can exceed" if estimator != "clipped_ips" else "the limit λ"
        raise ValueError(f"max_weight must be given for {estimator} with {interval}: {wanted}")


def term_interval(interval: str, terms: Terms, alpha: float, seed: int) -> Bounds:
    """Return the interval of per-event terms by large numbers, or of the ratio of two."""
    if terms.den is None:
        if interval == "gaussian":
            return gaussian(terms.num, alpha)
        return bootstrap(terms.num, alpha, seed)
    if not terms.den.any():
        return NOTHING_KNOWN
    if interval == "gaussian":
        return gaussian_ratio(terms.num, terms.den, alpha, terms.added)
    return bootstrap_ratio(terms.num, terms.den, alpha, seed, terms.added)


def bounded_interval(
    interval: str, terms: Bounded, most: float, alpha: float, at: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return low and high ends at the times `at`; no term is above `most`."""
    if interval == "confidence_sequence":
        return sequence(terms, alpha, at)
    low, high = np.empty(len(at)), np.empty(len(at))
    if interval == "betting":
        low[:], _ = betting(terms.lower / most, alpha, at)
        over, _ = betting(terms.upper / most, alpha, at)
        return low * most, 1 - over * most
    for i, n in enumerate(at):
        low[i] = empirical_bernstein(terms.lower[:n], -terms.least, most, alpha).low
        high[i] = 1 - empirical_bernstein(terms.upper[:n], -terms.least, most, alpha).low
    return low, high


def sequence(terms: Bounded, alpha: float, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a confidence sequence of a value in [0, 1], at the times `at`."""
    low = lower_sequence(terms.lower, terms.least, alpha / 2, at)
    high = 1 - lower_sequence(terms.upper, terms.least, alpha / 2, at)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def difference_sequence(
    gain: np.ndarray, loss: np.ndarray, least: float, alpha: float, at: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return a confidence sequence of a difference of two values, at the times `at`."""
    low = lower_sequence(gain, least, alpha / 2, at)
    return np.maximum(low, -1.0), np.minimum(-lower_sequence(loss, least, alpha / 2, at), 1.0)
