"""Values of a TOML file: each as it must be, or an error that names the key and the value."""

import re
from typing import Any

from onearm.schema.names import did_you_mean
from onearm.schema.values import shown

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
NAMES = "1 to 40 letters, digits, - and _"


def as_table(content: dict[str, Any], key: str) -> dict[str, Any]:
    """Return a table, empty if it is absent."""
    table = content.get(key, {})
    if not isinstance(table, dict):
        raise ValueError(f"{key} must be a table [{key}], got {shown(table)}")
    return table


def require_keys(prefix: str, table: dict[str, Any], known: Any, needed: Any = ()) -> None:
    """Refuse keys that are unknown, and tables that lack one that is needed."""
    for key in table:
        if key not in known:
            allowed, hint = ", ".join(known), did_you_mean(key, known)
            raise ValueError(f"{prefix}{key} is unknown: there are {allowed}{hint}")
    for key in needed:
        if key not in table:
            raise ValueError(f"{prefix}{key} is missing")


def one_of(key: str, value: Any, known: Any) -> Any:
    """Return a text that is one of the known ones."""
    if not isinstance(value, str) or value not in known:
        hint = did_you_mean(value, known)
        raise ValueError(f"{key} must be one of {', '.join(known)}, got {shown(value)}{hint}")
    return value


def whole(key: str, value: Any, least: int, most: int) -> int:
    """Return an integer within limits."""
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{key} must be an integer in [{least}, {most}], got {shown(value)}")
    return value


def as_name(key: str, value: Any) -> str:
    """Return a name that can be part of a path."""
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise ValueError(f"{key} must be {NAMES}, got {shown(value)}")
    return value
