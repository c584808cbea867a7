"""JSON lines: one event a line, as a service or an agent writes them.

    {"context": {"age": 31}, "label": "tech", "propensity": 0.2, "reward": 1, "event_id": "a7",
     "time": "2026-01-31T12:00:00Z", "greedy": "news", "among": ["news", "tech"],
     "chances": {"news": 0.8, "tech": 0.2}, "policy": "chorus", "version": 12,
     "outcome": "reported"}

`label` and `propensity` must be there; `among` are the allowed labels. A context is columns by
name, which the schema encodes, or numbers: `"x": [0.5, null]`, or `"x": {"indices": [3],
"values": [0.5]}`. The first line may be a header, which the writer writes:

    {"onearm_log": 1, "schema": {...}, "rewards": [0, 1], "feedback": "reward", ...}

All fields of a log are stored; contexts are written as encoded numbers.
"""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from onearm.log.distributions import is_uniform
from onearm.log.header import MARK, as_header
from onearm.log.inference import merged_schema
from onearm.log.log import Log
from onearm.log.passes import Passes
from onearm.log.pieces import ROWS
from onearm.log.records import Labels
from onearm.log.reward_range import RewardRange, as_range
from onearm.log.rows import DENSE, SPARSE, Rows
from onearm.log.text import (
    Fielded,
    Fields,
    Numbered,
    as_float,
    as_name,
    as_reward,
    as_version,
    chunked,
    loads,
)
from onearm.log.times import microseconds
from onearm.schema.schema import Schema
from onearm.schema.values import as_word, shown
from onearm.streams.text_lines import lines


def read_jsonl(
    path: Path, *, schema: Schema | None = None, rewards: tuple[float, float] | None = None,
    feedback: str | None = None, chances: str | None = None, name: str | None = None,
) -> Log:  # fmt: skip
    """Return the log in a file of JSON lines; options come before what its header says."""
    header = _header(path)
    schema = schema or header.get("schema")
    rows = Rows(header.get("kind"), header.get("n_features"))
    if schema is None and "n_classes" not in header:
        schema = _inferred(path)
    if schema is not None and schema.columns and rows.kind is None:
        rows = Rows(SPARSE if schema.n_words else DENSE, schema.n_features)
    names = schema.labels if schema else ()
    labels = Labels([*names, *range(len(names), header.get("n_classes", 0))])
    fielded = Fielded()

    def parts() -> Iterator[Any]:
        events = partial(_events, path, schema, rows)
        return chunked(events, fielded, rows, lambda: len(passes.labels))

    feedback = feedback or header.get("feedback", "reward")
    low, high = as_range(rewards or header.get("rewards", (0.0, 1.0)))
    span = RewardRange(low, high, feedback == "one_right")
    passes = Passes(path.name, parts, span, labels, is_uniform=is_uniform(chances))
    passes.first(parts)
    rows.is_open = False
    if passes.names:
        schema = schema.with_labels(passes.names) if schema else Schema({}, passes.names)
    return passes.log(rows.width, schema, feedback, name or path.name)


def _header(path: Path) -> dict[str, Any]:
    """Return what the header says, checked; without one it is empty."""
    first = next(iter(lines(path)), "")
    try:
        content = loads(first)
    except ValueError:
        return {}
    if MARK not in content:
        return {}
    try:
        return as_header(content)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{path.name}: the header {error}") from None


def has_schema(path: Path) -> bool:
    """Whether the file has a header."""
    return bool(_header(path))


def _inferred(path: Path) -> Schema | None:
    """Return the schema of contexts by name, or None if there are no such contexts."""

    def contexts() -> Iterator[Any]:
        for line in lines(path):
            try:
                context = loads(line).get("context")
            except ValueError:
                continue
            if isinstance(context, dict) and context:
                yield context

    rest = contexts()
    return merged_schema(iter(lambda: list(islice(rest, ROWS)), []))


def _events(path: Path, schema: Schema | None, rows: Rows) -> Numbered:
    for at, line in enumerate(lines(path), 1):
        if not line.strip():
            continue
        try:
            content = loads(line)
            if at == 1 and MARK in content:
                continue
            yield at, _fields(content, schema, rows)
        except ValueError as error:
            yield at, str(error)


def _fields(content: dict[str, Any], schema: Schema | None, rows: Rows) -> Fields:
    for needed in ("label", "propensity"):
        if content.get(needed) is None:
            raise ValueError(f"must have {needed!r}, got {shown(list(content))}")
    label, greedy = (as_word(content.get(field)) for field in ("label", "greedy"))
    time = content.get("time")
    return {
        "label": label,
        "propensity": as_float(content["propensity"], "propensity"),
        "reward": as_reward(content.get("reward")),
        "outcome": as_name(content.get("outcome"), "the outcome"),
        "greedy": greedy,
        "allowed": _among(content.get("among")),
        "chances": _chances(content.get("chances")),
        "policy": as_name(content.get("policy"), "the policy"),
        "version": as_version(content.get("version")),
        "event_id": as_name(content.get("event_id"), "the event_id"),
        "time": None if time is None else microseconds(time),
        "x": _row(content, schema, rows),
    }


def _among(given: Any) -> list[Any] | None:
    if not given:  # an agent's decision has an empty list if all were allowed
        return None
    if not isinstance(given, list):
        raise ValueError(f"among must be labels, got {shown(given)}")
    return [as_word(label) for label in given]


def _chances(given: Any) -> dict[Any, float] | None:
    if given is None:
        return None
    if not isinstance(given, dict) or not given:
        raise ValueError(f"chances must be numbers by label, got {shown(given)}")
    return {as_word(label): as_float(p, "a chance") for label, p in given.items()}


def _row(content: dict[str, Any], schema: Schema | None, rows: Rows) -> Any:
    context, x = content.get("context"), content.get("x")
    if context is not None:
        if schema is None or not schema.columns:
            raise ValueError("schema must be given with contexts by name, or stand in a header")
        row = schema.encode(context)
        return rows.of_pairs(*row) if isinstance(row, tuple) else rows.of_list(row)
    if isinstance(x, dict):
        return rows.of_pairs(x.get("indices"), x.get("values"))
    return rows.none() if x is None else rows.of_list(x)
