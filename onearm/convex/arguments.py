"""What sets and optimisers are given; errors name the parameter, what it may be and the value."""

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import numpy as np

LARGEST = 1e300  # coordinate of a point: sums of MOST of them are finite
STEEPEST = 1e60  # coordinate of a gradient, and radius: so are products of four of them
FAINTEST = 1e-60  # coordinate of a gradient that is not taken for 0: products of four are not 0
MOST = 10**8  # coordinates in all
SEEDS = -(2**63), 2**64 - 1


def finite(name: str, value: Any, shape: tuple[int, ...], most: float = LARGEST) -> np.ndarray:
    """Return floats of a shape, none above `most` in absolute value."""
    array = numbers(name, value, shape)
    fine = np.abs(array) <= most
    if not fine.all():
        allowed = f"finite numbers of shape {shape}, at most {most:g} in absolute value"
        raise ValueError(f"{name} must be {allowed}, got {array[~fine][0]}")
    return array


def gradient(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return a copy of a gradient, in which what is next to nothing is 0."""
    g = finite(name, value, shape, STEEPEST)
    return np.where(np.abs(g) < FAINTEST, 0.0, g)


def numbers(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return floats of a shape."""
    known = isinstance(value, np.ndarray) and value.dtype == np.float64
    array = value if known else real_array(name, value)
    if array.shape != shape:
        raise ValueError(f"{name} must be finite numbers of shape {shape}, got {array.shape}")
    return array


def real_array(name: str, value: Any) -> np.ndarray:
    """Return an array of floats; texts, complex numbers and objects are none."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be finite numbers, got {value!r}")
    with np.errstate(over="ignore"):  # of more than 64 bits
        return array.astype(np.float64, copy=False)


def integer(name: str, value: Any, low: int, high: int = MOST) -> int:
    right_type = type(value) is int or (not isinstance(value, bool) and isinstance(value, Integral))
    if not right_type or not low <= value <= high:
        allowed = f"at least {low} and at most {high}, and an integer"
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    return int(value)


def inside(name: str, value: Any, low: float, high: float, interval: str) -> float:
    """Return a number between low and high, or equal to an end where the interval has a bracket."""
    right_type = not isinstance(value, bool) and isinstance(value, Real)
    closed_low, closed_high = interval[0] == "[", interval[-1] == "]"
    if not right_type or not (
        low < value < high or (closed_low and value == low) or (closed_high and value == high)
    ):
        raise ValueError(f"{name} must be in {interval}, got {value!r}")
    return float(value)


def radius_of(value: Any) -> float:
    return inside("radius", value, FAINTEST, STEEPEST, f"[{FAINTEST:g}, {STEEPEST:g}]")


def moderate(v: np.ndarray) -> np.ndarray:
    """v times a power of 2, if its squares would overflow or vanish otherwise."""
    largest = np.abs(v).max(initial=0.0)
    if largest == 0.0 or 1e-100 < largest < 1e100:
        return v
    return np.ldexp(v, -np.frexp(largest)[1])


def norm(x: np.ndarray) -> float:
    """‖x‖₂, also of huge and tiny x."""
    y = moderate(x)
    if y is x:
        return float(np.linalg.norm(x))
    with np.errstate(over="ignore"):
        return float(np.ldexp(np.linalg.norm(y), np.frexp(np.abs(x).max())[1]))


@contextmanager
def restored(arrays: dict[str, np.ndarray]) -> Iterator[None]:
    """Put arrays back to what they are now if an error occurs."""
    before = {name: array.copy() for name, array in arrays.items()}
    try:
        yield
    except BaseException:
        for name, array in arrays.items():
            array[...] = before[name]
        raise
