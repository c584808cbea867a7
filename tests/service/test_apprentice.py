"""An apprentice learns while a baseline decides, whose decisions are marked as such."""

import json

import numpy as np
import pytest

import onearm
from onearm.service.app import parse
from onearm.service.comparison import Comparison
from onearm.service.logs import read_log
from onearm.service.memory import MemoryStore
from onearm.service.records import BASELINE
from onearm.service.replay import recover
from onearm.service.requests import Change, Decide, Feedback
from onearm.service.verify import verify
from onearm.service.warming import warm_app
from tests.service.making import Clock, context, core
from tests.service.serving import CONTEXT, SETTINGS, serving
from tests.service.test_client import BOTH


def decided(service, i, **about):
    (answer,) = service.handle([Decide(f"e{i}", context(i), **about)])
    return answer


def apprenticed(n, store=None, **changes):
    """Return a service whose baseline chose b n times, which earned 1 for every second context."""
    service = core(store, apprentice=True, **changes)
    for i in range(n):
        answer = decided(service, i, baseline="b")
        assert (answer.body["label"], answer.body["propensity"]) == ("b", 1.0)
        assert answer.body["policy"] == BASELINE
        service.handle([Feedback(f"e{i}", 1.0 - i % 2)])
    return service


def test_it_learns_from_a_baseline_and_decides_once_it_is_none():
    store, clock = MemoryStore(), Clock()
    service = apprenticed(40, store)
    agent = onearm.Agent(["a", "b", "c"], service.models.agent.schema, "InverseGap", seed=7)
    for i in range(40):
        decision = store.decision(f"e{i}")
        x = service.models.agent.schema.encode(json.loads(context(i)))
        agent.learner.update(x, (decision.label, None, 1.0), 1.0 - i % 2)
    scores = [policy.learner.scores(x) for policy in (agent, service.models.agent)]
    np.testing.assert_array_equal(*scores)
    assert recover(store)[1].sha256() == service.models.sha256()
    service = core(store, clock)  # without apprentice
    assert [change.what for change in service.changed] == ["settings", "given"]
    answer = decided(service, 100, baseline="c")  # which is not read
    assert (answer.body["policy"], answer.body["greedy"]) == ("first", "b")
    assert answer.body["propensity"] < 1
    assert verify(store).is_sound


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({}, "baseline is missing: an apprentice needs the label that decides"),
        ({"baseline": "x"}, "baseline must be one of 'a', 'b', 'c', got 'x'"),
        (
            {"baseline": "a", "among": ["b"]},
            "baseline must be a label that is allowed, got 'a'",
        ),
        ({"baseline": "c"}, "baseline must be a label that is allowed, got 'c'"),  # retired
    ],
)
def test_baselines_that_are_refused(about, words):
    service = core(apprentice=True)
    service.handle([Change("retire_label", {"label": "c"})])
    answer = decided(service, 0, **about)
    assert answer.status == 422
    assert words in answer.body["reason"]


def test_a_retry_has_the_same_baseline():
    service = apprenticed(1)
    assert decided(service, 0, baseline="b").status == 200
    for about in ({}, {"baseline": "a"}):
        answer = decided(service, 0, **about)
        assert (answer.status, answer.body["status"]) == (409, "conflict")
        assert "another baseline" in answer.body["reason"]


def test_learners_that_cannot_learn_from_others_are_refused():
    policies = {"first": {"name": "ConservativeOVA"}}
    with pytest.raises(ValueError, match=r"apprentice: it must learn .* ConservativeOVA cannot"):
        core(apprentice=True, feedback="one_right", policies=policies)
    store = MemoryStore()
    core(store, feedback="one_right", policies=policies)
    with pytest.raises(ValueError, match="ConservativeOVA cannot"):
        core(store, apprentice=True, feedback="one_right", policies=policies)
    assert len(store.log) == 1  # nothing was changed
    service = core()
    name = {"policy": BASELINE, "learner": {"name": "InverseGap"}}
    assert service.handle([Change("add_policy", name)])[0].status == 422


def test_decisions_of_a_baseline_are_no_exploration():
    """They count for the mean reward, but not as if the champion had chosen them."""
    policies = {"first": {"name": "InverseGap"}, "second": {"name": "EpsilonGreedy"}}
    store = MemoryStore()
    service = apprenticed(40, store, policies=policies)
    comparison = Comparison(store)
    comparison.refresh()
    assert comparison.reward()[0] == 0.5
    assert (comparison.baselines.rows(("a", "b", "c")), comparison.differences()[0].n) == ([], 0)
    service = core(store, policies=policies)
    for i in range(40, 100):
        decided(service, i)
        service.handle([Feedback(f"e{i}", 1.0)])
    comparison.refresh()
    fresh = Comparison(store)
    fresh.refresh()
    for each in (comparison, fresh):
        assert each.above.n == 100
        assert each.differences()[0].n == 60
        evenly = each.baselines.rows(("a", "b", "c"))[0]
        assert evenly["snips"] == pytest.approx(1.0)  # of the last 60, all of which earned 1


def test_what_others_would_have_earned_says_that_nothing_was_tried():
    store = MemoryStore()
    apprenticed(200, store)
    log = read_log(store)
    assert {*log.events().policy} == {BASELINE}
    result = onearm.evaluate(log, ["always b", "always a"])
    same, other = result.estimates[1:]
    assert same.value == pytest.approx(0.5, abs=0.05)
    assert (other.low, other.high) == (0.0, 1.0)
    assert any("100.0% of its choices were never made" in text for text in result.warnings)


def test_verify_finds_decisions_that_are_not_marked():
    for apprentice, policy in ((True, "first"), (False, BASELINE)):
        store = MemoryStore()
        service = core(store, apprentice=apprentice)
        decided(service, 0, baseline="b")
        (place,) = [i for i, record in enumerate(store.log) if hasattr(record, "pmf")]
        store.log[place] = store.log[place]._replace(policy=policy)
        assert f"decision 2 is of policy {policy}" in str(verify(store))


def test_an_apprentice_is_compiled_beforehand(tmp_path):
    warm_app(parse(SETTINGS | {"apprentice": True}, tmp_path))


@BOTH
def test_over_http(kind):
    with serving(apprentice=True) as served, kind(served.url, "news") as client:
        first = client.decide(CONTEXT, baseline="c")
        assert (first.label, first.propensity, first.policy) == ("c", 1.0, BASELINE)
        many = client.decide_many([CONTEXT] * 2, baselines="ba")
        assert [answer.label for answer in many] == ["b", "a"]
        assert client.decide_many([CONTEXT])[0].code == 422
        client.feedback(first.event_id, 1.0)
        status, answer = served.post("decide", {"context": CONTEXT, "baseline": [1]})
        assert (status, answer["reason"]) == (422, "baseline must be a label, got [1]")
        text = served.get("/metrics")[1].decode()
        assert "onearm_baseline_total 3.0" in text
        agreed = sum(answer.label == answer.greedy for answer in [first, *many])
        assert f"onearm_baseline_agreed_total {float(agreed)}" in text
        assert agreed == 1  # a model that knows nothing has one best label
