"""Records: what the log of a service is made of, each with its number in the order of the log.

    decision     what was chosen for a context, by which policy and state, and all probabilities
    outcome      the reward of a decision: reported, or the default when none came in time
    activation   a deferred decision was shown
    control      settings, labels, promotions, rollbacks: all that changes how records are read

The state of a model is a function of these alone: outcomes are applied in their order.
"""

from typing import Any, NamedTuple

import numpy as np

DECISION, OUTCOME, ACTIVATION, CONTROL = range(1, 5)
REPORTED, DEFAULT = "reported", "default"
BASELINE = "(baseline)"  # the policy of decisions of an apprentice: no learner has this name


class Decision(NamedTuple):
    """A choice, with all that is needed to learn from its outcome and to judge other policies."""

    seq: int
    ts: float  # seconds since 1970
    event_id: str
    context: bytes | None  # JSON as it came; None once it was forgotten
    x: bytes | None  # the encoded row
    allowed: bytes | None  # ids of the allowed labels, int64; None: all that are active
    pmf: bytes  # probabilities of all labels, float64
    shadows: bytes | None  # those of the challengers, one after the other in the order of names
    label: int
    greedy: int
    propensity: float
    policy: str
    model_seq: int  # of the last record that the model had learnt from
    deferred: bool  # not an event until it is activated


class Outcome(NamedTuple):
    """The reward of a decision."""

    seq: int
    ts: float
    event_id: str
    decision: int  # its seq
    reward: float
    source: str  # reported, or default


class Activation(NamedTuple):
    """A deferred decision became an event."""

    seq: int
    ts: float
    event_id: str
    decision: int


class Control(NamedTuple):
    """A change of what comes after it."""

    seq: int
    ts: float
    what: str
    body: dict[str, Any]


Record = Decision | Outcome | Activation | Control


class Sampled(NamedTuple):
    """A decision as a sample of its probabilities."""

    seq: int
    pmf: bytes
    label: int


class Judged(NamedTuple):
    """An event with what became of it."""

    seq: int  # of the record that made it an event: the decision, or its activation
    decision: int  # its seq
    pmf: bytes
    shadows: bytes | None
    label: int
    policy: str
    reward: float | None  # None: there is none yet


class Logged(NamedTuple):
    """A decision with what became of it, as an event of an `onearm.Log`."""

    seq: int
    ts: float
    event_id: str
    x: bytes | None
    allowed: bytes | None
    pmf: bytes
    label: int
    greedy: int
    propensity: float
    policy: str
    model_seq: int
    is_event: bool  # not deferred, or activated
    reward: float | None
    source: str | None  # of the outcome; None: there is none


class Rejected(NamedTuple):
    """Feedback that was not learnt from, and why."""

    ts: float
    event_id: str
    why: str
    reward: float


class Piece(NamedTuple):
    """A part of a snapshot; the last one, which has the digest, makes it valid."""

    seq: int  # of the last record that the models had learnt from
    part: int
    data: bytes
    sha256: str | None = None  # of all parts


def pack_row(x: Any) -> bytes:
    """Return an encoded row as bytes: dense, or sparse (indices, values).

    >>> unpack_row(pack_row(np.array([1.0, 2.0])))
    array([1., 2.])
    """
    if isinstance(x, tuple):
        return b"s" + x[0].astype("<i4").tobytes() + x[1].astype("<f8").tobytes()
    return b"d" + x.astype("<f8").tobytes()


def unpack_row(data: bytes) -> Any:
    """Return the row that `pack_row` made bytes of."""
    if data[:1] == b"d":
        return np.frombuffer(data, "<f8", offset=1).copy()
    n = (len(data) - 1) // 12
    indices = np.frombuffer(data, "<i4", n, offset=1).copy()
    return indices, np.frombuffer(data, "<f8", n, offset=1 + 4 * n).copy()
