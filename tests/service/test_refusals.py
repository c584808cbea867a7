"""Requests that are refused: each says why, with what is allowed, and changes nothing."""

import json

import msgspec
import pytest

from onearm.service.messages import ALLOWED
from onearm.service.operations import OPERATIONS
from tests.service.serving import CONTEXT, serving


@pytest.fixture(scope="module")
def served():
    with serving() as server:
        yield server


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"context": {"age": 99}}, "another context"),
        ({"context": CONTEXT | {"extra": None}}, "another context"),
        ({"among": ["a", "c"]}, "among"),
        ({"among": ["a", "z"]}, "among"),
        ({"among": None}, "among"),
        ({"deferred": True}, "deferred"),
    ],
    ids=str,
)
def test_the_same_event_with_another_wish_is_a_conflict(served, changed, words):
    body = {"event_id": "wish", "context": CONTEXT, "among": ["a", "b"]}
    served.post("decide", body)
    before = len(served.store.log)
    status, answer = served.post("decide", body | changed)
    assert (status, answer["status"], answer["event_id"]) == (409, "conflict", "wish")
    assert words in answer["reason"]
    assert len(served.store.log) == before


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
        (
            "decide",
            b'{"context": {"age": 1e999}}',
            422,
            "column 'age' must be finite and within ±1e+100",
        ),
        ("decide", b'{"context": {"on": -1e999}}', 422, "column 'on' must be finite"),
        (
            "decide",
            b'{"context": {"age": ' + b"9" * 5000 + b"}}",
            422,
            "column 'age' must be finite",
        ),
        ("decide", b'{"context": {"x": 1, "other": 1e999}}', 422, "column 'other' must be finite"),
        ("decide", b'{"context": {"age": [1e999]}}', 422, "with numbers within ±1e+100"),
        ("decide", b'{"context": [1e999]}', 422, "an object of columns"),
        ("decide", b'[{"context": {"age": 1e999}}]', 207, "column 'age' must be finite"),
        (
            "add_policy",
            b'{"policy": "x", "learner": {"name": "LinUCB", "alpha": 1e999}}',
            422,
            "learner must be an object with the class as `name` and its parameters",
        ),
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
    assert words in json.dumps(answer, ensure_ascii=False)
    assert len(served.store.log) == before


@pytest.mark.parametrize("reward", [-0.1, 1.5, 2])
def test_rewards_out_of_range_are_invalid(served, reward):
    status, answer = served.post(
        "feedback", {"event_id": served.decide()["event_id"], "reward": reward}
    )
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


def test_a_list_of_which_some_are_no_requests(served):
    body = [
        {"context": CONTEXT, "event_id": "right"}, 7, {"context": CONTEXT, "event_id": 7},
        {"context": CONTEXT, "event_id": "too"}, {"context": {}, "event_id": "none"},
    ]  # fmt: skip
    status, answers = served.post("decide", body)
    assert status == 207
    assert [answer["code"] for answer in answers] == [200, 422, 422, 200, 422]
    assert "event_id must be a text of 1 to 200 characters, got 7" in answers[2]["reason"]
    assert served.store.decision("right").seq == answers[0]["seq"]
    assert served.post("decide", [7, 8])[0] == 207


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("feedback", {"event_id": "e", "reward": "1"}, "reward must be a finite number, true or"),
        ("feedback", {"event_id": "e", "reward": "1"}, "got '1'"),
        ("feedback", b'{"event_id": "e", "reward": 1e999}', "got inf"),
        ("feedback", {"event_id": "e"}, "reward is missing: it must be a finite number"),
        ("feedback", {"event_id": "e", "rewrd": 1}, "did you mean 'reward'"),
        ("feedback", 3, "a request must be an object, got 3"),
        ("decide", {"context": CONTEXT, "among": "a"}, "among must be a list of labels, got 'a'"),
        ("rollback", {"policy": "inversegap", "seq": 0}, "seq must be an integer of at least 1"),
        ("rollback", [], "a request must be an object, got []"),
        ("promote", {"policy": "a b"}, "policy must be 1 to 40 letters, digits, - and _"),
        ("backup", {"file": "../x"}, "file must be the name of a new file"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_what_is_allowed(served, path, body, words):
    status, answer = served.post(path, body)
    assert (status, answer["status"]) == (422, "invalid")
    assert words in answer["reason"]


def test_all_fields_have_words():
    bodies = [op.body for op in OPERATIONS if op.body is not None]
    fields = {field.name for body in bodies for field in msgspec.structs.fields(body)}
    assert fields == ALLOWED.keys()
