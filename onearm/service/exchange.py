"""What a client says to a service, without input and output: requests, retries, answers.

A call is a generator. It yields what is to be sent or how long to wait, gets the reply or the
error, and returns the answer. So the client that waits and the one that awaits share all of it. A
decision without an id gets one before it is first sent: every attempt is the same event.
"""

import json
import random
from collections.abc import Generator, Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

from onearm.schema.values import shown
from onearm.service.answers import Decided, Refused, Settled, State
from onearm.service.plain import as_json

Refusable = TypeVar("Refusable", Decided, Settled)
AGAIN = (502, 503, 504)  # statuses after which the same request is sent again
LONGEST = 10.0  # seconds between attempts


class Send(NamedTuple):
    """A request to be sent; its reply comes back, or an OSError."""

    method: str
    path: str
    body: bytes
    headers: dict[str, str]


class Wait(NamedTuple):
    """A pause."""

    seconds: float


class Reply(NamedTuple):
    """What a service answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class ServiceError(Exception):
    """A service refused a request, or could not be reached."""

    def __init__(self, code: int, status: str, reason: str) -> None:
        super().__init__(f"{status} ({code}): {reason}" if code else reason)
        self.code, self.status, self.reason = code, status, reason


Answer = TypeVar("Answer")
Call = Generator[Send | Wait, Any, Answer]


class Exchange(NamedTuple):
    """Calls to one app of a service."""

    host: str
    port: int
    tls: bool
    prefix: str
    headers: dict[str, str]
    retries: int

    @classmethod
    def to(cls, url: str, app: str, token: str | None, retries: int) -> "Exchange":
        """Return the calls to an app at an address."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f'url must be as "http://127.0.0.1:8080", got {shown(url)}')
        if type(retries) is not int or retries < 0:
            raise ValueError(f"retries must be an integer of at least 0, got {shown(retries)}")
        tls = parts.scheme == "https"
        headers = {"host": parts.netloc.rpartition("@")[2], "content-type": "application/json"}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        port, base = parts.port or (443 if tls else 80), parts.path.rstrip("/")
        return cls(parts.hostname, port, tls, f"{base}/v1/{app}", headers, retries)

    def decide(
        self, context: Any, event_id: str | None, among: Sequence[Any] | None, deferred: bool,
        baseline: Any,
    ) -> Call[Decided]:  # fmt: skip
        """Ask for a decision."""
        return _as(Decided, (yield from self._call("decide", _wish(
            context, event_id, among, deferred, baseline
        ))))  # fmt: skip

    def decide_many(
        self, contexts: Sequence[Any], event_ids: Sequence[str] | None,
        among: Sequence[Any] | None, baselines: Sequence[Any] | None,
    ) -> Call[list[Decided | Refused]]:  # fmt: skip
        """Ask for decisions that are committed together; one that is wrong is refused alone."""
        ids, labels = ([None] * len(contexts) if x is None else x for x in (event_ids, baselines))
        each = zip(contexts, ids, labels, strict=True)
        wishes = [_wish(x, i, among, False, label) for x, i, label in each]
        return _all(Decided, (yield from self._call("decide", wishes)))

    def feedback(self, event_id: str, reward: float) -> Call[Settled]:
        """Give a reward."""
        body = {"event_id": event_id, "reward": reward}
        return _as(Settled, (yield from self._call("feedback", body)))

    def feedback_many(self, rewards: Mapping[str, float]) -> Call[list[Settled | Refused]]:
        """Give rewards that are committed together; one that is wrong is refused alone."""
        body = [{"event_id": event, "reward": reward} for event, reward in rewards.items()]
        return _all(Settled, (yield from self._call("feedback", body)))

    def activate(self, event_id: str) -> Call[Settled]:
        """Say that a deferred decision was shown."""
        return _as(Settled, (yield from self._call("activate", {"event_id": event_id})))

    def state(self) -> Call[State]:
        """Ask for the state."""
        return _as(State, (yield from self._call("state")))

    def _call(self, name: str, body: Any = None) -> Call[Any]:
        """Send a request until it is answered, or the attempts are used up."""
        data = b"" if body is None else as_json(body)
        method, reply = "GET" if body is None else "POST", None
        for attempt in range(self.retries + 1):
            reply = yield Send(method, f"{self.prefix}/{name}", data, self.headers)
            if isinstance(reply, Reply) and reply.status not in AGAIN:
                return _content(reply)
            if attempt < self.retries:
                yield Wait(_pause(attempt, reply))
        if isinstance(reply, Reply):
            return _content(reply)
        address = f"{self.host}:{self.port}"
        reason = f"no answer from {address} after {self.retries + 1} attempts: {reply!r}"
        raise ServiceError(0, "unreachable", reason) from reply


def _wish(context: Any, event_id: Any, among: Any, deferred: bool, baseline: Any) -> dict[str, Any]:
    body = {"event_id": uuid4().hex if event_id is None else event_id, "context": context}
    if among is not None:
        body["among"] = list(among)
    if baseline is not None:
        body["baseline"] = baseline
    return body | ({"deferred": True} if deferred else {})


def _pause(attempt: int, reply: Any) -> float:
    """Return a random time that grows with each attempt, at least as long as was asked for."""
    least = 0.0
    if isinstance(reply, Reply):
        asked = reply.headers.get("retry-after", "")
        least = float(asked) if asked.isdigit() else 0.0
    return min(LONGEST, max(least, random.uniform(0.5, 1.0) * 0.05 * 2**attempt))


def _content(reply: Reply) -> Any:
    try:
        content = json.loads(reply.body)
    except ValueError:
        content = {"status": "no_json", "reason": shown(reply.body)}
    if reply.status >= 300 or not isinstance(content, dict | list):
        _refuse(reply.status, content if isinstance(content, dict) else {})
    return content


def _refuse(code: int, content: dict[str, Any]) -> None:
    status = str(content.get("status", "failed"))
    raise ServiceError(code, status, str(content.get("reason") or f"{content}"))


def _as(kind: type[Answer], content: dict[str, Any]) -> Answer:
    """Return an answer of a kind; what a later version says besides is left out."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type] # a dataclass
    return kind(**{name: content[name] for name in names if name in content})


def _all(kind: type[Refusable], contents: list[dict[str, Any]]) -> list[Refusable | Refused]:
    """Return answers of a kind, and refusals in the places of requests that were refused."""
    return [_as(kind, c) if c["code"] < 300 else _as(Refused, c) for c in contents]
