"""A ledger: finished runs in a file, a line of JSON each, found again by their keys.

A line may be cut off or edited by hand: such a line is no run. Only the process that started an
experiment writes. A disk may be full: what was stored stays as it was, and the error names the
file.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from onearm.experiments.job import Record


class Ledger:
    """The finished runs of a file; without a path nothing is stored.

    `fault` returns what is wrong with a record, or None; `faults` has those found by `records`.
    """

    def __init__(
        self, path: Path | None, fault: Callable[[Record], str | None] = lambda record: None
    ) -> None:
        self.path, self.fault = path, fault
        self.faults: dict[str, str] = {}  # by key

    def records(self) -> dict[str, Record]:
        """Return the usable records of the file by key, the last of each key."""
        records: dict[str, Record] = {}
        self.faults = {}
        for line in self.path.read_bytes().splitlines() if self.path and self.path.exists() else ():
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if not isinstance(record, dict) or not isinstance(record.get("key"), str):
                continue
            fault = self.fault(record)
            if fault is None:
                records[record["key"]] = record
            else:
                self.faults[record["key"]] = fault
        return records

    @contextmanager
    def writer(self) -> Iterator[Callable[[Record], None]]:
        """Give a function that appends a record, on a line of its own."""
        path = self.path
        if path is None:
            yield lambda record: None
            return
        with name_in_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            complete = not path.exists() or path.read_bytes()[-1:] in (b"", b"\n")
            file = path.open("ab", buffering=0)  # nothing is left in a buffer by an error

        def write(record: Record) -> None:
            with name_in_errors(path):
                _append(file, json.dumps(record).encode() + b"\n")

        with file:
            if not complete:
                _append(file, b"\n")
            yield write


def _append(file: Any, content: bytes) -> None:
    while content:  # a disk that is nearly full takes a part
        content = content[file.write(content) :]


@contextmanager
def name_in_errors(path: Path) -> Iterator[None]:
    """Let an OSError that names no file, as when a disk is full, name this one."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
