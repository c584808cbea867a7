"""The core of a service: decide, feedback, activate and change, over a log. No HTTP, no threads.

A batch of requests becomes records, the records are committed, outcomes are applied to the models
in their order, and only then anything is answered. So an answer is in the log, and the models are a
function of the log. Decisions of a batch come first: they see the models as the batch found them.
"""

import json
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from onearm.agent.feedback import as_outcome
from onearm.schema.values import shown
from onearm.service import replay
from onearm.service.monitoring import Monitoring
from onearm.service.records import (
    DEFAULT,
    REPORTED,
    Activation,
    Control,
    Decision,
    Outcome,
    Piece,
    Rejected,
)
from onearm.service.requests import Activate, Answer, Change, Decide, Feedback, Request
from onearm.service.store import Batch, Store

LONGEST = 200  # characters of an event's id
RECENT = 20_000  # decisions that are held in memory, so that feedback need not ask the store
EXPIRED = 256  # decisions that get the default reward in one commit


class Core:
    """A service without its surroundings: a store, models, and a clock."""

    def __init__(self, store: Store, settings: dict[str, Any], clock: Callable[[], float]) -> None:
        self.store, self.clock = store, clock
        self.counts: Counter[str] = Counter()
        self.recent: OrderedDict[str, Decision] = OrderedDict()
        self.ts = store.last_ts()
        self.seq = store.last_seq()
        self.monitoring = Monitoring(store.n_pending())
        self.settings: dict[str, Any]
        self.models: Any  # Models, once there is a first record
        self.settings, self.models = replay.recover(store) if self.seq else ({}, None)
        self._start(settings)

    def _start(self, settings: dict[str, Any]) -> None:
        """Write what is new about the settings, and about the code that runs."""
        for what, body in replay.changes(self.settings, settings):
            self.handle([Change(what, body)])

    def now(self) -> float:
        """Return the time, which never goes back."""
        self.ts = max(self.ts, self.clock())
        return self.ts

    def handle(self, requests: Sequence[Request], piece: Piece | None = None) -> list[Answer]:
        """Answer requests; all that the answers say is committed when this returns.

        The same commit has default rewards of decisions whose time has passed, and a `piece` of a
        snapshot.
        """
        work = _Work(self)
        order = sorted(range(len(requests)), key=lambda i: not isinstance(requests[i], Decide))
        answers: list[Any] = [None] * len(requests)
        for i in order:
            answers[i] = work.answer(requests[i])
        if self.models is not None:
            work.expire()
        work.batch.pieces += [] if piece is None else [piece]
        self._commit(work)
        self.counts.update(answer.body.get("status", "decided") for answer in answers)
        return answers

    def _commit(self, work: "_Work") -> None:
        batch = work.batch
        if batch:
            self.store.commit(batch)  # what is raised here ends the service: nothing is answered
        for record in batch.records:
            self.seq = record.seq
            if isinstance(record, Outcome):
                self.models.learn(record, work.decisions[record.event_id])
            elif isinstance(record, Control):
                self.settings, self.models = replay.apply_control(
                    self.store, self.settings, self.models, record
                )
        self.monitoring.add(batch.records, work.decisions)
        for decision in work.decisions.values():
            self.recent[decision.event_id] = decision
        while len(self.recent) > RECENT:
            self.recent.popitem(last=False)

    def decision(self, event_id: str) -> Decision | None:
        """Return the decision of an event."""
        return self.recent.get(event_id) or self.store.decision(event_id)


class _Work:
    """A batch in the making."""

    def __init__(self, core: Core) -> None:
        self.core, self.batch = core, Batch()
        self.decisions: dict[str, Decision] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.activated: set[str] = set()
        self.now = core.now()

    def seq(self) -> int:
        return self.core.seq + len(self.batch.records) + 1

    def answer(self, request: Request) -> Answer:
        try:
            if isinstance(request, Decide):
                return self._decide(request)
            if isinstance(request, Feedback):
                return self._feedback(request)
            if isinstance(request, Activate):
                return self._activate(request)
            return self._change(request)
        except (ValueError, RecursionError) as error:
            return Answer(422, {"status": "invalid", "reason": str(error)})
        except ArithmeticError as error:  # of a model: nothing was decided
            self.core.counts["not_finite"] += 1
            return Answer(500, {"status": "failed", "reason": str(error)})

    def _decide(self, request: Decide) -> Answer:
        event_id = as_event_id(request.event_id)
        known = self._known(event_id)
        if known is None:
            context = as_context(request.context)
            chosen = self.core.models.choose(context, request.among, event_id)
            known = Decision(
                self.seq(), self.now, event_id, request.context, chosen.x, chosen.allowed,
                chosen.pmf, chosen.shadows, chosen.label, chosen.greedy, chosen.propensity,
                chosen.policy, self.core.models.seq, request.deferred,
            )  # fmt: skip
            self.batch.records.append(known)
            self.decisions[event_id] = known
            if not request.deferred:
                self._wait(known)
        names = self.core.models.agent.schema.labels
        return Answer(200, {
            "event_id": event_id, "label": names[known.label], "greedy": names[known.greedy],
            "propensity": known.propensity, "policy": known.policy, "model_seq": known.model_seq,
            "seq": known.seq,
        })  # fmt: skip

    def _wait(self, decision: Decision) -> None:
        due = self.now + self.core.settings["wait"]
        self.batch.pending.append((decision.seq, decision.event_id, due))

    def _known(self, event_id: str) -> Decision | None:
        return self.decisions.get(event_id) or self.core.decision(event_id)

    def _feedback(self, request: Feedback) -> Answer:
        event_id = as_event_id(request.event_id)
        decision = self._known(event_id)
        if decision is None:
            return Answer(404, {"status": "unknown", "event_id": event_id})
        reward = float(as_outcome(self.core.settings["feedback"], request.reward))
        outcome = self.outcomes.get(event_id) or self.core.store.outcome(event_id)
        if outcome is not None:
            return self._again(outcome, reward)
        if decision.deferred and not self._is_activated(event_id):
            return Answer(409, {"status": "not_activated", "event_id": event_id})
        seq = self.settle(decision, reward, REPORTED)
        return Answer(200, {"status": "applied", "event_id": event_id, "seq": seq})

    def settle(self, decision: Decision, reward: float, source: str) -> int:
        """Add the outcome of a decision; return its number."""
        event_id, seq = decision.event_id, self.seq()
        outcome = Outcome(seq, self.now, event_id, decision.seq, reward, source)
        self.batch.records.append(outcome)
        self.batch.settled.append(decision.seq)
        self.decisions[event_id], self.outcomes[event_id] = decision, outcome
        return seq

    def expire(self) -> None:
        """Give the default reward to decisions whose time has passed."""
        for _, event_id in self.core.store.due(self.now, EXPIRED):
            decision = self._known(event_id)
            if decision is not None and event_id not in self.outcomes:
                self.settle(decision, self.core.settings["default_reward"], DEFAULT)
                self.core.counts["expired"] += 1

    def _again(self, outcome: Outcome, reward: float) -> Answer:
        """Answer feedback for an event that has an outcome: nothing is learnt from it."""
        event_id = outcome.event_id
        if outcome.source == DEFAULT:
            self.batch.rejected.append(Rejected(self.now, event_id, "late", reward))
            return Answer(202, {"status": "late", "event_id": event_id})
        if outcome.reward == reward:
            return Answer(200, {"status": "duplicate", "event_id": event_id, "seq": outcome.seq})
        self.batch.rejected.append(Rejected(self.now, event_id, "conflict", reward))
        return Answer(409, {"status": "conflict", "event_id": event_id, "reward": outcome.reward})

    def _is_activated(self, event_id: str) -> bool:
        return event_id in self.activated or self.core.store.is_activated(event_id)

    def _activate(self, request: Activate) -> Answer:
        event_id = as_event_id(request.event_id)
        decision = self._known(event_id)
        if decision is None:
            return Answer(404, {"status": "unknown", "event_id": event_id})
        if not decision.deferred or self._is_activated(event_id):
            return Answer(200, {"status": "active", "event_id": event_id})
        self.batch.records.append(Activation(self.seq(), self.now, event_id, decision.seq))
        self.activated.add(event_id)
        self._wait(decision)
        return Answer(200, {"status": "activated", "event_id": event_id})

    def _change(self, request: Change) -> Answer:
        replay.require_change(self.core.store, self.core.settings, self.core.models, request)
        seq = self.seq()
        self.batch.records.append(Control(seq, self.now, request.what, request.body))
        return Answer(200, {"status": "changed", "what": request.what, "seq": seq})


def as_event_id(event_id: Any) -> str:
    """Return the id of an event: a text that can be printed, of 1 to 200 characters."""
    if not isinstance(event_id, str) or not 1 <= len(event_id) <= LONGEST:
        allowed = f"a text of 1 to {LONGEST} characters"
        raise ValueError(f"event_id must be {allowed}, got {shown(event_id)}")
    if not event_id.isprintable():
        raise ValueError(f"event_id must be a text that can be printed, got {event_id!r}")
    return event_id


def as_context(data: bytes) -> dict[str, Any]:
    """Return the context of JSON."""
    try:
        context = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"context must be JSON: {error}") from None
    if not isinstance(context, dict):
        raise ValueError(f"context must be an object of columns, got {shown(context)}")
    return context
