"""A learner by the name or class that a user gave to an adapter, fitted to sizes."""

from typing import Any

import onearm
from onearm.schema.names import did_you_mean


def learner_class(given: Any) -> Any:
    """Return the class of a name in any case, or of a class of Learner.

    >>> learner_class("soba") is learner_class(onearm.SOBA)
    True
    """
    if isinstance(given, type) and issubclass(given, onearm.Learner):
        return given
    known = {name.lower(): name for name in onearm.LEARNERS}
    if not isinstance(given, str) or given.strip().lower() not in known:
        names = ", ".join(onearm.LEARNERS)
        likely = did_you_mean(given, onearm.LEARNERS) if isinstance(given, str) else ""
        raise ValueError(
            f"learner must be a class of Learner or one of {names}, got {given!r}{likely}"
        )
    return getattr(onearm, known[given.strip().lower()])


def make_learner(given: Any, k: int, d: int, seed: int, params: dict[str, Any] | None) -> Any:
    """Return a new learner of k labels and d features."""
    stream = onearm.Stream("rows", k, d, lambda: iter(()))
    return stream.learner(learner_class(given), seed=seed, **(params or {}))
