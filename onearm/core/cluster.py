"""A Ray cluster to work on: the one in use, or one that is started, and ended again."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LOCAL = "ray"
SECONDS = 5.0  # in which a cluster must answer


@contextmanager
def connected(on: str) -> Iterator[Any]:
    """Give Ray: on "ray" the one of this process or a new one of this machine, else at an address.

    What is started here is ended here.
    """
    try:
        import ray
    except ImportError:
        raise ImportError(f"on={on!r} needs Ray: pip install 'onearm[ray]'") from None
    if ray.is_initialized():
        address = ray.get_runtime_context().gcs_address
        port = address.rpartition(":")[2]
        here = (f"127.0.0.1:{port}", f"localhost:{port}")  # other names of this machine
        if on not in (LOCAL, "auto", address, *here):
            raise ValueError(f"on must be ray or {address}, where Ray is in use, got {on!r}")
        yield ray
        return
    _require_listener(on)
    try:
        ray.init(address=None if on == LOCAL else on, log_to_driver=False)
    except (ValueError, ConnectionError, RuntimeError) as error:
        if on == LOCAL:
            raise
        raise ValueError(f"on must be the address of a Ray cluster, got {on!r}: {error}") from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _require_listener(on: str) -> None:
    """Refuse an address where nobody listens, for which Ray would wait many minutes."""
    host, _, port = on.rpartition(":")
    if not port.isdigit() or "/" in host:  # a name, or ray://, which Ray itself refuses in time
        return
    try:
        socket.create_connection((host, int(port)), SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ValueError(f"on must be the address of a Ray cluster, got {on!r}: {error}") from None
