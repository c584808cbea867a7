"""Clients: answers, refusals, and retries that decide and learn once."""

import asyncio
import http.server
import json
import threading
from contextlib import contextmanager

import numpy as np
import pytest

import onearm
from onearm.service import exchange
from onearm.service.exchange import ServiceError
from onearm.service.records import Decision
from tests.service.serving import CONTEXT, serving


class Waiting:
    """An AsyncClient that is used like a Client: every test is for both."""

    def __init__(self, *args, **kwargs):
        self.loop = asyncio.new_event_loop()
        self.client = onearm.AsyncClient(*args, **kwargs)

    def __getattr__(self, name):
        return lambda *a, **k: self.loop.run_until_complete(getattr(self.client, name)(*a, **k))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
        self.loop.close()


BOTH = pytest.mark.parametrize("kind", [onearm.Client, Waiting], ids=["Client", "AsyncClient"])


@pytest.fixture(scope="module")
def served():
    with serving() as server:
        yield server


@BOTH
def test_decide_feedback_activate_state(served, kind):
    with kind(served.url, "news") as client:
        decision = client.decide(CONTEXT, among=["a", "b"])
        assert decision.label in ("a", "b")
        assert served.store.decision(decision.event_id).seq == decision.seq
        assert client.decide(CONTEXT, event_id=decision.event_id, among=["b", "a"]) == decision
        with pytest.raises(ServiceError, match=r"conflict \(409\)"):
            client.decide(CONTEXT, event_id=decision.event_id)
        assert client.feedback(decision.event_id, 1.0).status == "applied"
        assert client.feedback(decision.event_id, 1.0).status == "duplicate"
        deferred = client.decide(CONTEXT, deferred=True)
        assert client.activate(deferred.event_id).status == "activated"
        assert client.state().seq == served.store.last_seq()


@BOTH
def test_many_at_once(served, kind):
    with kind(served.url, "news") as client:
        decisions = client.decide_many([CONTEXT] * 5)
        assert len({decision.event_id for decision in decisions}) == 5
        settled = client.feedback_many({d.event_id: 1.0 for d in decisions})
        assert [answer.status for answer in settled] == ["applied"] * 5
        ids = [f"{kind.__name__}-{i}" for i in range(3)]
        assert [d.event_id for d in client.decide_many([CONTEXT] * 3, event_ids=ids)] == ids


@BOTH
def test_of_many_those_that_are_wrong_are_refused_alone(served, kind):
    name = f"part-{kind.__name__}"
    ids = [f"{name}-{i}" for i in range(4)]
    contexts = [CONTEXT, {"age": "old"}, CONTEXT, [1]]
    with kind(served.url, "news") as client:
        decisions = client.decide_many(contexts, event_ids=ids)
        assert [d.refused for d in decisions] == [False, True, False, True]
        assert [getattr(d, "code", None) for d in decisions] == [None, 422, None, 422]
        assert "age" in decisions[1].reason
        assert served.store.decision(ids[1]) is None
        rewards = {ids[0]: 1.0, "nobody": 1.0, ids[2]: 5.0}
        settled = client.feedback_many(rewards)
        assert [s.status for s in settled] == ["applied", "unknown", "invalid"]
        assert served.store.outcome(ids[0]).reward == 1.0
        assert settled[2].refused
        assert "[0, 1], got 5" in settled[2].reason


@BOTH
def test_values_of_numpy_are_taken_and_others_are_named(served, kind):
    context = {"age": np.int64(31), "on": np.str_("phone")}
    with kind(served.url, "news") as client:
        decision = client.decide(context, among=np.array(["a", "b"]))
        assert json.loads(served.store.decision(decision.event_id).context) == CONTEXT
        assert client.feedback(decision.event_id, np.float32(0.5)).status == "applied"
        decision = client.decide({"age": np.nan, "on": np.bool_(True)})
        logged = json.loads(served.store.decision(decision.event_id).context)
        assert logged == {"age": None, "on": True}
        client.feedback(decision.event_id, np.bool_(True))
        words = r"reward must be a finite number, a text, true, false or None, got nan"
        with pytest.raises(ValueError, match=words):
            client.feedback(decision.event_id, float("nan"))
        with pytest.raises(ValueError, match=r"\[1\]\.context\.age must be .*, got <object"):
            client.decide_many([CONTEXT, {"age": object()}])


@BOTH
@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (lambda client: client.feedback("nobody", 1.0), 404, "unknown"),
        (lambda client: client.decide({"age": "old"}), 422, "number"),
        (lambda client: client.decide(CONTEXT, among=["z"]), 422, "among"),
        (lambda client: client.activate("nobody"), 404, "unknown"),
    ],
)
def test_refusals_are_raised(served, kind, call, code, words):
    with kind(served.url, "news") as client, pytest.raises(ServiceError, match=words) as raised:
        call(client)
    assert raised.value.code == code


@BOTH
def test_another_app_is_refused(served, kind):
    with kind(served.url, "other") as client, pytest.raises(ServiceError, match="'news'"):
        client.decide(CONTEXT)


@contextmanager
def flaky(served, faults):
    """Yield the address of a proxy that passes requests on, but loses answers as `faults` say.

    "before": nothing is passed on; "after": it is, and the answer is lost; a number: that status.
    """
    seen = []

    class Proxy(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            seen.append(json.loads(body))
            fault = faults.pop(0) if faults else None
            answer = (fault, {"status": "busy"}) if isinstance(fault, int) else None
            if answer is None and fault != "before":
                answer = served.send("POST", self.path, body)[:2]
            if fault in ("before", "after"):
                self.close_connection = True
                return
            content = json.dumps(answer[1]).encode()
            self.send_response(answer[0])
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@BOTH
@pytest.mark.parametrize("faults", [["before"], ["after"], [503], [502, "after", 504, "before"]])
def test_a_request_without_answer_is_sent_again_as_the_same_event(served, kind, faults):
    n, tries = len(served.store.log), len(faults) + 1
    with flaky(served, [*faults, None, *faults]) as (url, seen), kind(url, "news") as client:
        decision = client.decide(CONTEXT)
        client.feedback(decision.event_id, 1.0)
    assert [body["event_id"] for body in seen] == [decision.event_id] * 2 * tries
    new = served.store.log[n:]
    assert sum(isinstance(record, Decision) for record in new) == 1
    assert len(new) == 2


@BOTH
def test_attempts_end(served, kind):
    with (
        flaky(served, [503] * 9) as (url, seen),
        kind(url, "news", retries=2) as client,
        pytest.raises(ServiceError) as raised,
    ):
        client.decide(CONTEXT)
    assert (raised.value.code, len(seen)) == (503, 3)


@BOTH
def test_nobody_listens(kind):
    words = r"no answer from 127\.0\.0\.1:9 after 2 attempts"
    with (
        kind("http://127.0.0.1:9", "news", retries=1) as client,
        pytest.raises(ServiceError, match=words),
    ):
        client.decide(CONTEXT)


def test_a_pause_is_as_long_as_was_asked_for():
    reply = exchange.Reply(503, {"retry-after": "3"}, b"")
    assert exchange._pause(0, reply) == 3.0
    assert exchange._pause(20, None) == exchange.LONGEST
    assert 0.02 < exchange._pause(0, OSError()) < 0.06


@pytest.mark.parametrize("url", ["127.0.0.1:80", "ftp://x", "http://", ""])
def test_addresses_that_are_none(url):
    with pytest.raises(ValueError, match="url must be"):
        onearm.Client(url, "news")


@BOTH
def test_an_id_that_is_empty_is_refused_and_not_replaced(served, kind):
    with kind(served.url, "news") as client, pytest.raises(ServiceError, match="event_id must be"):
        client.decide(CONTEXT, event_id="")


class Taken(list):
    """Connections: whoever looks sees some, but another thread takes the last one meanwhile."""

    def __bool__(self):
        return True


def test_a_connection_that_another_thread_took_is_no_error(served):
    with onearm.Client(served.url, "news", retries=0) as client:
        client._idle = Taken()
        assert client.decide(CONTEXT).label in ("a", "b", "c")


def test_a_call_that_is_cancelled_leaves_no_connection_open(served):
    async def cancelled():
        async with onearm.AsyncClient(served.url, "news") as client:
            await client.state()
            ((_, writer),) = client._idle
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.decide(CONTEXT), 0)
            call = asyncio.ensure_future(client.decide(CONTEXT))
            await asyncio.sleep(0)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            return writer.is_closing() and not client._idle

    assert asyncio.run(cancelled())


def test_a_client_is_for_many_threads(served):
    from concurrent.futures import ThreadPoolExecutor

    with onearm.Client(served.url, "news") as client, ThreadPoolExecutor(16) as pool:
        decisions = list(pool.map(lambda i: client.decide(CONTEXT, event_id=f"t{i}"), range(100)))
    assert [d.event_id for d in decisions] == [f"t{i}" for i in range(100)]
