"""Models: the champion, which decides, and its challengers, which learn in its shadow.

All learn from the same outcomes in the same order. What they know is a function of the records
alone: the same records give the same bits, one by one or many at once.
"""

import hashlib
import json
import time
from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from onearm.agent.agent import Agent
from onearm.agent.feedback import as_outcome
from onearm.agent.rows import chances_row, choose_row, digest, dumps, moment
from onearm.core import saving
from onearm.core.assembly import HIDDEN, LEAST
from onearm.core.choice import Choice, Trace
from onearm.schema.monitor import Monitor
from onearm.schema.values import shown
from onearm.service.records import BASELINE, Decision, Outcome, pack_row, unpack_row

SUM = 1e-6  # how far from 1 the sum of a policy's probabilities may be
MANY = 4096  # outcomes that are learnt from at once in a replay, at most,
LONG = 0.01  # and about so many seconds: until then no other thread does anything


class Chosen:
    """What a decision record says besides its number, time and event."""

    __slots__ = ("allowed", "greedy", "label", "pmf", "policy", "propensity", "shadows", "x")
    x: bytes
    allowed: bytes | None
    pmf: bytes
    shadows: bytes | None
    label: int
    greedy: int
    propensity: float
    policy: str


class Models:
    """Agents by the name of their policy, one of them the champion."""

    def __init__(self, agents: dict[str, Agent], champion: str, seq: int = 0) -> None:
        self.agents, self.champion, self.seq = agents, champion, seq
        self.loaded_from = 0  # the record of the snapshot they were read from
        self.forgotten = 0  # outcomes that could not be learnt from: their contexts were erased

    @classmethod
    def start(cls, settings: dict[str, Any]) -> "Models":
        """Return new models as the first control record says."""
        agents = {
            name: new_agent(settings, learner) for name, learner in settings["policies"].items()
        }
        for name, agent in agents.items():
            if name != settings["champion"] and not agent.learner.off_policy:
                raise ValueError(f"{name} cannot learn from another policy's choices")
        return cls(agents, settings["champion"])

    @property
    def agent(self) -> Agent:
        """The agent of the champion."""
        return self.agents[self.champion]

    @property
    def challengers(self) -> list[str]:
        """The names of the other policies, in the order of `Decision.shadows`."""
        return sorted(name for name in self.agents if name != self.champion)

    def choose(
        self, context: dict[str, Any], among: list[Any] | None, event_id: str,
        monitor: Monitor | None = None, baseline: Any = None,
    ) -> Chosen:  # fmt: skip
        """Return what the champion chooses: a function of its state and of these alone.

        `monitor` counts what of the context is not as the schema expects. With the label of a
        `baseline`, that is chosen.
        """
        x = self.agent.schema.encode(context, monitor)
        if baseline is None:
            return self.choose_row(x, among, event_id)
        return self.follow_row(x, among, event_id, baseline)

    def choose_row(self, x: Any, among: list[Any] | None, event_id: str) -> Chosen:
        """Return the choice for an encoded row."""
        chosen = Chosen()
        (label, greedy, propensity), pmf, ids = choose_row(self.agent, x, among, event_id)
        require_distribution(pmf, propensity, self.champion)
        chosen.label, chosen.greedy, chosen.propensity = label, greedy, propensity
        chosen.pmf, chosen.policy = pmf.tobytes(), self.champion
        chosen.x, chosen.allowed = pack_row(x), None if ids is None else ids.tobytes()
        others = [chances_row(self.agents[name], x, among) for name in self.challengers]
        chosen.shadows = np.concatenate(others).tobytes() if others else None
        return chosen

    def follow_row(self, x: Any, among: list[Any] | None, event_id: str, baseline: Any) -> Chosen:
        """Return the choice of a baseline's label, whose probability is 1, and marked as such."""
        chosen, labels = self.choose_row(x, among, event_id), self.agent._labels
        label = labels.id_of(baseline, "baseline")
        allowed = (
            labels.active_ids if chosen.allowed is None else np.frombuffer(chosen.allowed, int)
        )
        if label not in allowed:
            raise ValueError(f"baseline must be a label that is allowed, got {shown(baseline)}")
        pmf = np.zeros(len(labels.names))
        pmf[label] = chosen.propensity = 1.0
        chosen.label, chosen.pmf, chosen.policy = label, pmf.tobytes(), BASELINE
        chosen.shadows = None  # nothing is compared with a champion that did not choose
        return chosen

    def learn(self, outcome: Outcome, decision: Decision) -> None:
        """Learn from one outcome, unless the context of its decision was erased."""
        self.seq = outcome.seq
        if decision.x is None:
            self.forgotten += 1
            return
        x = unpack_row(decision.x)
        for name, agent in self.agents.items():
            greedy = decision.greedy if name == decision.policy else None
            choice: Any = (decision.label, greedy, decision.propensity)
            if greedy is not None:
                choice = Choice(*choice)
            agent.learner.update(x, choice, as_outcome(agent.feedback, outcome.reward))

    def learn_all(self, pairs: Iterable[tuple[Outcome, Decision]]) -> None:
        """Learn from outcomes in their order, many at once: to the same bits."""
        some: list[tuple[Outcome, Decision]] = []
        size = 16  # which does not change what is learnt
        for pair in pairs:
            some.append(pair)
            if len(some) >= size:
                begin = time.perf_counter()
                self._learn_some(some)
                some, seconds = [], time.perf_counter() - begin
                size = min(2 * size, MANY) if seconds < LONG else max(size // 2, 8)
        if some:
            self._learn_some(some)

    def _learn_some(self, pairs: list[tuple[Outcome, Decision]]) -> None:
        for is_sparse, group in groupby(pairs, lambda pair: (pair[1].x or b"s")[:1] == b"s"):
            same = list(group)
            if is_sparse:
                for pair in same:
                    self.learn(*pair)
            else:
                self._learn_dense(same)
        self.seq = pairs[-1][0].seq

    def _learn_dense(self, pairs: list[tuple[Outcome, Decision]]) -> None:
        rows = b"".join((decision.x or b"")[1:] for _, decision in pairs)
        X = np.frombuffer(rows, "<f8").reshape(len(pairs), -1)
        label, p = (np.array([d[i] for _, d in pairs]) for i in (8, 10))
        greedy, policy = (np.array([d[i] for _, d in pairs]) for i in (9, 11))
        reward = np.array([outcome.reward for outcome, _ in pairs])
        for name, agent in self.agents.items():
            correct = reward == 1.0 if agent.feedback == "one_right" else reward
            known = np.where(policy == name, greedy, HIDDEN)
            agent.learner.learn(X, Trace(label, known, p, correct))

    def add_label(self, name: Any) -> None:
        """Add a label to all policies, or bring a retired one back."""
        for agent in self.agents.values():
            agent.add_label(name)

    def retire_label(self, name: Any) -> None:
        """Retire a label of all policies."""
        for agent in self.agents.values():
            agent.retire_label(name)

    def moment(self) -> "Moment":
        """Return a copy of the state."""
        states = {name: moment(self.agents[name]) for name in sorted(self.agents)}
        return Moment(self.seq, self.champion, states)

    def sha256(self) -> str:
        """Return the SHA-256 of the state: equal states have equal ones."""
        return self.moment().sha256()

    @classmethod
    def loads(cls, data: bytes) -> "Models":
        """Return the models that `Moment.dumps` made bytes of; ValueError if they are damaged."""
        header, _, rest = data.partition(b"\n")
        about, agents, begin = json.loads(header), {}, 0
        for name, size in about["sizes"].items():
            agents[name] = saving.loads(rest[begin : begin + size], f"the snapshot of {name}")
            begin += size
        models = cls(agents, about["champion"], about["seq"])
        if models.sha256() != about["sha256"]:
            raise ValueError(f"the snapshot at {models.seq} has another SHA-256 than it states")
        return models


class Moment(NamedTuple):
    """The state of models, copied: what a snapshot is made of."""

    seq: int
    champion: str
    states: dict[str, Any]

    def sha256(self) -> str:
        """Return the SHA-256 of the state."""
        digests = {name: digest(state) for name, state in self.states.items()}
        return hashlib.sha256(json.dumps([self.seq, self.champion, digests]).encode()).hexdigest()

    def dumps(self) -> bytes:
        """Return the state as bytes."""
        parts = {name: dumps(state) for name, state in self.states.items()}
        header = {
            "seq": self.seq, "champion": self.champion, "sha256": self.sha256(),
            "sizes": {name: len(data) for name, data in parts.items()},
        }  # fmt: skip
        return b"\n".join([json.dumps(header).encode(), b"".join(parts.values())])


def new_agent(settings: dict[str, Any], learner: dict[str, Any]) -> Agent:
    """Return a new agent of the settings in a control record."""
    from onearm.schema.schema import Schema

    params = {key: value for key, value in learner.items() if key != "name"}
    taken = params.keys() & {"labels", "schema", "learner", "feedback", "seed"}
    if taken:
        raise ValueError(f"{', '.join(taken)} must not be parameters of a learner")
    return Agent(
        settings["labels"], Schema.from_json(settings["schema"]), learner["name"],
        feedback=settings["feedback"], seed=settings["seed"], **params,
    )  # fmt: skip


def require_distribution(pmf: np.ndarray, propensity: float, policy: str) -> None:
    """Refuse probabilities that are none: nothing is decided by them."""
    values = pmf.tolist()
    if not (min(values) >= 0 and abs(sum(values) - 1) <= SUM):  # whose sum is NaN if one is
        raise ArithmeticError(f"the probabilities of {policy} must sum up to 1, got {pmf.tolist()}")
    if not LEAST <= propensity <= 1:
        raise ArithmeticError(f"propensity must be in [{LEAST:g}, 1], got {propensity}")
