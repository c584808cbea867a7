"""Compiled kernels on disk: a file for each kernel and the types it was compiled for.

A file is named by the digest of the kernel's code (`code_digest`) and by a hash of the argument
types, the processor and the versions of the compiler. What changes any of these makes another
file; a comment, a touched or a moved source does not. Numba's own cache discards a kernel when its
file changes, not when a callee in another file does, and when two processes compile at once its
index may lead one to the machine code of the other.

Files appear complete, under their names, or not at all. A file that was not used for 30 days is
removed, once a day, by one process that compiles.
"""

import hashlib
import os
import pickle
import re
import shutil
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import config
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from platformdirs import user_cache_path

from onearm.core.code_digest import Walk
from onearm.core.locking import lock_file

VERSIONS = (
    sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, np.__version__,
    config.OPT, config.BOUNDSCHECK, config.LOOP_VECTORIZE, config.SLP_VECTORIZE,
    config.DEBUGINFO_DEFAULT,
)  # fmt: skip
DAY = 86400.0
UNUSED = 30 * DAY
PREFIX = "onearm_separate_"
# By symbol, for as long as the process lives: digest, types and code of what is at its address.
PUBLISHED: dict[str, tuple[str, tuple, CompileResult]] = {}


class KernelCache(_Cache):
    """What Numba asks for a kernel's compiled code."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.globals: dict[str, Any] = {}  # as they were when it was last compiled

    @cached_property
    def walk(self) -> Walk:
        """What the kernel refers to when it is compiled, as Numba sees it."""
        return Walk(self.kernel)

    @property
    def is_stored(self) -> bool:
        """Whether another process can import this kernel and all that it calls."""
        if self.walk.unknown:
            return False
        return all(_is_importable(k.py_func) and not _is_changed(k) for k in self.walk.kernels)

    @property
    def cache_path(self) -> str | None:
        """The folder, if the kernel is stored there."""
        return str(_folder()) if self.is_stored else None

    def file(self, sig: Any, codegen: Any) -> Path:
        """Return the file of the kernel as compiled for these types on this processor."""
        function = self.kernel.py_func
        key = self.walk.digest, function.__module__, sig, codegen.magic_tuple(), VERSIONS
        key_digest = hashlib.sha256(repr(key).encode()).hexdigest()[:32]
        return _folder() / f"{_file_name(function)}-{key_digest}.nbc"

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Return the compiled kernel, or None if it is to be compiled."""
        self.walk = Walk(self.kernel)  # globals may have changed since it was compiled for others
        stored, self.globals = self.is_stored, globals_of(self.kernel.py_func)
        if not stored:
            return None
        target_context.refresh()
        file = self.file(sig, target_context.codegen())
        try:
            stored_sig, needed, payload = pickle.loads(file.read_bytes())
        except Exception:  # it is missing or broken, which may fail in any way
            return None
        if stored_sig != sig:
            return None
        callees = {k._cache.walk.digest: k for k in self.walk.kernels if hasattr(k, "symbols")}
        for digest, types in needed:
            if digest not in callees:
                return None
            callees[digest].compile(types)
        mark_used(file)
        return CompileResult._rebuild(target_context, *payload)

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Store a compiled kernel, if there is a place, with what it calls by symbols."""
        if not self.is_stored or data.lifted or data.library.has_dynamic_globals:
            return
        functions = data.library._final_module.functions
        names = [f.name for f in functions if f.is_declaration and f.name.startswith(PREFIX)]
        content = dumps((sig, [PUBLISHED[name][:2] for name in names], data._reduce()))
        with suppress(OSError):
            _write(self.file(sig, data.codegen), content)
            prune(_folder().parent)

    def flush(self) -> None:
        """Nothing waits to be written; and caching is always on."""

    enable = disable = flush


def _folder() -> Path:
    """The folder of the files: in NUMBA_CACHE_DIR or the user's cache."""
    return Path(os.environ.get("NUMBA_CACHE_DIR") or user_cache_path("onearm")) / "kernels"


def _file_name(function: Any) -> str:
    """How files of this kernel begin; the name of a bound kernel has its digest."""
    return re.sub(r"[^\w.]", "", function.__qualname__)[-60:]


def stored_files(function: Any) -> Iterator[Path]:
    """Return the files of a kernel, for whatever types."""
    return _folder().glob(f"{_file_name(function)}-*.nbc")


def globals_of(function: Any) -> dict[str, Any]:
    """Return the values of the globals that a function names."""
    return {name: function.__globals__.get(name) for name in function.__code__.co_names}


def _is_changed(kernel: Any) -> bool:
    """Whether what is compiled of the kernel in this process has other globals than it has now."""
    before, now = getattr(kernel._cache, "globals", {}), globals_of(kernel.py_func)
    return any(now[name] is not value for name, value in before.items())


def _is_importable(function: Any) -> bool:
    return function.__module__ in sys.modules and Path(function.__code__.co_filename).is_file()


def _write(file: Path, content: bytes) -> None:
    """Write a file that appears when it is complete."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f"{file.name}.{uuid.uuid4().hex}.tmp")
    try:
        partial.write_bytes(content)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def mark_used(file: Path) -> None:
    """Note in the file's time that it is in use; once a day is enough."""
    with suppress(OSError):
        if time.time() - file.stat().st_mtime > DAY:
            os.utime(file)


def prune(root: Path) -> None:
    """Remove what was not used for 30 days, unless it was done today or another is at it."""
    with suppress(OSError), _alone(root / "kernels" / "pruned") as is_due:
        if is_due:
            files = (root / "kernels").glob("*-*.nbc*")
            for path in [*files, *root.glob("kernels-*")]:  # folders: of onearm 0.1
                with suppress(OSError):
                    _remove_unused(path)


def _remove_unused(path: Path) -> None:
    times = [inner.stat().st_mtime for inner in (path, *path.rglob("*"))]
    if time.time() - max(times) > UNUSED:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def _alone(stamp: Path) -> Iterator[bool]:
    """Yield whether pruning is due and nobody else is at it; the stamp's time is the last time."""
    with stamp.open("ab") as file:
        if not lock_file(file.fileno()):
            yield False
            return
        empty = file.tell() == 0
        is_due = empty or time.time() - os.fstat(file.fileno()).st_mtime > DAY
        if is_due:
            file.write(b".") if empty else None
            os.utime(stamp)
        yield is_due
