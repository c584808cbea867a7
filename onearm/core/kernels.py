"""How this package compiles: one decorator, one way to compose, one way back to plain Python.

A kernel is a plain loop over arrays that Numba compiles on first use. It is stored under a
digest of all that decides what it compiles to (`kernel_cache`, `code_digest`).
"""

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np
from numba import config, typeof
from numba.core import event
from numba.core.dispatcher import Dispatcher

from onearm.core.code_digest import digest
from onearm.core.dispatcher import Kernel, Notice, SeparateKernel
from onearm.core.kernel_cache import globals_of, stored_files

Options = dict[str, bool]  # of Numba's compiler
# What `bind` makes: a loop; one round, with the arrays that come and go in it, to be called by
# others; and those others, which take and give numbers alone beside what is theirs already.
# To let go of Python's lock, as loops do, takes a third of a round.
LOOP: Options = {}
ROUND: Options = {"separate": True}
LOOP_WITHOUT_REFCOUNTS: Options = {"_nrt": False}
CALL: Options = {"_nrt": False, "nogil": False}

COMPILED = not config.DISABLE_JIT
event.register("numba:compile", Notice())


def kernel(function: Callable[..., Any], separate: bool = False, **options: bool) -> Any:
    """Compile `function` on first use, and store it on disk for other processes."""
    if not COMPILED:
        return function
    # Never fastmath: results must repeat. Inlined, a call counts no references: a third faster.
    # _nrt is given because it would be inherited from the kernel that calls this one.
    usual = {"nopython": True, "nogil": True, "error_model": "numpy", "forceinline": True}
    every = usual | {"_nrt": True} | options
    if separate:
        return SeparateKernel(function, targetoptions=every | {"forceinline": False})
    return Kernel(function, targetoptions=every)


# A kernel of many lines, which would take long to compile wherever it is inlined.
kernel_not_inlined = partial(kernel, forceinline=False)
# A kernel that is compiled once, for all that call it: they contain its address, not its code. A
# call passes every array of every tuple, so it is for kernels that take a microsecond or more.
separate_kernel = partial(kernel, separate=True)
# A kernel that neither allocates nor returns an array: no references are counted. Numba counts one
# for every array of every tuple that a kernel takes, which for a tree takes longer than the tree.
# To return an array from such a kernel would free it twice.
kernel_without_refcounts = partial(kernel, _nrt=False)
separate_kernel_without_refcounts = partial(kernel, separate=True, _nrt=False)


def compose(template: Callable[..., Any], /, **kernels: Any) -> Any:
    """Return `template`, not compiled, with its free names bound to `kernels`."""
    template = getattr(template, "py_func", template)
    names = {**template.__globals__, **kernels}
    defaults, closure = template.__defaults__, template.__closure__
    return FunctionType(template.__code__, names, template.__name__, defaults, closure)


def bind(template: Callable[..., Any], name: str, options: Options = LOOP, **kernels: Any) -> Any:
    """Compile `template` with its free names bound to `kernels`.

    A template calls `choose`, `update`, `weak_predict`, ... without knowing whose they are. The
    name includes a digest of the code, so that two of a name differ.

    Bound to kernels without refcounts alone, it counts none either.
    """
    function = compose(template, **kernels)
    function.__qualname__ = f"{name}.{digest(function)[:12]}"
    if all(isinstance(k, Dispatcher) and not k.targetoptions["_nrt"] for k in kernels.values()):
        options = options | {"_nrt": False}
    return kernel(function, **options)


def compiled(kernel: Any, *arguments: Any) -> Any:
    """Return `kernel` as it is compiled for arguments of these types.

    It does not ask again what it is given, which takes Numba half the time of a short call. So
    it must never be given an array of another dtype or dimension: it would write where it must not.
    """
    if not isinstance(kernel, Dispatcher):
        return kernel  # plain Python
    return kernel.compile(tuple(map(typeof, arguments)))


def is_compiled(kernel: Any) -> bool:
    """Return whether `kernel` lies compiled on disk, for some types, or needs no compiler."""
    return not isinstance(kernel, Kernel) or any(stored_files(kernel.py_func))


def interpreted(function: Any) -> Any:
    """Return the kernel as plain Python, together with every kernel that it calls."""
    function = getattr(function, "py_func", function)
    used = globals_of(function).items()
    callees = {name: interpreted(value) for name, value in used if isinstance(value, Dispatcher)}
    return np.errstate(over="ignore")(compose(function, **callees))  # integers wrap around
