"""A client of a service whose answers are awaited. It needs only the standard library."""

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from typing import Any, Self

from onearm.service.answers import Decided, Refused, Settled, State
from onearm.service.exchange import Answer, Call, Exchange, Reply, Send, Wait

BROKEN = (OSError, EOFError, ValueError, LookupError, asyncio.LimitOverrunError)  # connections


class AsyncClient:
    """A `Client` whose methods are awaited.

    Parameters
    ----------
    url, app, token, timeout, retries
        As those of `Client`.

    Examples
    --------
    >>> import onearm
    >>> async def decide(context):
    ...     async with onearm.AsyncClient("http://127.0.0.1:8080", app="news") as client:
    ...         return await client.decide(context)
    """

    def __init__(
        self, url: str, app: str, token: str | None = None, *, timeout: float = 10.0,
        retries: int = 5,
    ) -> None:  # fmt: skip
        self._exchange = Exchange.to(url, app, token, retries)
        self._timeout = timeout
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def decide(
        self, context: Any, *, event_id: str | None = None, among: Sequence[Any] | None = None,
        deferred: bool = False, baseline: Any = None,
    ) -> Decided:  # fmt: skip
        """Return a decision for a context; a deferred one is no event until it is activated.

        `baseline` is the label that an apprentice lets decide.
        """
        return await self._run(self._exchange.decide(
            context, event_id, among, deferred, baseline
        ))  # fmt: skip

    async def decide_many(
        self, contexts: Sequence[Any], *, event_ids: Sequence[str] | None = None,
        among: Sequence[Any] | None = None, baselines: Sequence[Any] | None = None,
    ) -> list[Decided | Refused]:  # fmt: skip
        """Return decisions for contexts, which are committed together.

        In the place of one that is refused is a `Refused`, whose `refused` is true.
        """
        return await self._run(self._exchange.decide_many(
            contexts, event_ids, among, baselines
        ))  # fmt: skip

    async def feedback(self, event_id: str, reward: float) -> Settled:
        """Give the reward of an event."""
        return await self._run(self._exchange.feedback(event_id, reward))

    async def feedback_many(self, rewards: Mapping[str, float]) -> list[Settled | Refused]:
        """Give rewards by event id, which are committed together.

        In the place of one that is refused is a `Refused`, whose `refused` is true.
        """
        return await self._run(self._exchange.feedback_many(rewards))

    async def activate(self, event_id: str) -> Settled:
        """Say that a deferred decision was shown."""
        return await self._run(self._exchange.activate(event_id))

    async def state(self) -> State:
        """Return what the service is at this moment."""
        return await self._run(self._exchange.state())

    async def _run(self, call: Call[Answer]) -> Answer:
        try:
            step = next(call)
            while True:
                if isinstance(step, Wait):
                    await asyncio.sleep(step.seconds)
                    step = call.send(None)
                else:
                    step = call.send(await self._send(step))
        except StopIteration as end:
            return end.value

    async def _send(self, request: Send) -> Reply | Exception:
        stream = None
        try:
            async with asyncio.timeout(self._timeout):
                stream = self._idle.pop() if self._idle else await self._connection()
                reply = await _exchanged(request, *stream)
        except BaseException as error:  # cancelled, too: an answer that comes later is nobody's
            if stream is not None:
                stream[1].close()
            if not isinstance(error, BROKEN):
                raise
            return error
        if reply.headers.get("connection", "").lower() == "close":
            stream[1].close()
        else:
            self._idle.append(stream)
        return reply

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        exchange = self._exchange
        context = ssl.create_default_context() if exchange.tls else None
        return await asyncio.open_connection(exchange.host, exchange.port, ssl=context)

    async def close(self) -> None:
        """Close connections that are not in use."""
        while self._idle:
            _, writer = self._idle.pop()
            writer.close()
            await writer.wait_closed()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.close()


async def _exchanged(
    request: Send, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> Reply:
    """Send a request and return its reply, which has a length or is chunked."""
    headers = request.headers | {"content-length": str(len(request.body))}
    lines = [
        f"{request.method} {request.path} HTTP/1.1",
        *(f"{k}: {v}" for k, v in headers.items()),
    ]
    writer.write("\r\n".join([*lines, "", ""]).encode() + request.body)
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    got = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
    if got.get("transfer-encoding", "").lower() == "chunked":
        body = await _chunks(reader)
    else:
        body = await reader.readexactly(int(got.get("content-length", 0)))
    return Reply(int(head[0].split(" ")[1]), got, body)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int((await reader.readline()).partition(b";")[0], 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readuntil(b"\r\n")
    return body
