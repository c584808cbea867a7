"""Compiled kernels on disk: a file for each kernel and the types it was compiled for.

A file is named by the digest of the kernel's code (`code_digest`) and by a hash of the argument
types, the processor and the versions of the compiler. What changes any of these makes another
file; a comment, a touched or a moved source does not. Numba's own cache discards a kernel when its
file changes, not when a callee in another file does, and when two processes compile at once its
index may lead one to the machine code of the other.

Files appear complete, under their names, or not at all. A file that was not used for 30 days is
removed by the next process that compiles.
"""

import hashlib
import os
import pickle
import re
import sys
import uuid
from contextlib import suppress
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
from onearm.core.kernel_pruning import mark_used, prune
from onearm.core.symbols import needed

VERSIONS = (
    sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, np.__version__,
    config.OPT, config.BOUNDSCHECK, config.LOOP_VECTORIZE, config.SLP_VECTORIZE,
    config.DEBUGINFO_DEFAULT,
)  # fmt: skip


def cache_root() -> Path:
    """Where compiled kernels are stored: in NUMBA_CACHE_DIR or the user's cache."""
    return Path(os.environ.get("NUMBA_CACHE_DIR") or user_cache_path("onearm"))


def cache_folder() -> Path:
    """The folder of the files."""
    return cache_root() / "kernels"


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
    def digest(self) -> str:
        """The digest of the kernel's code."""
        return self.walk.digest

    @property
    def is_known(self) -> bool:
        """Whether the digest covers all that the kernel refers to."""
        return not self.walk.unknown

    @property
    def is_stored(self) -> bool:
        """Whether another process can import this kernel and all that it calls."""
        if not self.is_known:
            return False
        return all(_is_importable(k.py_func) and not _is_changed(k) for k in self.walk.kernels)

    @property
    def cache_path(self) -> str | None:
        """The folder, if the kernel is stored there."""
        return str(cache_folder()) if self.is_stored else None

    def file(self, sig: Any, codegen: Any) -> Path:
        """Return the file of the kernel as compiled for these types on this processor."""
        function = self.kernel.py_func
        key = self.digest, function.__module__, sig, codegen.magic_tuple(), VERSIONS
        name, key_digest = file_name(function), hashlib.sha256(repr(key).encode()).hexdigest()
        return cache_folder() / f"{name}-{key_digest[:32]}.nbc"

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Return the compiled kernel, or None if it is to be compiled."""
        self.walk = Walk(self.kernel)  # globals may have changed since it was compiled for others
        stored, self.globals = self.is_stored, _globals(self.kernel)
        if not stored:
            return None
        target_context.refresh()
        file = self.file(sig, target_context.codegen())
        try:
            stored_sig, needed_too, payload = pickle.loads(file.read_bytes())
        except Exception:  # it is missing or broken, which may fail in any way
            return None
        if stored_sig != sig:
            return None
        callees = {k._cache.digest: k for k in self.walk.kernels if hasattr(k, "symbols")}
        for digest, types in needed_too:
            if digest not in callees:
                return None
            callees[digest].compile(types)
        mark_used(file)
        return CompileResult._rebuild(target_context, *payload)

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Store a compiled kernel, if there is a place."""
        if not self.is_stored or data.lifted or data.library.has_dynamic_globals:
            return
        file = self.file(sig, data.codegen)
        content = dumps((sig, needed(data), data._reduce()))
        with suppress(OSError):
            write(file, content)
            prune(cache_root())

    def enable(self) -> None:
        """Caching is always on."""

    def disable(self) -> None:
        """Caching is always on."""

    def flush(self) -> None:
        """Nothing waits to be written."""


def file_name(function: Any) -> str:
    """Return how files of this kernel begin; the name of a bound kernel has its digest."""
    return re.sub(r"[^\w.]", "", function.__qualname__)[-60:]


def _globals(kernel: Any) -> dict[str, Any]:
    names, function = kernel.py_func.__code__.co_names, kernel.py_func
    return {name: function.__globals__.get(name) for name in names}


def _is_changed(kernel: Any) -> bool:
    """Whether what is compiled of the kernel in this process has other globals than it has now."""
    before, now = getattr(kernel._cache, "globals", {}), _globals(kernel)
    return any(now[name] is not value for name, value in before.items())


def _is_importable(function: Any) -> bool:
    return function.__module__ in sys.modules and Path(function.__code__.co_filename).is_file()


def write(file: Path, content: bytes) -> None:
    """Write a file that appears when it is complete."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f"{file.name}.{uuid.uuid4().hex}.tmp")
    try:
        partial.write_bytes(content)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
