"""Learners by name or class."""

from typing import Any

import onearm
from onearm.core.learner import Learner
from onearm.schema.names import did_you_mean, listed
from onearm.schema.values import shown


def learner_class(learner: Any) -> Any:
    """Return the class of a learner that is given as such or by its name."""
    if isinstance(learner, str) and learner in onearm.LEARNERS:
        return getattr(onearm, learner)
    if isinstance(learner, type) and issubclass(learner, Learner):
        return learner
    hint = did_you_mean(learner, onearm.LEARNERS) if isinstance(learner, str) else ""
    known = listed(onearm.LEARNERS, len(onearm.LEARNERS), str)
    raise ValueError(f"learner must be a class or one of {known}, got {shown(learner)}{hint}")
