"""State: the arrays that learning changes, each with its shape, type, first value and range.

All of it is a property of the field, so that what an estimator will take is known before anything
is allocated, and what a file holds is checked before any kernel sees it.
"""

from collections.abc import Callable
from dataclasses import Field, field, fields
from typing import Any

import numpy as np

from onearm.core.interval import Interval, require_inside
from onearm.core.memory import Shapes

Of = Callable[[Any], Any]  # a function of the estimator


FINITE = "[-1e150, 1e150]"  # so that the product of a weight and any value of a row is finite


def state(
    *shape: int | str | Of, start: Any = 0.0, range: str | Of = FINITE, dtype: Any = float
) -> Any:
    """Return a dataclass field for an array that learning changes.

    `shape` has a number or the name of an attribute for each axis, or is one function of the
    estimator. `start` is the first value, a number or such a function. `range` is an interval that
    every number must lie in; its ends may name attributes; or it is a function that returns one.
    """
    metadata = {"shape": shape, "start": start, "range": range, "dtype": np.dtype(dtype)}
    return field(init=False, repr=False, compare=False, metadata=metadata)


def generator() -> Any:
    """Return a field for a random generator (`onearm.seeded`)."""
    return state(1, start=0, range="[0, inf)", dtype=np.uint64)


def state_fields(owner: Any) -> list[Field]:
    """Return the fields of an estimator that are state, in order."""
    return [f for f in fields(owner) if "range" in f.metadata]


def shapes(owner: Any) -> Shapes:
    """Return shape and type of the state, of an estimator whose sizes are known."""
    return {
        f.name: (_shape(owner, f.metadata["shape"]), f.metadata["dtype"])
        for f in state_fields(owner)
    }


def _shape(owner: Any, axes: tuple) -> tuple[int, ...]:
    if len(axes) == 1 and callable(axes[0]):
        return axes[0](owner)
    return tuple(getattr(owner, axis) if isinstance(axis, str) else axis for axis in axes)


def allocate(owner: Any) -> None:
    """Make the state as it is before anything is learnt."""
    for f, (shape, kind) in zip(state_fields(owner), shapes(owner).values(), strict=True):
        start = f.metadata["start"]
        array = np.zeros(shape, kind)
        if callable(start):
            array[...] = start(owner)
        elif start != 0:
            array[...] = start
        setattr(owner, f.name, array)


def require_shapes(saved: dict[str, np.ndarray], expected: Shapes, owner: str) -> None:
    """Refuse arrays of other names, shapes or types than expected."""
    for name in sorted(expected.keys() | saved.keys()):
        if name not in saved:
            raise ValueError(f"saved array {name} of {owner} is missing")
        if name not in expected:
            raise ValueError(f"saved array {name} does not belong to {owner}")
        shape, kind = expected[name]
        if (saved[name].shape, saved[name].dtype) != (tuple(shape), np.dtype(kind)):
            has = f"{saved[name].dtype} of shape {saved[name].shape}"
            raise ValueError(
                f"saved array {name} does not fit {owner}: it must be {np.dtype(kind)} of shape "
                f"{tuple(shape)}, got {has}"
            )


def require_ranges(saved: dict[str, np.ndarray], owner: Any) -> None:
    """Refuse saved state with a number outside the range of its field."""
    for f in state_fields(owner):
        within = f.metadata["range"]
        interval = Interval(within(owner) if callable(within) else within, owner)
        require_inside(f.name, saved[f.name], interval, type(owner).__name__)
