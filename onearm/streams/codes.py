"""Codes: numbers for the words of a column, and classes for the words of a label.

A word is a text without the blanks around it. All markers of a missing value are the word `?`.
"""

import math
from typing import Any

import numpy as np

from onearm.core.vectors import LARGEST

MISSING = frozenset(("", "?", "na", "nan", "null"))  # in lower case
MISSED = "?"  # the word of a missing value
MARKERS = "empty, ?, NA, NaN or null"
MAX_WORDS = 2**20  # of a column: all are in memory
CHANGED = "the file has changed since it was first read"


class NotANumberError(ValueError):
    """A text that is no number; its column may still hold words."""


def number(text: str) -> float:
    """Return the number in a text, NaN where it is missing."""
    try:
        value = math.nan if "_" in text else float(text)
    except ValueError:
        value = math.nan
    if abs(value) <= LARGEST:
        return value
    if not math.isnan(value):
        raise ValueError(f"must be finite and within ±{LARGEST:g}, got {text.strip()}")
    if not is_missing(text.strip()):
        raise NotANumberError(f"must be a number, or {MARKERS} if missing, got {text.strip()!r}")
    return value


def is_number(text: str) -> bool:
    """Whether a text is a number, or marks a missing value."""
    try:
        number(text)
    except NotANumberError:
        return False
    except ValueError:  # too large
        return True
    return True


def is_missing(word: str) -> bool:
    """Whether a word marks a missing value."""
    return word.lower() in MISSING or word.lower().lstrip("+-") == "nan"


class Codes(dict[str, int]):
    """Codes of texts, 0, 1, … in the order in which their words appear, until they are sorted.

    >>> codes = Codes()
    >>> [codes[text] for text in ("red", "blue", " red", "NA", "")], codes.words
    ([0, 1, 0, 2, 2], ['red', 'blue', '?'])
    >>> codes.sort()
    >>> [codes[text] for text in ("red", "blue", " red", "NA", "")], codes.words
    ([1, 0, 1, 2, 2], ['blue', 'red', '?'])
    """

    def __init__(self, gaps: bool = True):
        super().__init__()
        self.gaps = gaps  # whether a value may be missing
        self.words: list[str] = []
        self.known: dict[str, int] = {}
        self.closed = False  # whether no word may be new

    def __missing__(self, text: str) -> int:
        word = text.strip()
        if is_missing(word):
            if not self.gaps:
                raise ValueError(f"the label must not be missing, got {word!r}")
            word = MISSED
        if word not in self.known:
            if self.closed:
                raise ValueError(f"{word!r} is new: {CHANGED}")
            if len(self.words) == MAX_WORDS:
                raise ValueError(
                    f"must have at most {MAX_WORDS:,} different values, got {word!r} too"
                )
            self.known[word] = len(self.words)
            self.words.append(word)
        if len(self) < 2 * MAX_WORDS:
            self[text] = self.known[word]
        return self.known[word]

    def sort(self) -> None:
        """Let equal sets of words have equal codes: sorted, as numbers if all are, `?` last."""
        known = [word for word in self.words if word != MISSED]
        keys = sort_keys(known)
        missed = [MISSED] if MISSED in self.known else []
        self.words = [word for _, word in sorted(zip(keys, known, strict=True))] + missed
        self.known = {word: code for code, word in enumerate(self.words)}
        self.clear()  # the codes of texts so far are no longer valid


def sort_keys(words: list[str]) -> list[Any]:
    """Return the keys to sort words by: numbers if all words are numbers, else the words."""
    try:
        return [_exact(word) for word in words]
    except ValueError:
        return list(words)


def classes(words: list[str], what: str = "y") -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the class of each word and the classes' names, sorted, as numbers if all are.

    >>> classes(["10", "9", "9.0"])
    (array([1, 0, 0]), ('9', '10'))
    >>> classes(["10", "9", "nine"])
    (array([0, 1, 2]), ('10', '9', 'nine'))
    """
    keys = sort_keys(words)
    names = dict(zip(reversed(keys), reversed(words), strict=True))  # of equals the first
    order = sorted(names)
    if len(order) < 2:
        raise ValueError(f"{what} must have at least 2 classes, got only {words[0]!r}")
    place = {key: c for c, key in enumerate(order)}
    of_word = np.array([place[key] for key in keys], np.int64)
    return of_word, tuple(names[key] for key in order)


def _exact(word: str) -> float:
    """Return a number to sort by; long integers are not rounded."""
    if "_" in word:
        raise ValueError
    try:
        return int(word)
    except ValueError:
        return float(word)
