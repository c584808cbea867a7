"""Entries of a plan: a stream or learner with parameters, where a list of values is a grid."""

from collections.abc import Iterable
from itertools import product
from math import prod
from typing import Any

import onearm
from onearm.racing.foreign import ForeignClass
from onearm.racing.named import find, require_name


def grid(entry: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield an entry with each combination of the values that its lists have.

    >>> list(grid({"name": "Banditron", "gamma": [0.1, 0.2]}))
    [{'name': 'Banditron', 'gamma': 0.1}, {'name': 'Banditron', 'gamma': 0.2}]
    """
    for key, value in entry.items():
        if value == []:
            raise ValueError(f"{key} must have at least one value, got []")
    values = [value if isinstance(value, list) else [value] for value in entry.values()]
    for chosen in product(*values):
        yield dict(zip(entry, chosen, strict=True))


def grid_size(entry: dict[str, Any]) -> int:
    """Return how many entries `grid` yields.

    >>> grid_size({"name": "Banditron", "gamma": [0.1, 0.2], "seed": [1, 2, 3]})
    6
    """
    return prod(len(value) for value in entry.values() if isinstance(value, list))


def without_numpy(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with lists and numbers in place of NumPy's."""
    return {key: getattr(value, "tolist", lambda v=value: v)() for key, value in entry.items()}


def stream_grid(given: Any) -> tuple[int, Iterable[Any]]:
    """Return how many entries a stream has, one for each of its parameters, and give them.

    Lists of a file are no grid.
    """
    if not isinstance(given, dict) or "file" in given:
        return 1, [given]
    entry = without_numpy(given)
    return grid_size(entry), grid(entry)


def learner_entry(given: Any) -> dict[str, Any]:
    """Return a learner's entry; under `name` its name if it has one, else what was given."""
    entry = without_numpy(given) if isinstance(given, dict) else {"name": given}
    if "name" not in entry:
        raise ValueError(f"learners must have a name, got {given!r}")
    name = entry["name"]
    if isinstance(name, str):
        return entry | {"name": require_name(name)}
    is_ours = isinstance(name, type) and getattr(onearm, name.__name__, None) is name
    return entry | {"name": name.__name__} if is_ours else entry


def learner_class(name: Any) -> Any:
    """Return the class of a learner's entry, or what stands for it if it is not a Learner."""
    given = find(name) if isinstance(name, str) else name
    if isinstance(given, type) and issubclass(given, onearm.Learner) and hasattr(given, "kernels"):
        return given
    if isinstance(given, onearm.Learner):
        kind = type(given).__name__
        raise ValueError(f"learners must be names or classes: give {kind}, not an object of it")
    return ForeignClass(given)
