"""The log lines of a service: JSON on standard error, one object a line."""

import json
import logging
import sys
import time
import warnings
from contextlib import suppress
from typing import Any, TextIO


class Lines:
    """Writes log lines; `verbose` adds one for each request."""

    def __init__(self, verbose: bool = False, file: TextIO | None = None) -> None:
        self.verbose, self.file = verbose, file

    def __call__(self, what: str, level: str = "info", **fields: Any) -> None:
        line = {"ts": round(time.time(), 3), "level": level, "what": what, **fields}
        file = self.file or sys.stderr
        with suppress(OSError, ValueError):  # a full disk, a closed pipe: the service goes on
            file.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")
            file.flush()


def collect(lines: Lines) -> None:
    """Make lines of all that a program says by itself: warnings, kernels it compiles, uvicorn."""
    from onearm.core.dispatcher import Notice

    logging.getLogger("uvicorn.error").handlers = [Handler(lines)]
    logging.getLogger("uvicorn.error").propagate = False
    warnings.showwarning = lambda message, *_, **__: lines("warning", "warning", reason=message)
    Notice.write = staticmethod(lambda text: lines("compiling", reason=text))


class Handler(logging.Handler):
    """Writes what uvicorn logs as lines of the same kind."""

    def __init__(self, lines: Lines) -> None:
        super().__init__(logging.WARNING)
        self.lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        fields = {} if error is None else {"error": f"{type(error).__name__}: {error}"}
        self.lines("server", record.levelname.lower(), reason=record.getMessage().strip(), **fields)
