"""The machine that a run is played on, and those of all runs of a race."""

import os
import platform
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any


@cache
def machine() -> dict[str, Any]:
    """Return what is known of this machine, for a run's record."""
    return {"cpu": processor(), "cores": os.cpu_count(), "python": platform.python_version()}


def processor() -> str:
    """Return what this machine's processor is called."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def machines(records: Iterable[dict[str, Any]]) -> list[str]:
    """Return in words the machines that runs were played on, each once; older runs do not tell.

    >>> machines([{"machine": {"cpu": "Z80", "cores": 1, "python": "3.11.7"}}, {}, {}])
    ['Z80, 1 core, Python 3.11.7', 'not recorded']
    """
    return list(dict.fromkeys(_said(record.get("machine")) for record in records))


def _said(one: dict[str, Any] | None) -> str:
    if one is None:
        return "not recorded"
    cores = f"{one['cores']} core{'' if one['cores'] == 1 else 's'}"
    return f"{one['cpu']}, {cores}, Python {one['python']}"
