"""Work: requests become answers, and records of one commit. It changes only its batch."""

from typing import Any

from onearm.agent.feedback import as_outcome
from onearm.schema.values import shown
from onearm.service.changes import checked_change
from onearm.service.preparing import still_valid
from onearm.service.records import (
    DEFAULT,
    REPORTED,
    Activation,
    Control,
    Decision,
    Outcome,
    Rejected,
)
from onearm.service.repeats import as_context, difference
from onearm.service.requests import Activate, Answer, Change, Decide, Feedback, Request
from onearm.service.store import Batch

LONGEST = 200  # characters of an event's id
EXPIRED = 256  # decisions that get the default reward in one commit


class Work:
    """A batch in the making."""

    def __init__(self, core: Any) -> None:
        self.core, self.batch = core, Batch()
        self.decisions: dict[str, Decision] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.activated: set[str] = set()
        self.prepared: Any = None  # of the change in it, which is the only one of a batch
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
        except (ArithmeticError, LookupError, TypeError, AttributeError) as error:  # of a model
            self.core.counts["not_finite"] += 1
            return Answer(500, {"status": "failed", "reason": f"{type(error).__name__}: {error}"})

    def _decide(self, request: Decide) -> Answer:
        event_id = as_event_id(request.event_id)
        known = None if request.is_new else self._known(event_id)
        if known is not None:
            other = difference(request, known, self.core)
            if other is not None:
                reason = f"event {event_id!r} was decided with another {other}"
                body = {"status": "conflict", "event_id": event_id, "reason": reason}
                return Answer(409, body)
        elif not request.is_new and self._is_removed(event_id):
            return _removed(event_id)
        else:
            context = as_context(request.context)
            monitor = self.core.monitoring.contexts
            baseline = self._baseline(request)
            chosen = self.core.models.choose(context, request.among, event_id, monitor, baseline)
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

    def _baseline(self, request: Decide) -> Any:
        """Return the label that decides in place of the champion, if that is an apprentice."""
        if not self.core.settings.get("apprentice"):
            return None
        if request.baseline is None:
            raise ValueError("baseline is missing: an apprentice needs the label that decides")
        return request.baseline

    def _wait(self, decision: Decision) -> None:
        due = self.now + self.core.settings["wait"]
        self.batch.pending.append((decision.seq, decision.event_id, due))

    def _is_removed(self, event_id: str) -> bool:
        return "compacted" in self.core.settings and self.core.store.is_removed(event_id)

    def _unknown(self, event_id: str) -> Answer:
        if self._is_removed(event_id):
            return _removed(event_id)
        return Answer(404, {"status": "unknown", "event_id": event_id})

    def _known(self, event_id: str) -> Decision | None:
        return self.decisions.get(event_id) or self.core.decision(event_id)

    def _feedback(self, request: Feedback) -> Answer:
        event_id = as_event_id(request.event_id)
        decision = self._known(event_id)
        if decision is None:
            return self._unknown(event_id)
        reward = float(as_outcome(self.core.settings["feedback"], request.reward))
        outcome = self.outcomes.get(event_id) or self.core.outcome(event_id)
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
            return self._unknown(event_id)
        if not decision.deferred or self._is_activated(event_id):
            return Answer(200, {"status": "active", "event_id": event_id})
        self.batch.records.append(Activation(self.seq(), self.now, event_id, decision.seq))
        self.activated.add(event_id)
        self._wait(decision)
        return Answer(200, {"status": "activated", "event_id": event_id})

    def _change(self, request: Change) -> Answer:
        core, seq = self.core, self.seq()
        request = still_valid(core.store, request)
        self.prepared = request.prepared
        body = checked_change(core.store, core.settings, core.models, request)
        self.batch.records.append(Control(seq, self.now, request.what, body))
        if request.what == "forget":
            self.batch.forgotten += body["decisions"]
        return Answer(200, {"status": "changed", "what": request.what, "seq": seq})


def as_event_id(event_id: Any) -> str:
    """Return the id of an event: a text that can be printed, of 1 to 200 characters."""
    if not isinstance(event_id, str) or not 1 <= len(event_id) <= LONGEST:
        allowed = f"a text of 1 to {LONGEST} characters"
        raise ValueError(f"event_id must be {allowed}, got {shown(event_id)}")
    if not event_id.isprintable():
        raise ValueError(f"event_id must be a text that can be printed, got {event_id!r}")
    return event_id


def _removed(event_id: str) -> Answer:
    reason = "the event is old: it was moved from the log to an export"
    return Answer(410, {"status": "compacted", "event_id": event_id, "reason": reason})
