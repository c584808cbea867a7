"""Model files made from a valid one: damaged at random, or crafted to do harm."""

import json
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from onearm.core.saving import digest


def parse(data: bytes) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Return header and arrays of a model file."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])["__metadata__"]
    return header, {name: array.copy() for name, array in load(data).items()}


def model_file(header: dict[str, str], arrays: dict[str, np.ndarray]) -> bytes:
    """Return a model file with a valid digest."""
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    sha256 = digest(header["parameters"], arrays, header.get("schema"))
    return save(arrays, header | {"sha256": sha256})


def damage(data: bytes, rng: np.random.Generator) -> bytes:
    """Change five random bytes of the arrays, or a character of the parameters."""
    header, arrays = parse(data)
    if rng.random() < 0.1:
        text = list(header["parameters"])
        text[rng.integers(len(text))] = chr(rng.integers(32, 127))
        return model_file(header | {"parameters": "".join(text)}, arrays)
    filled = [array for array in arrays.values() if array.size]
    weights = np.array([array.nbytes for array in filled], float)
    if rng.random() < 0.5:
        weights[:] = 1.0  # small arrays are hit as often as large ones
    for _ in range(5):
        array = filled[rng.choice(len(filled), p=weights / weights.sum())]
        raw = array.reshape(-1).view(np.uint8)
        raw[rng.integers(len(raw))] = rng.integers(256)
    return model_file(header, arrays)


NUMBERS = (-1, 0, 1, 2, 3, 7, 255, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63), 10**5, 10**9)
REALS = (np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -1.0, 0.0, 0.5, 1e99, -1e150, 2.0**53)
PARAMETER_VALUES: tuple[Any, ...] = (
    0, -1, 1, 2, 5, 10**5, 10**9, 2**40, 1e300, 0.5, True, None, "3", [], {}, [[[]]], [0, 9],
)  # fmt: skip


def craft(data: bytes, rng: np.random.Generator) -> bytes:
    """Change one array or one parameter as an attacker would."""
    header, arrays = parse(data)
    way = rng.integers(10)
    if way == 0:
        parameters = json.loads(header["parameters"])
        inner = parameters.get("parameters", parameters)
        target = inner if rng.random() < 0.7 else parameters
        target[str(rng.choice(list(target)))] = PARAMETER_VALUES[
            rng.integers(len(PARAMETER_VALUES))
        ]
        return model_file(header | {"parameters": json.dumps(parameters)}, arrays)
    name = str(rng.choice(list(arrays)))
    array = arrays[name]
    if way == 1:
        arrays[name] = reshape(array, rng)
    elif way == 2:
        del arrays[name]
        arrays.update({"other": array} if rng.random() < 0.5 else {})
    elif array.size:
        values = REALS if array.dtype.kind == "f" else NUMBERS
        value = values[rng.integers(len(values))]
        if array.dtype.kind != "f":
            limits = np.iinfo(array.dtype)
            value = max(limits.min, min(limits.max, value))
        where = rng.random(array.shape) < rng.choice([1.0, 0.5, 1.5 / array.size])
        if way == 3:
            array[...] = rng.permutation(array.reshape(-1)).reshape(array.shape)
        else:
            array[where] = value
    return model_file(header, arrays)


def reshape(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return an array of another shape or type."""
    ways = [
        lambda: array[:0] if array.ndim else array,
        lambda: array.T,
        lambda: np.concatenate([array, array]) if array.ndim else array,
        lambda: array[None],
        lambda: array.reshape(-1),
        lambda: array.astype(np.float32 if array.dtype != np.float32 else np.float64),
        lambda: array.astype(np.int32 if array.dtype != np.int32 else np.int64),
    ]
    with np.errstate(all="ignore"):
        return ways[rng.integers(len(ways))]()
