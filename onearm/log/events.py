"""Events: logged choices with propensities and outcomes, a chunk of a log in arrays.

What became of an event is its outcome:

    reported        a reward came
    default         none came in time: the default reward counts, as it did for the policy
    pending         none came yet: the event is left out until one does
    not_activated   the label was never shown: no event for learning or evaluation

Only reported and default events are judged and learnt from; all are counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from onearm.core.assembly import HIDDEN, LEAST
from onearm.core.inputs import as_array, as_labels
from onearm.log.distributions import completed, uniform_chances
from onearm.log.faults import Faults
from onearm.log.reward_range import RewardRange, as_range

OUTCOMES = ("reported", "default", "pending", "not_activated")
REPORTED, DEFAULT, PENDING, NOT_ACTIVATED = range(4)
SUM = 1e-6  # how far from 1 the sum of logged chances may be


@dataclass(frozen=True)
class Events:
    """Some events of a log, an array of n entries for each field."""

    X: Any  # (n, d), the encoded contexts, dense or CSR
    label: np.ndarray  # the chosen label
    propensity: np.ndarray  # with which it was chosen
    reward: np.ndarray  # NaN where there is none
    outcome: np.ndarray  # a place in OUTCOMES
    greedy: np.ndarray  # the label without exploration, HIDDEN where it is not known
    allowed: np.ndarray | None = None  # (n, k), whether a label was allowed; None: all were
    chances: np.ndarray | None = None  # (n, k), the whole distribution; NaN where not known
    policy: np.ndarray | None = None  # name of the policy that chose
    version: np.ndarray | None = None  # of that policy, -1 where it is not known
    event_id: np.ndarray | None = None  # texts
    time: np.ndarray | None = None  # datetime64[us], UTC

    def __len__(self) -> int:
        return len(self.label)

    def part(self, which: Any) -> "Events":
        """Return the events of a slice, of a mask or of places."""
        values = (getattr(self, field.name) for field in fields(self))
        chosen: Any = (None if value is None else value[which] for value in values)
        return Events(*chosen)

    @property
    def is_judged(self) -> np.ndarray:
        """Which events have a reward that counts."""
        return self.outcome <= DEFAULT

    @property
    def logged_chance(self) -> np.ndarray:
        """The chance of the chosen label: by the whole distribution where that is known.

        A propensity may be conditional on a greedy label that was drawn itself; the distribution
        never is.
        """
        if self.chances is None:
            return self.propensity
        of_label = self.chances[np.arange(len(self)), self.label]
        return np.where(np.isnan(of_label), self.propensity, of_label)

    @classmethod
    def joined(cls, parts: "Sequence[Events]") -> "Events":
        """Return events one after the other; all parts must have the same fields."""
        if len(parts) == 1:
            return parts[0]
        names = [field.name for field in fields(cls)]
        columns = ([getattr(part, name) for part in parts] for name in names)
        joined: Any = (None if values[0] is None else _stacked(values) for values in columns)
        return cls(*joined)


def _stacked(values: list[Any]) -> Any:
    if hasattr(values[0], "tocsr"):
        from scipy.sparse import vstack

        return vstack(values, format="csr")
    return np.concatenate(values)


def as_events(
    X: Any, label: Any, propensity: Any, reward: Any, n_classes: int,
    rewards: tuple[float, float] | RewardRange, first: int = 0, faults: Faults | None = None,
    complete: bool = True, **known: Any,
) -> Events:  # fmt: skip
    """Return checked events; `first` is the number of the first one, for messages.

    `known` are further fields of Events; outcomes may be words, and where they are not given an
    event without a reward is pending. A wrong event is refused, or left out as `faults` says.
    Distributions that follow from what is known are filled in if `complete`.
    """
    k, n = n_classes, X.shape[0]
    faults = faults or Faults(n, lambda i: f"event {first + i}: ", leave_out=False)
    label = as_labels(label, k, n, "label", first=first)
    propensity = _propensities(propensity, n, faults)
    reward, outcome = _rewards(reward, known.pop("outcome", None), n, rewards, faults)
    greedy = known.pop("greedy", None)
    greedy = np.full(n, HIDDEN) if greedy is None else _greedy(greedy, k, n, faults)
    allowed = _allowed(known.pop("allowed", None), label, k, faults)
    chances, k_known = known.pop("chances", None), k if complete else 0
    if isinstance(chances, str):
        chances = uniform_chances(chances, propensity, label, allowed, k_known, faults)
    chances = _chances(chances, label, allowed, k, faults)
    chances = completed(chances, propensity, label, allowed, k_known)
    other = {name: _texts(known.pop(name, None), n, name) for name in ("policy", "event_id")}
    version, time = known.pop("version", None), known.pop("time", None)
    if version is not None:
        version = _of_length(as_array(version, np.int64, "version"), n, "version")
    if time is not None:
        time = _of_length(_times(time), n, "time")
    if known:
        raise TypeError(f"events have no {', '.join(known)}")
    events = Events(
        X, label, propensity, reward, outcome, greedy, allowed, chances, other["policy"], version,
        other["event_id"], time,
    )  # fmt: skip
    return events.part(~faults.bad) if faults.bad.any() else events


def _of_length(values: np.ndarray, n: int, what: str) -> np.ndarray:
    if values.shape != (n,):
        raise ValueError(f"{what} must have {n} entries, one for each event, got {values.shape}")
    return values


def _propensities(given: Any, n: int, faults: Faults) -> np.ndarray:
    p = _of_length(as_array(given, np.float64, "propensity"), n, "propensity")
    faults.refuse(~((p >= LEAST) & (p <= 1)), p, "propensity", f"in [{LEAST:g}, 1]")
    return p


def _rewards(
    given: Any, outcome: Any, n: int, rewards: tuple[float, float] | RewardRange, faults: Faults
) -> tuple[np.ndarray, np.ndarray]:
    """Return rewards, NaN where an event has none, and outcomes."""
    given = np.full(n, np.nan) if given is None else given
    r = _of_length(as_array(given, np.float64, "reward"), n, "reward")
    if outcome is None:
        outcome = np.where(np.isnan(r), PENDING, REPORTED)
    elif np.asarray(outcome).dtype.kind in "UO":
        wrong = sorted({*np.asarray(outcome).tolist()} - {*OUTCOMES}, key=str)
        if wrong:
            raise ValueError(f"outcome must be one of {', '.join(OUTCOMES)}, got {wrong[0]!r}")
        outcome = [OUTCOMES.index(word) for word in outcome]
    outcome = _of_length(_outcome_codes(outcome), n, "outcome")
    span = rewards if isinstance(rewards, RewardRange) else RewardRange(*as_range(rewards))
    judged = outcome <= DEFAULT
    span.check(r, judged, faults)
    return np.where(judged, r, np.nan), outcome


def _times(given: Any) -> np.ndarray:
    try:
        return np.asarray(given).astype("datetime64[us]")
    except (TypeError, ValueError) as error:
        raise ValueError(f"time must be times, or texts in ISO 8601: {error}") from None


def _outcome_codes(given: Any) -> np.ndarray:
    codes = as_array(given if len(given) else np.empty(0, np.int64), np.int64, "outcome")
    if ((codes < 0) | (codes >= len(OUTCOMES))).any():
        raise ValueError(f"outcome must be a place in {OUTCOMES}, got {codes.min()}, {codes.max()}")
    return codes.astype(np.uint8)


def _greedy(given: Any, k: int, n: int, faults: Faults) -> np.ndarray:
    greedy = _of_length(as_array(given, np.int64, "greedy"), n, "greedy")
    wrong = (greedy != HIDDEN) & ((greedy < 0) | (greedy >= k))
    faults.check(wrong, greedy, "the greedy label", f"in [0, {k - 1}], or {HIDDEN}: not known")
    return greedy


def _allowed(given: Any, label: np.ndarray, k: int, faults: Faults) -> np.ndarray | None:
    if given is None:
        return None
    allowed = np.asarray(given)
    if allowed.dtype != bool or allowed.shape != (len(label), k):
        raise ValueError(f"allowed must be a mask of {len(label)} events and {k} labels")
    chosen = allowed[np.arange(len(label)), label]
    faults.check(~chosen, label, "the chosen label", "one of those that were allowed")
    return None if allowed.all() else allowed


def _chances(
    given: Any, label: np.ndarray, allowed: np.ndarray | None, k: int, faults: Faults
) -> np.ndarray | None:
    if given is None:
        return None
    p = as_array(given, np.float64, "chances")
    if p.shape != (len(label), k):
        raise ValueError(f"chances must be numbers for {len(label)} events and {k} labels")
    known = ~np.isnan(p).all(axis=1)
    total = p.sum(axis=1)
    wrong = known & ~((p >= 0).all(axis=1) & (np.abs(total - 1) <= SUM))
    faults.check(wrong, total, "chances", "at least 0 and sum up to 1")
    of_label = p[np.arange(len(label)), label]
    faults.check(known & ~(of_label >= LEAST), of_label, "the chance of the label", "above 0")
    if allowed is not None:
        outside = np.where(allowed, 0, p).sum(axis=1)
        faults.check(known & ~(outside <= SUM), outside, "chances of other labels", "0")
    return p if known.any() else None


def _texts(given: Any, n: int, what: str) -> np.ndarray | None:
    if given is None:
        return None
    return _of_length(np.array([str(text) for text in given], object), n, what)
