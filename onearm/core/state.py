"""State: the arrays that learning changes, each with its shape, type, first value and range.

All of it is a property of the field, so that what an estimator will take is known before anything
is allocated, and what a file holds is checked before any kernel sees it. An estimator may take
`onearm.max_bytes`, half of the machine's memory unless set.
"""

import math
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

import onearm

Of = Callable[[Any], Any]  # a function of the estimator
Shapes = dict[str, tuple[tuple[int, ...], Any]]  # of arrays by name: shape and dtype
FINITE = "[-1e150, 1e150]"  # so that the product of a weight and any value of a row is finite


def copy_into_corner(learner: Any, old: np.ndarray, new: np.ndarray) -> None:
    """Copy an array into the front of every axis of a larger one; the rest stays as it starts."""
    new[tuple(map(slice, old.shape))] = old


def state(
    *shape: int | str | Of, start: Any = 0.0, range: str | Of = FINITE, dtype: Any = float,
    grow: Callable[[Any, np.ndarray, np.ndarray], None] | None = None,
) -> Any:  # fmt: skip
    """Return a dataclass field for an array that learning changes.

    `shape` has a number or the name of an attribute for each axis, or is one function of the
    estimator. `start` is the first value, a number or such a function. `range` is an interval that
    every number must lie in; its ends may name attributes; or it is a function that returns one.

    The axes called "n_classes" are those of the labels, and a new label starts as all labels do.
    Where its size depends on the labels in another way, `grow(learner, old, new)` copies the array
    into that of `learner`, which has more labels and is as it starts.
    """
    metadata = {"shape": shape, "start": start, "range": range, "dtype": np.dtype(dtype)}
    metadata["grow"] = grow
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
        start, array = f.metadata["start"], np.zeros(shape, kind)
        if callable(start) or start != 0:  # pages that are not written take no memory
            array[...] = start(owner) if callable(start) else start
        setattr(owner, f.name, array)


def copy_labels(old: Any, new: Any) -> None:
    """Copy the state of a learner into one that has more labels and is as it starts."""
    for f in state_fields(old):
        before, after = getattr(old, f.name), getattr(new, f.name)
        axes = zip(f.metadata["shape"], before.shape, after.shape, strict=False)
        grown = {axis for axis, n, more in axes if n != more}
        grow = f.metadata["grow"] or copy_into_corner
        if before.shape != after.shape and not f.metadata["grow"] and grown != {"n_classes"}:
            raise ValueError(
                f"labels cannot be added to {type(old).__name__}: its array {f.name} does not say "
                "which of its axes are those of the labels"
            )
        grow(new, before, after)


def half_of_the_machine() -> int:
    """Return half of the memory of the machine, or of the container, in bytes."""
    if not hasattr(os, "sysconf"):  # Windows
        return 4 * 2**30
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # where there is no limit
        memory = min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return memory // 2


def require_room(owner: str, shapes: Shapes, way_out: str) -> None:
    """Refuse arrays that take more than `onearm.max_bytes` together."""
    gib = {n: math.prod(shape) * np.dtype(t).itemsize / 2**30 for n, (shape, t) in shapes.items()}
    total, most = sum(gib.values()), onearm.max_bytes / 2**30
    if total > most:
        largest = max(gib, key=lambda name: gib[name])
        raise ValueError(
            f"{owner} needs {total:.3g} GiB, {gib[largest]:.3g} GiB of it for {largest} of shape "
            f"{shapes[largest][0]}; onearm.max_bytes allows {most:.3g} GiB: {way_out}"
        )


def require_shapes(saved: dict[str, np.ndarray], expected: Shapes, owner: str) -> None:
    """Refuse arrays of other names, shapes or types than expected."""
    for name in sorted(expected.keys() | saved.keys()):
        if name not in saved:
            raise ValueError(f"saved array {name} of {owner} is missing")
        if name not in expected:
            raise ValueError(f"saved array {name} does not belong to {owner}")
        shape, kind = expected[name]
        if (saved[name].shape, saved[name].dtype) != (tuple(shape), np.dtype(kind)):
            wanted = f"{np.dtype(kind)} of shape {tuple(shape)}"
            has = f"{saved[name].dtype} of shape {saved[name].shape}"
            raise ValueError(
                f"saved array {name} does not fit {owner}: it must be {wanted}, got {has}"
            )


def require_ranges(saved: dict[str, np.ndarray], owner: Any) -> None:
    """Refuse saved state with a number outside the range of its field."""
    for f in state_fields(owner):
        within = f.metadata["range"]
        interval = Interval(within(owner) if callable(within) else within, owner)
        require_inside(f.name, saved[f.name], interval, type(owner).__name__)


class Interval:
    """The numbers between two ends; an end may name a size of its owner, as in `[0, n_classes)`."""

    def __init__(self, text: str, owner: Any = None) -> None:
        low, high = text[1:-1].split(",")
        self.low, self.high = _end(low.strip(), owner), _end(high.strip(), owner)
        self.left, self.right = text[0], text[-1]

    def __str__(self) -> str:
        return f"{self.left}{self.low:g}, {self.high:g}{self.right}"

    def holds(self, values: Any) -> Any:
        """Return whether a number, or each of an array, lies inside; NaN never does."""
        above = values >= self.low if self.left == "[" else values > self.low
        below = values <= self.high if self.right == "]" else values < self.high
        return above & below


def _end(text: str, owner: Any) -> Any:
    try:
        return np.float64(text)  # and no float, which would become one of 32 bits beside such
    except ValueError:
        size = getattr(owner, text.lstrip("-"))
        return -size if text[0] == "-" else size


def require_inside(name: str, array: np.ndarray, interval: Interval, owner: str) -> None:
    """Refuse an array with a number outside, naming the first."""
    inside = interval.holds(array)
    if not inside.all():
        at = np.unravel_index(int(inside.argmin()), array.shape)
        got = f"{array[at]} at ({', '.join(map(str, at))})"
        raise ValueError(f"saved array {name} of {owner} must be in {interval}, got {got}")


@dataclass(eq=False)
class Part:
    """An object with arrays of an estimator, such as its trees: a dataclass of sizes and state."""

    def shapes(self) -> Shapes:
        """Return shape and type of every array, by name."""
        return shapes(self)

    def content_shapes(self, saved: dict[str, np.ndarray]) -> Shapes:
        """Return shape and type of what must have been saved."""
        return self.shapes()

    def allocate(self) -> None:
        """Make the arrays as they are before anything is learnt."""
        allocate(self)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all arrays, by name."""
        return {f.name: getattr(self, f.name) for f in state_fields(self)}

    def content(self) -> dict[str, np.ndarray]:
        """Return the arrays without room that is still unused: what is saved and compared."""
        return self.arrays()

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        """Refuse saved arrays with a number outside its range, or that do not go together."""
        require_ranges(saved, self)

    def make_room(self, saved: dict[str, np.ndarray]) -> None:
        """Use as much room as was in use when these arrays were saved."""

    def model(self) -> Any:
        """Return what kernels take."""
        raise NotImplementedError
