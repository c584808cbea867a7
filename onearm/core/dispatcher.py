"""Numba's dispatcher with our cache, and one whose machine code is not copied into its callers.

Numba copies a kernel into every kernel that calls it and optimises it again there, through all
levels: a kernel of many lines is compiled once for each loop that it is in. A `SeparateKernel` is
compiled once; its callers contain a symbol, which stands for its address in this process.

A line on stderr says when compiling takes more than a second: a first call would seem to hang.
Worker processes print nothing: what started them reports.
"""

import hashlib
import re
import sys
from collections.abc import Callable
from copy import copy
from multiprocessing import current_process
from threading import Timer
from typing import Any, ClassVar

from llvmlite.binding import add_symbol
from numba.core import event
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature

from onearm.core.kernel_cache import PREFIX, PUBLISHED, KernelCache

PATIENCE = 1.0  # seconds
PER_SECOND = 1500  # bytes of bytecode that are compiled in a second, about


class Kernel(CPUDispatcher):
    """A function that is compiled on first use and loaded by other processes."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._cache = KernelCache(self)

    def describe(self) -> str:
        """Return the kernel's name, and about how long it takes to compile it now."""
        *_, owner, name = re.sub(r"\.[0-9a-f]{12}$", "", f".{self.__qualname__}").split(".")
        new = [k.py_func for k in self._cache.walk.kernels if not k.overloads]
        seconds = sum(len(function.__code__.co_code) for function in new) / PER_SECOND
        once = "once, " if self._cache.is_stored else ""
        return f"{owner}.{name} ({once}about {max(1, round(seconds))} s)".lstrip(".")


class SeparateKernel(Kernel):
    """A kernel that others call by its address."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.symbols: dict[tuple, str] = {}  # by types

    def add_overload(self, cres: Any) -> None:
        super().add_overload(cres)
        types, walk = cres.signature.args, self._cache.walk
        known = walk.digest, types, id(self) if walk.unknown else ""  # the same in every process
        symbol = PREFIX + hashlib.sha256(repr(known).encode()).hexdigest()[:32]
        self.symbols[types] = symbol
        if symbol not in PUBLISHED:
            add_symbol(symbol, cres.library.get_pointer_to_function(cres.fndesc.llvm_func_name))
            PUBLISHED[symbol] = walk.digest, types, cres
        described = copy(cres.fndesc)
        described.mangled_name = symbol
        self.targetctx.insert_user_function((symbol, self), described)  # and no library to link

    def get_overload(self, sig: Any) -> Any:
        """Return what Numba finds the call by."""
        types, _ = normalize_signature(sig)
        return self.symbols[tuple(types)], self


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Notice(event.Listener):
    """Listens for Numba compiling, which it does not do for a kernel from disk."""

    write: ClassVar[Callable[[str], Any]] = staticmethod(_to_stderr)  # a program may set another

    def __init__(self) -> None:
        self.depth = 0  # kernels compile those that they call
        self.timer: Timer | None = None

    def on_start(self, event: Any) -> None:
        """Begin to wait, if this is one of our kernels and not called by another."""
        kernel = event.data["dispatcher"]
        is_main_process = current_process().name == "MainProcess"
        if self.depth == 0 and hasattr(kernel, "describe") and is_main_process:
            self.timer = Timer(PATIENCE, _print, [kernel])
            self.timer.daemon = True
            self.timer.start()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        """It took less than that, or was printed."""
        self.depth -= 1
        if self.depth == 0 and self.timer:
            self.timer.cancel()
            self.timer = None


def _print(kernel: Any) -> None:
    Notice.write(f"compiling {kernel.describe()}")
