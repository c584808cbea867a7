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


def _dict(value: Any) -> bool:
    return isinstance(value, dict)


ALLOWED: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("key", "name", "learner", "date"), (lambda v: isinstance(v, str), "a text")),
    "stream": (lambda v: _dict(v) and bool({"name", "file"} & set(v)), "a stream"),
    **dict.fromkeys(("parameters", "played"), (_dict, "parameters")),
    "versions": (_dict, "versions"),
    "tuned": (lambda v: _dict(v) and all(map(_number, v.values())), "numbers by name"),
    "exploration": (lambda v: v is None or isinstance(v, str), "a text or null"),
    **dict.fromkeys(
        ("shuffled", "full_information"), (lambda v: isinstance(v, bool), "true or false")
    ),
    **dict.fromkeys(
        ("repeat", "n_classes", "n_features", "bytes"), (_count, "a whole number of at least 0")
    ),
    "n_rounds": (lambda v: _count(v) and v > 0, "a whole number of at least 1"),
    **dict.fromkeys(("error", "last_tenth", "area"), (_share, "in [0, 1]")),
    "seconds": (lambda v: _number(v) and v >= 0, "a number of at least 0"),
}


def fault(record: Record) -> str | None:
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
        if not isinstance(errors, list) or list(map(_share, errors)) != [True] * len(rounds):
            return f"{name} must have {len(rounds)} errors in [0, 1]"
    if not isinstance(record.get("labels_sha256", ""), str):  # nor this
        return f"labels_sha256 must be a text, got {str(record['labels_sha256'])[:80]!r}"
    machine = record.get("machine")  # which those have not either
    sound = machine is None or (_dict(machine) and {"cpu", "cores", "python"} <= set(machine))
    return None if sound else "machine must have cpu, cores and python"
