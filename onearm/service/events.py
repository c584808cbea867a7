"""Server-sent events: once a second the counters of a service and its latest decisions."""

import asyncio
from typing import TYPE_CHECKING, Any

from onearm.service.web import Refusal, encode

if TYPE_CHECKING:
    from onearm.service.web import Service

EVERY = 1.0  # seconds
MOST = 100  # listeners
HEADERS = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]


class Events:
    """Sends the same events to all who listen."""

    def __init__(self, service: "Service") -> None:
        self.service, self.n_listeners = service, 0
        self.seq, self.payload, self.made = 0, b"", -EVERY

    async def stream(self, send: Any) -> None:
        """Send events until the listener leaves or the service ends."""
        if self.n_listeners >= MOST:
            raise Refusal(503, "busy", f"there are {MOST} listeners", (b"retry-after", b"60"))
        self.n_listeners += 1
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            while not self.service.draining:
                event = b"data: " + self.current() + b"\n\n"
                await send({"type": "http.response.body", "body": event, "more_body": True})
                await asyncio.sleep(EVERY)
            await send({"type": "http.response.body", "body": b""})
        finally:
            self.n_listeners -= 1

    def current(self) -> bytes:
        """Return the event of this second, which all listeners get."""
        now = asyncio.get_running_loop().time()
        if now - self.made >= 0.9 * EVERY:
            self.payload, self.made = encode(self.event()), now
        return self.payload

    def event(self) -> dict[str, Any]:
        """Return counters and what is new since the last event."""
        service, core = self.service, self.service.writer.core
        monitoring = core.monitoring
        names = core.models.agent.schema.labels
        decisions = [d for d in list(monitoring.decisions) if d.seq > self.seq]
        outcomes = [o for o in list(monitoring.outcomes) if o.seq > self.seq]
        self.seq = core.seq
        return {
            "app": service.app.name, "ts": core.ts, "seq": core.seq,
            "model_seq": core.models.seq, "champion": core.models.champion,
            "challengers": core.models.challengers, "labels": list(names),
            "retired": core.settings["retired"], "counts": dict(core.counts),
            "refused": service.n_refused, "queue": service.writer.n_waiting,
            "snapshot_seq": service.writer.snapshot_seq, "pending": monitoring.n_pending,
            "mean_reward": monitoring.mean_reward(), "join_rate": monitoring.join_rate(),
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
                for o in outcomes
            ],
        }  # fmt: skip
