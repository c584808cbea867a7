"""Grids: an entry of a plan with each of the values that its lists have."""

from collections.abc import Iterable
from itertools import product
from math import prod
from typing import Any


def grid(entry: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """Give an entry with each of the values that its lists have.

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
    """Return how many entries `grid` gives.

    >>> grid_size({"name": "Banditron", "gamma": [0.1, 0.2], "seed": [1, 2, 3]})
    6
    """
    return prod(len(value) for value in entry.values() if isinstance(value, list))


def plain(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with lists and numbers for NumPy's."""
    return {key: getattr(value, "tolist", lambda v=value: v)() for key, value in entry.items()}
