"""Plain values: what a client is given becomes JSON. NumPy's numbers are numbers.

A value of a context that is missing, as NaN, becomes null, which a schema takes for missing, too.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from onearm.schema.values import is_missing, shown


def as_json(body: Any) -> bytes:
    """Return a body as JSON; a ValueError names the value that cannot be in it.

    >>> as_json({"context": {"age": np.int64(31), "hour": float("nan")}})
    b'{"context": {"age": 31, "hour": null}}'
    """
    try:
        return json.dumps(body, allow_nan=False).encode()
    except (TypeError, ValueError):
        return json.dumps(_plain("", body), allow_nan=False).encode()


def _plain(where: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(_within(where, key), part) for key, part in value.items()}
    if isinstance(value, np.generic | np.ndarray):
        return _plain(where, value.tolist() if value.dtype.kind in "biufU" else str(value))
    if isinstance(value, str | bool | int) or value is None:
        return value
    if "context." in where and is_missing(value):
        return None
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, list | tuple):
        return [_plain(f"{where}[{i}]", part) for i, part in enumerate(value)]
    allowed = "a finite number, a text, true, false or None"
    raise ValueError(f"{where or 'a value'} must be {allowed}, got {shown(value)}")


def _within(where: str, key: Any) -> str:
    return f"{where}.{key}" if where else str(key)
