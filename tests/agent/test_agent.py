"""Agents: names, feedback, labels, JSON, processes, threads."""

import copy
import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import numpy as np
import pytest

import onearm
from onearm import Agent, Decision, Schema
from onearm.checks.trial import bits
from tests.agent.means import Means

COLUMNS = {"age": "number", "device": ["phone", "desktop"]}
LABELS = ["sports", "politics", "tech"]
CONTEXT = {"age": 31, "device": "phone"}


def agent(**given):
    return Agent(**{"labels": LABELS, "schema": COLUMNS, "learner": "InverseGap", **given})


def taught(rounds=60, **given):
    """One that has learnt that phones want sports and desktops want tech."""
    made = agent(**given)
    for t in range(rounds):
        context = {"age": 20 + t % 7, "device": ("phone", "desktop")[t % 2]}
        choice = made.choose(context)
        made.update(context, choice, choice.label == ("sports", "tech")[t % 2])
    return made


def state(made):
    return bits(made.learner), made.version, made.labels, made.retired


def test_the_learner_gets_what_the_agent_gets():
    """Rows, ids and rewards reach the learner as if it had been called itself."""
    made = agent(learner=Means, seed=3)
    plain = Means(3, 2, seed=3)
    for t in range(50):
        choice, expected = made.choose(CONTEXT), plain.choose([31.0, 0.0])
        assert (LABELS.index(choice.label), choice.propensity) == expected[::2]
        made.update(CONTEXT, choice, t % 3 / 2)
        plain.update([31.0, 0.0], expected, t % 3 / 2)
    assert bits(made.learner) == bits(plain)


def test_learns_from_dicts():
    made = taught(300)
    frame = [{"age": 25, "device": "phone"}, {"age": 25, "device": "desktop"}]
    assert made.predict(frame) == ["sports", "tech"]
    assert made.predict(frame[1]) == "tech"
    chances = made.chances(frame[0])
    assert max(chances, key=chances.get) == "sports"
    assert sum(chances.values()) == pytest.approx(1.0)
    assert made.chances(frame[0], among=["tech"]) == {"tech": 1.0}


def test_labels_of_the_schema():
    schema = Schema(COLUMNS, ["x", 7], label="kind")
    made = agent(labels=None, schema=schema)
    assert made.labels == ("x", 7)
    assert made.schema == schema
    assert made.choose(CONTEXT, among=["7"]).label == 7


def test_interactions_by_name():
    made = agent(interactions=["device * age"])
    assert made.learner.interactions == ((1, 0),)
    assert agent(interactions="device*age").learner.interactions == ((1, 0),)
    made.update(CONTEXT, made.choose(CONTEXT), 1)
    assert copy.deepcopy(made).predict(CONTEXT) == made.predict(CONTEXT)


def test_choose_many_is_choose_for_each():
    first, second = taught(), taught()
    frame = [{"age": a, "device": d} for a in (20, 40) for d in ("phone", "desktop")]
    assert first.choose_many(frame) == [second.choose(context) for context in frame]
    keyed = first.choose_many(frame, among=["tech", "sports"], keys=range(4))
    assert keyed == [
        second.choose(context, ["sports", "tech"], str(key)) for key, context in enumerate(frame)
    ]
    with pytest.raises(ValueError, match="keys must be 4, one for each row, got 1"):
        first.choose_many(frame, keys=["a"])
    assert first.choose_many([]) == first.predict([]) == []


def test_frames():
    pl = pytest.importorskip("polars")
    made = taught(300)
    frame = pl.DataFrame({"age": [25, 25], "device": ["phone", "desktop"]})
    assert made.predict(frame) == ["sports", "tech"]
    assert [choice.among for choice in made.choose_many(frame)] == [tuple(LABELS)] * 2


@pytest.mark.parametrize("feedback", ["reward", "one_right"])
def test_true_1_and_1_0_are_the_same(feedback):
    """As Python, as JSON, as NumPy: the type of a number says nothing."""
    for same in ([True, 1, 1.0, np.float32(1), np.True_], [False, 0, 0.0, np.int8(0), -0.0]):
        states = []
        for value in [*same, json.loads(json.dumps(bool(same[0]))), json.loads(f"{same[2]}")]:
            made = taught(feedback=feedback)
            made.update(CONTEXT, Decision("tech", "sports", 0.1), value)
            states.append(state(made))
        assert all(other == states[0] for other in states)


def test_one_right_says_that_the_others_are_wrong():
    reward, one_right = agent(), agent(feedback="one_right")
    choice = Decision("tech", "tech", 0.5)
    for made in (reward, one_right):
        made.update(CONTEXT, choice, 1)
    others = [made.learner.scores(made.schema.encode(CONTEXT))[0] for made in (reward, one_right)]
    assert others[0] == 0.0 > others[1]


@pytest.mark.parametrize("reward", [1.1, -0.1, np.nan, "1", None, 10**400, [1], 1j, Decimal(1)])
@pytest.mark.parametrize("feedback", ["reward", "one_right"])
def test_other_rewards_are_refused(feedback, reward):
    made = taught(feedback=feedback)
    before = state(made)
    with pytest.raises(ValueError, match=r"reward must be .*, got"):
        made.update(CONTEXT, made.choose(CONTEXT, key=1), reward)
    assert state(made) == before
    if feedback == "one_right":
        with pytest.raises(
            ValueError, match=r"reward must be 1 or 0, for right or wrong, got 0\.5"
        ):
            made.update(CONTEXT, made.choose(CONTEXT, key=1), 0.5)


def test_learners_that_cannot_take_the_feedback_are_refused():
    with pytest.raises(ValueError, match=r"learner must take rewards, got Banditron: .*one_right"):
        agent(learner="Banditron")
    with pytest.raises(ValueError, match="got Perceptron: it needs full information"):
        agent(learner="Perceptron", feedback="one_right")
    assert agent(learner="Banditron", feedback="one_right", gamma=0.5).learner.gamma == 0.5


def test_labels_come_and_go():
    made = taught(100)
    late = made.choose(CONTEXT, among=["politics"])
    made.retire_label("politics")
    made.add_label("weather")
    assert made.labels == ("sports", "tech", "weather")
    assert made.retired == ("politics",)
    assert made.learner.n_classes == 4
    assert made.choose(CONTEXT).among == made.labels
    with pytest.raises(ValueError, match="among must be labels that are not retired, got 'polit"):
        made.choose(CONTEXT, among=["politics"])
    before = made.learner.scores(made.schema.encode(CONTEXT))[1]
    made.update(CONTEXT, late, 1.0)  # a late answer
    assert made.learner.scores(made.schema.encode(CONTEXT))[1] > before
    made.add_label("politics")  # comes back with what it knew
    assert made.retired == ()
    assert made.learner.n_classes == 4
    assert made.labels == ("sports", "politics", "tech", "weather")


def test_a_retired_label_is_never_greedy_nor_predicted():
    made = taught(300)
    context = {"age": 25, "device": "phone"}
    assert made.predict(context) == "sports"
    made.retire_label("sports")
    assert made.predict(context) != "sports"
    choices = [made.choose(context) for _ in range(50)]
    assert "sports" not in {c.label for c in choices} | {c.greedy for c in choices}
    assert {c.greedy for c in choices} == {made.predict(context)}
    assert "sports" not in made.chances(context)


def test_learners_that_refuse_labels_stay_as_they_are():
    made = agent(learner="OffsetTree", feedback="one_right")
    with pytest.raises(ValueError, match="labels cannot be added to OffsetTree: its nodes"):
        made.add_label("weather")
    assert made.labels == tuple(LABELS)
    made.retire_label("tech")
    assert made.choose(CONTEXT).among == ("sports", "politics")


def test_the_same_key_the_same_choice():
    made = taught()
    choices = {made.choose(CONTEXT, key="event-17") for _ in range(20)}
    assert len(choices) == 1
    before = made.learner.choosing.copy()
    labels = [made.choose(CONTEXT, key=key).label for key in range(200)]
    assert made.learner.choosing == before
    assert len(set(labels)) > 1


def test_saved_and_loaded(tmp_path):
    made = taught(feedback="one_right")
    made.retire_label("tech")
    made.save(tmp_path / "agent")
    for other in (
        onearm.load(tmp_path / "agent"),
        copy.deepcopy(made),
        pickle.loads(pickle.dumps(made)),
    ):
        assert state(other) == state(made)
        assert (other.feedback, other.schema) == ("one_right", made.schema)
        assert other.choose(CONTEXT) == copy.deepcopy(made).choose(CONTEXT)
        assert other.monitor.rows == 1


IN_ANOTHER_PROCESS = """
import json, sys, onearm
agent = onearm.load(sys.argv[1])
event = json.loads(sys.stdin.read())
agent.update(event["context"], event["choice"], event["reward"])
agent.save(sys.argv[1])
print(agent.choose(event["context"], key="event-17").to_json())
"""


def test_answers_in_another_process(tmp_path):
    made = taught()
    path = tmp_path / "agent"
    made.save(path)
    choice = made.choose(CONTEXT)
    event = {"context": CONTEXT, "choice": choice.to_json(), "reward": True}
    result = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS, path],
        input=json.dumps(event), text=True, capture_output=True, check=True,
    )  # fmt: skip
    made.update(CONTEXT, choice, 1.0)
    assert Decision.from_json(result.stdout) == made.choose(CONTEXT, key="event-17")
    assert bits(onearm.load(path).learner, "choosing") == bits(made.learner, "choosing")


def test_threads():
    """Labels are added while others choose and update: no update is lost."""
    made = agent(learner=Means)

    def work(number):
        for t in range(40):
            if number == 0 and t % 10 == 0:
                made.add_label(f"label {t}")
            choice = made.choose(CONTEXT)
            made.update(CONTEXT, choice, 1)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert made.version == 160
    assert made.learner.counts.sum() == 160
    assert len(made.labels) == 7
    assert made.monitor.rows == 160


def test_monitor():
    made = agent(learner=Means)
    made.choose({"age": 1, "device": "watch"})
    made.choose_many([{"age": 1}, {"device": "phone", "hour": 3}])
    made.update({"device": "watch"}, made.choose(CONTEXT), 1)  # counted once, when it was chosen
    assert made.monitor.rows == 4
    assert (made.monitor.unseen, made.monitor.absent) == ({"device": 1}, {"device": 1, "age": 1})
    assert made.monitor.extra == {"hour": 1}
