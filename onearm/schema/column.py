"""A column: what its values are, and which numbers they become.

    "number"                 the number itself
    ["phone", "desktop"]     a category: its code 0, 1, …; the spare code m for every other value
    "category"               a hashed category: one of `n_buckets` codes, of many or unknown values
    "text"                   hashed words: how often each of `n_buckets` occurs

A missing value is NaN, or the code of `None` where that is among the values of a category; of a
text it is no word. Values of a category are compared as texts: 1, 1.0 and "1" are the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from onearm.schema.values import as_word, shown

NUMBER, CATEGORY, HASHED, TEXT = "number", "values", "category", "text"  # kinds
BUCKETS = {HASHED: 2**10, TEXT: 2**14}  # by default
MOST_BUCKETS = 2**24
FORMS = '"number", "category", "text", a list of values, or {"category" or "text": n_buckets}'


@dataclass(frozen=True)
class Column:
    """A name, the kind of its values, and what the kind needs."""

    name: str
    kind: str
    values: tuple[str | None, ...] = ()  # of a category; None is a missing value
    n_buckets: int = 0  # of hashed values and words

    @classmethod
    def of(cls, name: Any, form: Any) -> "Column":
        """Return the column of a name and one of the forms above."""
        if not isinstance(name, str):
            raise ValueError(f"names of columns must be texts, got {shown(name)}")
        require_unicode("names of columns", name)
        if isinstance(form, list | tuple):
            return cls(name, CATEGORY, _values(name, form))
        if isinstance(form, str):
            if form == NUMBER:
                return cls(name, NUMBER)
            form = {form: BUCKETS.get(form)}
        if isinstance(form, Mapping) and len(form) == 1:
            (kind, n_buckets), *_ = form.items()
            if kind in BUCKETS and type(n_buckets) is int and 1 <= n_buckets <= MOST_BUCKETS:
                return cls(name, kind, n_buckets=n_buckets)
            form = kind if n_buckets is None else form
        raise ValueError(f"column {name!r} must be {FORMS}, got {shown(form)}")

    @property
    def form(self) -> Any:
        """The column as JSON has it."""
        if self.kind == CATEGORY:
            return list(self.values)
        is_default = self.n_buckets == BUCKETS.get(self.kind, 0)
        return self.kind if is_default else {self.kind: self.n_buckets}

    @property
    def width(self) -> int:
        """How many numbers it becomes."""
        return self.n_buckets if self.kind == TEXT else 1

    @property
    def n_codes(self) -> int:
        """How many codes there are besides the spare one; 0 of a column of numbers or words."""
        return len(self.values) if self.kind == CATEGORY else self.n_buckets * (self.kind == HASHED)


def _values(name: str, given: Any) -> tuple[str | None, ...]:
    try:
        values = tuple(map(as_word, given))
    except ValueError as error:
        raise ValueError(f"values of column {name!r} {error}") from None
    if not values or len(set(values)) < len(values):
        wrong = f"must have different values, at least one, got {shown(given)}"
        raise ValueError(f"column {name!r} {wrong}")
    require_unicode(f"values of column {name!r}", *(value for value in values if value is not None))
    return values


def require_unicode(what: str, *texts: str) -> None:
    """Refuse texts that no file can hold: with half a character."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{what} must be Unicode texts, got {text!r}") from None
