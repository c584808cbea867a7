"""Suggest the name that somebody may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question with the known name most like `name`, or nothing if none is like it.

    >>> did_you_mean("inversgap", ["InverseGap", "SOBA"]), did_you_mean("x", ["SOBA"])
    (" (did you mean 'InverseGap'?)", '')
    """
    by_case = {candidate.lower(): candidate for candidate in known}
    close = get_close_matches(name.strip().lower(), by_case, n=1)
    return f" (did you mean {by_case[close[0]]!r}?)" if close else ""
