"""A state machine over the core: all that may be asked of a service, in any order, and restarts.

After every step the answers are those of `DictModel`, and the policies have learnt what its agents
have, to the bit.
"""

from unittest import mock

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from onearm.agent.rows import chances_row, digest, moment
from onearm.service import core as core_module
from onearm.service import snapshots
from onearm.service.logs import read_log
from onearm.service.memory import MemoryStore
from onearm.service.preparing import prepared
from onearm.service.records import BASELINE, Control, Decision, Outcome, unpack_row
from onearm.service.requests import Activate, Change, Decide, Feedback
from onearm.service.verify import verify
from tests.service.dict_model import DictModel
from tests.service.making import Clock, context, core
from tests.service.planted import clean

EVENTS = st.sampled_from([f"e{i}" for i in range(8)])
LABELS = st.sampled_from(["a", "b", "c", "d", "e"])
REWARDS = st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0, float("nan"), "x"])
AMONG = st.sampled_from([None, None, ["a", "b"], ["c"], ["d", "a"]])
CONTEXTS = st.sampled_from([0, 0, 0, 0, 1, 2, 5, 7]).map(context)  # often the same: a retry


def made(kind, *parts):
    """Return requests of a kind, of parts that are drawn."""
    return st.tuples(*parts).map(lambda values: kind(*values))


NOT_NEW = st.just(False)
BASELINES = st.sampled_from(["a", "a", "a", "b", "d", None])  # read by an apprentice only
REQUESTS = st.one_of(
    made(Decide, EVENTS, CONTEXTS, AMONG, st.booleans(), NOT_NEW, BASELINES),
    made(Decide, EVENTS, CONTEXTS, st.none(), NOT_NEW, NOT_NEW, BASELINES),
    made(Feedback, EVENTS, REWARDS),
    made(Feedback, EVENTS, st.just(1.0)),
    made(Activate, EVENTS),
)
LABELLING = st.sampled_from(["add_label", "retire_label"])
POLICY = st.sampled_from(["first", "second"])
OF_LABELS = made(lambda what, label: Change(what, {"label": label}), LABELLING, LABELS)
REPLAYING = st.one_of(
    st.just(Change("add_policy", {"policy": "second", "learner": {"name": "InverseGap"}})),
    made(
        lambda policy, seq: Change("rollback", {"policy": policy, "seq": seq}),
        POLICY,
        st.integers(1, 40),
    ),
)
PROMOTE = made(lambda policy: Change("promote", {"policy": policy}), POLICY)
CHANGES = st.one_of(OF_LABELS, REPLAYING, PROMOTE)


class ServiceMachine(RuleBasedStateMachine):
    """A core over a store in memory, and dicts beside it."""

    def __init__(self):
        super().__init__()
        self.store, self.clock = MemoryStore(), Clock()
        self.core = core(self.store, self.clock, wait=10.0)
        self.model = DictModel(["a", "b", "c"], 10.0, 0.0, self.store)

    def send(self, requests):
        """Let core and dicts answer the same requests, and compare all there is."""
        before = len(self.store.log)
        every = self.core.handle(requests)
        for places in commits(requests):
            part, answers = [requests[i] for i in places], [every[i] for i in places]
            expected, effects = self.model.expect(part, self.clock.now)
            for answer, (status, word) in zip(answers, expected, strict=True):
                assert (answer.status, answer.body.get("status")) == (status, word), answer
            self.compare_decisions(part, answers, before)
            if part and isinstance(part[0], Change) and answers[0].status == 200:
                self.model.changed(part[0], answers[0].body["seq"])
            self.model.learn(effects)
            before = len(self.store.log)
        self.compare()

    def compare_decisions(self, requests, answers, before):
        """Decisions are logged as they were answered, and made by the state of before."""
        for request, answer in zip(requests, answers, strict=True):
            if isinstance(request, Decide) and answer.status == 200:
                first = self.model.answers[request.event_id]
                assert first in (None, answer.body)
                self.model.answers[request.event_id] = answer.body
        for record in self.store.log[before:]:
            if isinstance(record, Decision):
                self.compare_decision(record)

    def compare_decision(self, record):
        answer, names = self.model.answers[record.event_id], self.model.labels
        assert (names[record.label], record.propensity, record.seq) == (
            answer["label"], answer["propensity"], answer["seq"],
        )  # fmt: skip
        baseline = self.model.baselines.get(record.event_id)
        if baseline is not None:
            only = np.eye(len(names))[names.index(baseline)].tobytes()
            assert (answer["label"], answer["propensity"], record.pmf) == (baseline, 1.0, only)
            assert record.policy == answer["policy"] == BASELINE
            return
        agent, among = self.model.policies[self.model.champion].agent, None
        if record.allowed is not None:
            among = [names[i] for i in np.frombuffer(record.allowed, np.int64)]
        pmf = chances_row(agent, unpack_row(record.x), among)
        assert record.pmf == pmf.tobytes()
        assert pmf[record.label] == record.propensity
        assert record.policy == self.model.champion

    def compare(self):
        """The policies have learnt what those of the dicts have; the store knows the same."""
        models = self.core.models
        assert models.champion == self.model.champion
        assert models.agents.keys() == self.model.policies.keys()
        for name, policy in self.model.policies.items():
            assert digest(moment(models.agents[name])) == digest(moment(policy.agent)), name
        assert self.store.n_pending() == len(self.model.due)
        assert self.store.last_seq() == self.model.seq
        outcomes = [r for r in self.store.log if isinstance(r, Outcome)]
        known = {r.event_id: (r.reward, r.source) for r in outcomes}
        assert known == self.model.outcomes
        assert len(outcomes) == len(known)
        rejected = [(r.event_id, r.why, r.reward) for r in self.store.rejections()]
        assert rejected == self.model.rejected

    @rule(requests=st.lists(REQUESTS, max_size=6))
    def some_requests(self, requests):
        self.send(requests)

    @rule(event=EVENTS, reward=st.sampled_from([0.0, 0.5, 1.0]), n=st.integers(2, 3))
    def duplicates(self, event, reward, n):
        decide = Decide(event, context(), baseline="a")
        self.send([decide] * n + [Feedback(event, reward)] * n)

    @rule(change=st.lists(CHANGES, min_size=1, max_size=2), requests=st.lists(REQUESTS, max_size=2))
    def changes(self, change, requests):
        self.send([*requests, *change])

    @rule(change=REPLAYING, between=st.lists(OF_LABELS, max_size=1), requests=st.lists(REQUESTS))
    def prepared_change(self, change, between, requests):
        ready = prepared(self.store, change)
        self.send([*requests, *between])
        self.send([ready])

    @rule(seconds=st.sampled_from([1.0, 5.0, 11.0]))
    def time_passes(self, seconds):
        self.clock.now += seconds
        self.send([])

    @rule(seconds=st.sampled_from([9.0, 11.0]), requests=st.lists(REQUESTS, max_size=4))
    def requests_after_a_while(self, seconds, requests):
        self.clock.now += seconds
        self.send(requests)

    @rule(
        kind=st.sampled_from(["plain", "snapshot", "damaged", "unfinished"]),
        place=st.sampled_from([0, -3, -100]),
    )
    def restart(self, kind, place=0):
        if kind != "plain":
            self.core.save_snapshot()
        pieces = list(self.store.pieces)
        if kind == "damaged":
            wrong = bytearray(pieces[-1].data)
            wrong[place] ^= 1
            self.store.pieces[-1] = pieces[-1]._replace(data=bytes(wrong))
        elif kind == "unfinished":
            self.store.pieces[-1] = pieces[-1]._replace(sha256=None)
        before = self.core.models.sha256()
        self.core = core(self.store, self.clock, wait=10.0, apprentice=self.model.apprentice)
        assert self.core.models.sha256() == before
        self.store.pieces = pieces  # else `verify` would find what was damaged
        self.compare()

    @rule(apprentice=st.sampled_from([False, False, True]))
    def restart_with_settings(self, apprentice):
        self.core = core(self.store, self.clock, wait=10.0, apprentice=apprentice)
        self.model.seq += 2 * (apprentice != self.model.apprentice)  # what changed, and all given
        self.model.apprentice = apprentice
        self.compare()

    @rule(event=EVENTS, requests=st.lists(REQUESTS, max_size=3))
    def failed_commit(self, event, requests):
        decide = Decide(event, context(), baseline="a")
        requests = [decide, Feedback(event, 1.0), *requests]
        before, log = self.core.models.sha256(), list(self.store.log)
        self.store.fail = OSError("disk full")
        failed = False
        try:
            self.core.handle(requests)
        except OSError:
            failed = True
        self.store.fail = None
        assert self.core.models.sha256() == before
        assert self.store.log == log
        if failed:
            self.restart("plain")

    def teardown(self):
        with clean():
            report = verify(self.store)
        assert report.is_sound, str(report)
        log = read_log(self.store)
        judged = log.counts["reported"] + log.counts["default"]
        assert (len(log), judged) == (len(self.model.answers), len(self.model.outcomes))
        assert [r.seq for r in self.store.log] == [*range(1, len(self.store.log) + 1)]
        assert isinstance(self.store.log[0], Control)


def commits(requests):
    """Return the places of requests that are committed together: each change is apart."""
    plain = [i for i, request in enumerate(requests) if not isinstance(request, Change)]
    changes = [[i] for i, request in enumerate(requests) if isinstance(request, Change)]
    return [plain, *changes] if plain or not changes else changes


def run(examples, steps=30):
    """Run the machine; what it finds is raised."""
    options = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, derandomize=True,
        database=None, phases=[Phase.generate], suppress_health_check=[*HealthCheck],
    )  # fmt: skip
    with (
        mock.patch.object(snapshots, "PIECE", 2000),  # so that snapshots have several parts
        mock.patch.object(core_module, "RECENT", 3),  # so that the store is asked, too
    ):
        run_state_machine_as_test(ServiceMachine, settings=options)
