"""Tokens: no route without one, scopes, both forms of the header, no word about what is right."""

import base64
import hmac

import pytest

from onearm.service import auth
from onearm.service.auth import SCOPES, Guard, Token, new_token
from onearm.service.operations import OPERATIONS
from tests.service.serving import serving

MADE = {scope: new_token() for scope in SCOPES}
TOKENS = {scope: {"sha256": sha256, "scopes": [scope]} for scope, (_, sha256) in MADE.items()}
SCOPED = [op for op in OPERATIONS if op.scope is not None]
OPEN = {op.name for op in OPERATIONS if op.scope is None}


@pytest.fixture(scope="module")
def served():
    with serving(tokens=TOKENS) as server:
        yield server


def send(served, op, token=None, **headers):
    path, body = op.path.replace("{app}", "news"), {} if op.method == "POST" else None
    return served.send(op.method, path, body, token=token, **headers)


def test_only_what_says_nothing_is_open():
    assert OPEN <= {"alive", "ready", "page"}


@pytest.mark.parametrize("op", SCOPED, ids=lambda op: op.name)
def test_no_route_without_a_token(served, op):
    for token in (None, "", "wrong", MADE["admin"][1]):
        status, answer, headers = send(served, op, token)
        assert status == 401
        assert answer["status"] == "no_token"
        assert "Bearer" in headers["www-authenticate"]


@pytest.mark.parametrize("op", SCOPED, ids=lambda op: op.name)
@pytest.mark.parametrize("scope", SCOPES)
def test_a_token_is_good_for_its_scope_and_admin_for_all(served, op, scope):
    status, answer, _ = send(served, op, MADE[scope][0])
    if scope in (op.scope, "admin"):
        assert status not in (401, 403)
    else:
        assert status == 403
        assert answer["status"] == "wrong_scope"
        assert op.scope in answer["reason"]


def test_a_path_that_is_not_there_tells_nothing_more(served):
    assert served.get("/v1/news/nothing")[0] == 404


def test_the_token_may_be_the_password_of_basic(served):
    password = base64.b64encode(f"me:{MADE['read'][0]}".encode()).decode()
    op = next(op for op in OPERATIONS if op.name == "metrics")
    assert send(served, op, authorization=f"Basic {password}")[0] == 200
    for wrong in ("Basic ***", "Basic", f"Digest {password}", "Basic " + "x" * 5000):
        assert send(served, op, authorization=wrong)[0] == 401


def test_the_document_and_the_log_do_not_have_tokens(served):
    token, sha256 = MADE["read"]
    document = str(served.get("/openapi.json", token=token)[1])
    text = document + served.log.getvalue() + str(served.server.service.writer.core.settings)
    assert token not in text
    assert sha256 not in text


def test_every_token_is_compared_in_constant_time(monkeypatch):
    compared, right = [], hmac.compare_digest
    monkeypatch.setattr(
        auth.hmac, "compare_digest", lambda *pair: (compared.append(pair), right(*pair))[1]
    )
    tokens = [new_token() for _ in range(3)]
    guard = Guard(Token(str(i), bytes.fromhex(sha), frozenset({"read"}))
                  for i, (_, sha) in enumerate(tokens))  # fmt: skip
    for token, _ in tokens:
        compared.clear()
        assert guard.scopes(f"Bearer {token}".encode()) == {"read"}
        assert len(compared) == 3
    assert guard.scopes(b"Bearer wrong") is None
    assert guard.scopes(None) is None


def test_tokens_are_random():
    assert len({new_token() for _ in range(100)}) == 100
    assert len(new_token()[0]) >= 40
