"""A real server in a thread, on a free port of this machine, for tests."""

import http.client
import io
import json
import threading
from contextlib import contextmanager
from pathlib import Path

from onearm.service.app import parse
from onearm.service.lines import Lines
from onearm.service.memory import MemoryStore
from onearm.service.server import listen, make

SETTINGS = {
    "name": "news", "labels": ["a", "b", "c"], "schema": {"age": "number", "on": ["phone", "desk"]},
    "learner": {"name": "InverseGap"},
}  # fmt: skip
CONTEXT = {"age": 31, "on": "phone"}


class Served:
    """A running server, with what it logged and how its writer failed."""

    def __init__(self, settings, store, server, port, log, failures):
        self.settings, self.store, self.server, self.port = settings, store, server, port
        self.log, self.failures = log, failures
        self.url = f"http://127.0.0.1:{port}"

    def send(self, method, path, body=None, token=None, **headers):
        """Return status, content and headers of the answer to one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            headers.setdefault("content-type", "application/json")
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            is_stream = response.getheader("content-type") == "text/event-stream"
            content = b"" if is_stream else response.read()  # which would never end
        finally:
            connection.close()
        is_json = response.getheader("content-type", "").startswith("application/json")
        if is_json and content:
            content = json.loads(content)
        return response.status, content, response.headers

    def post(self, name, body, **more):
        """Return status and content of the answer to a POST to the app."""
        return self.send("POST", f"/v1/news/{name}", body, **more)[:2]

    def get(self, path, **more):
        """Return status and content of the answer to a GET."""
        return self.send("GET", path, **more)[:2]

    def decide(self, **body):
        """Return a decision."""
        status, answer = self.post("decide", {"context": CONTEXT, **body})
        assert status == 200, answer
        return answer

    def lines(self):
        """Return what was logged."""
        return [json.loads(line) for line in self.log.getvalue().splitlines()]

    def drain(self):
        """Let the server drain, as a signal does."""
        self.server.service.mailbox.loop.call_soon_threadsafe(self.server._drain)


@contextmanager
def serving(store=None, folder=Path(), **changes):
    """Yield a server of an app with these settings."""
    store, log, failures = store or MemoryStore(), io.StringIO(), []
    app = parse(SETTINGS | changes, Path(folder))
    server = make(app, store, Lines(file=log), failures.append)
    listener = listen("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    served = Served(app, store, server, listener.getsockname()[1], log, failures)
    served.thread = thread
    try:
        served.get("/healthz")
        yield served
    finally:
        if thread.is_alive():
            served.drain()
        thread.join(20)
        assert not thread.is_alive()
