"""How this package compiles: one decorator, one way to compose, one way back to plain Python.

A kernel is a plain loop over arrays that Numba compiles on first use and caches on disk. Numba
does not notice that a kernel called from another file has changed, so the cache lies in a folder
named by the sources of all kernels: change one and everything is compiled anew.
"""

import hashlib
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from numba import config, njit, typeof
from numba.core.dispatcher import Dispatcher
from platformdirs import user_cache_path

Options = dict[str, bool]  # of Numba's compiler
# What `bind` makes: a loop; one round, with the arrays that come and go in it, to be called by
# others; and those others, which take and give numbers alone beside what is theirs already.
# To let go of Python's lock, as loops do, takes a third of a round.
LOOP: Options = {}
ROUND: Options = {"forceinline": False}
LEAN_LOOP: Options = {"_nrt": False}
CALL: Options = {"_nrt": False, "nogil": False}

HAS_KERNELS = re.compile(rb"kernel\(|kernel$|[ (]bind\(", re.MULTILINE)
CONSTANTS = (bool, int, float, str, tuple, np.generic)
COMPILED = not config.DISABLE_JIT


def cache_folder() -> Path:
    """Where compiled kernels are kept: NUMBA_CACHE_DIR or the user's cache, by sources."""
    package = Path(__file__).parent
    sources = [path.read_bytes() for path in sorted(package.rglob("*.py"))]
    digest = hashlib.sha256(b"".join(text for text in sources if HAS_KERNELS.search(text)))
    root = os.environ.get("NUMBA_CACHE_DIR") or user_cache_path("onearm")
    return Path(root) / f"kernels-{digest.hexdigest()[:12]}"


CACHE = cache_folder()


def kernel(function: Callable[..., Any], **options: bool) -> Any:
    """Compile `function` on first use, and cache it where it can be found again."""
    # Never fastmath: results must repeat. Inlined, a call counts no references: a third faster.
    # _nrt is said because it would be inherited from the kernel that calls this one.
    usual = {"nogil": True, "error_model": "numpy", "forceinline": True, "_nrt": True}
    before, config.CACHE_DIR = config.CACHE_DIR, str(CACHE)
    try:
        return njit(cache=_is_found_again(function), **usual | options)(function)
    except RuntimeError:  # defined at a prompt: there is no file to key a cache by
        return njit(**usual | options)(function)
    finally:
        config.CACHE_DIR = before


def _is_found_again(function: Callable[..., Any]) -> bool:
    """Whether another process can import this kernel and all that it calls."""
    callees = _callees(function).values()
    return function.__module__ in sys.modules and all(one.stats.cache_path for one in callees)


def large_kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel of many lines, which would take long to compile wherever it is inlined."""
    return kernel(function, forceinline=False)


def lean_kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel that neither allocates nor returns an array: no references are counted.

    Numba counts a reference for every array of every tuple that a kernel takes, which for a tree
    takes longer than the tree. To return an array from such a kernel would free it twice.
    """
    return kernel(function, _nrt=False)


def compose(template: Callable[..., Any], **kernels: Any) -> Any:
    """Return `template`, not compiled, with its free names bound to `kernels`."""
    template = getattr(template, "py_func", template)
    return FunctionType(template.__code__, {**template.__globals__, **kernels})


def bind(template: Callable[..., Any], name: str, options: Options = LOOP, **kernels: Any) -> Any:
    """Compile `template` with its free names bound to `kernels`.

    A template calls `choose`, `update`, `weak_predict`, ... without knowing whose they are. Numba
    would take those kernels as arguments or from a closure, but then compiles in every process
    and leaves a new cache file behind each time; bound as globals they are compiled once and
    found again. The name is the cache's key, so it includes a hash of the code.

    Bound to lean kernels alone, it is lean.
    """
    function = compose(template, **kernels)
    digest = hashlib.sha256(_text(function).encode()).hexdigest()[:12]
    function.__qualname__ = f"{name}.{digest}"
    lean = {"_nrt": False} if all(_is_lean(bound) for bound in kernels.values()) else {}
    return kernel(function, **options | lean)


def _is_lean(bound: Any) -> bool:
    return isinstance(bound, Dispatcher) and not bound.targetoptions["_nrt"]


def compiled(kernel: Any, *arguments: Any) -> Any:
    """Return `kernel` as it is compiled for arguments of these types.

    It does not ask again what it is given, which takes Numba half the time of a short call. So
    it must never be given an array of another dtype or dimension: it would write where it must not.
    """
    if not isinstance(kernel, Dispatcher):
        return kernel  # plain Python
    return kernel.compile(tuple(map(typeof, arguments)))


def interpreted(function: Any) -> Any:
    """Return the kernel as plain Python, together with every kernel that it calls."""
    function = getattr(function, "py_func", function)
    names = {name: interpreted(callee) for name, callee in _callees(function).items()}
    names = {**function.__globals__, **names}
    plain = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    return np.errstate(over="ignore")(plain)  # the generator's integers wrap around


def _callees(function: Any) -> dict[str, Dispatcher]:
    names = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return {name: value for name, value in names.items() if isinstance(value, Dispatcher)}


def _text(function: Any) -> str:
    """Everything that decides what `function` compiles to: its code, constants and callees."""
    callees = _callees(function)
    globals_ = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    constants = {name: v for name, v in globals_.items() if isinstance(v, CONSTANTS)}
    texts = [_text(callee.py_func) for callee in callees.values()]
    return "\n".join([_code(function.__code__), repr(constants), *texts])


def _code(code: CodeType) -> str:
    constants = [_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {constants}"
