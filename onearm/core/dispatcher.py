"""Numba's dispatcher with our cache, and one whose machine code is not copied into its callers.

Numba copies a kernel into every kernel that calls it and optimises it again there, through all
levels: a kernel of many lines is compiled once for each loop that it is in. A `SeparateKernel` is
compiled once, and its callers contain a symbol in its place.
"""

import hashlib
import re
from copy import copy
from typing import Any

from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature

from onearm.core.kernel_cache import KernelCache, cache_folder, file_name
from onearm.core.notice import PER_SECOND
from onearm.core.symbols import PREFIX, publish


class Kernel(CPUDispatcher):
    """A function that is compiled on first use and loaded by other processes."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._cache = KernelCache(self)

    def is_on_disk(self) -> bool:
        """Return whether the kernel was compiled before, for whatever types."""
        return any(cache_folder().glob(f"{file_name(self.py_func)}-*.nbc"))

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
        symbol = self.symbols[cres.signature.args] = self._symbol(cres.signature.args)
        publish(symbol, self._cache.digest, cres)
        described = copy(cres.fndesc)
        described.mangled_name = symbol
        self.targetctx.insert_user_function((symbol, self), described)  # and no library to link

    def get_overload(self, sig: Any) -> Any:
        """Return what Numba finds the call by."""
        types, _ = normalize_signature(sig)
        return self.symbols[tuple(types)], self

    def _symbol(self, types: tuple) -> str:
        """Return the name of the address, which is the same in every process."""
        known = "" if self._cache.is_known else id(self)
        what = self._cache.digest, types, known
        return PREFIX + hashlib.sha256(repr(what).encode()).hexdigest()[:32]
