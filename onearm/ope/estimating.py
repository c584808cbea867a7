"""Estimating: value, intervals, difference and weights of a policy, of its numbers per event."""

import math
from typing import Any, NamedTuple

import numpy as np

from onearm.log.log import Log
from onearm.metrics import curve_rounds
from onearm.ope.checks import Finding, LogCheck
from onearm.ope.estimators import NEEDS_MODEL, Inputs, cressie_read, terms
from onearm.ope.evaluation import Curve, Estimate, Weights
from onearm.ope.intervals import clopper_pearson, gaussian
from onearm.ope.policies import Learning, Logged, Policy
from onearm.ope.replay import replay
from onearm.ope.sequences import boundary, lower_sequence
from onearm.ope.uncertainty import (
    ANYTIME,
    Bounded,
    bounded_interval,
    difference_sequence,
    sequence,
    term_interval,
)
from onearm.ope.weighing import Judged, Progress, Weighed

POINTS = 120  # of a curve
FEW = 50  # effective events below which an answer is worthless
HEAVY = 0.1  # share of all weight that a single event must not have
MANY = 1e9  # events: more are not counted
CLEAR = 2.0  # standard errors that a difference must be from 0 to be extrapolated


class Settings(NamedTuple):
    """What was asked for."""

    estimators: tuple[tuple[str, str | None], ...]  # each with its interval
    level: float
    fitting: str
    max_weight: float | None
    seed: int

    @property
    def alpha(self) -> float:
        return 1 - self.level


def in_units(value: Any, log: Log) -> Any:
    """Return a value in [0, 1] in the units of the log's rewards."""
    low, high = log.rewards
    return low + (high - low) * value


def _width(log: Log) -> float:
    return log.rewards[1] - log.rewards[0]


def bounded_terms(x: Weighed, judged: Judged) -> Bounded:
    """Return the terms of the confidence sequence; without whole distributions those of IPS."""
    return Bounded(x.lower, x.upper, judged.kappa)


def estimated(
    policy: Policy, judged: Judged, x: Weighed, name: str, kind: str | None, settings: Settings,
    log: Log,
) -> Estimate:  # fmt: skip
    if name in NEEDS_MODEL and np.isnan(x.of_policy).any():
        needs = f"{name} needs the probabilities of all labels, which {policy.name} lacks"
        raise ValueError(f"{needs}: give estimator='ips' or 'snips'")
    if kind == "betting" and isinstance(policy, Learning):
        raise ValueError(f"interval must not be betting for {policy.name}: its value changes")
    value, low, high = _interval(judged, x, name, kind, settings, log)
    is_ips = name == "dr" and kind == "confidence_sequence" and not judged.has_distribution.any()
    return Estimate(
        policy.name, name, value, low, high, settings.level, kind,
        None if kind is None else kind in ANYTIME, policy.estimates, len(judged.reward),
        interval_of="ips" if is_ips else name,
    )  # fmt: skip


def _interval(
    judged: Judged, x: Weighed, name: str, kind: str | None, settings: Settings, log: Log
) -> tuple[float, float, float]:
    """Return value, low and high in the units of the log.

    A value outside an interval for bounded terms is moved to its end: it cannot lie there but by
    chance, as a DR estimate below 0 of rewards that never are.
    """
    r = in_units(judged.reward, log)
    inputs = Inputs(x.weight, r, in_units(x.of_label, log), in_units(x.of_policy, log))
    if name == "cressie_read":
        most = settings.max_weight or math.inf
        return cressie_read(x.weight, r, 0.0, most), math.nan, math.nan
    limit = settings.max_weight if name == "clipped_ips" else None
    per_event = terms(name, inputs, limit)
    if kind is None:
        return per_event.value, math.nan, math.nan
    if kind in ("gaussian", "bootstrap"):
        return per_event.value, *term_interval(kind, per_event, settings.alpha, settings.seed)
    bounded, most = _bounded_terms(name, kind, judged, x, settings.max_weight)
    at = np.array([len(r)])
    low, high = bounded_interval(kind, bounded, most, settings.alpha, at)
    low, high = in_units(low[0], log), in_units(high[0], log)
    return float(np.clip(per_event.value, low, high)), float(low), float(high)


def _bounded_terms(
    name: str, kind: str, judged: Judged, x: Weighed, max_weight: float | None
) -> tuple[Bounded, float]:
    """Return terms that are bounded on one side or both, and what none of them exceeds."""
    if name == "dr" and kind == "confidence_sequence":
        return bounded_terms(x, judged), math.inf
    r, most = judged.reward, math.inf if max_weight is None else max_weight
    w = np.minimum(x.weight, most) if name == "clipped_ips" else x.weight
    if (w > most).any():
        raise ValueError(f"max_weight must be at least every weight, {w.max():g}, got {most:g}")
    if name == "dr":
        phi = x.of_policy + w * (r - x.of_label)
        return Bounded(phi, 1 - phi, most), most + 1
    return Bounded(w * r, w * (1 - r), 0.0), most


def logged_terms(judged: Judged) -> Bounded:
    """Return the terms of the policy that wrote the log: its rewards."""
    return Bounded(judged.reward, 1 - judged.reward, 0.0)


def logged_value(judged: Judged, settings: Settings, log: Log) -> Estimate:
    r, at = judged.reward, np.array([len(judged.reward)])
    low, high = sequence(logged_terms(judged), settings.alpha, at)
    first, last = (float(in_units(end[0], log)) for end in (low, high))
    return Estimate(
        "logged", "mean", float(in_units(r.mean(), log)), first, last, settings.level,
        "confidence_sequence", True, Logged.estimates, len(r),
    )  # fmt: skip


def replayed(
    policy: Policy, log: Log, check: LogCheck, settings: Settings, advance: Progress | None
) -> Estimate:
    most = settings.max_weight or 1 / min(check.least, check.least_chosen)
    kept = replay(log, policy, most, settings.seed, advance)
    r, learns = kept.reward, isinstance(policy, Learning)
    what = "the mean reward of choosing for itself" if learns else policy.estimates
    value = float(r.mean()) if len(r) else math.nan
    low, high, kind = math.nan, math.nan, None
    scaled = (r - log.rewards[0]) / _width(log)
    if len(r) and not learns and np.isin(scaled, (0.0, 1.0)).all():
        kind, ends = "clopper_pearson", clopper_pearson(scaled.sum(), len(r), settings.alpha)
        low, high = (float(in_units(end, log)) for end in ends)
    about = f"{what}, on {len(r):,} of {kept.n_events:,} events that were kept"
    valid = None if kind is None else False
    numbers = (value, low, high, settings.level)
    return Estimate(policy.name, "replay", *numbers, kind, valid, about, len(r))


def difference(
    policy: Policy, other: Policy, judged: Judged, x: Weighed, settings: Settings, m: int, log: Log
) -> Estimate:
    """Return how much more a policy earns, each of m with its share of what may be missed.

    With cross-fitted models it is Gaussian, for the log of a policy that stayed the same.
    """
    n, least = len(x.gain), 1.0 + judged.kappa
    alpha, value, width = settings.alpha / m, float(x.change.mean()), _width(log)
    anytime = settings.fitting == "predictable"
    if anytime:
        ends = difference_sequence(x.gain, x.loss, least, alpha, np.array([n]))
        low, high = float(ends[0][0]), float(ends[1][0])
        value = float(np.clip(value, low, high))
    else:
        low, high = gaussian(x.change, alpha)
    decided = low > 0 or high < 0
    more = 0.0 if decided else _more_events(x.gain, x.loss, least, alpha)
    words = f"how much more {policy.name} earns than {other.name}, on the same events"
    return Estimate(
        policy.name, "difference", value * width, low * width, high * width, 1 - alpha,
        "confidence_sequence" if anytime else "gaussian", anytime, words, n, other.name, more,
    )  # fmt: skip


def _more_events(gain: np.ndarray, loss: np.ndarray, least: float, alpha: float) -> float:
    """Return how many events more would decide a difference if all goes on as it did.

    It is infinite if none would: where support is missing, both means are below 0, and where both
    policies are the same, all terms are 0. It is NaN as long as it cannot be told, because the
    difference is within its noise.
    """
    z = [_standard_errors(x) for x in (gain, loss)]
    if max(z) <= -CLEAR or not (gain.any() or loss.any()):
        return math.inf
    x = gain if z[0] > z[1] else loss
    if max(z) < CLEAR:
        return math.nan
    n, scale = len(x), least + 1
    mean, square = float(x.mean()) / scale, float(x.var()) / scale**2
    few, many = n, 2 * MANY
    while many - few > max(1.0, 0.001 * few):
        middle = (few * many) ** 0.5
        decided = middle * mean > boundary(np.array([middle * square]), alpha / 2)[0]
        few, many = (few, middle) if decided else (middle, many)
    return math.inf if many > MANY else math.ceil(many) - n


def _standard_errors(x: np.ndarray) -> float:
    """Return how many standard errors the mean is above 0."""
    mean, sd = float(x.mean()), float(x.std())
    return mean / sd * len(x) ** 0.5 if sd else math.copysign(math.inf, mean) if mean else 0.0


def weights_of(policy: Policy, x: Weighed) -> Weights:
    w = x.weight
    total, squares = float(w.sum()), float((w * w).sum())
    effective = total**2 / squares if squares else 0.0
    support = None if np.isnan(x.support).any() else 1 - float(x.support.mean())
    found = []
    if effective < FEW:
        found.append(f"only {effective:.1f} effective events: the answer is worth nothing")
    if total and w.max() > HEAVY * total:
        found.append(f"a single event has {w.max() / total:.0%} of all weight")
    if support is not None and support > 0.001:
        found.append(f"{support:.1%} of its choices were never made by the logging policy")
    top = max(float(w.max()), 2.0)
    edges = np.concatenate([[0.0], np.geomspace(1e-2, top * 1.000001, 25)])
    counts = np.histogram(w, edges)[0]
    return Weights(
        policy.name, effective, float(w.max()), float(w.mean()), support, edges.tolist(),
        counts.tolist(), tuple(found),
    )  # fmt: skip


def mean_weight(weights: Weights, x: Weighed, least: float) -> Finding:
    """Return whether the mean weight is what it should be, by confidence sequences.

    `least` is the least logged chance: no weight is above 1 over it. Where it is not known, because
    only propensities are, a mean that is too small is doubtful.
    """
    known = not np.isnan(x.support).any()
    expected = np.where(np.isnan(x.support), 1.0, x.support)
    at, excess = np.array([len(expected)]), x.weight - expected
    most = max(weights.largest, 1 / least if known else 1.0)
    above = lower_sequence(excess, 1.0, 5e-4, at)[0] > 0
    below = lower_sequence(-excess, most, 5e-4, at)[0] > 0
    text = (
        f"the mean weight of {weights.policy} is {weights.mean:.3f}, expected {expected.mean():.3f}"
    )
    if below and not known:  # labels that were never chosen, rather than wrong propensities
        text += ": it makes choices that the logging policy hardly made"
    if above:
        text += ". Or the policy was fitted on these events: judge it on later ones"
    fine = not above and not (below and known)
    return Finding("mean weight", fine, text, fine and bool(below))


def curve(name: str, values: np.ndarray, terms: Bounded, settings: Settings, log: Log) -> Curve:
    """Return the value over the first events, with its confidence sequence."""
    at = curve_rounds(len(values), POINTS)
    low, high = sequence(terms, settings.alpha, at)
    mean = np.clip(np.cumsum(values)[at - 1] / at, low, high)
    return Curve(name, at, *(in_units(some, log) for some in (mean, low, high)))
