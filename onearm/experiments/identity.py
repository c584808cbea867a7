"""What a run was made of: which code, which rows, which versions, which machine."""

import ast
import datetime
import hashlib
import os
import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

import onearm
from onearm.core.code_digest import digest
from onearm.experiments.job import Record, hash_text
from onearm.streams.stream import Stream

PACKAGE = Path(onearm.__file__).parent
OTHERS = (
    "racing/rows.py", "core/chunks.py", "core/inputs.py", "core/rng.py", "core/sparse_check.py",
    "core/vectors.py",
)  # fmt: skip
PACKAGES = ("onearm", "numpy", "numba")


@cache
def code(cls: Any) -> str:
    """Return a short text that changes with the code of a class, ours or the user's.

    A worker has a copy of a class from a prompt, so call it where the experiment is planned.
    """
    return digest(cls)[:16]


def learner_identity(learner: Any) -> Record:
    """Return a learner's parameters, a hash of its compiled code, and versions."""
    kernel = learner.kernels.play.py_func.__qualname__
    return {"parameters": learner.params(), "code": kernel, "versions": versions()}


@cache
def preparation(package: Path) -> str:
    """Return a hash of all code that reads, makes, orders and scales rows, but no comments."""
    texts = [path.read_text(encoding="utf-8") for path in preparing_sources(package)]
    return hash_text("".join(ast.dump(ast.parse(text)) for text in texts))


def preparing_sources(package: Path) -> list[Path]:
    """Return the files of the package that rows depend on."""
    folders = (sorted((package / name).glob("*.py")) for name in ("schema", "streams"))
    return [*(package / name for name in OTHERS), *chain.from_iterable(folders)]


def stream_digest(stream: Stream) -> str:
    """Return the SHA-256 of all rows and labels of a stream, and of its sizes."""
    sizes = (stream.n_classes, stream.n_features, stream.nominal)
    sha256 = hashlib.sha256(repr(sizes).encode())
    for X, y in stream.chunks():
        sha256.update(repr((X.shape, X.dtype)).encode())
        for array in (X,) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr):
            sha256.update(np.ascontiguousarray(array).tobytes())
        sha256.update(y.tobytes())
    return sha256.hexdigest()


def versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Return the versions of Python and of packages that this process runs on."""
    return {"python": platform.python_version()} | {name: _version(name) for name in packages}


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


@cache
def processor() -> str:
    """Return the name of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def machine() -> Record:
    """Return what is known of this machine, for a run's record."""
    return {"cpu": processor(), "cores": os.cpu_count(), "python": platform.python_version()}


def machines(records: Iterable[Record]) -> list[str]:
    """Describe the machines of some runs, each once; old records name none.

    >>> machines([{"machine": {"cpu": "Z80", "cores": 1, "python": "3.11.7"}}, {}, {}])
    ['Z80, 1 core, Python 3.11.7', 'not recorded']
    """
    return list(dict.fromkeys(_describe(record.get("machine")) for record in records))


def _describe(machine: Record | None) -> str:
    if machine is None:
        return "not recorded"
    cores = f"{machine['cores']} core{'' if machine['cores'] == 1 else 's'}"
    return f"{machine['cpu']}, {cores}, Python {machine['python']}"


def about(packages: Iterable[str] = PACKAGES) -> dict[str, Any]:
    """Return the date, the processor and versions, for the head of a report."""
    today = datetime.date.today().isoformat()
    return {"date": today, "cpu": processor(), **versions(packages)}
