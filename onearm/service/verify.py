"""Verify: replay a whole log and compare everything in it that follows from the rest.

One pass in the order of the log. Records have no gaps; an outcome comes after its decision, and
once; a default reward not before its time. Every decision is made again from the models as they
were, and every snapshot compared with them. Where the log was written by the code and on the
machine that runs now, all must be equal to the bit; elsewhere to 1e-9, as far as this code can
tell. What was forgotten or removed cannot be replayed: the next snapshot is taken instead.
"""

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from onearm.service import order
from onearm.service.changes import environment
from onearm.service.models import Models
from onearm.service.records import (
    BASELINE,
    Control,
    Decision,
    Outcome,
    Record,
    pack_row,
    unpack_row,
)
from onearm.service.repeats import as_context
from onearm.service.replay import apply_control, changed_settings, with_current_row
from onearm.service.snapshots import load_snapshot
from onearm.service.store import Store

CLOSE = 1e-9  # how far a probability may be off that other code or another machine computed
SHOWN = ("records", "decisions", "snapshots", "violations")  # counts, in their order
LISTED = 20  # violations that are reported in words
DEPENDING = ("add_policy", "schema", "rollback")  # controls that read earlier records


@dataclass
class Report:
    """What was verified, and what was found."""

    counts: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found."""
        return not self.violations

    def violate(self, text: str) -> None:
        """Add a violation."""
        self.counts["violations"] += 1
        if len(self.violations) < LISTED:
            self.violations.append(text)

    def __str__(self) -> str:
        counts = sorted(self.counts.items(), key=lambda pair: SHOWN.index(pair[0].split()[0]))
        words = [f"{n:>12,} {what}" for what, n in counts if n]
        rate = self.counts["records"] / max(self.seconds, 1e-9)
        last = "sound" if self.is_sound else f"{self.counts['violations']:,} VIOLATIONS"
        found = [f"violation: {text}" for text in self.violations]
        done = f"{self.seconds:.1f} s, {rate:,.0f} records a second"
        return "\n".join([*words, *self.notes, *found, f"{last} ({done})"])


def verify(store: Store, decisions: bool = True) -> Report:
    """Replay the log of a store; `decisions`: make every decision again, which takes longer."""
    begin, report = time.perf_counter(), Report()
    for damage in store.damages():
        report.violate(f"the file is damaged: {damage}")
    try:
        replay = _Replay(store, decisions, report)
        for record in store.records():
            replay.add(record)
        replay.end()
    except Exception as error:  # whatever a damaged file leads to: this is for such files
        last, what = report.counts["records"], f"{type(error).__name__}: {error}"
        report.violate(f"the replay ended after {last:,} records: {what}")
    report.seconds = time.perf_counter() - begin
    return report


class _Replay:
    """The state of a replay, and what it has found."""

    def __init__(self, store: Store, decisions: bool, report: Report) -> None:
        self.store, self.decisions, self.report = store, decisions, report
        self.counts = self.report.counts
        controls = store.controls(0, store.last_seq())
        self.order = order.Order(self.report.violate, controls)
        self.base = self.order.base
        self.forgotten = {
            seq: control.seq
            for control in controls if control.what == "forget"
            for seq in control.body["decisions"]
        }  # fmt: skip
        self.lost_until = 0  # the last record before which forgotten outcomes were learnt from
        self.snapshots = [seq for seq in store.snapshots() if seq >= self.base]
        self.settings: dict[str, Any] = {}
        self.models: Any = None
        self.is_known = self.is_anchored = True
        self.is_here = self.is_same_code = True
        self.waiting: list[tuple[Outcome, Decision]] = []

    def add(self, record: Record) -> None:
        """Take the next record."""
        self.counts["records"] += 1
        self._snapshots_before(record.seq)
        pair = self.order.add(record, self.settings)
        if isinstance(record, Control):
            self._control(record)
        elif self.models is not None and isinstance(record, Decision):
            self._decision(record)
        elif self.models is not None and isinstance(record, Outcome) and pair is not None:
            self._outcome(record, pair)

    def _snapshots_before(self, seq: int) -> None:
        while self.snapshots and self.snapshots[-1] < seq:
            self._snapshot(self.snapshots.pop())

    def end(self) -> None:
        """Compare what is open with what the store has as pending."""
        self._snapshots_before(self.order.seq + 1)
        self._learn()
        self.order.end(self.store)
        for seq in self.snapshots:
            self.report.violate(f"snapshot {seq} comes after the last record")

    def _learn(self) -> None:
        pairs, self.waiting = self.waiting, []
        try:
            if len(pairs) == 1:
                self.models.learn(*pairs[0])
            elif pairs:
                self.models.learn_all(pairs)
        except (ValueError, LookupError) as error:
            seqs = f"{pairs[0][0].seq} to {pairs[-1][0].seq}"
            self.report.violate(f"outcomes {seqs} cannot be learnt from: {error}")
            self.is_known = False

    def _control(self, record: Control) -> None:
        self._learn()
        if record.seq <= self.base:
            self.settings = changed_settings(self.settings, record)
        else:
            if record.what in DEPENDING and self.lost_until > record.seq:
                self.is_known = False
            try:
                self.settings, self.models = apply_control(
                    self.store, self.settings, self.models, record
                )
            except (ValueError, LookupError) as error:
                self.report.violate(f"record {record.seq}, {record.what}: {error}")
                self.is_known = False
        if record.what in ("start", "environment", "add_policy"):
            self._compare_environment()
        if record.what == "environment":
            self.is_anchored = False

    def _compare_environment(self) -> None:
        policies, known = self.settings["policies"], self.settings["environment"]
        here = environment(policies)
        self.is_here = here == known
        learners = {learner["name"] for learner in policies.values()}
        self.is_same_code = all(here.get(name) == known.get(name) for name in learners)

    @property
    def is_exact(self) -> bool:
        """Whether the replay must give the bits of the log."""
        return self.is_here and self.is_anchored

    def _outcome(self, outcome: Outcome, decision: Decision) -> None:
        if decision.x is None:
            forgotten = self.forgotten.get(decision.seq)
            if forgotten is None:
                self.report.violate(f"decision {decision.seq} has no context, but no mark either")
            elif forgotten > outcome.seq:  # it was learnt from
                self.is_known, self.lost_until = False, max(self.lost_until, forgotten)
        decision = with_current_row(decision, self.settings, self.models)
        self.waiting.append((outcome, decision))

    def _snapshot(self, seq: int) -> None:
        self._learn()
        self.counts["snapshots"] += 1
        try:
            models = load_snapshot(self.store, seq)
        except (ValueError, KeyError, TypeError) as error:
            if seq == self.base or self.is_here:
                self.report.violate(f"snapshot {seq}: {error}")
            else:
                self.report.notes.append(f"snapshot {seq} of other code was not read: {error}")
            return
        is_same = self.models is not None and models.sha256() == self.models.sha256()
        if is_same:
            self.counts["snapshots equal to the replay"] += 1
        elif self.models is None:
            self.report.notes.append(f"the replay begins at snapshot {seq}")
        elif self.is_known and self.is_exact:
            self.report.violate(f"snapshot {seq} is not what the log before it gives")
        else:
            self.report.notes.append(f"snapshot {seq} is taken as it is: the replay goes on there")
        self.models, self.is_known, self.is_anchored = models, True, True

    def _decision(self, record: Decision) -> None:
        self._learn()
        if record.model_seq != self.models.seq:
            self.report.violate(
                f"decision {record.seq} names state {record.model_seq}, not {self.models.seq}"
            )
        if (record.policy == BASELINE) != bool(self.settings.get("apprentice")):
            self.report.violate(f"decision {record.seq} is of policy {record.policy}")
        if record.x is None:
            self.counts["decisions forgotten"] += 1
        elif not self.is_known:
            self.counts["decisions not replayable: something before was forgotten"] += 1
        elif self.decisions:
            self._decide(record, record.x)

    def _decide(self, record: Decision, x: bytes) -> None:
        wrong = differences(self.models, record, x, self.is_exact)
        if not wrong:
            kind = "to the bit" if self.is_exact else f"to {CLOSE:g}"
            self.counts[f"decisions equal {kind}"] += 1
        elif self.is_same_code:
            self.report.violate(f"decision {record.seq} ({record.event_id}): {', '.join(wrong)}")
        else:
            self.counts["decisions of other code that this code does not repeat"] += 1


def differences(models: Models, record: Decision, x: bytes, is_exact: bool) -> list[str]:
    """Return what of a decision is not what the models decide."""
    names, among = models.agent.schema.labels, None
    if record.allowed is not None:
        among = [names[i] for i in np.frombuffer(record.allowed, np.int64)]
    try:
        if record.policy == BASELINE:  # its label was given
            given = names[record.label]
            again = models.follow_row(unpack_row(x), among, record.event_id, given)
        else:
            again = models.choose_row(unpack_row(x), among, record.event_id)
        row = pack_row(models.agent.schema.encode(as_context(record.context or b"{}")))
    except (ValueError, ArithmeticError) as error:
        return [str(error)]
    fields = ("label", "greedy", "propensity", "pmf", "shadows", "policy", "allowed")
    wrong = [name for name in fields if getattr(again, name) != getattr(record, name)]
    wrong += ["row"] * (row != x)
    if not is_exact and wrong and _is_close(again, record):
        return []
    return [f"another {name}" for name in wrong]


def _is_close(again: Any, record: Decision) -> bool:
    """Whether two decisions have the same probabilities but for rounding."""
    for name in ("pmf", "shadows"):
        mine, its = getattr(again, name), getattr(record, name)
        if (mine is None) != (its is None) or len(mine or b"") != len(its or b""):
            return False
        if not np.allclose(np.frombuffer(mine or b""), np.frombuffer(its or b""), 0, CLOSE):
            return False
    same = again.label == record.label and again.policy == record.policy
    return same and abs(again.propensity - record.propensity) <= CLOSE
