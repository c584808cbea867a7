"""The parameters of a learner: each a dataclass field that knows what it may be.

A value outside is refused with the parameter's name, the allowed range and the value, and a value
of the right kind is stored in one type, so that kernels are compiled for that type alone.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, field, fields
from numbers import Integral, Real
from typing import Any

REQUIRED = MISSING  # the default of a parameter that has none


def real(default: Any, interval: str) -> Any:
    """Return a field for a number in an interval written as `(0, 1]`."""
    low, high = (float(end) for end in interval[1:-1].split(","))
    closed_low, closed_high = interval[0] == "[", interval[-1] == "]"

    def inside(value: Any) -> float | None:
        if isinstance(value, bool) or not isinstance(value, Real):
            return None
        number = float(value)
        above = low <= number if closed_low else low < number
        below = number <= high if closed_high else number < high
        return number if above and below else None

    return _field(default, f"a number in {interval}", inside)


def span(default: Any, interval: str, *others: str) -> Any:
    """Return a field for a number in an interval, a range (low, high) of such, or a few words."""
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
    return _field(default, f"a number in {interval} or a range (low, high) of such{words}", inside)


def whole(default: Any, least: int, most: int = 2**31 - 1) -> Any:
    """Return a field for an integer of at least `least`."""

    def inside(value: Any) -> int | None:
        right_type = isinstance(value, Integral) and not isinstance(value, bool)
        return int(value) if right_type and least <= value <= most else None

    return _field(default, f"an integer in [{least}, {most}]", inside)


def wholes(default: tuple[int, ...], least: int, most: int = 2**31 - 1) -> Any:
    """Return a field for a sequence of integers of at least `least`."""

    one = whole(REQUIRED, least, most).metadata["inside"]

    def inside(value: Any) -> tuple[int, ...] | None:
        stored: list[Any] = [one(n) for n in value] if isinstance(value, list | tuple) else [None]
        return None if None in stored else tuple(stored)

    return _field(default, f"integers in [{least}, {most}]", inside)


def option(default: Any, *allowed: Any) -> Any:
    """Return a field for one of a few values."""

    def inside(value: Any) -> Any:
        return next((a for a in allowed if type(a) is type(value) and a == value), None)

    return _field(default, f"one of {', '.join(map(repr, allowed))}", inside)


def option_or_call(default: Any, *allowed: Any) -> Any:
    """Return a field for one of a few values, or something that can be called without arguments."""
    known = option(default, *allowed).metadata
    return _field(
        default,
        f"{known['allowed']}, or callable",
        lambda value: value if callable(value) else known["inside"](value),
    )


def flag(default: bool) -> Any:
    """Return a field for True or False."""
    return option(default, True, False)


def _field(default: Any, allowed: str, inside: Callable[[Any], Any]) -> Any:
    return field(default=default, metadata={"allowed": allowed, "inside": inside})


def settle(owner: Any) -> None:
    """Check every parameter of a dataclass instance and store it in its one type."""
    for parameter in parameters(owner):
        value = getattr(owner, parameter.name)
        stored = parameter.metadata["inside"](value)
        if stored is None:
            allowed = parameter.metadata["allowed"]
            raise ValueError(f"{parameter.name} must be {allowed}, got {value!r}")
        setattr(owner, parameter.name, stored)


def parameters(owner: Any) -> list[Field]:
    """Return the fields of a learner (or its class) that are parameters, in order."""
    return [f for f in fields(owner) if "inside" in f.metadata]
