"""Agents and logs: what an agent decided as a log, and learning from the log of another policy."""

import numpy as np
import pytest

import onearm

COLUMNS = {"x": "number", "device": ["phone", "desktop"]}


def contexts(n, begin=0):
    rows = range(begin, begin + n)
    return [{"x": float(i % 5), "device": ("phone", "desktop")[i % 2]} for i in rows]


def right(context):
    return "a" if context["device"] == "phone" else "b"


def logged(n=300, begin=0):
    """Return an agent that has learnt, and the log of its decisions; the last reward is missing."""
    agent = onearm.Agent(["a", "b", "c"], COLUMNS, "InverseGap")
    decisions, rewards = [], []
    for context in contexts(n, begin):
        decision = agent.choose(context, among=["a", "b"] if context["x"] < 2 else None)
        decisions.append(decision.to_json())
        rewards.append(float(decision.label == right(context)))
        agent.update(context, decision, rewards[-1])
    rewards[-1] = None
    return agent, onearm.Log.from_decisions(contexts(n, begin), decisions, rewards, agent)


def test_decisions_are_a_log():
    agent, log = logged()
    events = log.events()
    assert log.counts == {"reported": 299, "default": 0, "pending": 1, "not_activated": 0}
    assert events.allowed.sum(axis=1).tolist() == [2 if i % 5 < 2 else 3 for i in range(300)]
    assert events.version.tolist() == list(range(300))
    assert log.labels == ("a", "b", "c")
    np.testing.assert_array_equal(events.X, agent.schema.encode_all(contexts(300)))


@pytest.mark.compiled
def test_an_agent_learns_from_the_log_of_another():
    _, log = logged()
    agent = onearm.Agent(["a", "b", "c"], COLUMNS, "LinUCB")
    agent.learn(log)
    assert agent.version == 299
    assert agent.predict(contexts(4)) == [right(context) for context in contexts(4)]


@pytest.mark.compiled
def test_it_remembers_what_it_was_trained_on(tmp_path):
    _, log = logged()
    agent = onearm.Agent(["a", "b", "c"], COLUMNS, "LinUCB")
    agent.learn(log.first(200))
    agent.save(tmp_path / "agent.safetensors")
    loaded = onearm.load(tmp_path / "agent.safetensors")
    assert loaded.trained_on == agent.trained_on == {log.first(200).identity: 200}
    agent.add_label("d")
    assert log.n_learnt(agent.trained_on) == 200


def test_feedback_of_another_kind_is_refused():
    _, log = logged(20)
    agent = onearm.Agent(["a", "b", "c"], COLUMNS, "LinUCB", feedback="one_right")
    with pytest.raises(ValueError, match="feedback of the log must be 'one_right'"):
        agent.learn(log)


@pytest.mark.compiled
def test_an_agent_is_judged_on_later_events_only():
    agent, log = logged()
    with pytest.raises(ValueError, match="may have learnt from all events"):
        onearm.evaluate(log, {"agent": agent})
    unseen = onearm.evaluate(log, {"agent": onearm.ope.Frozen(agent, unseen=True)})
    assert unseen.estimates[1].n_events == 299
    other = onearm.Agent(["a", "b", "c"], COLUMNS, "LinUCB")
    other.learn(log.first(150))
    result = onearm.evaluate(log, {"other": other})
    assert result.estimates[1].n_events == 149
    _, another = logged(100, begin=1)  # of which it has learnt nothing
    assert onearm.evaluate(another, {"other": other}).estimates[1].n_events == 99


@pytest.mark.compiled
@pytest.mark.parametrize("how", ["update", "play", "learn", "choose"])
def test_a_policy_whose_training_is_not_known_is_refused(how):
    """A learner does not remember what it learnt by `update`, an agent no log without versions."""
    agent, log = logged(100)
    events = log.events()
    learner = log.learner("LinUCB")
    if how == "learn":
        learner.learn(log.first(50))
    elif how == "update":
        choice = (events.label[0], None, events.propensity[0])
        learner.update(events.X[0], choice, 1.0)
    elif how == "play":
        learner.play(events.X, events.label)
    else:
        learner.choose(events.X[0])
    forms = [learner, onearm.ope.Greedy(learner), onearm.ope.Learning(learner)]
    for form in forms[: 2 if how == "learn" else 3]:
        if how in ("update", "play"):
            with pytest.raises(ValueError, match=r"it may have learnt .* state it: unseen=True"):
                onearm.evaluate(log, {"it": form})
            with pytest.raises(ValueError, match="may have learnt"):
                onearm.evaluate(log, "uniform", against=form)
        stated = onearm.evaluate(log, {"it": form}, against=form, unseen=how in ("update", "play"))
        assert stated.estimates[1].n_events == (49 if how == "learn" else 99)
    if how == "update":
        with pytest.raises(ValueError, match="model may have learnt from events of this log"):
            onearm.evaluate(log, "uniform", model=learner)
        onearm.evaluate(log, "uniform", model=learner, unseen=True)
    X, chances = events.X, events.chances
    bare = onearm.Log.of(
        X, events.label, events.propensity, events.reward, chances=chances, schema=log.schema
    )
    with pytest.raises(ValueError, match="it may have learnt from events of this log"):
        onearm.evaluate(bare, {"it": agent})
    assert onearm.evaluate(bare, {"it": agent}, unseen=True).estimates[1].n_events == 99
