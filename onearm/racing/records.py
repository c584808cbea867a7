"""Which records of a race's runs can be used again: only what the report can show."""

import math
from collections.abc import Callable
from typing import Any

from onearm import metrics
from onearm.experiments.job import Record


def _number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _share(value: Any) -> bool:
    return _number(value) and 0 <= value <= 1


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**53


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _numbers_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_number, value.values()))


def _machine(value: Any) -> bool:
    return value is None or (isinstance(value, dict) and {"cpu", "cores", "python"} <= set(value))


ALLOWED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "key": (_text, "a text"),
    "name": (_text, "a text"),
    "learner": (_text, "a text"),
    "date": (_text, "a text"),
    "stream": (lambda v: isinstance(v, dict) and bool({"name", "file"} & set(v)), "a stream"),
    "parameters": (lambda v: isinstance(v, dict), "parameters"),
    "played": (lambda v: isinstance(v, dict), "parameters"),
    "versions": (lambda v: isinstance(v, dict), "versions"),
    "tuned": (_numbers_by_name, "numbers by name"),
    "exploration": (lambda v: v is None or _text(v), "a text or null"),
    "shuffled": (lambda v: isinstance(v, bool), "true or false"),
    "full_information": (lambda v: isinstance(v, bool), "true or false"),
    "repeat": (_count, "a whole number of at least 0"),
    "n_classes": (_count, "a whole number of at least 0"),
    "n_features": (_count, "a whole number of at least 0"),
    "bytes": (_count, "a whole number of at least 0"),
    "n_rounds": (lambda v: _count(v) and v > 0, "a whole number of at least 1"),
    "error": (_share, "in [0, 1]"),
    "last_tenth": (_share, "in [0, 1]"),
    "area": (_share, "in [0, 1]"),
    "seconds": (lambda v: _number(v) and v >= 0, "a number of at least 0"),
}


def fault(record: Record) -> str | None:
    """Return what is wrong with a record, or None."""
    for name, (fits, allowed) in ALLOWED.items():
        if name not in record:
            return f"{name} is missing"
        if not fits(record[name]):
            return f"{name} must be {allowed}, got {str(record[name])[:80]!r}"
    curve = record.get("curve")
    rounds = metrics.curve_rounds(record["n_rounds"]).tolist()
    if not isinstance(curve, dict) or curve.get("rounds") != rounds:
        return "curve must have the rounds of a race"
    majority = record.get("majority", [0.0] * len(rounds))  # runs of earlier versions have none
    for name, errors in (("curve", curve.get("error")), ("majority", majority)):
        sound = isinstance(errors, list) and list(map(_share, errors)) == [True] * len(rounds)
        if not sound:
            return f"{name} must have {len(rounds)} errors in [0, 1]"
    return None if _machine(record.get("machine")) else "machine must have cpu, cores and python"
