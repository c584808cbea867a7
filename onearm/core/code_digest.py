"""A digest of everything that decides what a kernel compiles to, or what a class computes.

Two functions have the same digest if and only if they have the same bytecode, constants, defaults,
closures, and the same values of all globals that they use: numbers, arrays, other kernels with
their options, and so on through every file. Comments, docstrings, line numbers, file names and
modification times do not count. So the digest names compiled code on disk (`kernel_cache`), and a
learner in the results of a race.
"""

import hashlib
import sys
from enum import Enum
from functools import cached_property, partial
from site import getsitepackages, getusersitepackages
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.types import Type

NUMBERS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), np.dtype, Type)
WRAPPERS = (staticmethod, classmethod, MethodType)
NAMED = sys.stdlib_module_names | {"numpy", "numba"}  # by their names; versions are in the cache
COMPUTING = {  # modules of core that decide what a learner computes
    f"onearm.core.{name}"
    for name in ["rng", "vectors", "explore", "estimate", "assembly", "calls", "inputs", "choice"]
}
INSTALLED = tuple(map(str, [*getsitepackages(), getusersitepackages()]))


def digest(value: Any) -> str:
    """Return the digest of a kernel, function or class, in 32 hexadecimal digits."""
    return Walk(value).digest


class Walk:
    """One walk through all that a value refers to."""

    def __init__(self, root: Any) -> None:
        self.ours = {"onearm", _package(root)}
        self.seen: dict[Any, int] = {}  # id -> position, for what may refer to itself
        self.alive: list[Any] = []  # what was seen, so that no id is used twice
        self.kernels: list[Any] = []  # dispatchers
        self.unknown: list[Any] = []  # values that are known by their type alone
        self.digest = hashlib.sha256(self.describe(root).encode()).hexdigest()[:32]

    def describe(self, value: Any, names: frozenset[str] = frozenset()) -> str:
        """Return a text of `value`; `names` are the attributes that may be asked of it."""
        if isinstance(value, Enum):
            return f"{_name(type(value))}.{value.name}={value.value!r}"
        if isinstance(value, NUMBERS):
            return f"{type(value).__name__}:{value!r}"
        if isinstance(value, np.generic):
            return f"{value.dtype.str}:{value.tobytes().hex()}"
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            order = f"{value.flags.c_contiguous}{value.flags.f_contiguous}"
            content = hashlib.sha256(value.tobytes()).hexdigest()
            return f"array:{value.dtype.descr}{value.shape}{order}{content}"
        if isinstance(value, (tuple, list, set, frozenset, dict)):
            return self._collection(value)
        if isinstance(value, CodeType):
            return self._code(value, value.co_consts)
        if isinstance(value, ModuleType):
            return self._module(value, names)
        if isinstance(value, (BuiltinFunctionType, np.ufunc)):
            return f"builtin:{_name(value)}"
        return self._once(value)

    def _collection(self, value: Any) -> str:
        pairs = value.items() if isinstance(value, dict) else value
        items = [self.describe(item) for item in pairs]
        ordered = sorted(items) if isinstance(value, (set, frozenset)) else items
        fields = getattr(value, "_fields", "")
        return f"{_name(type(value))}{fields}[{','.join(ordered)}]"

    def _module(self, module: ModuleType, names: frozenset[str]) -> str:
        """All attributes of these names: the bytecode does not say whose attribute is used."""
        key, used = (id(module), names), {}
        if key not in self.seen and _package(module) not in NAMED:
            self.seen[key] = len(self.seen)
            used = {name: vars(module)[name] for name in sorted(names) if name in vars(module)}
        parts = [f"{name}={self.describe(value, names)}" for name, value in used.items()]
        return f"module:{module.__name__}({','.join(parts)})"

    def _once(self, value: Any) -> str:
        """What may refer to itself is described where it is met first."""
        if id(value) in self.seen:
            return f"#{self.seen[id(value)]}"
        self.seen[id(value)] = len(self.seen)
        self.alive.append(value)
        if isinstance(value, Dispatcher):
            self.kernels.append(value)
            options = sorted((key, repr(v)) for key, v in value.targetoptions.items())
            return f"{type(value).__name__}{options}{self._function(value.py_func)}"
        if isinstance(value, FunctionType):
            return self._function(value) if self._is_followed(value) else self._installed(value)
        if isinstance(value, type):
            return self._class(value) if self._is_followed(value) else self._installed(value)
        if isinstance(value, WRAPPERS):
            return f"{type(value).__name__}:{self.describe(value.__func__)}"
        if isinstance(value, property):
            return f"property:{[self.describe(f) for f in (value.fget, value.fset)]}"
        if isinstance(value, cached_property):
            return f"cached_property:{self.describe(value.func)}"
        if isinstance(value, partial):
            parts = value.func, value.args, value.keywords
            return f"partial:{[self.describe(part) for part in parts]}"
        if isinstance(getattr(value, "__wrapped__", None), FunctionType):
            return f"{_name(type(value))}:{self.describe(value.__wrapped__)}"
        self.unknown.append(value)
        return f"a {_name(type(value))}"

    def _is_followed(self, value: Any) -> bool:
        """Whether the code may change without a new version of an installed package."""
        package = _package(value)
        if package in self.ours:
            module = value.__module__
            return module in COMPUTING or not module.startswith("onearm.core.")
        file = str(getattr(sys.modules.get(value.__module__), "__file__", None) or "")
        return package not in sys.stdlib_module_names and not file.startswith(INSTALLED)

    def _installed(self, value: Any) -> str:
        version = getattr(sys.modules.get(_package(value)), "__version__", "")
        return f"installed:{_name(value)}{'' if _package(value) in NAMED else version}"

    def _function(self, function: FunctionType) -> str:
        code = function.__code__
        constants = code.co_consts
        if function.__doc__ is not None and constants[:1] == (function.__doc__,):
            constants = (None, *constants[1:])
        names = _names(code)
        used = {name: function.__globals__[name] for name in names if name in function.__globals__}
        cells = [_content(cell) for cell in function.__closure__ or ()]
        defaults = function.__defaults__, function.__kwdefaults__
        parts = [self._code(code, constants), *map(self.describe, defaults)]
        parts += [f"cell={self.describe(content, names)}" for content in cells]
        parts += [f"{name}={self.describe(used[name], names)}" for name in sorted(used)]
        return "\n".join(parts)

    def _code(self, code: CodeType, constants: tuple) -> str:
        shape = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
        names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
        steps = code.co_code.hex(), getattr(code, "co_exceptiontable", b"").hex()
        return f"{shape}{names}{steps}[{','.join(map(self.describe, constants))}]"

    def _class(self, cls: type) -> str:
        parts = [cls.__qualname__]
        for base in filter(self._is_followed, cls.__mro__):
            for name, value in vars(base).items():
                is_special = name.startswith("__") and not isinstance(value, FunctionType)
                if not is_special:
                    parts.append(f"{name}={self.describe(value)}")
        return "\n".join(parts)


def _names(code: CodeType) -> frozenset[str]:
    """All names that a function looks up in its globals, or in their attributes."""
    inner = [_names(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return frozenset(code.co_names).union(*inner)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet filled
        return None


def _package(value: Any) -> str:
    module = value.__name__ if isinstance(value, ModuleType) else value.__module__
    return (module or "").partition(".")[0]


def _name(value: Any) -> str:
    module = getattr(value, "__module__", None)
    return f"{module}.{getattr(value, '__qualname__', value.__name__)}"
