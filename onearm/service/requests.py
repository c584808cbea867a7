"""Requests and answers of the core: what HTTP, tests and simulations hand to it."""

from typing import Any, NamedTuple


class Decide(NamedTuple):
    """Choose a label for a context."""

    event_id: str
    context: bytes  # JSON
    among: list[Any] | None = None  # names of the allowed labels
    deferred: bool = False  # no event until it is activated
    is_new: bool = False  # the id was made for it: no earlier event can have it
    baseline: Any = None  # the label that an apprentice lets decide


class Feedback(NamedTuple):
    """The reward of an event."""

    event_id: str
    reward: Any


class Activate(NamedTuple):
    """A deferred decision was shown."""

    event_id: str


class Change(NamedTuple):
    """A control record is wanted."""

    what: str
    body: dict[str, Any]
    prepared: Any = None  # Prepared: what it needs of the log, replayed beside the writer


Request = Decide | Feedback | Activate | Change


class Answer(NamedTuple):
    """A status as HTTP has it, and a body."""

    status: int
    body: dict[str, Any]
