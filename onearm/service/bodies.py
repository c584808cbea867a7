"""Bodies: requests out of JSON, alone or in lists, and in words what is wrong with them.

A list is answered item by item: one that is wrong is refused, the others are done.
"""

import json
from typing import Any

import msgspec

from onearm.schema.names import did_you_mean
from onearm.schema.values import shown
from onearm.service.messages import ALLOWED
from onearm.service.requests import Answer


class Bodies:
    """Reads bodies of one kind; `many`: lists of them, too."""

    def __init__(self, kind: Any, many: bool = False) -> None:
        self.kind, self.many = kind, many
        self.one = msgspec.json.Decoder(kind)
        self.any = msgspec.json.Decoder(kind | list[kind]) if many else self.one

    def read(self, data: bytes) -> Any:
        """Return a request, or a list of them, in which those that are wrong are refusals.

        ValueError if there is only one, and it is wrong; msgspec.DecodeError if it is no JSON.
        """
        try:
            return self.any.decode(data)
        except msgspec.ValidationError as error:
            if not self.many or data.lstrip()[:1] != b"[":
                raise ValueError(wrong(self.kind, data, error)) from None
        return [self._item(bytes(item)) for item in msgspec.json.decode(data, type=RAWS)]

    def _item(self, data: bytes) -> Any:
        try:
            return self.one.decode(data)
        except msgspec.ValidationError as error:
            return Answer(422, {"status": "invalid", "reason": wrong(self.kind, data, error)})


RAWS = list[msgspec.Raw]


def wrong(kind: Any, data: bytes, error: Exception) -> str:
    """Return what is wrong with a body that is none of its kind."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return str(error)
    if not isinstance(body, dict):
        return f"a request must be an object, got {shown(body)}"
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    for name in body:
        if name not in fields:
            there = ", ".join(fields) or "none"
            return f"{name} is unknown: there are {there}{did_you_mean(name, fields)}"
    for name, field in fields.items():
        if name not in body:
            if field.required:
                return f"{name} is missing: it must be {ALLOWED[name]}"
        elif not _fits(body[name], field.type):
            return f"{name} must be {ALLOWED[name]}, got {shown(body[name])}"
    return str(error)


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.json.decode(json.dumps(value), type=kind)  # in which infinity is none
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True
