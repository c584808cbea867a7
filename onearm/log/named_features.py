"""Columns by name as features of Vowpal Wabbit's text.

    number      age:31.0
    category    device=phone
    text        words=w3:2.0, how often a word occurs

What is missing has no feature. In names and values `%`, `:`, `|`, `=` and blanks are written as in
addresses: %25, %3A, %7C, %3D, %20. Read, `|user age:31` is the column `user.age`, or else `age`; a
category may be a number, too. Features that are no columns are left out.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote

from onearm.schema.column import NUMBER, TEXT
from onearm.schema.schema import Schema
from onearm.schema.values import shown
from onearm.streams.vowpal import features

MARKS = re.compile(r"[\s%:|='\x00-\x1f\x7f]")
MOST_WORDS = 10_000  # that a feature may stand for


def named(name: str, kinds: Mapping[str, str], value: Any) -> Iterator[str]:
    """Yield the features of a column."""
    if value is None:
        return
    word = _quoted(name)
    if kinds[name] == NUMBER:
        yield f"{word}:{value!r}"
    elif kinds[name] == TEXT:
        words = value.split()
        yield from (f"{word}={_quoted(w)}:{words.count(w)!r}" for w in dict.fromkeys(words))
    else:
        yield f"{word}={_quoted(value)}"


def _quoted(text: str) -> str:
    return MARKS.sub(lambda mark: quote(mark[0], safe=""), text)


def context_of(text: str, schema: Schema) -> dict[str, Any]:
    """Return the context that the features after the bar stand for."""
    kinds = {column.name: column.kind for column in schema.columns}
    context: dict[str, Any] = dict.fromkeys(kinds)
    for (space, feature), value in _features(text):
        raw, equals, word = feature.partition("=")
        name = _column(unquote(space), unquote(raw), kinds)
        if name is None:
            continue
        if kinds[name] == TEXT:
            if not (equals and value.is_integer() and 0 <= value <= MOST_WORDS):
                allowed = f"column {name!r} must have words, {raw}=word:times"
                raise ValueError(f"{allowed}, got {shown(f'{feature}:{value:g}')}")
            context[name] = " ".join([context[name] or "", *[unquote(word)] * int(value)])
        elif context[name] is not None:
            raise ValueError(f"column {name!r} must have one value, got {shown(feature)} too")
        elif kinds[name] == NUMBER and equals:
            raise ValueError(f"column {name!r} must be a number, got {shown(feature)}")
        else:
            context[name] = unquote(word) if equals else value
    return context


def _features(text: str) -> list[tuple[tuple[str, str], float]]:
    """Return features with their values; the same feature twice has the sum."""
    places: dict[tuple[str, str], int] = {}
    place: Callable[[str, str], int] = lambda *name: places.setdefault(name, len(places))  # noqa: E731
    total = features(text, place)
    return [(name, total[at]) for name, at in places.items()]


def _column(space: str, name: str, known: Mapping[str, Any]) -> str | None:
    """Return the column of a feature in a namespace, if there is one."""
    whole = f"{space}.{name}" if space else name
    return whole if whole in known else name if name in known else None
