"""Answers of a service: what a client returns, and what the OpenAPI document describes."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal


@dataclass(frozen=True)
class Decided:
    """A decision that is in the log."""

    event_id: str
    label: str | int  # the chosen label
    greedy: str | int  # the label without exploration
    propensity: float  # the probability with which `label` was chosen
    policy: str  # that chose
    model_seq: int  # of the last record that the policy had learnt from
    seq: int  # of the decision in the log
    refused: ClassVar[bool] = False


@dataclass(frozen=True)
class Settled:
    """What became of feedback, or of an activation."""

    status: Literal["applied", "duplicate", "late", "activated", "active"]
    event_id: str
    seq: int | None = None  # of the outcome in the log
    refused: ClassVar[bool] = False


@dataclass(frozen=True)
class Changed:
    """A change that is in the log."""

    status: Literal["changed"]
    what: str
    seq: int


@dataclass(frozen=True)
class Refused:
    """Why a request was not done: nothing of it is in the log."""

    status: str
    code: int | None = None  # the status of HTTP, of an item of a list
    reason: str | None = None
    event_id: str | None = None
    reward: float | None = None  # of a conflict: the one that is in the log
    refused: ClassVar[bool] = True


@dataclass(frozen=True)
class State:
    """A service at one moment."""

    app: str
    seq: int  # of the last record
    model_seq: int  # of the last record that the policies have learnt from
    sha256: str  # of their state
    champion: str
    policies: dict[str, Any]
    labels: list[str | int]
    retired: list[str | int]
    pending: int  # decisions that wait for feedback
    snapshot_seq: int  # of the last record that the newest snapshot includes
    draining: bool


@dataclass(frozen=True)
class Policies:
    """The policies of a service."""

    champion: str
    policies: dict[str, Any]  # learners by name
    promotion: dict[str, Any]  # when a challenger is promoted: rule and level
    differences: list[dict[str, Any]]  # of each challenger to the champion, on the same events


@dataclass(frozen=True)
class Started:
    """Work that was begun, or is done."""

    status: Literal["begun", "done"]
    seq: int | None = None
    file: str | None = None


@dataclass(frozen=True)
class Health:
    """Whether a service lives, or takes requests."""

    status: Literal["alive", "ready"]


@dataclass(frozen=True)
class Evaluated:
    """What policies would have earned on the events of the log."""

    estimates: list[dict[str, Any]]  # value and interval of each policy
    differences: list[dict[str, Any]]  # to the policy that decided
    notes: list[str]
