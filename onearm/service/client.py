"""A client of a service that waits for answers. It needs only the standard library."""

import http.client
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Self

from onearm.service.answers import Decided, Refused, Settled, State
from onearm.service.exchange import Answer, Call, Exchange, Reply, Send, Wait


class Client:
    """Asks a service for decisions and gives it rewards.

    A request that got no answer is sent again with the same event id, so nothing is decided or
    learnt twice. A client may be used by several threads; `with` closes its connections.

    Parameters
    ----------
    url
        Address of the service.
    app
        Name of the app.
    token
        Token, if the service has any.
    timeout
        Seconds to wait for an answer.
    retries
        How often a request is sent again that got no answer, or 503.

    Examples
    --------
    >>> import onearm
    >>> with onearm.Client("http://127.0.0.1:8080", app="news") as client:  # doctest: +SKIP
    ...     decision = client.decide({"age": 31, "device": "phone"})
    ...     client.feedback(decision.event_id, 1.0)
    """

    def __init__(
        self, url: str, app: str, token: str | None = None, *, timeout: float = 10.0,
        retries: int = 5,
    ) -> None:  # fmt: skip
        self._exchange = Exchange.to(url, app, token, retries)
        self._timeout = timeout
        self._idle: list[http.client.HTTPConnection] = []

    def decide(
        self, context: Any, *, event_id: str | None = None, among: Sequence[Any] | None = None,
        deferred: bool = False, baseline: Any = None,
    ) -> Decided:  # fmt: skip
        """Return a decision for a context; a deferred one is no event until it is activated.

        `baseline` is the label that an apprentice lets decide.
        """
        return self._run(self._exchange.decide(context, event_id, among, deferred, baseline))

    def decide_many(
        self, contexts: Sequence[Any], *, event_ids: Sequence[str] | None = None,
        among: Sequence[Any] | None = None, baselines: Sequence[Any] | None = None,
    ) -> list[Decided | Refused]:  # fmt: skip
        """Return decisions for contexts, which are committed together.

        In the place of one that is refused is a `Refused`, whose `refused` is true.
        """
        return self._run(self._exchange.decide_many(contexts, event_ids, among, baselines))

    def feedback(self, event_id: str, reward: float) -> Settled:
        """Give the reward of an event."""
        return self._run(self._exchange.feedback(event_id, reward))

    def feedback_many(self, rewards: Mapping[str, float]) -> list[Settled | Refused]:
        """Give rewards by event id, which are committed together.

        In the place of one that is refused is a `Refused`, whose `refused` is true.
        """
        return self._run(self._exchange.feedback_many(rewards))

    def activate(self, event_id: str) -> Settled:
        """Say that a deferred decision was shown."""
        return self._run(self._exchange.activate(event_id))

    def state(self) -> State:
        """Return what the service is at this moment."""
        return self._run(self._exchange.state())

    def _run(self, call: Call[Answer]) -> Answer:
        """Do what a call wants, until it has its answer."""
        try:
            step = next(call)
            while True:
                if isinstance(step, Wait):
                    time.sleep(step.seconds)
                    step = call.send(None)
                else:
                    step = call.send(self._send(step))
        except StopIteration as end:
            return end.value

    def _send(self, request: Send) -> Reply | Exception:
        connection = self._unused() or self._connection()
        try:
            connection.request(request.method, request.path, request.body, request.headers)
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            reply = Reply(response.status, headers, response.read())
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            return error
        self._idle.append(connection)
        return reply

    def _unused(self) -> http.client.HTTPConnection | None:
        """Return an open connection, if there is one; another thread may take the last, too."""
        with suppress(IndexError):
            return self._idle.pop()
        return None

    def _connection(self) -> http.client.HTTPConnection:
        exchange = self._exchange
        kind = http.client.HTTPSConnection if exchange.tls else http.client.HTTPConnection
        return kind(exchange.host, exchange.port, timeout=self._timeout)

    def close(self) -> None:
        """Close connections that are not in use."""
        while (connection := self._unused()) is not None:
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()
