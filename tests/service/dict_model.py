"""What a service should do, in dicts: the statuses it answers, and what its policies learn.

It reads nothing of the service's own bookkeeping: only decisions are taken from the log, since no
one else knows what was chosen.
"""

import json
from dataclasses import dataclass, field

import onearm
from onearm.core.choice import Choice
from onearm.service.records import unpack_row
from onearm.service.requests import Activate, Decide, Feedback
from tests.service.making import SCHEMA


@dataclass
class Policy:
    """A policy: how it began, and what happened to it, since which record."""

    learner: str
    labels: list
    retired: list
    born: int
    versions: list = field(default_factory=list)  # (from record, [(seq, what, value), ...])
    agent: object = None

    def ops_at(self, seq):
        """Return what had happened to the policy at a record, as it was seen then."""
        known = [ops for begin, ops in self.versions if begin <= seq]
        return [op for op in known[-1] if op[0] <= seq]


class DictModel:
    """The service as dicts."""

    def __init__(self, labels, wait, default, store):
        self.store, self.wait, self.default = store, wait, default
        self.labels, self.retired = list(labels), []
        self.answers, self.deferred, self.due = {}, set(), {}
        self.apprentice = False
        self.baselines = {}  # event -> the label that was to decide
        self.asked = {}  # event -> what it was decided for, and the labels that were active
        self.outcomes = {}  # event -> (reward, source)
        self.learnt = []  # (seq, event, reward) in order
        self.rejected = []
        self.seq = 1  # the last record
        self.policies = {}
        self.champion = "first"
        self.add("first", 1)

    def add(self, name, seq):
        """Add a policy, which learns from all that is known."""
        policy = Policy("InverseGap", list(self.labels), list(self.retired), seq)
        policy.versions.append((seq, [(at, "learn", event) for at, event in self.learnt]))
        self.policies[name] = policy
        self.rebuild(name)

    def rebuild(self, name):
        """Make the agent of a policy from what happened to it."""
        policy = self.policies[name]
        schema = onearm.Schema.from_json(SCHEMA)
        policy.agent = onearm.Agent(policy.labels, schema, policy.learner, seed=7)
        for label in policy.retired:
            policy.agent.retire_label(label)
        for op in policy.versions[-1][1]:
            self.apply(name, op)

    def apply(self, name, op):
        """Let one thing happen to the agent of a policy."""
        agent, (_, what, value) = self.policies[name].agent, op
        if what == "add_label":
            agent.add_label(value)
        elif what == "retire_label":
            agent.retire_label(value)
        else:
            decision = self.store.decision(value)
            greedy = decision.greedy if decision.policy == name else None
            choice = (decision.label, greedy, decision.propensity)
            x = unpack_row(decision.x)
            choice = choice if greedy is None else Choice(*choice)
            agent.learner.update(x, choice, float(self.outcomes[value][0]))

    def happen(self, op, names=None):
        """Let something happen to policies, and note it."""
        for name in names or self.policies:
            self.policies[name].versions[-1][1].append(op)
            self.apply(name, op)

    def expect(self, requests, now):
        """Return the statuses of one commit, and what must be learnt after it, in order."""
        order = sorted(range(len(requests)), key=lambda i: not isinstance(requests[i], Decide))
        expected, effects = [None] * len(requests), []
        for i in order:
            expected[i] = self.answer(requests[i], now, effects)
        waiting = sorted((due, n, event) for event, (due, n) in self.due.items() if due <= now)
        for _, _, event in waiting:
            self.settle(event, self.default, "default", effects)
        return expected, effects

    def answer(self, request, now, effects):
        if isinstance(request, Decide):
            return self.decide(request, now)
        if isinstance(request, Feedback):
            return self.feedback(request, effects)
        if isinstance(request, Activate):
            return self.activate(request, now)
        return self.change(request)

    def decide(self, request, now):
        active = [label for label in self.labels if label not in self.retired]
        if request.event_id in self.answers:
            return self.decide_again(request)
        if request.among is not None and not set(request.among) <= set(active):
            return 422, "invalid"
        if self.apprentice:
            if request.baseline not in (active if request.among is None else request.among):
                return 422, "invalid"
            self.baselines[request.event_id] = request.baseline
        self.answers[request.event_id] = None
        every = {*active} if self.retired else None
        among = every if request.among is None else {*request.among}
        self.asked[request.event_id] = (json.loads(request.context), among, every, request.deferred)
        self.seq += 1
        if request.deferred:
            self.deferred.add(request.event_id)
        else:
            self.due[request.event_id] = (now + self.wait, len(self.answers))
        return 200, None

    def decide_again(self, request):
        context, among, every, deferred = self.asked[request.event_id]
        asked = every if request.among is None else {*request.among}
        given = (json.loads(request.context), asked, request.deferred)
        same = given == (context, among, deferred)
        if request.event_id in self.baselines:
            same = same and request.baseline == self.baselines[request.event_id]
        return (200, None) if same else (409, "conflict")

    def feedback(self, request, effects):
        event, reward = request
        if event not in self.answers:
            return 404, "unknown"
        if not isinstance(reward, float) or not 0 <= reward <= 1:
            return 422, "invalid"
        if event in self.outcomes:
            known, source = self.outcomes[event]
            if source == "reported" and known == reward:
                return 200, "duplicate"
            why = "late" if source == "default" else "conflict"
            if (event, why, reward) not in self.rejected:
                self.rejected.append((event, why, reward))
            return (202, "late") if source == "default" else (409, "conflict")
        if event in self.deferred:
            return 409, "not_activated"
        self.settle(event, reward, "reported", effects)
        return 200, "applied"

    def settle(self, event, reward, source, effects):
        self.outcomes[event] = (reward, source)
        self.seq += 1
        del self.due[event]
        effects.append(event)

    def activate(self, request, now):
        event = request.event_id
        if event not in self.answers:
            return 404, "unknown"
        if event not in self.deferred:
            return 200, "active"
        self.deferred.remove(event)
        self.seq += 1
        self.due[event] = (now + self.wait, list(self.answers).index(event) + 1)
        return 200, "activated"

    def change(self, request):
        what, body = request.what, request.body
        active = [label for label in self.labels if label not in self.retired]
        policy, label = body.get("policy"), body.get("label")
        refused = {
            "add_label": label in active,
            "retire_label": label not in active or len(active) == 1,
            "add_policy": policy in self.policies,
            "promote": policy not in self.policies,
            "rollback": policy not in self.policies
            or not self.policies[policy].born <= body.get("seq", 0) <= self.seq,
        }
        if refused[what]:
            return 422, "invalid"
        self.seq += 1
        return 200, "changed"

    def changed(self, request, seq):
        """Let a change that was made have its effect."""
        what, body = request.what, request.body
        if what in ("add_label", "retire_label"):
            self._change_label(what, body["label"], seq)
        elif what == "add_policy":
            self.add(body["policy"], seq)
        elif what == "promote":
            self.champion = body["policy"]
        elif what == "rollback":
            self._roll_back(self.policies[body["policy"]], body["seq"], seq)
            self.rebuild(body["policy"])

    def _change_label(self, what, label, seq):
        if what == "retire_label":
            self.retired.append(label)
        elif label in self.retired:
            self.retired.remove(label)
        else:
            self.labels.append(label)
        self.happen((seq, what, label))

    def _roll_back(self, policy, seq, record):
        """Outcomes up to `seq` as they were learnt then, and labels until now."""
        labels = [op for op in policy.versions[-1][1] if op[0] > seq and op[1] != "learn"]
        policy.versions.append((record, policy.ops_at(seq) + labels))

    def learn(self, effects):
        """Let outcomes have their effect, in their order."""
        for event in effects:
            seq = self.store.outcome(event).seq
            self.learnt.append((seq, event))
            self.happen((seq, "learn", event))
