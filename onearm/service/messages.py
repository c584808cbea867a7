"""Messages: bodies of requests as msgspec types; the OpenAPI document is made from them."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from onearm.service.requests import Activate, Change, Decide, Feedback

MOST = 1000  # requests in a list
EventId = Annotated[str, Meta(min_length=1, max_length=200, description="Id of an event.")]
PolicyName = Annotated[
    str, Meta(pattern="^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$", description="Name of a policy.")
]

ALLOWED = {  # what the fields of all bodies may be, in words
    "event_id": "a text of 1 to 200 characters",
    "context": "an object of columns",
    "among": "a list of labels",
    "deferred": "true or false",
    "baseline": "a label",
    "reward": "a finite number, true or false",
    "policy": "1 to 40 letters, digits, - and _",
    "seq": "an integer of at least 1",
    "learner": "an object with the class as `name` and its parameters",
    "label": "a text or an integer",
    "file": "the name of a new file in the folder of the log, of letters, digits, _, . and -, "
    "that ends in .db",
}


class DecideBody(msgspec.Struct, forbid_unknown_fields=True):
    """Choose a label for a context."""

    context: Annotated[msgspec.Raw, Meta(description="Values of the columns, by name.")]
    event_id: EventId | None = None
    among: list[str | int] | None = None
    deferred: bool = False
    baseline: str | int | None = None

    def request(self, new_id: Any) -> Decide:
        """Return the request of the core; an absent id is made."""
        event_id = self.event_id or new_id()
        is_new = not self.event_id
        return Decide(
            event_id, bytes(self.context), self.among, self.deferred, is_new, self.baseline
        )


class FeedbackBody(msgspec.Struct, forbid_unknown_fields=True):
    """The reward of an event."""

    event_id: EventId
    reward: bool | float

    def request(self, new_id: Any) -> Feedback:
        """Return the request of the core."""
        return Feedback(self.event_id, self.reward)


class ActivateBody(msgspec.Struct, forbid_unknown_fields=True):
    """A deferred decision was shown."""

    event_id: EventId

    def request(self, new_id: Any) -> Activate:
        """Return the request of the core."""
        return Activate(self.event_id)


class PromoteBody(msgspec.Struct, forbid_unknown_fields=True):
    """Let another policy decide."""

    policy: PolicyName

    def request(self, new_id: Any) -> Change:
        """Return the request of the core."""
        return Change("promote", {"policy": self.policy})


class RollbackBody(msgspec.Struct, forbid_unknown_fields=True):
    """Make a policy what it was at a record of the log."""

    policy: PolicyName
    seq: Annotated[int, Meta(ge=1)]

    def request(self, new_id: Any) -> Change:
        """Return the request of the core."""
        return Change("rollback", {"policy": self.policy, "seq": self.seq})


class AddPolicyBody(msgspec.Struct, forbid_unknown_fields=True):
    """Add a challenger: it learns from all outcomes so far."""

    policy: PolicyName
    learner: Annotated[dict[str, Any], Meta(description="`name`, the class, and its parameters.")]

    def request(self, new_id: Any) -> Change:
        """Return the request of the core."""
        return Change("add_policy", {"policy": self.policy, "learner": self.learner})


class RemovePolicyBody(msgspec.Struct, forbid_unknown_fields=True):
    """Remove a challenger."""

    policy: PolicyName

    def request(self, new_id: Any) -> Change:
        """Return the request of the core."""
        return Change("remove_policy", {"policy": self.policy})


class AddLabelBody(msgspec.Struct, forbid_unknown_fields=True):
    """Add a label, or bring a retired one back."""

    label: str | int

    def request(self, new_id: Any) -> Change:
        """Return the request of the core."""
        return Change("add_label", {"label": self.label})


class RetireLabelBody(msgspec.Struct, forbid_unknown_fields=True):
    """Choose a label no more."""

    label: str | int

    def request(self, new_id: Any) -> Change:
        """Return the request of the core."""
        return Change("retire_label", {"label": self.label})


class Empty(msgspec.Struct, forbid_unknown_fields=True):
    """Nothing is needed."""


class BackupBody(msgspec.Struct, forbid_unknown_fields=True):
    """Copy the log."""

    file: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,95}\.db$(?!\n)",  # `$` is before a last \n, too
            description="Name of a new file in the folder of the log; it ends in .db.",
        ),
    ]
