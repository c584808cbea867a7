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
    first = served.decide(event_id="again")
    for _ in range(3):
        assert served.decide(event_id="again", context={"age": 99}) == first
    assert sum(d.event_id == "again" for d in records(served, Decision)) == 1


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


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("decide", b"{", 400, "malformed"),
        ("decide", b"", 400, "malformed"),
        ("decide", b'{"context": {"age": NaN}}', 400, "malformed"),
        ("decide", b"\xff\xfe", 400, "malformed"),
        ("decide", b'{"context": ' + b"[" * 5000, 400, "malformed"),
        ("decide", b'{"context": {"age": ' + b"[" * 9000 + b"]" * 9000 + b"}}", 400, "malformed"),
        ("decide", b'{"context": ' + b'{"a":' * 900 + b"1" + b"}" * 901, 422, "invalid"),
        ("decide", {}, 422, "context"),
        ("decide", [], 422, "1 to 1000"),
        ("decide", {"context": {}}, 422, "at least one of the columns"),
        ("decide", {"context": [1]}, 422, "object"),
        ("decide", {"context": {"age": "old"}}, 422, "number"),
        ("decide", {"context": {"age": 9.5e170, "on": "phone"}}, 422, "within"),
        ("decide", {"context": CONTEXT, "amnog": ["a"]}, 422, "amnog"),
        ("decide", {"context": CONTEXT, "among": ["z"]}, 422, "among"),
        ("decide", {"context": CONTEXT, "among": []}, 422, "among"),
        ("decide", {"context": CONTEXT, "event_id": ""}, 422, "event_id"),
        ("decide", {"context": CONTEXT, "event_id": "x" * 201}, 422, "event_id"),
        ("decide", {"context": CONTEXT, "event_id": "a\nb"}, 422, "printed"),
        ("decide", {"context": CONTEXT, "event_id": "\ud800"}, 400, "malformed"),
        ("decide", {"context": CONTEXT, "event_id": 7}, 422, "event_id"),
        ("feedback", {"event_id": "nobody", "reward": 1}, 404, "unknown"),
        ("feedback", {"event_id": "nobody"}, 422, "reward"),
        ("feedback", {"event_id": "nobody", "reward": "1"}, 422, "reward"),
        ("feedback", b'{"event_id": "nobody", "reward": 1e999}', 422, "reward"),
        ("activate", {"event_id": "nobody"}, 404, "unknown"),
        ("promote", {"policy": "nobody"}, 422, "nobody"),
        ("promote", {"policy": "../../etc/passwd"}, 422, "policy"),
        ("rollback", {"policy": "inversegap", "seq": 10**9}, 422, "seq"),
        ("add_label", {"label": "a"}, 422, "already"),
        ("retire_label", {"label": "z"}, 422, "label"),
        ("add_policy", {"policy": "new", "learner": {"name": "Nobody"}}, 422, "Nobody"),
        ("add_policy", {"policy": "new", "learner": {}}, 422, "learner"),
        ("remove_policy", {"policy": "inversegap"}, 422, "champion"),
    ],
)
def test_what_is_refused_says_why_and_changes_nothing(served, path, body, status, words):
    before = len(served.store.log)
    got, answer = served.post(path, body)
    assert got == status, answer
    assert words in json.dumps(answer)
    assert len(served.store.log) == before


@pytest.mark.parametrize("reward", [-0.1, 1.5, 2])
def test_rewards_out_of_range_are_invalid(served, reward):
    status, answer = served.post("feedback", {"event_id": decided(served), "reward": reward})
    assert (status, answer["status"]) == (422, "invalid")
    assert "[0, 1]" in answer["reason"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/news/decide", 405),
        ("PUT", "/v1/news/feedback", 405),
        ("DELETE", "/v1/news/state", 405),
        ("OPTIONS", "/v1/news/decide", 405),
        ("POST", "/healthz", 405),
        ("GET", "/nothing", 404),
        ("GET", "/v1/other/state", 404),
        ("GET", "/v1/news/../../etc/passwd", 404),
        ("GET", "/%2e%2e/etc/passwd", 404),
        ("GET", "/v1/news/state/", 404),
    ],
)
def test_paths_and_methods_that_are_not_there(served, method, path, status):
    got, answer, headers = served.send(method, path)
    assert got == status
    assert answer["status"] in ("not_found", "wrong_method")
    assert (headers["allow"] is not None) == (status == 405)


def test_another_app_is_named(served):
    assert "'news'" in served.get("/v1/other/state")[1]["reason"]


def test_only_json_is_taken(served):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json-seq", ""):
        status, answer = served.post("decide", {"context": CONTEXT}, content_type=kind)
        assert (status, answer["status"]) == (415, "wrong_type")
    kind = "Application/JSON; charset=utf-8"
    assert served.post("decide", {"context": CONTEXT}, content_type=kind)[0] == 200


def test_bodies_and_headers_have_limits(served):
    large = {"context": {"age": 1, "note": "x" * 2**20}}
    assert served.post("decide", large)[0] == 413
    assert served.send("GET", "/healthz", note="x" * 2**15)[0] == 431
    assert served.send("GET", "/" + "x" * 2**15)[0] in (404, 431)


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

        def broken(context, among, event_id):
            raise ArithmeticError("no distribution")

        models.choose = broken
        assert served.post("decide", {"context": CONTEXT})[0] == 500
        models.choose = choose
        assert served.post("decide", {"context": CONTEXT})[0] == 200
        assert b"onearm_not_finite_total 1.0" in served.get("/metrics")[1]
