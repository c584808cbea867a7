"""Schema: the names of columns, values and classes, so that a learner is not used on other ones.

Two files may have equal sizes but other columns, or other values behind the same codes. A learner
that was made for one must refuse the other. Unknown names (an array has none) are not compared.
"""

from collections.abc import Sequence
from typing import NamedTuple

from onearm.schema.names import listed


class Schema(NamedTuple):
    """Names of the columns, their values (none of a numeric column), and names of the classes."""

    feature_names: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()
    class_names: tuple[str, ...] = ()

    def difference(self, other: "Schema") -> str | None:
        """Return how the columns, values or classes of another schema differ, or None.

        >>> two = Schema(("hour", "page"), ((), ("home", "sport")), ("left", "read"))
        >>> two.difference(two._replace(values=((), ("home", "news"))))
        "column 'page' has other values: 'news' is new, 'sport' is missing"
        >>> two.difference(two._replace(feature_names=("hour", "site")))
        "column 1 is called 'site', not 'page'"
        """
        names = zip(self.feature_names, other.feature_names, strict=False)
        for j, (name, its_name) in enumerate(names):
            if name != its_name:
                return f"column {j} is called {its_name!r}, not {name!r}"
        for j, (mine, its) in enumerate(zip(self.values, other.values, strict=False)):
            wrong = _value_difference(mine, its)
            if wrong:
                name = repr(self.feature_names[j]) if self.feature_names else f"{j}"
                return f"column {name} has other values: {wrong}"
        if self.class_names and other.class_names:
            wrong = _value_difference(self.class_names, other.class_names)
            return f"the label has other classes: {wrong}" if wrong else None
        return None


def _value_difference(mine: Sequence[str], its: Sequence[str]) -> str:
    """Return how values differ from the expected ones; numbers may be written differently."""
    if tuple(mine) == tuple(its) or _same_numbers(mine, its):
        return ""
    if not mine or not its:
        return "words, not numbers" if its else "numbers, not words"
    expected, given = set(mine), set(its)
    new = _listed([word for word in its if word not in expected], "new")
    gone = _listed([word for word in mine if word not in given], "missing")
    return ", ".join(filter(None, (new, gone))) or "they have other codes"


def _listed(words: list[str], what: str) -> str:
    return f"{listed(words)} {'is' if len(words) == 1 else 'are'} {what}" if words else ""


def _same_numbers(mine: Sequence[str], its: Sequence[str]) -> bool:
    try:
        return list(map(float, mine)) == list(map(float, its))
    except ValueError:
        return False
