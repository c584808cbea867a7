"""A foreign learner as bytes for workers, and as a text that changes with its code and state."""

import hashlib
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from reprlib import Repr
from typing import Any

import cloudpickle

from onearm.core.code_digest import INSTALLED
from onearm.experiments import identity
from onearm.experiments.job import hash_text

LONG = 500  # letters of an error


def dumped(given: Any) -> bytes:
    """Return an object, class or function as bytes; refuse what has none."""
    with _by_value(given):
        try:
            return cloudpickle.dumps(given)
        except Exception as error:
            reason = f"{type(error).__name__}: {str(error)[:LONG]}"
            raise ValueError(
                f"{brief(given)} cannot be sent to workers ({reason}): "
                "give its class, or a function that makes it"
            ) from error


@contextmanager
def _by_value(given: Any) -> Iterator[None]:
    """Let a module that workers may not be able to import be pickled with its code."""
    name = given.__module__ if hasattr(given, "__name__") else type(given).__module__
    module = sys.modules.get(name)
    file = str(getattr(module, "__file__", None) or "")
    top = name.partition(".")[0]
    if not file or file.startswith(INSTALLED) or top in sys.stdlib_module_names | {"onearm"}:
        yield
        return
    known = name in cloudpickle.list_registry_pickle_by_value()
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        if not known:
            cloudpickle.unregister_pickle_by_value(module)


def code_of(given: Any, *also: Any) -> str:
    """Return a short text that changes with the code and state of a learner, or with other code."""
    if isinstance(given, type | partial) or inspect.isfunction(given):
        parts = [identity.code(given)]
    else:
        cls: Any = type(given)
        state = cloudpickle.dumps(getattr(given, "__dict__", given))
        parts = [identity.code(cls), hashlib.sha256(state).hexdigest()]
    return hash_text(" ".join([*parts, *map(identity.code, also)]))


def brief(value: Any) -> str:
    """Return a short repr of anything, also of what has none."""
    try:
        return Repr().repr(value)[:LONG]
    except Exception:  # of a class of the user's, or a number of thousands of digits
        return f"a {type(value).__name__}"
