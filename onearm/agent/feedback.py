"""What a reward means: the kind of feedback of an agent, set once.

    reward      a number in [0, 1], which says nothing about other labels
    one_right   1 or 0, for right or wrong, where exactly one label is right

A learner takes the first as a float and the second as a bool; true, 1 and 1.0 never differ here.
"""

from numbers import Real
from typing import Any

import numpy as np

from onearm.core.choice import class_name
from onearm.schema.values import shown

REWARD, ONE_RIGHT = FEEDBACK = ("reward", "one_right")


def require_feedback(learner: Any, feedback: Any) -> None:
    """Refuse a learner that cannot learn from this kind of feedback."""
    name = class_name(learner)
    if feedback not in FEEDBACK:
        raise ValueError(f"feedback must be one of {', '.join(FEEDBACK)}, got {shown(feedback)}")
    if learner.full_information:
        raise ValueError(f"learner must learn from choices, got {name}: it needs full information")
    if feedback == REWARD and not learner.real_rewards:
        raise ValueError(
            f"learner must take rewards, got {name}: it learns from right or wrong only; give "
            "feedback='one_right' if exactly one label is right"
        )


def as_outcome(feedback: str, reward: Any) -> float | bool:
    """Return a reward in the type that tells a learner what is meant; -0.0 is 0.0."""
    if type(reward) is float and feedback == REWARD and 0.0 <= reward <= 1.0:
        return reward + 0.0
    number: Any = reward if isinstance(reward, Real | np.bool_) else np.nan
    if feedback == REWARD and 0 <= number <= 1:
        return float(number) + 0.0
    if feedback == ONE_RIGHT and number in (0, 1):
        return bool(number)
    allowed = "a number in [0, 1]" if feedback == REWARD else "1 or 0, for right or wrong"
    raise ValueError(f"reward must be {allowed}, got {shown(reward)}")
