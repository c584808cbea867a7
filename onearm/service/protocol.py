"""The HTTP protocol of uvicorn, with limits for headers and time, and one write for each response.

uvicorn waits for ever for the rest of a request. Connections whose other end has gone, or sends a
byte a minute, would add up until no new one is accepted: they are closed. So are those whose
headers do not end: httptools keeps all of a header until it is complete. It also takes what follows
a wish for another protocol for that one's, so that the body would be lost: such a wish, as Java's
client has by default, is not shown to it.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

SLOW = 60  # seconds in which a connection must have sent a whole request
UPGRADE = re.compile(rb"\r\nupgrade:", re.IGNORECASE)  # no JSON has that


def refusal(status: str, what: str, reason: str) -> bytes:
    """Return a response that ends a connection, for what never becomes a request."""
    body = json.dumps({"status": what, "reason": reason}, separators=(",", ":"))
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    return f"{head}\r\nconnection: close\r\n\r\n{body}".encode()


TOO_LARGE = refusal("431 Request Header Fields Too Large", "too_large", "the headers are too large")
NO_HTTP = refusal("400 Bad Request", "malformed", "this is no request of HTTP/1.1")


class Joined:
    """A transport that sends the head of a response together with what follows it.

    uvicorn writes head and body apart, and each write is a system call here and one of the client.
    """

    def __init__(self, transport: Any) -> None:
        self.transport, self.head = transport, b""
        self.is_closing = transport.is_closing

    def write(self, data: bytes) -> None:
        """Send data, except a head without a body: it waits for that."""
        if not self.head and data[:9] == b"HTTP/1.1 " and data[9:10] != b"1":
            if data[-4:] == b"\r\n\r\n":
                self.head = data
                return
        elif self.head:
            data, self.head = self.head + data, b""
        self.transport.write(data)

    def flush(self) -> None:
        """Send a head that no body follows: the answer to HEAD."""
        if self.head:
            self.write(b"")

    def resume_reading(self) -> None:
        """Read on, unless the connection has been closed meanwhile."""
        if not self.is_closing():
            self.transport.resume_reading()

    def close(self) -> None:
        """Send what waits, and close."""
        self.flush()
        self.transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)


def close_slow(connections: Iterable[Any], seconds: float) -> None:
    """Close connections that have not sent a whole request in SLOW seconds.

    Is called again after so many `seconds`, with all connections that there are then.
    """
    for connection in [*connections]:
        if connection.is_partial:
            connection.age += seconds
            if connection.age > SLOW:
                connection.transport.close()


def limited(most: int) -> type[HttpToolsProtocol]:
    """Return the protocol with a limit for the bytes of target and headers."""

    class Limited(HttpToolsProtocol):
        def connection_made(self, transport: Any) -> None:
            self.is_partial, self.age = True, 0.0  # seconds without a whole request
            self.is_head, self.n_bytes = False, 0
            super().connection_made(Joined(transport))

        def data_received(self, data: bytes) -> None:
            message = self.headers
            if b"pgrade" in data:
                data = UPGRADE.sub(b"\r\nx-grade:", data)
            super().data_received(data)
            if self.is_head and self.headers is message and not self.transport.is_closing():
                self.n_unread += len(data)
                if self.n_unread > 2 * most:  # it has separators, too
                    self.n_bytes += self.n_unread
                    self.send_400_response("")

        def on_headers_complete(self) -> None:
            self.is_head = False
            super().on_headers_complete()

        def on_message_complete(self) -> None:
            self.is_partial = False
            super().on_message_complete()

        def send_400_response(self, msg: str) -> None:
            self.transport.write(TOO_LARGE if self.n_bytes > most else NO_HTTP)
            self.transport.close()

        def on_response_complete(self) -> None:
            self.transport.flush()
            super().on_response_complete()

        def on_message_begin(self) -> None:
            self.is_partial, self.age = True, 0.0
            self.is_head, self.n_bytes, self.n_unread = True, 0, 0  # unread: in later reads
            super().on_message_begin()

        def on_url(self, url: bytes) -> None:
            self._add(len(url))
            super().on_url(url)

        def on_header(self, name: bytes, value: bytes) -> None:
            self._add(len(name) + len(value))
            super().on_header(name, value)

        def _add(self, n: int) -> None:
            self.n_bytes += n
            if self.n_bytes > most:  # it ends the parser: nothing of the request is done
                raise ValueError("the headers are too large")

    return Limited
