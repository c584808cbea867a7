"""Planted bugs of the core: what is committed, answered, applied, and in which order."""

from onearm.service import changes, preparing, replay
from onearm.service import core as core_module
from onearm.service import work as work_module
from onearm.service.core import Core
from onearm.service.records import DEFAULT, REPORTED, Outcome, Rejected
from onearm.service.requests import Answer
from onearm.service.work import Work
from onearm.service.writer import Writer

commit, handle, writer_work = Core._commit, Core._handle, Writer._work
work_settle, work_again, expire = Work.settle, Work._again, Work.expire
start_changes = changes.changes


def apply_before_commit(core, work):
    store_commit = core.store.commit
    core.store.commit = lambda batch: None
    try:
        commit(core, work)
    finally:
        core.store.commit = store_commit
    if work.batch:
        store_commit(work.batch)


def ack_before_commit(writer, taken):
    """Answer as soon as the answers are known."""
    requests = [request for some, _ in taken for request in some]
    original = Core._commit

    def early(core, work):
        answers = getattr(work, "answers", {})
        if all(id(request) in answers for request in requests):
            for some, done in taken:
                done([answers[id(request)] for request in some])
        original(core, work)

    def noting(work, request):
        answer = work_answer(work, request)
        work.__dict__.setdefault("answers", {})[id(request)] = answer
        return answer

    work_answer, Core._commit = Work.answer, early
    Work.answer = noting
    try:
        silent = [(some, lambda answers: None) for some, _ in taken]
        writer_work(writer, silent)
    finally:
        Core._commit, Work.answer = original, work_answer


def ignore_failed_commit(core, work):
    try:
        commit(core, work)
    except Exception:
        core.seq += len(work.batch.records)


def no_dedup(work, outcome, reward):
    decision = work._known(outcome.event_id)
    return Answer(200, {"status": "applied", "seq": work.settle(decision, reward, REPORTED)})


def decide_again(work, event_id):
    return None


def unlogged_expiry(work):
    """Learn the default reward without a record of it."""
    for seq, event_id in work.core.store.due(work.now, 256):
        decision = work._known(event_id)
        if decision is not None and event_id not in work.outcomes:
            outcome = Outcome(work.core.seq, work.now, event_id, seq, 0.0, DEFAULT)
            work.core.models.learn(outcome, decision)
            work.batch.settled.append(seq)


def expiry_after_outcome(work, decision, reward, source):
    """Leave a decision pending although it has its outcome."""
    seq = work_settle(work, decision, reward, source)
    if source == REPORTED:
        work.batch.settled.remove(decision.seq)
    return seq


def early_expiry(work):
    work.now += 5.0
    try:
        expire(work)
    finally:
        work.now -= 5.0


def learn_late(work, outcome, reward):
    answer = work_again(work, outcome, reward)
    if answer.body["status"] == "late":
        decision = work._known(outcome.event_id)
        work.core.models.learn(outcome._replace(reward=reward), decision)
    return answer


def learn_conflict(work, outcome, reward):
    if outcome.reward != reward:
        work.batch.rejected.append(Rejected(work.now, outcome.event_id, "conflict", reward))
        work.core.models.learn(outcome._replace(reward=reward), work._known(outcome.event_id))
        return Answer(409, {"status": "conflict", "reward": outcome.reward})
    return work_again(work, outcome, reward)


def changes_at_once(core, requests, piece=None):
    """Commit all requests together, changes too."""
    return handle(core, requests, piece)


def reset_by_settings(old, new):
    """Let a start undo what was changed since the last one."""
    known = old and old | {"given": {key: old.get(key) for key in replay.GIVEN}}
    if old:
        active = [label for label in old["labels"] if label not in old["retired"]]
        known["given"]["labels"] = active
    return start_changes(known, new)


def learn_twice(core, work):
    commit(core, work)
    for record in work.batch.records[:1]:
        if isinstance(record, Outcome):
            core.models.learn(record, work.decisions[record.event_id])


def same_whatever_is_asked(request, known, core):
    return None


def never_void(store, made):
    return False


BUGS = (
    ("another wish gets the old answer", "I2", "a known event id is not compared with its context",
     ((work_module, "difference", same_whatever_is_asked),), ("state machine",)),
    ("void preparation used", "I3", "what was prepared before another change is taken after it",
     ((preparing, "is_void", never_void),), ("state machine",)),
    ("apply before commit", "I3", "outcomes are applied, then committed",
     ((Core, "_commit", apply_before_commit),), ("state machine",)),
    ("acknowledge before commit", "I1", "the answer leaves before the commit",
     ((Writer, "_work", ack_before_commit),), ("crash loop",)),
    ("failed commit ignored", "I9, I1", "an error of the disk is swallowed, and answered",
     ((Core, "_commit", ignore_failed_commit),), ("failing disk", "state machine")),
    ("missing deduplication", "I2", "feedback for an event that has an outcome is applied",
     ((Work, "_again", no_dedup),), ("state machine", "crash loop")),
    ("retried decision decided anew", "I2", "an event id that is known is decided again",
     ((Work, "_known", decide_again),), ("state machine",)),
    ("unlogged expiry", "I6, I3", "the default reward is learnt, but not a record",
     ((Work, "expire", unlogged_expiry),), ("state machine", "crash loop")),
    ("expiry after a real outcome", "I6", "a decision stays pending after its outcome",
     ((Work, "settle", expiry_after_outcome),), ("state machine", "crash loop")),
    ("early expiry", "I6", "the default reward comes before its time",
     ((Work, "expire", early_expiry),), ("state machine",)),
    ("late feedback learnt", "I7", "late feedback is answered 202, and learnt from",
     ((Work, "_again", learn_late),), ("state machine", "crash loop")),
    ("conflicting feedback learnt", "I7", "another reward is answered 409, and learnt from",
     ((Work, "_again", learn_conflict),), ("state machine", "crash loop")),
    ("changes at once", "I3", "a commit has two changes; the second depends on the first",
     ((Core, "handle", changes_at_once),), ("state machine",)),
    ("restart undoes changes", "I3", "a start brings back labels that were retired",
     ((core_module, "changes", reset_by_settings),), ("state machine",)),
    ("outcome applied twice", "I3", "the first outcome of a commit is learnt from twice",
     ((Core, "_commit", learn_twice),), ("state machine", "verify")),
)  # fmt: skip
