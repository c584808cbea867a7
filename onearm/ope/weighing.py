"""Weighing: one pass over a log that gives, for each policy, numbers per event.

With p the logged chances, π those of a policy, w(a) = π(a)/p(a), A the logged label, rewards r
scaled to [0, 1] and q a reward model that has not seen the event:

    weight      w(A)
    of_label    q(A)
    of_policy   Σ π(a) q(a)
    lower       φ = w(A) (r - q̃(A)) + Σ π(a) q̃(a) with q̃ = min(q, κ/w): unbiased, and at least -κ
    upper       the same of 1 - r and 1 - q

(Waudby-Smith et al. 2022). The difference of policies B and A has, with Δ = π_B - π_A,

    D = Δ(A)/p(A) (r - q̃(A)) + Σ Δ(a) q̃(a), q̃ = min(q, κ p/Δ) where Δ > 0, else max(q, 1 - κ p/|Δ|)

which is unbiased and at least -κ - 1. So events on which both choose alike cost nothing. Where the
log has not the whole distribution p, or q is cross-fitted, q̃ is 0 or 1: κ is 0, and D needs only
the sign of Δ.
"""

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from onearm.log.events import Events
from onearm.log.log import Log
from onearm.ope.checks import LogCheck
from onearm.ope.estimators import inputs, terms
from onearm.ope.models import Model, new_model
from onearm.ope.policies import Logged, Policy

KAPPA = 1.0  # κ
FIRST, GROWTH = 20, 1.5  # events before the first fit of a model, and from fit to fit
FITTINGS = ("predictable", "cross_fitted")
Progress = Callable[[int], Any]  # gets a number of events


class Weighed(NamedTuple):
    """A policy on the judged events of a log, an array each."""

    weight: np.ndarray
    of_label: np.ndarray
    of_policy: np.ndarray  # NaN where only the probability of the logged label is known
    lower: np.ndarray
    upper: np.ndarray
    support: np.ndarray  # Σ π(a) over labels with a logged chance; NaN where p is not known
    change: np.ndarray  # DR terms of the difference to the policy compared with; IPS without q
    gain: np.ndarray  # bounded terms of the difference to the policy compared with
    loss: np.ndarray  # bounded terms of that difference with the opposite sign

    def values(self, reward: np.ndarray) -> np.ndarray:
        """Return the DR terms; those of IPS where only probabilities of logged labels are known."""
        dr = self.of_policy + self.weight * (reward - self.of_label)
        return np.where(np.isnan(self.of_policy), self.weight * reward, dr)


class Judged(NamedTuple):
    """The events that policies were judged on."""

    reward: np.ndarray  # scaled to [0, 1]
    places: np.ndarray  # numbers in the whole log
    column: np.ndarray  # of the segments, NaN without
    time: np.ndarray | None
    policies: list[Weighed]
    check: LogCheck
    has_distribution: np.ndarray  # whether bounded terms use the reward model

    @property
    def kappa(self) -> float:
        """What bounded terms may be below 0: nothing if none of them uses the reward model."""
        return KAPPA if self.has_distribution.any() else 0.0


def weigh(
    log: Log, policies: Sequence[Policy], against: Policy, model: Any, fitting: str,
    column: int | None = None, advance: Progress | None = None,
) -> Judged:  # fmt: skip
    """Return the numbers of all policies on the events that all of them can be judged on.

    `advance` gets the number of events of each further chunk that was read.
    """
    every = [*policies, against]
    for policy in every:
        policy.start(log)
    check, parts = LogCheck(log), []
    for events, places, reward, q in expected(log, model, fitting, advance):
        check.add(events)
        usable = (
            _distribution(events, q.shape) if fitting == "predictable" else np.full(q.shape, np.nan)
        )
        fine = np.logical_and.reduce([policy.can_judge(events, places) for policy in every])
        pi = [policy.chances(events, places) for policy in every]
        segment = np.full(len(events), np.nan) if column is None else _column(events.X, column)
        weighed = [
            _weighed(events, reward, q, usable, mine, pi[-1], isinstance(against, Logged))
            for mine in pi[:-1]
        ]
        known = ~np.isnan(usable[:, 0])
        parts.append((fine, reward, places, segment, known, weighed, events.time))
    if not any(fine.any() for fine, *_ in parts):
        raise ValueError(_nothing_to_judge(log, every))
    return _joined(parts, check)


def _nothing_to_judge(log: Log, policies: Sequence[Policy]) -> str:
    trained = {p.name: p.first for p in policies if getattr(p, "first", 0)}  # type: ignore[attr-defined]
    if trained:
        name, first = next(iter(trained.items()))
        return f"{name} was trained on events up to {first:,} of this log: give later events"
    if not sum(log.counts[outcome] for outcome in ("reported", "default")):
        return f"the log has no event with a reward: {log}"
    of_all = "the policy may have learnt from all events of this log"
    return f"{of_all}: give later ones, or state unseen=True if it has not"


def _joined(parts: list[Any], check: LogCheck) -> Judged:
    fine = [part[0] for part in parts]

    def column(i: int) -> np.ndarray:
        return np.concatenate([part[i][keep] for part, keep in zip(parts, fine, strict=True)])

    policies = [
        Weighed(
            *(
                np.concatenate(
                    [part[5][j][i][keep] for part, keep in zip(parts, fine, strict=True)]
                )
                for i in range(len(Weighed._fields))
            )
        )
        for j in range(len(parts[0][5]))
    ]
    time = None if any(part[6] is None for part in parts) else column(6)
    return Judged(column(1), column(2), column(3), time, policies, check, column(4))


def _column(X: Any, j: int) -> np.ndarray:
    return X[:, [j]].toarray()[:, 0] if hasattr(X, "tocsr") else X[:, j]


def expected(
    log: Log, spec: Any, fitting: str, advance: Progress | None = None
) -> Iterator[tuple[Events, np.ndarray, np.ndarray, np.ndarray]]:
    """Yield events, their numbers, scaled rewards, and q by a model that has not seen them.

    "predictable": fitted on earlier events only, again each time there are half as many more; valid
    while the logging policy learns. "cross_fitted": by the other half of the log; valid for a
    logging policy that stays the same.
    """
    if fitting not in FITTINGS:
        raise ValueError(f"fitting must be one of {', '.join(FITTINGS)}, got {fitting!r}")
    first = log.n_learnt(getattr(spec, "trained_on", None))
    if first > log.start:
        later = f"give a new one, or later events: log.after({first - log.start})"
        raise ValueError(f"model was trained on events up to {first:,} of this log: {later}")
    fitted = _predictable if fitting == "predictable" else _cross_fitted
    return fitted(log, spec, advance)


def _rewarded(
    log: Log, advance: Progress | None
) -> Iterator[tuple[Events, np.ndarray, np.ndarray]]:
    done, (low, high) = log.start, log.rewards
    for events in log.chunks():
        places, judged = np.arange(done, done + len(events)), events.is_judged
        done += len(events)
        if judged.any():
            some = events if judged.all() else events.part(judged)
            yield some, places[judged], (some.reward - low) / (high - low)
        if advance:
            advance(len(events))


def _predictable(log: Log, spec: Any, advance: Progress | None) -> Iterator[Any]:
    model, n, fit_at = new_model(spec, log), 0, FIRST
    for events, places, reward in _rewarded(log, advance):
        done = 0
        while done < len(events):
            part = slice(done, min(len(events), done + fit_at - n))
            some = events if len(events) <= part.stop - done else events.part(part)
            yield some, places[part], reward[part], model.q(some.X)
            model.add(some, reward[part])
            n, done = n + len(some), part.stop
            if n == fit_at:
                model.fit()
                fit_at = ceil(GROWTH * fit_at)


def _cross_fitted(log: Log, spec: Any, advance: Progress | None) -> Iterator[Any]:
    models: list[Model] = [new_model(spec, log), new_model(spec, log)]
    for events, places, reward in _rewarded(log, advance):
        for half, model in enumerate(models):
            others = places % 2 != half
            if others.any():
                model.add(events.part(others), reward[others])
    for model in models:
        model.fit()
    for events, places, reward in _rewarded(log, advance):
        second = (places % 2 == 1)[:, None]
        yield events, places, reward, np.where(second, models[1].q(events.X), models[0].q(events.X))


def _weighed(
    events: Events, r: np.ndarray, q: np.ndarray, p: np.ndarray, pi: np.ndarray, other: np.ndarray,
    is_logged: bool,
) -> Weighed:  # fmt: skip
    """Return a policy's numbers; p is NaN where q must not be used in bounded terms.

    π is NaN where the policy is the logged one and its distribution is not known. Then its weight
    is 1, and q(x, A) stands for q(x, π), of which it is a sample.
    """
    A, p_A = events.label, np.ascontiguousarray(events.logged_chance)
    w, w_other = weight(pi, A, p_A), weight(other, A, p_A)
    simple = _simple_difference(r, w, w_other)
    if pi.ndim == 1:  # known for the logged label only
        unknown, q_A = np.full(len(r), np.nan), q[np.arange(len(r)), A]
        return Weighed(w, q_A, unknown, w * r, w * (1 - r), unknown, (w - w_other) * r, *simple)
    known, no_p = ~np.isnan(pi[:, 0]), np.isnan(p[:, 0])
    lower = np.where(known, bounded(r, q, pi, p, A, p_A), r)
    upper = np.where(known, bounded(1 - r, 1 - q, pi, p, A, p_A), 1 - r)
    gain, loss = simple
    if other.ndim == 2:
        whole = known & ~(is_logged & no_p)
        gain = np.where(whole, bounded(r, q, pi - other, p, A, p_A), gain)
        loss = np.where(whole, bounded(r, q, other - pi, p, A, p_A), loss)
    _, _, q_A, q_pi = inputs(pi, q, A, p_A, r)
    q_pi = np.where(known, q_pi, q_A)
    support = _support(pi, _distribution(events, q.shape))
    change = q_pi + w * (r - q_A) - _value_terms(r, q, other, A, p_A, is_logged)
    return Weighed(w, q_A, q_pi, lower, upper, support, change, gain, loss)


def _support(pi: np.ndarray, p: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(p[:, 0]), np.nan, np.where(p > 0, pi, 0.0).sum(axis=1))


def weight(pi: np.ndarray, A: np.ndarray, p_A: np.ndarray) -> np.ndarray:
    """Return π(A)/p(A), which is 1 for the logged policy where its distribution is not known."""
    of_label = pi if pi.ndim == 1 else pi[np.arange(len(A)), A]
    return np.where(np.isnan(of_label), 1.0, of_label / p_A)


def _value_terms(
    r: np.ndarray, q: np.ndarray, pi: np.ndarray, A: np.ndarray, p_A: np.ndarray, is_logged: bool
) -> np.ndarray:
    """Return the DR terms of the policy compared with; IPS where its q(x, π) is not known."""
    if is_logged:
        return r
    if pi.ndim == 1:
        return pi / p_A * r
    return terms("dr", inputs(pi, q, A, p_A, r)).num


def _simple_difference(
    r: np.ndarray, w: np.ndarray, w_other: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return terms of a difference where only probabilities of logged labels are known: ≥ -1."""
    return w * r + w_other * (1 - r) - 1, w_other * r + w * (1 - r) - 1


def _distribution(events: Events, shape: tuple[int, ...]) -> np.ndarray:
    return np.full(shape, np.nan) if events.chances is None else events.chances


def bounded(
    r: np.ndarray, q: np.ndarray, d: np.ndarray, p: np.ndarray, A: np.ndarray, p_A: np.ndarray
) -> np.ndarray:
    """Return φ of d = π, or D of d = Δ: q is clipped so that no term is far below 0."""
    known = ~np.isnan(p)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(known & (d != 0), KAPPA * p / np.abs(d), 0.0)  # κ/|w|
    clipped = np.where(d > 0, np.minimum(q, room), np.maximum(q, 1 - room))
    clipped = np.where(d == 0, q, clipped)
    rows = np.arange(len(r))
    return d[rows, A] / p_A * (r - clipped[rows, A]) + (d * clipped).sum(axis=1)
