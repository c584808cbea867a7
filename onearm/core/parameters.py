"""The parameters of an estimator: each a dataclass field that knows what it may be.

A value outside is refused with the parameter's name, the allowed range and the value, and a value
of the right kind is stored in one type, so that kernels are compiled for that type alone.
"""

import inspect
import json
import re
import textwrap
from collections.abc import Callable, Collection, Iterable
from dataclasses import MISSING, Field, field, fields
from numbers import Integral, Real
from typing import Any

from onearm.core.state import Interval
from onearm.schema.names import did_you_mean

REQUIRED = MISSING  # the default of a parameter that has none


def real(default: Any, interval: str, *, fixed: bool = False, doc: str = "") -> Any:
    """Return a field for a number in an interval written as `(0, 1]`."""
    within = Interval(interval)

    def inside(value: Any) -> float | None:
        if isinstance(value, bool) or not isinstance(value, Real):
            return None
        try:
            number = float(value)
        except OverflowError:  # an integer above all floats
            return None
        return number if within.holds(number) else None

    return _field(default, f"a number in {interval}", inside, fixed, doc)


def span(default: Any, interval: str, *others: str, doc: str = "") -> Any:
    """Return a field for a number in an interval, a range (low, high) of such, or a few words.

    Settings are sampled from it when the learner is made: it is fixed.
    """
    number = real(default, interval).metadata["inside"]

    def inside(value: Any) -> Any:
        if isinstance(value, str):
            return value if value in others else None
        if not isinstance(value, list | tuple):
            return number(value)
        ends = tuple(number(end) for end in value)
        fine = len(ends) == 2 and None not in ends and ends[0] <= ends[1]
        return ends if fine else None

    words = "".join(f", or {word!r}" for word in others)
    allowed = f"a number in {interval} or a range (low, high) of such{words}"
    return _field(default, allowed, inside, True, doc)


def whole(default: Any, least: int, most: int = 2**31 - 1, *, doc: str = "") -> Any:
    """Return a field for an integer of at least `least`: sizes and seeds, which are fixed."""

    def inside(value: Any) -> int | None:
        right_type = isinstance(value, Integral) and not isinstance(value, bool)
        return int(value) if right_type and least <= value <= most else None

    return _field(default, f"an integer in [{least}, {most}]", inside, True, doc)


def wholes(default: tuple[int, ...], least: int, *, doc: str = "") -> Any:
    """Return a field for a sequence of integers of at least `least`."""
    most = 2**31 - 1
    number = whole(REQUIRED, least, most).metadata["inside"]

    def inside(value: Any) -> tuple[int, ...] | None:
        stored = tuple(map(number, value)) if isinstance(value, list | tuple) else (None,)
        return None if None in stored else stored

    return _field(default, f"integers in [{least}, {most}]", inside, True, doc)


def option(default: Any, *allowed: Any, fixed: bool = False, doc: str = "") -> Any:
    """Return a field for one of a few values."""

    def inside(value: Any) -> Any:
        return next((a for a in allowed if type(a) is type(value) and a == value), None)

    return _field(default, f"one of {', '.join(map(repr, allowed))}", inside, fixed, doc)


def option_or_call(default: Any, *allowed: Any, doc: str = "") -> Any:
    """Return a field for one of a few values, or something that can be called without arguments."""
    known = option(default, *allowed).metadata

    def inside(value: Any) -> Any:
        return value if callable(value) else known["inside"](value)

    return _field(default, f"{known['allowed']}, or callable", inside, True, doc)


def named(default: str, inside: Callable[[Any], Any], allowed: str, *, doc: str = "") -> Any:
    """Return a field for what `inside` turns into a name, or into None if it has none."""
    return _field(default, allowed, inside, True, doc)


def settings_of(*, doc: str = "") -> Any:
    """Return a field for parameters of another class, by name."""

    def inside(value: Any) -> dict[str, Any] | None:
        value = {} if value is None else value
        is_named = isinstance(value, dict) and all(isinstance(name, str) for name in value)
        return dict(value) if is_named else None

    return _field(None, "a dict of parameters", inside, True, doc)


def pairs_of(*, doc: str = "") -> Any:
    """Return a field for pairs of integers from 0 on."""
    two = wholes((), 0).metadata["inside"]

    def inside(value: Any) -> tuple[tuple[int, ...], ...] | None:
        stored = tuple(map(two, value)) if isinstance(value, list | tuple) else (None,)
        return stored if all(pair is not None and len(pair) == 2 for pair in stored) else None

    return _field((), "pairs of integers of at least 0", inside, True, doc)


def flag(default: bool, *, fixed: bool = False, doc: str = "") -> Any:
    """Return a field for True or False."""
    return option(default, True, False, fixed=fixed, doc=doc)


def _field(default: Any, allowed: str, inside: Callable[[Any], Any], fixed: bool, doc: str) -> Any:
    """Return a field; what is `fixed` decided arrays when a learner was made, and stays."""
    metadata = {"allowed": allowed, "inside": inside, "fixed": fixed, "doc": doc}
    return field(default=default, metadata=metadata)


def checked(parameter: Field, value: Any) -> Any:
    """Return a value of a parameter in its one type, or refuse it."""
    stored = parameter.metadata["inside"](value)
    if stored is None:
        raise ValueError(f"{parameter.name} must be {parameter.metadata['allowed']}, got {value!r}")
    return stored


def parameters(owner: Any) -> list[Field]:
    """Return the fields of an estimator (or its class) that are parameters, in order."""
    return [f for f in fields(owner) if "inside" in f.metadata]


def document(cls: Any) -> None:
    """Add the section Parameters to a class's docstring, from the texts of its fields.

    Called while the class is made, before `dataclass` has collected its fields.
    """
    if not cls.__doc__:
        return
    new = {name: value for name, value in vars(cls).items() if isinstance(value, Field)}
    known = getattr(cls, "__dataclass_fields__", {}) | new
    listed = [_described(f, name) for name, f in known.items() if "doc" in f.metadata]
    text, *rest = re.split(r"(?=\n\n(?:Attributes|Examples)\n)", inspect.cleandoc(cls.__doc__))
    section = "\n".join(["Parameters", "----------", *listed])
    cls.__doc__ = "".join([f"{text}\n\n{section}", *rest, "\n"])


def _described(parameter: Field, name: str) -> str:
    """Return a parameter as numpydoc lists it: name, what is allowed, default, and its text."""
    default = "" if parameter.default is MISSING else f", default {parameter.default!r}"
    text = textwrap.fill(parameter.metadata["doc"], 92)
    return f"{name} : {parameter.metadata['allowed']}{default}\n{textwrap.indent(text, '    ')}"


def from_texts(texts: Iterable[str], known: Collection[str], what: str) -> dict[str, Any]:
    """Return parameters of texts, each name=value; a value that is no JSON is a word.

    >>> from_texts(["gamma=0.1", "weak=tree"], ["gamma", "weak"], "--set")
    {'gamma': 0.1, 'weak': 'tree'}
    """
    given: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name not in known:
            allowed = f"name=value, with one of {', '.join(known)} as name"
            raise ValueError(f"{what} must be {allowed}, got {text!r}{did_you_mean(name, known)}")
        try:
            given[name] = json.loads(value)
        except ValueError:
            given[name] = value
    return given
