"""The header of a log in a file: its schema, sizes, range of rewards and kind of feedback."""

import json
from typing import Any

from onearm.core.sparse_check import MOST_FEATURES
from onearm.log.log import FEEDBACK, Log
from onearm.log.records import MOST_LABELS
from onearm.log.rows import DENSE, NONE, SPARSE
from onearm.schema.names import listed
from onearm.schema.schema import Schema
from onearm.schema.values import shown

MARK, FORMAT = "onearm_log", 1
LARGEST_REWARD = 1e12  # as of a Log
SIZES = {"n_classes": MOST_LABELS, "n_features": MOST_FEATURES}  # with the largest that is read


def as_header(content: dict[str, Any]) -> dict[str, Any]:
    """Return the header of a file that we wrote, with its schema."""
    if content[MARK] != FORMAT:
        raise ValueError(f"must be of format {FORMAT}, got {shown(content[MARK])}")
    low, high = content.get("rewards", (0, 1))
    header: dict[str, Any] = {"rewards": (float(low), float(high))}
    if not -LARGEST_REWARD <= header["rewards"][0] < header["rewards"][1] <= LARGEST_REWARD:
        raise ValueError(f"must have rewards in a range, got {shown(content['rewards'])}")
    if content.get("feedback", FEEDBACK[0]) not in FEEDBACK:
        allowed = f"must have a feedback of {listed(FEEDBACK)}"
        raise ValueError(f"{allowed}, got {shown(content['feedback'])}")
    header["feedback"] = content.get("feedback", FEEDBACK[0])
    if content.get("schema") is not None:
        header["schema"] = Schema.from_json(json.dumps(content["schema"]))
    for size, most in SIZES.items():
        if size in content:
            if type(content[size]) is not int or not 1 <= content[size] <= most:
                raise ValueError(f"must have {size} in [1, {most}], got {shown(content[size])}")
            header[size] = content[size]
    if content.get("rows") in (NONE, DENSE, SPARSE):
        header["kind"] = content["rows"]
    return header


def header_of(log: Log, kind: str) -> dict[str, Any]:
    """Return what a file says about its log before the events."""
    schema = log.schema and json.loads(log.schema.to_json())
    return {
        MARK: FORMAT, "schema": schema, "n_classes": log.n_classes, "n_features": log.n_features,
        "rows": kind, "rewards": list(log.rewards), "feedback": log.feedback,
    }  # fmt: skip
