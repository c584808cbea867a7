"""An agent through a random life beside a model of dicts: whatever is asked, both say the same."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import onearm
from tests.agent.means import EPSILON, Means

NAMES = ["a", "b", "ü", 1, 2, "x y", "Ω", 10]
CONTEXT = {"age": 31}


class Life(RuleBasedStateMachine):
    """Labels come and go, answers come late and as JSON, the agent is saved and loaded between."""

    @initialize(seed=st.integers(0, 100))
    def start(self, seed):
        self.agent = onearm.Agent(["a", 1], {"age": "number"}, Means, seed=seed)
        self.means = {"a": (0.0, 0), 1: (0.0, 0)}  # total and number of rewards by label, in order
        self.retired = set()
        self.pending = []
        self.updates = 0

    @property
    def active(self):
        return [name for name in self.means if name not in self.retired]

    def greedy(self, among):
        mean = {name: total / max(1, n) for name, (total, n) in self.means.items()}
        return max((name for name in self.means if name in among), key=lambda name: mean[name])

    @rule(data=st.data(), key=st.none() | st.text(max_size=3), some=st.booleans())
    def choose(self, data, key, some):
        among = data.draw(st.sets(st.sampled_from(self.active), min_size=1)) if some else None
        choice = self.agent.choose(CONTEXT, among=among, key=key)
        allowed = [name for name in self.active if among is None or name in among]
        greedy = self.greedy(allowed)
        assert choice.among == tuple(allowed)
        assert choice.greedy == greedy
        assert choice.label in allowed
        p = EPSILON / len(allowed) + (1 - EPSILON) * (choice.label == greedy)
        assert choice.propensity == pytest.approx(p, rel=1e-12)
        assert choice.version == self.updates
        if key is not None:
            assert self.agent.choose(CONTEXT, among=among, key=key) == choice
        self.pending.append(choice)

    @precondition(lambda self: self.pending)
    @rule(
        data=st.data(), reward=st.sampled_from([0, 1, 0.5, True, False, 1.0]), how=st.integers(0, 3)
    )
    def answer(self, data, reward, how):
        choice = self.pending.pop(data.draw(st.integers(0, len(self.pending) - 1)))
        forms = (choice, choice._asdict(), choice.to_json(), json.loads(json.dumps(choice)))
        self.agent.update(CONTEXT, forms[how], reward)
        total, n = self.means[choice.label]
        self.means[choice.label] = total + reward, n + 1
        self.updates += 1

    @rule(name=st.sampled_from(NAMES))
    def add(self, name):
        if name in self.active:
            with pytest.raises(ValueError, match="is there already"):
                self.agent.add_label(name)
        else:
            self.agent.add_label(name)
            self.means.setdefault(name, (0.0, 0))
            self.retired.discard(name)

    @rule(name=st.sampled_from(NAMES))
    def retire(self, name):
        if name in self.active and len(self.active) > 1:
            self.agent.retire_label(name)
            self.retired.add(name)
        else:
            with pytest.raises(ValueError, match="label"):
                self.agent.retire_label(name)

    @rule()
    def reload(self):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "agent"
            self.agent.save(path)
            self.agent = onearm.load(path)

    @invariant()
    def agrees(self):
        if not hasattr(self, "agent"):
            return
        assert list(self.agent.labels) == self.active
        assert set(self.agent.retired) == self.retired
        assert self.agent.version == self.updates
        greedy = self.greedy(self.active)
        assert self.agent.predict(CONTEXT) == greedy
        m = len(self.active)
        expected = {n: EPSILON / m + (1 - EPSILON) * (n == greedy) for n in self.active}
        assert self.agent.chances(CONTEXT) == pytest.approx(expected, rel=1e-12)


Life.TestCase.settings = settings(max_examples=15, stateful_step_count=30, deadline=None)
TestLife = Life.TestCase
