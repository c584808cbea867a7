"""The HTTP side: every status, lists as one commit, retries, deferred decisions, changes."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from onearm.service.records import Activation, Control, Decision, Outcome
from tests.service.serving import CONTEXT, serving


@pytest.fixture(scope="module")
def served():
    with serving() as server:
        yield server


def records(served, kind):
    return [record for record in served.store.log if isinstance(record, kind)]


def decided(served):
    return served.decide()["event_id"]


def test_a_decision_is_in_the_log_as_it_was_answered(served):
    answer = served.decide(event_id="first")
    record = served.store.decision("first")
    names = ["a", "b", "c"]
    assert answer == {
        "event_id": "first", "label": names[record.label], "greedy": names[record.greedy],
        "propensity": record.propensity, "policy": "inversegap", "model_seq": record.model_seq,
        "seq": record.seq,
    }  # fmt: skip
    assert json.loads(record.context) == CONTEXT


def test_an_event_without_an_id_gets_one(served):
    first, second = served.decide(), served.decide()
    assert first["event_id"] != second["event_id"]
    assert served.store.decision(first["event_id"]).seq == first["seq"]


def test_the_same_event_gets_the_same_answer(served):
    body = {"event_id": "again", "among": ["b", "a"]}
    first = served.decide(**body)
    turned = {name: CONTEXT[name] for name in reversed(CONTEXT)}
    for same in ({}, {"context": turned}, {"among": ["a", "b"]}, {"deferred": False}):
        assert served.decide(**body | same) == first
    assert sum(d.event_id == "again" for d in records(served, Decision)) == 1


def test_a_retry_after_a_label_was_retired_is_the_same_event():
    with serving() as served:
        body = {"context": CONTEXT, "event_id": "all"}
        some = {"context": CONTEXT, "event_id": "some", "among": ["a", "c"]}
        served.post("retire_label", {"label": "b"})
        first, second = served.post("decide", body), served.post("decide", some)
        served.post("retire_label", {"label": "c"})
        assert served.post("decide", body) == first
        assert served.post("decide", some) == second


def test_among_allows_labels(served):
    for i in range(20):
        assert served.decide(event_id=f"among-{i}", among=["a", "b"])["label"] in ("a", "b")


def test_feedback_is_applied_duplicate_or_in_conflict(served):
    event = decided(served)
    status, answer = served.post("feedback", {"event_id": event, "reward": 1})
    assert (status, answer["status"]) == (200, "applied")
    status, again = served.post("feedback", {"event_id": event, "reward": 1.0})
    assert (status, again["status"], again["seq"]) == (200, "duplicate", answer["seq"])
    status, other = served.post("feedback", {"event_id": event, "reward": 0.5})
    assert (status, other["status"], other["reward"]) == (409, "conflict", 1.0)
    assert sum(o.event_id == event for o in records(served, Outcome)) == 1


def test_true_and_false_are_rewards(served):
    for reward in (True, False):
        body = {"event_id": decided(served), "reward": reward}
        assert served.post("feedback", body)[1]["status"] == "applied"


def test_a_deferred_decision_is_no_event_until_it_is_activated(served):
    event = served.decide(deferred=True)["event_id"]
    assert served.post("feedback", {"event_id": event, "reward": 1})[0] == 409
    assert served.post("activate", {"event_id": event})[1]["status"] == "activated"
    assert served.post("activate", {"event_id": event})[1]["status"] == "active"
    assert served.post("feedback", {"event_id": event, "reward": 1})[1]["status"] == "applied"
    assert sum(a.event_id == event for a in records(served, Activation)) == 1


def test_a_list_is_one_commit_with_an_answer_for_each(served):
    commits = []
    commit = served.store.commit
    served.store.commit = lambda batch: (commits.append(len(batch.records)), commit(batch))
    try:
        body = [{"context": CONTEXT, "event_id": f"list-{i}"} for i in range(50)]
        status, answers = served.post("decide", body)
    finally:
        del served.store.commit
    assert status == 200
    assert [answer["event_id"] for answer in answers] == [f"list-{i}" for i in range(50)]
    assert 50 in commits


def test_a_list_of_which_some_are_refused(served):
    event = decided(served)
    body = [{"event_id": event, "reward": 1}, {"event_id": "nobody", "reward": 1}]
    status, answers = served.post("feedback", body)
    assert status == 207
    assert [answer["code"] for answer in answers] == [200, 404]


def test_a_list_for_which_there_is_never_room_is_not_called_busy():
    with serving(server={"queue": 8}) as served:
        body = [{"context": CONTEXT}] * 9
        status, answer = served.post("decide", body)
        assert (status, answer["reason"]) == (422, "a list must have 1 to 8 requests, got 9")
        assert served.post("decide", body[1:])[0] == 200


def test_the_head_of_a_stream_is_refused_since_it_would_not_end(served):
    status, _, headers = served.send("HEAD", "/v1/news/events")
    assert (status, headers["allow"]) == (405, "GET")
    assert served.send("HEAD", "/v1/news/state")[0] == 200


def test_names_of_files_have_no_line_breaks(served):
    status, answer = served.post("backup", {"file": "copy.db\n"})
    assert status == 422
    assert "must be" in answer["reason"]


def test_many_clients_with_duplicates_settle_each_event_once(served):
    rewards, statuses = {}, []

    def visit(number):
        event = f"shared-{number % 100}"
        answer = served.decide(event_id=event)
        status, feedback = served.post("feedback", {"event_id": event, "reward": number % 2})
        statuses.append(feedback["status"])
        return answer

    with ThreadPoolExecutor(64) as pool:
        answers = list(pool.map(visit, range(400)))
    for answer in answers:
        assert rewards.setdefault(answer["event_id"], answer) == answer
    outcomes = [o for o in records(served, Outcome) if o.event_id.startswith("shared-")]
    assert len(outcomes) == len({o.event_id for o in outcomes}) == 100
    assert statuses.count("applied") == 100
    assert set(statuses) <= {"applied", "duplicate", "conflict"}
    seqs = [record.seq for record in served.store.log]
    assert seqs == list(range(1, len(seqs) + 1))


def test_state_is_that_of_the_models(served):
    served.post("feedback", {"event_id": decided(served), "reward": 1})
    status, state = served.get("/v1/news/state")
    core = served.server.service.writer.core
    assert status == 200
    assert state["sha256"] == core.models.sha256()
    assert (state["seq"], state["model_seq"]) == (core.seq, core.models.seq)
    assert state["pending"] == served.store.n_pending()
    assert state["labels"] == ["a", "b", "c"]


def test_events_are_sent_once_a_second(served):
    import http.client

    event = decided(served)
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    connection.request("GET", "/v1/news/events")
    response = connection.getresponse()
    kind, state = None, None
    while state is None:
        line = response.readline().decode().strip()
        kind = line.removeprefix("event: ") if line.startswith("event: ") else kind
        if line.startswith("data: ") and kind == "state":
            state = json.loads(line.removeprefix("data: "))
    response.close()
    connection.close()
    assert state["app"] == "news"
    assert event in [decision["event_id"] for decision in state["recent"]]
    assert {"per_second", "pending", "labels", "checks", "differences"} <= state.keys()


def test_contexts_that_are_not_as_expected_are_counted():
    with serving() as served:
        extra = {f"column {i}": 1 for i in range(150)}
        for context in (CONTEXT, {"age": 3}, {"on": "watch", "hour": 3}, CONTEXT | extra):
            served.decide(context=context)
        served.post("decide", {"context": {"age": "old"}})
        served.server.service.watcher.look()
        metrics = served.get("/metrics")[1].decode()
        counts = served.server.service.watcher.state["contexts"]
        for line in (
            "onearm_contexts_total 4.0",
            'onearm_unseen_values_total{column="on"} 1.0',
            'onearm_absent_columns_total{column="age"} 1.0',
            'onearm_absent_columns_total{column="on"} 1.0',
            'onearm_extra_columns_total{column="hour"} 1.0',
        ):
            assert line in metrics
    assert counts["rows"] == 4
    assert counts["absent"] == {"on": 1, "age": 1}
    assert counts["unseen"] == {"on": 1}
    assert len(counts["extra"]) == 101
    assert counts["extra"]["(others)"] == 1


def test_changes_are_records_and_log_lines():
    with serving() as served:
        assert served.post("add_label", {"label": "d"})[1]["status"] == "changed"
        assert served.post("retire_label", {"label": "a"})[0] == 200
        learner = {"name": "EpsilonGreedy", "epsilon": 0.2}
        assert served.post("add_policy", {"policy": "greedy", "learner": learner})[0] == 200
        served.post("feedback", {"event_id": decided(served), "reward": 1})
        assert served.post("promote", {"policy": "greedy"})[0] == 200
        assert served.decide()["policy"] == "greedy"
        assert served.post("rollback", {"policy": "greedy", "seq": 6})[0] == 200
        assert served.post("remove_policy", {"policy": "inversegap"})[0] == 200
        policies = served.get("/v1/news/policies")[1]
        assert (policies["champion"], list(policies["policies"])) == ("greedy", ["greedy"])
        state = served.get("/v1/news/state")[1]
        assert (state["labels"], state["retired"]) == (["b", "c", "d"], ["a"])
        kinds = [record.what for record in records(served, Control)]
        logged = [line["change"] for line in served.lines() if line["what"] == "change"]
    assert kinds[1:] == logged
    assert len(logged) == 6


def test_a_snapshot_can_be_asked_for():
    with serving() as served:
        served.post("feedback", {"event_id": decided(served), "reward": 1})
        status, answer = served.post("snapshot", {})
        assert (status, answer["status"]) == (202, "begun")
        done = threading.Event()
        for _ in range(100):
            if served.get("/v1/news/state")[1]["snapshot_seq"] == answer["seq"]:
                done.set()
                break
            done.wait(0.05)
        assert done.is_set()


def test_a_model_that_fails_answers_500_and_the_service_goes_on():
    with serving() as served:
        models = served.server.service.writer.core.models
        choose = models.choose

        def broken(*_):
            raise ArithmeticError("no distribution")

        models.choose = broken
        assert served.post("decide", {"context": CONTEXT})[0] == 500
        models.choose = choose
        assert served.post("decide", {"context": CONTEXT})[0] == 200
        assert b"onearm_not_finite_total 1.0" in served.get("/metrics")[1]
