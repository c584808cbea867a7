"""The OpenAPI document, made from the types of messages and answers."""

from typing import Any


def document(app: str) -> dict[str, Any]:
    return {}


def page(app: str) -> bytes:
    return b""
