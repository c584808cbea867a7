"""Tokens: who may do what. A service knows only the SHA-256 of a token.

    decide      decide and activate
    feedback    feedback
    read        state, events, metrics, policies, evaluate and the page
    admin       all of these, and changes

A token comes as `Authorization: Bearer TOKEN`, or as the password of Basic: browsers ask for that.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import NamedTuple

SCOPES = ("decide", "feedback", "read", "admin")
ALL = frozenset(SCOPES)


class Token(NamedTuple):
    """The digest of a token, and what it is good for."""

    name: str
    sha256: bytes
    scopes: frozenset[str]


def new_token() -> tuple[str, str]:
    """Return a new token and its SHA-256."""
    token = secrets.token_urlsafe(32)
    return token, hashlib.sha256(token.encode()).hexdigest()


class Guard:
    """Finds the scopes of the token in a header."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self.tokens = [
            token._replace(scopes=ALL if "admin" in token.scopes else token.scopes)
            for token in tokens
        ]

    def scopes(self, header: bytes | None) -> frozenset[str] | None:
        """Return what the bearer of a header may do; None if nobody knows the token."""
        if not self.tokens:
            return ALL
        given = hashlib.sha256(_token(header or b"")).digest()
        allowed = None
        for token in self.tokens:  # all of them: the time says nothing about which is right
            if hmac.compare_digest(token.sha256, given):
                allowed = token.scopes
        return allowed


def _token(header: bytes) -> bytes:
    scheme, _, value = header.partition(b" ")
    if scheme.lower() == b"bearer":
        return value.strip()
    if scheme.lower() == b"basic":
        try:
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
        except ValueError:
            return b""
    return b""
