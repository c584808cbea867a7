"""Names in messages: counts, lists, and the known name that a wrong one may stand for."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any


def counted(n: int, what: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def listed(words: Iterable[Any], most: int = 8, show: Callable[[Any], str] = repr) -> str:
    """Return the first few words of many in quotes, or as `show` formats them."""
    words = list(words)
    rest = f", … ({len(words):,} in all)" if len(words) > most else ""
    return ", ".join(show(word) for word in words[:most]) + rest


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """Return a question with the known name that is closest to a wrong one, or nothing.

    >>> did_you_mean("knd", ["kind", "age"]), did_you_mean("zzz", ["kind", "age"])
    (" (did you mean 'kind'?)", '')
    """
    if name is None:
        return ""
    by_lower = {word.lower(): word for word in known}
    close = get_close_matches(str(name).strip().lower(), by_lower, 1)
    return f" (did you mean {by_lower[close[0]]!r}?)" if close else ""
