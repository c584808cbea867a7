"""The operations of a service, which its routes and its OpenAPI document are made of."""

from typing import Any, NamedTuple

from onearm.service import messages as m
from onearm.service.answers import (
    Changed,
    Decided,
    Evaluated,
    Health,
    Policies,
    Settled,
    Started,
    State,
)


class Operation(NamedTuple):
    """A path, who may use it, and what goes in and out."""

    name: str
    method: str
    path: str  # /v1/{app}/... or of the whole service
    scope: str | None  # that a token needs; None: it is open
    about: str
    answer: Any  # the type of a success, or its media type
    body: Any = None  # the type of the body of a POST
    many: bool = False  # a list of bodies is one commit, and has a list of answers
    success: tuple[int, ...] = (200,)
    refusals: tuple[int, ...] = ()  # beside those that all have
    query: dict[str, str] = {}  # noqa: RUF012 # parameters, and what they are; never changed


V1 = "/v1/{app}"
OPERATIONS = (
    Operation(
        "decide", "POST", f"{V1}/decide", "decide",
        "Choose a label for a context. The same event_id gets the same answer; with another "
        "context, among or deferred it is a conflict.", Decided,
        m.DecideBody, many=True, refusals=(409, 410, 500),
    ),
    Operation(
        "feedback", "POST", f"{V1}/feedback", "feedback",
        "Give the reward of an event. The same reward again is a duplicate, another a conflict; "
        "one after the default reward is late: it is stored, and not learnt from.", Settled,
        m.FeedbackBody, many=True, success=(200, 202), refusals=(404, 409, 410),
    ),
    Operation(
        "activate", "POST", f"{V1}/activate", "decide",
        "Make a deferred decision an event: it was shown.", Settled, m.ActivateBody, many=True,
        refusals=(404, 410),
    ),
    Operation("state", "GET", f"{V1}/state", "read", "The service at one record.", State),
    Operation(
        "events", "GET", f"{V1}/events", "read",
        "Server-sent events: counters and the latest decisions, once a second.",
        "text/event-stream",
    ),
    Operation("policies", "GET", f"{V1}/policies", "read", "Champion and challengers.", Policies),
    Operation(
        "evaluate", "GET", f"{V1}/evaluate", "read",
        "What policies would have earned on the events of the log.", Evaluated,
        refusals=(409,),
        query={"policy": "uniform, always LABEL, or a learner; may be given again."},
    ),
    Operation(
        "promote", "POST", f"{V1}/promote", "admin", "Let another policy decide.", Changed,
        m.PromoteBody,
    ),
    Operation(
        "rollback", "POST", f"{V1}/rollback", "admin",
        "Make a policy what it was at a record; later outcomes stay in the log, unlearnt.", Changed,
        m.RollbackBody,
    ),
    Operation(
        "add_policy", "POST", f"{V1}/add_policy", "admin",
        "Add a challenger; it learns from all outcomes so far.", Changed, m.AddPolicyBody,
    ),
    Operation(
        "remove_policy", "POST", f"{V1}/remove_policy", "admin", "Remove a challenger.", Changed,
        m.RemovePolicyBody,
    ),
    Operation(
        "add_label", "POST", f"{V1}/add_label", "admin",
        "Add a label, or bring a retired one back.", Changed, m.AddLabelBody,
    ),
    Operation(
        "retire_label", "POST", f"{V1}/retire_label", "admin",
        "Choose a label no more; late feedback for it is still learnt from.", Changed,
        m.RetireLabelBody,
    ),
    Operation(
        "snapshot", "POST", f"{V1}/snapshot", "admin",
        "Store the state of all policies with the next commits.", Started, m.Empty, success=(202,),
    ),
    Operation(
        "backup", "POST", f"{V1}/backup", "admin",
        "Copy the log to another file in the same folder, while the service runs.", Started,
        m.BackupBody, refusals=(409,),
    ),
    Operation("metrics", "GET", "/metrics", "read", "Metrics for Prometheus.", "text/plain"),
    Operation("alive", "GET", "/healthz", None, "Whether the process answers.", Health),
    Operation(
        "ready", "GET", "/readyz", None, "Whether requests are taken.", Health, refusals=(503,)
    ),
    Operation(
        "openapi", "GET", "/openapi.json", "read", "This document.", "application/json"
    ),
    Operation(
        "page", "GET", "/", None, "The live page: a frame, which asks for the events.", "text/html"
    ),
    Operation("docs", "GET", "/docs", "read", "This document as a page.", "text/html"),
)  # fmt: skip
