"""The core of a service: decide, feedback, activate and change, over a log. No HTTP, no threads.

A batch of requests becomes records, the records are committed, outcomes are applied to the models
in their order, and only then anything is answered. So an answer is in the log, and the models are a
function of the log. Decisions of a batch come first: they see the models as the batch found them.
"""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from onearm.service import replay
from onearm.service.changes import changes, environment
from onearm.service.monitoring import Monitoring
from onearm.service.records import (
    Control,
    Decision,
    Outcome,
    Piece,
)
from onearm.service.requests import Answer, Change, Decide, Request
from onearm.service.snapshots import pieces, remove_old
from onearm.service.store import Store
from onearm.service.work import Work

RECENT = 20_000  # decisions in memory, so that feedback need not ask the store,
LARGE = 2**14  # except those of more bytes: they would fill it


class Core:
    """A service without its surroundings: a store, models, and a clock."""

    def __init__(self, store: Store, settings: dict[str, Any], clock: Callable[[], float]) -> None:
        _require_undamaged(store)
        self.store, self.clock = store, clock
        self.counts: Counter[str] = Counter()
        self.recent: OrderedDict[str, Decision] = OrderedDict()
        self.outcomes: dict[str, Outcome] = {}  # all that those in `recent` have
        self.ts, self.seq = store.last_ts(), store.last_seq()
        self.ahead = max(0.0, self.ts - clock())  # of the clock, if that was set back meanwhile
        self.monitoring = Monitoring(store.n_pending())
        self.n_learnt, self.learning_seconds = 0, 0.0
        self.settings: dict[str, Any] = {}
        self.models: Any = None  # Models, once there is a first record
        self.changed: list[Change] = []  # since the start before this one
        if self.seq:
            policies = replay.settings_at(store, self.seq)["policies"]
            self.settings, self.models = replay.recover(store, codes=environment(policies))
        self._start(settings)

    def _start(self, settings: dict[str, Any]) -> None:
        """Write what is new about the settings, and about the code that runs."""
        now = environment(self.settings["policies"]) if self.settings else {}
        is_other = bool(self.settings) and (now != self.settings["environment"] or self._is_apart())
        new = [("environment", {"environment": now})] if is_other else []
        for what, body in [*new, *changes(self.settings, settings)]:
            (answer,) = self.handle([Change(what, body)])
            if answer.status != 200:
                raise ValueError(f"the settings cannot be used: {answer.body['reason']}")
            self.changed.append(Change(what, body))
        if is_other:
            self.save_snapshot()

    def _is_apart(self) -> bool:
        """Whether models may differ from those before the start, since not all was replayed so."""
        controls = self.store.controls(0, self.seq)
        last = max((c.seq for c in controls if c.what == "environment"), default=0)
        return self.models.loaded_from < last or self.models.forgotten > 0

    def save_snapshot(self) -> None:
        """Commit a snapshot at once."""
        for piece in pieces(self.models.moment().dumps(), self.seq):
            self.handle([], piece)
        remove_old(self.store)

    def now(self) -> float:
        """Return the time, which never goes back, and goes on where the log ends."""
        self.ts = max(self.ts, self.clock() + self.ahead)
        return self.ts

    def handle(self, requests: Sequence[Request], piece: Piece | None = None) -> list[Answer]:
        """Answer requests; all that the answers say is committed when this returns.

        The same commit has default rewards of decisions whose time has passed, and a `piece` of a
        snapshot. Each change has a commit of its own, since the next one depends on it.
        """
        is_change = [isinstance(request, Change) for request in requests]
        if not any(is_change):
            return self._handle(requests, piece)
        plain = [request for request in requests if not isinstance(request, Change)]
        answers = iter(self._handle(plain, piece) if plain or piece else ())
        changed = [request for request in requests if isinstance(request, Change)]
        made = iter([self._change(request) for request in changed])
        return [next(made) if change else next(answers) for change in is_change]

    def _change(self, request: Change) -> Answer:
        if request.what == "forget":  # what was learnt from them is in a snapshot before they go
            self.save_snapshot()
        return self._handle([request], None)[0]

    def _handle(self, requests: Sequence[Request], piece: Piece | None) -> list[Answer]:
        work = Work(self)
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

    def _commit(self, work: Work) -> None:
        batch = work.batch
        if batch:
            self.store.commit(batch)  # what is raised here ends the service: nothing is answered
        for record in batch.records:
            self.seq = record.seq
            if isinstance(record, Outcome):
                begin = time.perf_counter()
                decision = work.decisions[record.event_id]
                decision = replay.with_current_row(decision, self.settings, self.models)
                self.models.learn(record, decision)
                self.learning_seconds += time.perf_counter() - begin
                self.n_learnt += 1
            elif isinstance(record, Control):
                self.settings, self.models = replay.apply_control(
                    self.store, self.settings, self.models, record, work.prepared
                )
        self.monitoring.add(batch.records, work.decisions)
        self._remember(work)
        if batch.forgotten:
            self.recent.clear()
            self.outcomes.clear()
        while len(self.recent) > RECENT:
            self.outcomes.pop(self.recent.popitem(last=False)[0], None)

    def _remember(self, work: Work) -> None:
        for event_id, decision in work.decisions.items():
            some, more = decision.context or b"", decision.shadows or b""
            if len(some) + len(more) + len(decision.x or b"") + len(decision.pmf) <= LARGE:
                self.recent[event_id] = decision
                if event_id in work.outcomes:
                    self.outcomes[event_id] = work.outcomes[event_id]

    def decision(self, event_id: str) -> Decision | None:
        """Return the decision of an event."""
        return self.recent.get(event_id) or self.store.decision(event_id)

    def outcome(self, event_id: str) -> Outcome | None:
        """Return the outcome of an event."""
        if event_id in self.recent:
            return self.outcomes.get(event_id)
        return self.store.outcome(event_id)


def _require_undamaged(store: Store) -> None:
    """Refuse to start on a store that is not as it was written: old events had other answers."""
    damages = store.damages()
    if damages:
        what = f"the log is damaged: {'; '.join(damages[:3])}"
        todo = "put a backup in its place; `onearm verify FILE` lists what is wrong"
        raise ValueError(f"{what}. Nothing was started or changed: {todo}")
