"""Overload, drain and failure: a full queue refuses, nothing is lost, and no false answers."""

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from onearm.service import server
from onearm.service.memory import MemoryStore
from onearm.service.records import Decision
from onearm.service.requests import Decide, Feedback
from tests.service import making
from tests.service.serving import CONTEXT, serving


class SlowStore(MemoryStore):
    """A store whose commits wait until they may go on."""

    def __init__(self):
        super().__init__()
        self.gate, self.entered = threading.Event(), threading.Event()
        self.gate.set()

    def commit(self, batch):
        if not self.gate.is_set():
            self.entered.set()
        assert self.gate.wait(60)
        super().commit(batch)


def wait_until(condition):
    deadline = time.monotonic() + 30  # of a machine that is busy
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never happened")


def test_a_full_queue_refuses_and_the_counters_add_up():
    store = SlowStore()
    with serving(store, server={"queue": 8}) as served:
        writer = served.server.service.writer
        store.gate.clear()
        with ThreadPoolExecutor(40) as pool:
            sent = [
                pool.submit(served.send, "POST", "/v1/news/decide", {"context": CONTEXT})
                for _ in range(40)
            ]
            wait_until(lambda: sum(future.done() for future in sent) >= 20)
            most = writer.n_waiting
            store.gate.set()
            answers = [future.result() for future in sent]
        statuses = [status for status, _, _ in answers]
        refused = [(answer, headers) for status, answer, headers in answers if status == 503]
        assert most <= 8
        assert len(refused) >= 20
        assert all(answer["status"] == "busy" for answer, _ in refused)
        assert all(headers["retry-after"] == "1" for _, headers in refused)
        assert statuses.count(200) + len(refused) == 40
        assert sum(isinstance(r, Decision) for r in store.log) == statuses.count(200)
        metrics = served.get("/metrics")[1].decode()
        assert f"onearm_refused_total {len(refused)}.0" in metrics
        assert f"onearm_decisions_total {statuses.count(200)}.0" in metrics


def test_nothing_is_answered_before_its_commit():
    store = SlowStore()
    with serving(store) as served, ThreadPoolExecutor(8) as pool:
        store.gate.clear()
        sent = [pool.submit(served.decide, event_id=f"e{i}") for i in range(8)]
        time.sleep(0.3)
        assert not any(future.done() for future in sent)
        store.gate.set()
        for future in sent:
            answer = future.result(10)
            assert store.decision(answer["event_id"]).seq == answer["seq"]


def test_drain_answers_what_waits_and_refuses_what_comes():
    store = SlowStore()
    with serving(store) as served, ThreadPoolExecutor(8) as pool:
        assert served.get("/readyz") == (200, {"status": "ready"})
        store.gate.clear()
        sent = [pool.submit(served.decide, event_id="first")]
        wait_until(store.entered.is_set)
        sent += [pool.submit(served.decide, event_id=f"e{i}") for i in range(7)]
        wait_until(lambda: served.server.service.writer.n_waiting == 7)
        served.drain()
        wait_until(served.server.service.draining.is_set)
        status, answer, headers = served.send("POST", "/v1/news/decide", {"context": CONTEXT})
        assert (status, answer["status"], headers["retry-after"]) == (503, "draining", "5")
        assert served.get("/readyz")[0] == 503
        assert served.get("/healthz")[0] == 200
        writer = served.server.service.writer
        wait_until(lambda: writer.ending)  # then it refuses by itself, too
        assert not writer.submit([Decide("too late", b'{"age": 1}')], lambda answers: None)
        assert not writer.ask(lambda core: core.seq, lambda seq: None)
        store.gate.set()
        for future in sent:
            assert store.decision(future.result(10)["event_id"])
    assert store.snapshots()[0] == len(store.log)


def test_drain_does_not_wait_for_requests_of_which_a_part_has_come(monkeypatch):
    monkeypatch.setattr(server, "GRACE", 60)
    head = "POST /v1/news/decide HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    parts = [
        head,
        f"{head}content-length: 500\r\n\r\n",
        f"{head}content-length: 500\r\n\r\n" + '{"c',
    ]
    with serving() as served:
        sockets = [socket.create_connection(("127.0.0.1", served.port), 20) for _ in parts]
        for some, part in zip(sockets, parts, strict=True):
            some.sendall(part.encode())
        served.decide()
        served.drain()
        wait_until(lambda: not served.thread.is_alive())
        for some in sockets:
            assert some.recv(100)[:12] in (b"", b"HTTP/1.1 400")
            some.close()


def test_a_body_that_ends_before_its_end_is_not_done():
    """In chunks: what has come is JSON, but nobody knows whether it is all."""
    body = b'{"context": {"age": 31}, "event_id": "half"}'
    head = "POST /v1/news/decide HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    chunk = f"{head}transfer-encoding: chunked\r\n\r\n{len(body):x}\r\n".encode() + body + b"\r\n"
    with serving() as served:
        with socket.create_connection(("127.0.0.1", served.port), 20) as some:
            some.sendall(chunk)
            time.sleep(0.3)
        time.sleep(0.3)
        served.decide(event_id="after")
        assert served.store.decision("half") is None


def test_a_commit_that_fails_ends_the_service_without_false_answers():
    store = MemoryStore()
    with serving(store) as served:
        served.decide(event_id="before")
        store.fail = OSError("disk full")
        status, answer = served.post("decide", {"context": CONTEXT, "event_id": "lost"})
        assert (status, answer["status"]) == (503, "commit_failed")
        assert "a commit failed" in answer["reason"]
        wait_until(lambda: served.failures)
        assert isinstance(served.failures[0], OSError)
        assert store.decision("lost") is None
        status, answer = served.post("decide", {"context": CONTEXT})
        assert (status, answer["status"]) == (503, "commit_failed")
        assert served.get("/readyz")[0] == 503


@pytest.mark.parametrize("wait", [0.2])
def test_default_rewards_come_in_time_and_late_feedback_is_stored(wait):
    with serving(wait=wait) as served:
        event = served.decide()["event_id"]
        wait_until(lambda: served.store.outcome(event) is not None)
        before = served.get("/v1/news/state")[1]["sha256"]
        status, answer = served.post("feedback", {"event_id": event, "reward": 1})
        assert (status, answer["status"]) == (202, "late")
        assert served.get("/v1/news/state")[1]["sha256"] == before
        assert [rejected.why for rejected in served.store.rejected] == ["late"]
        assert b"onearm_expired_total 1.0" in served.get("/metrics")[1]


def test_large_contexts_are_not_kept_in_memory_and_their_events_are_known():
    service = making.core()
    note = json.dumps({"age": 30, "device": "phone", "note": "x" * 100_000}).encode()
    for i in range(4):
        service.handle([Decide(f"large {i}", note), Decide(f"small {i}", making.context(i))])
    service.handle([Feedback("large 0", 1.0), Feedback("small 0", 1.0)])
    assert [*service.recent] == [f"small {i}" for i in range(4)]
    assert [*service.outcomes] == ["small 0"]
    again = [Decide("large 0", note), Feedback("large 0", 1.0), Feedback("large 0", 0.5)]
    assert [answer.status for answer in service.handle(again)] == [200, 200, 409]
    assert service.handle([Feedback("large 1", 0.0)])[0].body["status"] == "applied"
    many = making.core(labels=[f"label {i}" for i in range(3000)])  # and their probabilities
    many.handle([Decide("e", making.context())])
    assert not many.recent
