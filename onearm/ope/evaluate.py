"""Evaluate: what would other policies have earned on the contexts of a log?

The log is read once (cross-fitted models: twice; replay: once more): `weighing` turns it into a few
numbers per event and policy, of which all estimates, intervals and checks are functions.
"""

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from onearm.core.learner import Learner
from onearm.log.log import Log
from onearm.ope.checks import require_sound
from onearm.ope.estimating import (
    Settings,
    bounded_terms,
    curve,
    difference,
    estimated,
    logged_terms,
    logged_value,
    mean_weight,
    replayed,
    weights_of,
)
from onearm.ope.evaluation import Evaluation
from onearm.ope.naming import as_policies, as_policy
from onearm.ope.parts import segments, windows
from onearm.ope.policies import Policy, require_traced
from onearm.ope.uncertainty import VALID, require_valid
from onearm.ope.weighing import Judged, Progress, weigh
from onearm.schema.names import counted, did_you_mean


def evaluate(
    log: Any, policies: Any, *, against: Any = "logged", estimator: str | Iterable[str] = "dr",
    interval: str | None = None, level: float = 0.95, model: Any = "linear",
    fitting: str = "predictable", max_weight: float | None = None, by: str | None = None,
    n_windows: int = 10, seed: int = 0, unseen: bool = False, progress: Progress | None = None,
) -> Evaluation:  # fmt: skip
    """Return estimates of what policies earn, from the log of another.

    Parameters
    ----------
    log
        The logged choices. One whose propensities are found to be wrong is refused.
    policies
        One policy or many, or a dict of them by name: "uniform", "always LABEL", a learner's name
        with parameters ("inversegap scale=40": it learns along the log), a saved model, a learner
        or an agent (frozen), an array of probabilities or labels, or a function of the rows.
    against
        The policy that all are compared with, on the same events: "logged", or any of the above.
    estimator
        One or several of ips, clipped_ips, snips, dm, dr, sndr, switch_dr, dros, sub_gaussian,
        cressie_read, replay.
    interval
        gaussian, bootstrap, empirical_bernstein, clopper_pearson, betting or
        confidence_sequence; by default the first that is valid for the estimator. Only the last
        two are valid while the logging policy learns.
    level
        Coverage of the intervals. Differences share what is missing to 1 among the policies.
    model
        The reward model of dm, dr, sndr, switch_dr and dros: "linear", a learner or its class, a
        scikit-learn classifier or regressor for each label, or "none".
    fitting
        "predictable": an event is judged by a model of earlier events. "cross_fitted": by one of
        the other half of the log, for the log of a policy that stayed the same.
    max_weight
        What no weight can exceed, or the limit of clipped_ips; known beforehand, not from the log.
    by
        A column whose values are judged apart.
    n_windows
        Number of windows of the log, of equally many events, that are judged apart.
    seed
        Random seed of bootstrap and replay.
    unseen
        States that no given model learnt from this log by `update` or `play`: else it is refused.
    progress
        A callable that gets the number of events done; cross-fitting and replay read a log again.
    """
    if not isinstance(log, Log):
        raise ValueError(f"log must be an onearm.Log, got a {type(log).__name__}: see Log.read")
    settings = _settings(estimator, interval, level, fitting, max_weight, seed)
    _require_windows(n_windows)
    candidates, other = as_policies(policies, log, unseen), as_policy(against, log, unseen)
    _require_traced_model(model, unseen)
    column = None if by is None else _column_of(log, by)
    advance = _advancing(progress)
    judged = weigh(log, candidates, other, model, fitting, column, advance)
    result = _evaluation(log, candidates, other, judged, settings, by, n_windows)
    if _wants(settings, "replay"):
        kept = (replayed(policy, log, judged.check, settings, advance) for policy in candidates)
        result.estimates.extend(kept)
    return result


def _require_traced_model(model: Any, unseen: bool) -> None:
    if isinstance(model, Learner):
        require_traced(model, "model", unseen)


def _advancing(progress: Progress | None) -> Progress | None:
    """Return what takes the number of further events, and shows that of all."""
    if progress is None:
        return None
    done = 0

    def advance(n: int) -> None:
        nonlocal done
        done += n
        progress(done)

    return advance


def _evaluation(
    log: Log, policies: list[Policy], other: Policy, judged: Judged, settings: Settings,
    by: str | None, n_windows: int,
) -> Evaluation:  # fmt: skip
    """Return all that follows from the numbers per event."""
    require_sound(judged.check.findings())
    each = list(zip(policies, judged.policies, strict=True))
    weights = [weights_of(policy, x) for policy, x in each]
    least = judged.check.least
    found = [mean_weight(w, x, least) for w, x in zip(weights, judged.policies, strict=True)]
    require_sound(found)
    estimates = [
        estimated(policy, judged, x, name, kind, settings, log)
        for policy, x in each
        for name, kind in settings.estimators
        if name != "replay"
    ]
    r = judged.reward
    curves = [curve("logged", r, logged_terms(judged), settings, log)]
    curves += [
        curve(policy.name, x.values(r), bounded_terms(x, judged), settings, log)
        for policy, x in each
    ]
    return Evaluation(
        log, [logged_value(judged, settings, log), *estimates],
        [difference(p, other, judged, x, settings, len(each), log) for p, x in each], weights,
        curves,
        segments(log, judged, policies, by, settings.alpha, bounded_terms) if by else [],
        windows(log, judged, policies, n_windows, settings.alpha, bounded_terms),
        [*judged.check.findings(), *found],
        _notes(log, judged, settings),
        settings._asdict() | {"against": other.name, "by": by},
    )  # fmt: skip


def _settings(
    estimator: Any, interval: str | None, level: Any, fitting: str, max_weight: Any, seed: Any
) -> Settings:
    many = isinstance(estimator, Iterable) and not isinstance(estimator, str)
    names = tuple(dict.fromkeys(estimator if many else (estimator,)))
    if not _is_within(level, Real, 0, 1) or level in (0, 1):
        raise ValueError(f"level must be in (0, 1), got {level!r}")
    if max_weight is not None and not _is_within(max_weight, Real, 1, 1e12):
        raise ValueError(f"max_weight must be in [1, 1e12], got {max_weight!r}")
    if not _is_within(seed, Integral, 0, 2**63 - 1):
        raise ValueError(f"seed must be a whole number in [0, 2**63 - 1], got {seed!r}")
    if not names:
        raise ValueError(f"estimator must be at least one of {', '.join(VALID)}, got none")
    pairs = []
    for name in names:
        if name not in VALID:
            hint = did_you_mean(name, VALID)
            raise ValueError(f"estimator must be one of {', '.join(VALID)}, got {name!r}{hint}")
        kind = interval or next(iter(VALID[name]), None)
        if kind is not None:
            require_valid(name, kind, fitting, max_weight)
        pairs.append((name, kind))
    limit = None if max_weight is None else float(max_weight)
    return Settings(tuple(pairs), float(level), fitting, limit, int(seed))


def _is_within(value: Any, kind: type, low: float, high: float) -> bool:
    return isinstance(value, kind) and bool(low <= value <= high)  # type: ignore[operator] # a number


def _require_windows(n: Any) -> None:
    if not _is_within(n, Integral, 1, math.inf):
        raise ValueError(f"n_windows must be a whole number of at least 1, got {n!r}")


def _wants(settings: Settings, name: str) -> bool:
    return any(name == wanted for wanted, _ in settings.estimators)


def _column_of(log: Log, by: str) -> int:
    """Return the place of a column in encoded rows; columns of texts have none."""
    names = [] if log.schema is None else [c.name for c in log.schema.columns if c.kind != "text"]
    if by not in names:
        raise ValueError(
            f"by must be one of the columns {', '.join(names) or '(none)'}, got {by!r}"
            f"{did_you_mean(by, names)}"
        )
    return names.index(by)


def _notes(log: Log, judged: Judged, settings: Settings) -> list[str]:
    counts = log.counts
    notes = [f"Of {counted(len(log), 'event')} of the log, {len(judged.reward):,} are judged."]
    rules = {
        "default": "got no reward in time: the default reward counts",
        "pending": "without a reward yet: left out, which misleads if good ones come sooner",
        "not_activated": "never shown: left out",
    }
    notes += [
        f"{counted(counts[key], 'event')} {rule}." for key, rule in rules.items() if counts[key]
    ]
    if log.n_bad_lines:
        notes.append(f"Left out of the file: {counted(log.n_bad_lines, 'bad line')}.")
    notes += log.oddities
    if not judged.has_distribution.all() and _wants(settings, "dr"):
        notes.append(
            "The log has not the whole distribution of every choice: confidence sequences use "
            "propensities alone (IPS), and are wider than they could be."
        )
    return notes
