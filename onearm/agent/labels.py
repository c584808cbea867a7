"""The labels of an agent: names and ids.

An id is the place of a name among all that there ever were, and is never given to another. A
retired label leaves the allowed ones and keeps its id, for answers that come late.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from onearm.agent.decision import Label
from onearm.schema.names import did_you_mean, listed
from onearm.schema.values import as_word, shown


@dataclass(frozen=True)
class Labels:
    """Names of labels, by id, and the ids of those that are retired."""

    names: tuple[Label, ...]
    retired: frozenset[int] = frozenset()

    @cached_property
    def ids(self) -> dict[str | None, int]:
        """Ids by the names as texts: 1 and "1" are the same label."""
        return {as_word(name): number for number, name in enumerate(self.names)}

    @cached_property
    def active(self) -> tuple[Label, ...]:
        """The names of labels that are not retired."""
        return tuple(self.names[number] for number in self.active_ids)

    @cached_property
    def active_ids(self) -> np.ndarray:
        """The ids of labels that are not retired."""
        return np.array([n for n in range(len(self.names)) if n not in self.retired])

    def find(self, name: Any) -> int | None:
        """Return the id of a name, None if there is none."""
        if type(name) is str and name in self.ids:
            return self.ids[name]
        if not isinstance(name, str | int | np.integer) or isinstance(name, bool):
            return None
        return self.ids.get(as_word(name))

    def id_of(self, name: Any, what: str = "label") -> int:
        """Return the id of a name; of one that is retired, too."""
        number = self.find(name)
        if number is None:
            known = self.active if what == "among" else self.names
            hint = did_you_mean(name, map(str, known))
            raise ValueError(f"{what} must be one of {listed(known)}, got {shown(name)}{hint}")
        return number

    def allowed(self, among: Iterable[Any] | None) -> tuple[np.ndarray | None, tuple[Label, ...]]:
        """Return the ids of allowed labels, None if these are all, and their names."""
        if among is None:
            return self.active_ids if self.retired else None, self.active
        if isinstance(among, str) or not isinstance(among, Iterable):
            raise ValueError(f"among must be a list of labels, got {shown(among)}")
        ids = sorted(self._active_id(name) for name in among)
        if not ids or len(set(ids)) < len(ids):
            got = listed(self.names[number] for number in ids) or "none"
            raise ValueError(f"among must be different labels, at least one, got {got}")
        return np.array(ids), tuple(self.names[number] for number in ids)

    def _active_id(self, name: Any) -> int:
        number = self.id_of(name, "among")
        if number in self.retired:
            raise ValueError(f"among must be labels that are not retired, got {shown(name)}")
        return number

    def added(self, name: Any) -> "Labels":
        """Return the labels with one more; one that was retired comes back with its id."""
        number = self.find(name)
        if number is None:
            return Labels(as_names([*self.names, name]), self.retired)
        if number not in self.retired:
            raise ValueError(f"label {shown(name)} is there already")
        return Labels(self.names, self.retired - {number})

    def without(self, name: Any) -> "Labels":
        """Return the labels with one retired."""
        number = self.id_of(name)
        if number in self.retired:
            raise ValueError(f"label {shown(name)} is retired already")
        if len(self.active) == 1:
            raise ValueError(f"label {shown(name)} is the only one that is left: add another first")
        return Labels(self.names, self.retired | {number})


def as_names(labels: Any) -> tuple[Label, ...]:
    """Return names of labels: texts or integers that differ as texts, two at least."""
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise ValueError(f"labels must be a list of names, got {shown(labels)}")
    if isinstance(labels, set | frozenset):  # whose order differs from process to process
        raise ValueError(f"labels must be in an order, as in a list, got {shown(labels)}")
    names = [name.item() if isinstance(name, np.generic) else name for name in labels]
    for name in names:
        if not isinstance(name, str | int) or isinstance(name, bool):
            raise ValueError(f"labels must be texts or integers, got {shown(name)}")
        if not str(name).strip() or not str(name).isprintable():
            raise ValueError(f"labels must be texts that can be printed, got {name!r}")
    words = [as_word(name) for name in names]
    twice = [name for name, word in zip(names, words, strict=True) if words.count(word) > 1]
    if twice:
        raise ValueError(f"labels must be different as texts, got {listed(twice)}")
    if len(names) < 2:
        raise ValueError(f"labels must be at least two, got {shown(names)}")
    return tuple(names)
