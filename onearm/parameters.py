"""The parameters of an estimator: each a dataclass field that knows what it may be.

A value outside is refused with the parameter's name, the allowed range and the value, and a value
of the right kind is stored in one type, so that kernels are compiled for that type alone.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, field, fields
from numbers import Integral, Real
from typing import Any

from onearm.core.interval import Interval

REQUIRED = MISSING  # the default of a parameter that has none


def real(default: Any, interval: str, fixed: bool = False) -> Any:
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

    return _field(default, f"a number in {interval}", inside, fixed)


def span(default: Any, interval: str, *others: str) -> Any:
    """Return a field for a number in an interval, a range (low, high) of such, or a few words.

    Settings are drawn from it when the learner is made: it is fixed.
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
    return _field(
        default, f"a number in {interval} or a range (low, high) of such{words}", inside, True
    )


def whole(default: Any, least: int, most: int = 2**31 - 1) -> Any:
    """Return a field for an integer of at least `least`: sizes and seeds, which are fixed."""

    def inside(value: Any) -> int | None:
        right_type = isinstance(value, Integral) and not isinstance(value, bool)
        return int(value) if right_type and least <= value <= most else None

    return _field(default, f"an integer in [{least}, {most}]", inside, True)


def wholes(default: tuple[int, ...], least: int, most: int = 2**31 - 1) -> Any:
    """Return a field for a sequence of integers of at least `least`."""

    one = whole(REQUIRED, least, most).metadata["inside"]

    def inside(value: Any) -> tuple[int, ...] | None:
        stored: list[Any] = [one(n) for n in value] if isinstance(value, list | tuple) else [None]
        return None if None in stored else tuple(stored)

    return _field(default, f"integers in [{least}, {most}]", inside, True)


def option(default: Any, *allowed: Any, fixed: bool = False) -> Any:
    """Return a field for one of a few values."""

    def inside(value: Any) -> Any:
        return next((a for a in allowed if type(a) is type(value) and a == value), None)

    return _field(default, f"one of {', '.join(map(repr, allowed))}", inside, fixed)


def option_or_call(default: Any, *allowed: Any) -> Any:
    """Return a field for one of a few values, or something that can be called without arguments."""
    known = option(default, *allowed).metadata
    return _field(
        default,
        f"{known['allowed']}, or callable",
        lambda value: value if callable(value) else known["inside"](value),
        True,
    )


def flag(default: bool, fixed: bool = False) -> Any:
    """Return a field for True or False."""
    return option(default, True, False, fixed=fixed)


def _field(default: Any, allowed: str, inside: Callable[[Any], Any], fixed: bool) -> Any:
    """Return a field; what is `fixed` decided arrays when a learner was made, and stays."""
    metadata = {"allowed": allowed, "inside": inside, "fixed": fixed}
    return field(default=default, metadata=metadata)


def checked(parameter: Field, value: Any) -> Any:
    """Return a value of a parameter in its one type, or refuse it."""
    stored = parameter.metadata["inside"](value)
    if stored is None:
        allowed = parameter.metadata["allowed"]
        raise ValueError(f"{parameter.name} must be {allowed}, got {value!r}")
    return stored


def parameters(owner: Any) -> list[Field]:
    """Return the fields of an estimator (or its class) that are parameters, in order."""
    return [f for f in fields(owner) if "inside" in f.metadata]
