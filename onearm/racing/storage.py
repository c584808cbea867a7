"""Storing what came of a race: runs line by line, files all together or not at all.

A disk may be full. What was stored before stays as it was, and the error names the file.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from onearm.racing.run import Record


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an OSError that names no file, as when a disk is full, name this one."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def opened(path: Path | None) -> Any:
    """Open a file to add lines to, on a line of its own; without a path nothing is stored."""
    if path is None:
        return Path(os.devnull).open("wb", buffering=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = not path.exists() or path.read_bytes()[-1:] in (b"", b"\n")
    lines = path.open("ab", buffering=0)  # nothing waits to be written when an error comes
    if not whole:
        lines.write(b"\n")
    return lines


def add(lines: Any, record: Record) -> None:
    """Write a record as a line."""
    content = json.dumps(record).encode() + b"\n"
    while content:  # a disk that is nearly full takes a part
        content = content[lines.write(content) :]


def write_together(folder: Path, write: Callable[[Path], list[Path]], old: Any) -> list[Path]:
    """Let `write` fill a new folder, then put its files in place of the `old` ones of that name.

    Where writing fails, none is replaced; `old` says which of the others are then removed.
    """
    with tempfile.TemporaryDirectory(prefix="writing-", dir=folder) as made:
        written = write(Path(made))
        for path in filter(old, list(folder.iterdir())):
            path.unlink()
        return [path.replace(folder / path.name) for path in written]
