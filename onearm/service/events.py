"""Server-sent events: once a second what the watcher knows, with the latest decisions and rewards.

The first event of a listener, `history`, has the curves so far; those after it are the state. The
last one of a service that ends is `draining`.
"""

import asyncio
from typing import TYPE_CHECKING, Any

from onearm.service.web import RefusalError, encode

if TYPE_CHECKING:
    from onearm.service.web import Service

EVERY = 1.0  # seconds
MOST = 100  # listeners
HEADERS = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]


class Events:
    """Sends the same events to all who listen."""

    def __init__(self, service: "Service") -> None:
        self.service, self.n_listeners = service, 0
        self.payload, self.made = b"", -EVERY

    async def stream(self, receive: Any, send: Any) -> None:
        """Send events until the listener leaves or the service ends."""
        if self.n_listeners >= MOST:
            raise RefusalError(503, "busy", f"there are {MOST} listeners", (b"retry-after", b"60"))
        self.n_listeners += 1
        ends = {asyncio.ensure_future(_left(receive)), asyncio.ensure_future(self._drained())}
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            history = encode(self.service.watcher.history())
            await _send(send, b"event: history\ndata: " + history + b"\n\n")
            while not any(end.done() for end in ends):
                if self.service.watcher.state:  # it has looked
                    await _send(send, b"event: state\ndata: " + self.current() + b"\n\n")
                await asyncio.wait(ends, timeout=EVERY, return_when=asyncio.FIRST_COMPLETED)
            if self.service.draining.is_set():
                await _send(send, b"event: draining\ndata: {}\n\n")
            await send({"type": "http.response.body", "body": b""})
        finally:
            self.n_listeners -= 1
            for end in ends:
                end.cancel()

    async def _drained(self) -> None:
        await self.service.draining.wait()

    def current(self) -> bytes:
        """Return the event of this second, which all listeners get."""
        now = asyncio.get_running_loop().time()
        if now - self.made >= 0.9 * EVERY:
            self.payload, self.made = encode(self.event()), now
        return self.payload

    def event(self) -> dict[str, Any]:
        """Return what is shown of the service now."""
        service, core = self.service, self.service.writer.core
        monitoring, decisions = core.monitoring, list(core.monitoring.decisions)
        names = core.models.agent.schema.labels  # after the decisions: one may be of a new label
        return service.watcher.state | {
            "app": service.app.name, "refused": service.n_refused,
            "join_rate": monitoring.join_rate(),
            "recent": [
                {
                    "seq": d.seq, "ts": d.ts, "event_id": d.event_id, "label": names[d.label],
                    "propensity": d.propensity, "policy": d.policy,
                }
                for d in decisions
            ],
            "rewards": [
                {
                    "seq": o.seq, "ts": o.ts, "event_id": o.event_id, "reward": o.reward,
                    "source": o.source,
                }
                for o in list(monitoring.outcomes)
            ],
        }  # fmt: skip


async def _send(send: Any, body: bytes) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def _left(receive: Any) -> None:
    """Wait until the listener has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
