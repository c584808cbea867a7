"""Save and load: the arrays in safetensors, class and parameters in its header. No pickle."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import onearm


def save(learner: Any, path: str | Path, parameters: Any, content: dict[str, np.ndarray]) -> None:
    """Write everything that `learner` is; it appears under `path` only when complete."""
    from safetensors.numpy import save_file

    # safetensors would store others wrongly
    arrays = {name: np.ascontiguousarray(array) for name, array in content.items()}
    header = {
        "class": name(type(learner)),
        "parameters": json.dumps(parameters),
        "version": onearm.__version__,
    }
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"no folder {path.parent} to save into")
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    save_file(arrays, unfinished, metadata=header)
    unfinished.replace(path)


def load(path: str | Path) -> Any:
    """Return the learner saved under `path`: resuming equals never having stopped.

    A class of your own is found once the module that defines it has been imported.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 not a dict
    except SafetensorError as error:
        raise ValueError(f"{path} is not a saved learner: {error}") from None
    if not header.keys() >= {"class", "parameters"}:
        raise ValueError(f"{path} is not a saved learner: its header names no class")
    return _class(header["class"]).loaded(json.loads(header["parameters"]), arrays)


def fill(learner: Any, arrays: dict[str, np.ndarray]) -> None:
    """Put saved arrays in the place of a new learner's."""
    for part in learner.parts:
        part.extend(arrays)
    put(arrays, learner.content(), type(learner).__name__)


def put(arrays: dict[str, np.ndarray], own: dict[str, np.ndarray], owner: str) -> None:
    """Copy saved arrays into those of an owner; all of them must be there and fit."""
    for key in own.keys() | arrays.keys():
        mine, saved = own.get(key), arrays.get(key)
        if mine is None or saved is None or (mine.shape, mine.dtype) != (saved.shape, saved.dtype):
            raise ValueError(f"saved array {key} does not fit {owner}")
    for key, array in own.items():
        array[...] = arrays[key]


def name(cls: type) -> str:
    """Return the name under which a class is saved."""
    return f"{cls.__module__}.{cls.__qualname__}"


def _class(wanted: str) -> Any:
    for public in onearm.LEARNERS:
        getattr(onearm, public)
    from onearm.convex.regressor import Regressor

    made = {*_descendants(onearm.Learner), *_descendants(Regressor)}
    known: dict[str, Any] = {name(cls): cls for cls in made}
    for public, place in {**onearm.ESTIMATORS, **onearm.REGRESSORS}.items():
        if wanted == f"{place}.{public}":
            known[wanted] = getattr(onearm, public)
    if wanted not in known:
        raise ValueError(f"no learner {wanted} is known: import the module that defines it first")
    return known[wanted]


def _descendants(cls: Any) -> Iterator[type]:
    for child in cls.__subclasses__():
        yield child
        yield from _descendants(child)
