"""What tells a learner of the user's from another of its name: its code.

It is found where the race is planned: a worker gets a copy of a class from a prompt.
"""

from typing import Any

from onearm.core.code_digest import digest


def own(cls: Any) -> str:
    """Return a short text that changes with the learner's code; empty for ours."""
    is_ours = all(c.__module__.partition(".")[0] == "onearm" for c in cls.__mro__[:-1])
    return "" if is_ours else digest(cls)[:16]
