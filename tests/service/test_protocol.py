"""The protocol: a response is one write, whoever makes it; memory that stays is not collected."""

import contextlib
import json
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection

import pytest

from onearm.service import protocol, server
from onearm.service.protocol import TOO_LARGE, Joined
from tests.service.serving import serving

HEAD, BODY = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n", b"{}"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Transport:
    """A transport that notes what it is given."""

    def __init__(self, transport=None):
        self.transport, self.written = transport, []

    def write(self, data):
        self.written.append(data)
        if self.transport is not None:
            self.transport.write(data)

    def is_closing(self):
        return self.transport is not None and self.transport.is_closing()

    def close(self):
        self.written.append("closed")
        if self.transport is not None:
            self.transport.close()

    def __getattr__(self, name):
        return getattr(self.transport, name)


class Closed(Transport):
    """A transport that was closed."""

    def is_closing(self):
        return True

    def resume_reading(self):
        raise RuntimeError("the handler is closed")


@pytest.mark.parametrize(
    ("writes", "sent"),
    [
        ([HEAD, BODY, HEAD, BODY], [HEAD + BODY, HEAD + BODY]),
        ([HEAD, "flush"], [HEAD]),  # of a HEAD request
        ([HEAD, BODY, "flush"], [HEAD + BODY]),
        ([CONTINUE, HEAD, BODY], [CONTINUE, HEAD + BODY]),
        ([TOO_LARGE, "close"], [TOO_LARGE, "closed"]),
        ([HEAD, "close"], [HEAD, "closed"]),
        ([HEAD, b"3\r\nabc\r\n", b"0\r\n\r\n"], [HEAD + b"3\r\nabc\r\n", b"0\r\n\r\n"]),
    ],
)
def test_a_head_is_sent_with_what_follows_it(writes, sent):
    transport = Transport()
    joined = Joined(transport)
    for data in writes:
        joined.write(data) if isinstance(data, bytes) else getattr(joined, data)()
    assert transport.written == sent


def test_an_answer_is_one_write(monkeypatch):
    made = []

    class Noted(Joined):
        def __init__(self, transport):
            super().__init__(Transport(transport))
            made.append(self.transport)

    monkeypatch.setattr(protocol, "Joined", Noted)
    with serving() as service:
        service.decide()
        connection = HTTPConnection("127.0.0.1", service.port, timeout=10)
        connection.request("HEAD", "/healthz")
        assert connection.getresponse().status == 200
        connection.close()
    answers = [[data for data in transport.written if data != "closed"] for transport in made]
    assert [len(writes) for writes in answers] == [1, 1, 1]  # the first is of the start
    assert answers[1][0].startswith(b"HTTP/1.1 200")
    assert answers[1][0].endswith(b"}")


def connected(service, data=b""):
    """Return a connection that has sent something."""
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=5)
    connection.sendall(data)
    return connection


def is_open(connection):
    connection.settimeout(0.01)
    try:
        while data := connection.recv(2**16):
            pass
    except TimeoutError:
        return True
    return bool(data)


def test_connections_that_send_no_whole_request_are_closed(monkeypatch):
    monkeypatch.setattr(protocol, "SLOW", 1.0)
    monkeypatch.setattr(server, "LOOKS", 1)
    whole = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"
    head = b"POST /v1/news/decide HTTP/1.1\r\ncontent-type: application/json\r\n"
    with serving() as service:
        partial = [b"", whole[:30], head + b"content-length: 90\r\n\r\n{", whole + whole[:20]]
        slow = [connected(service, data) for data in partial]
        used = [
            connected(service, data)
            for data in (whole, whole.replace(b"healthz", b"v1/news/events"))
        ]
        for connection in slow:
            while connection.recv(2**16):
                pass
        assert all(is_open(connection) for connection in used)
        used[0].sendall(whole)
        used[0].settimeout(5)
        assert used[0].recv(99).startswith(b"HTTP/1.1 200")
        for connection in slow + used:
            connection.close()


def test_a_transport_that_is_closed_is_not_read_on():
    joined = Joined(Closed())
    joined.resume_reading()


@pytest.mark.parametrize("name", ["Upgrade", "upgrade"])
def test_who_would_like_http_2_is_answered_in_http_1(name):
    body = b'{"context": {"age": 31}}'
    head = (
        "POST /v1/news/decide HTTP/1.1\r\ncontent-type: application/json\r\nconnection: Upgrade\r\n"
    )
    data = f"{head}{name}: h2c\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body
    with serving() as service:
        connection = connected(service)
        for _ in range(2):
            connection.sendall(data)
            assert connection.recv(2**16).startswith(b"HTTP/1.1 200 ")
        connection.close()
        assert service.lines() == []


def test_what_is_no_http_is_refused_in_json():
    with serving() as service:
        connection = connected(service, b"\x16\x03\x01 no http\r\n\r\n")
        answer = b""
        while data := connection.recv(2**16):
            answer += data
        connection.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert json.loads(body)["status"] == "malformed"


@pytest.mark.parametrize("begin", [b"GET /", b"GET / HTTP/1.1\r\nx: ", b"GET / HTTP/1.1\r\nx"])
def test_a_head_that_does_not_end_is_refused_before_it_fills_the_memory(begin):
    with serving() as service:
        connection = connected(service, begin)
        connection.settimeout(0.5)
        answer = b""
        for _ in range(20):  # reads: the first one may have all that was sent until then
            connection.sendall(b"a" * 2**15)
            with contextlib.suppress(TimeoutError):
                answer = connection.recv(2**16)
                break
        assert answer.startswith(b"HTTP/1.1 431 ")
        connection.close()
        head = b"GET /healthz HTTP/1.1\r\nhost: x\r\n"
        slow = connected(service)
        for i in range(0, len(head), 5):  # a head in many reads is one
            slow.sendall(head[i : i + 5])
            time.sleep(0.01)
        slow.sendall(b"\r\n")
        assert slow.recv(99).startswith(b"HTTP/1.1 200 ")
        slow.close()


@pytest.mark.compiled
def test_collections_leave_out_what_was_loaded_at_the_start(tmp_path):
    toml = 'name = "x"\nlabels = ["a", "b"]\n[schema]\nx = "number"\n[learner]\nname = "InverseGap"'
    (tmp_path / "app.toml").write_text(toml)
    code = (
        "import gc\n"
        "from onearm.service import app, lines, server\n"
        "server.Running.run = lambda self, sockets: print(gc.get_freeze_count())\n"
        "server.serve(app.read('app.toml'), lines.Lines())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert int(done.stdout) > 100_000, done.stderr
