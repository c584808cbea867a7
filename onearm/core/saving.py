"""Save and load: arrays in safetensors; parameters, schema and SHA-256 in its header. No pickle.

A file appears under its name only when it is whole and on the disk. The digest finds a file that
was damaged, not one that was made to deceive: all in it is checked.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import onearm
from onearm.core.locking import lock_file
from onearm.core.old_names import current_arrays, current_class, current_parameters

OPTIONAL = ("schema", "trained_on")  # texts of a header that not every file has


class Saveable:
    """What `load` can make again: a class with `loaded(parameters, arrays)`."""


def save(
    cls: type, path: str | Path, parameters: Any, content: dict[str, np.ndarray],
    schema: Any = None, trained_on: dict[str, int] | None = None,
) -> None:  # fmt: skip
    """Write everything that an instance of `cls` is; under `path` it appears only when complete."""
    data = dumps(cls, parameters, content, schema, trained_on)
    path = Path(os.path.realpath(path))  # through a symbolic link, which stays
    if not path.parent.is_dir():
        raise FileNotFoundError(f"no folder {path.parent} to save into")
    write(path, data)


def dumps(
    cls: type, parameters: Any, content: dict[str, np.ndarray], schema: Any = None,
    trained_on: dict[str, int] | None = None,
) -> bytes:  # fmt: skip
    """Return everything that an instance of `cls` is, as the bytes of a file."""
    from safetensors.numpy import save as serialized

    # safetensors would store others wrongly
    arrays = {name: np.ascontiguousarray(array) for name, array in content.items()}
    text = json.dumps(parameters)
    header = {"class": name(cls), "parameters": text, "version": onearm.__version__}
    if schema is not None:
        header["schema"] = schema.to_json()
    if trained_on is not None:
        header["trained_on"] = json.dumps(trained_on)
    header["sha256"] = digest(text, arrays, *(header.get(name) for name in OPTIONAL))
    return serialized(arrays, header)


def write(path: Path, data: bytes) -> None:
    """Put `data` into the place of `path`: all of it, on the disk, or nothing.

    It is written without a name and gets a hidden one only to take the place of `path`. A process
    that is killed in between leaves that behind, and the next save to `path` removes it: who is
    alive has it locked.
    """
    hidden = f".{path.name[:100]}."
    _remove_abandoned(path.parent, hidden)
    unfinished = path.with_name(f"{hidden}{secrets.token_hex(8)}.part")
    number, named = _new_file(unfinished)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(number)
            if not named:  # /proc has it as a link, which is followed where a folder is given
                os.link(f"/proc/self/fd/{number}", unfinished, src_dir_fd=number)
            if os.name == "nt":  # Windows renames no open file
                file.close()
            unfinished.replace(path)
        sync_folder(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def _new_file(path: Path) -> tuple[int, bool]:
    """Open a locked file without a name, or called `path` where all have one; and return which."""
    named = False
    try:
        number = os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, 0o666)
    except (OSError, AttributeError):
        number, named = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666), True
    lock_file(number)
    if named and os.fstat(number).st_nlink == 0:  # taken for abandoned before it was locked
        os.close(number)
        return _new_file(path)
    return number, named


def sync_folder(folder: Path) -> None:
    """Have the names of the files in a folder on the disk."""
    if hasattr(os, "O_DIRECTORY"):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _remove_abandoned(folder: Path, prefix: str) -> None:
    """Remove unfinished files that nobody has locked: of processes that were killed."""
    with os.scandir(folder) as entries:
        left = [e.path for e in entries if e.name.startswith(prefix) and e.name.endswith(".part")]
    for path in left:
        with suppress(OSError):  # another process finishes or removes it
            number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
            try:
                if lock_file(number):
                    Path(path).unlink()
            finally:
                os.close(number)


def load(path: str | Path) -> Any:
    """Return the estimator saved under `path`: resuming equals never having stopped.

    Any file is safe to load: one that is damaged or hostile gets a ValueError. A class of your own
    is found once the module that defines it has been imported.
    """
    try:
        data = _read(path)
    except ValueError as error:
        raise ValueError(f"{path} is not a saved learner: {error}") from None
    return loads(data, str(path))


def loads(data: bytes, what: str = "the model") -> Any:
    """Return the estimator that `dumps` made bytes of; errors say that they are of `what`."""
    try:
        header, parameters, arrays = _parsed(data)
    except ValueError as error:
        raise ValueError(f"{what} is not a saved learner: {error}") from None
    cls = find_class(current_class(header["class"]))
    if header["sha256"] != digest(
        header["parameters"], arrays, *(header.get(name) for name in OPTIONAL)
    ):
        raise ValueError(f"{what} is damaged: its SHA-256 is not the one in its header")
    try:
        parameters = current_parameters(cls.__name__, parameters)
        loaded = cls.loaded(parameters, current_arrays(cls.__name__, arrays))
        if "schema" in header:
            loaded.schema = _schema(header["schema"], loaded)
        if "trained_on" in header:
            loaded.trained_on = _trained_on(header["trained_on"])
        return loaded
    except ValueError as error:
        raise ValueError(f"{what} cannot be loaded: {error}") from None


def read_header(path: str | Path) -> dict[str, str]:
    """Return the header of a saved estimator: class, parameters, version, SHA-256 and schema."""
    return _parsed(_read(path))[0]


def _read(path: str | Path) -> bytes:
    """Return the bytes of an ordinary file that is not too large."""
    path = Path(path)
    if path.exists() and not path.is_dir() and not path.is_file():
        raise ValueError("it is no ordinary file")  # to open a pipe could take for ever
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > onearm.max_bytes:
            raise ValueError(f"it has {size} bytes, onearm.max_bytes allows {onearm.max_bytes}")
        return file.read(size)


def _parsed(data: bytes) -> tuple[dict[str, str], dict[str, Any], dict[str, np.ndarray]]:
    """Return header, parameters and arrays of a file; ValueError if it has none."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as deserialized

    try:
        arrays = deserialized(data)
    except (SafetensorError, KeyError, ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length]).get("__metadata__") or {}
    if not header.keys() >= {"class", "parameters", "sha256"}:
        raise ValueError("its header names no class, parameters and SHA-256")
    try:
        parameters = json.loads(header["parameters"])
    except RecursionError:
        raise ValueError("its parameters are nested too deeply") from None
    if not isinstance(parameters, dict):
        raise ValueError(f"its parameters must be an object, got {type(parameters).__name__}")
    return header, parameters, arrays


def _schema(text: str, model: Any) -> Any:
    """Return the schema of a file if it has the sizes of the model."""
    schema = onearm.Schema.from_json(text)
    n_labels, n_features = len(schema.labels), schema.n_features
    most, expected = (getattr(model, size, 0) for size in ("n_classes", "n_features"))
    if n_labels > most or n_features not in (0, expected):
        sizes = f"{n_labels} labels and rows of {n_features} numbers"
        raise ValueError(f"its schema does not fit {model}: it has {sizes}")
    return schema


def _trained_on(text: str) -> dict[str, int]:
    """Return up to which event of which log a learner was trained."""
    try:
        logs = json.loads(text)
    except (ValueError, RecursionError):
        logs = None
    if not isinstance(logs, dict) or not all(type(n) is int and n >= 0 for n in logs.values()):
        raise ValueError("its logs must be numbers of events by the identities of logs")
    return logs


def digest(
    parameters: str, arrays: dict[str, np.ndarray], schema: str | None = None,
    trained_on: str | None = None,
) -> str:  # fmt: skip
    """Return the SHA-256 of a file's content, as hexadecimal digits."""
    total = hashlib.sha256(parameters.encode())
    for name, text in zip(OPTIONAL, (schema, trained_on), strict=True):
        if text is not None:
            total.update(f"\n{name} {text}".encode())
    for name in sorted(arrays):
        array = arrays[name]
        total.update(f"{name} {array.dtype.str} {array.shape}".encode())
        total.update(np.ascontiguousarray(array).data)
    return total.hexdigest()


def name(cls: type) -> str:
    """Return the name under which a class is saved."""
    return f"{cls.__module__}.{cls.__qualname__}"


def find_class(wanted: str) -> Any:
    """Return the class of this name: a public one, imported alone, or one that is known."""
    public = {**onearm.LEARNERS, **onearm.ESTIMATORS, **onearm.REGRESSORS, **onearm.AGENTS}
    for short, place in public.items():
        if wanted == f"{place}.{short}":
            return getattr(import_module(place), short)
    known: dict[str, Any] = {name(cls): cls for cls in _descendants(Saveable)}
    if wanted not in known or wanted.startswith("onearm."):
        raise ValueError(f"no learner {wanted} is known: import the module that defines it first")
    return known[wanted]


def _descendants(cls: Any) -> Iterator[type]:
    for child in cls.__subclasses__():
        yield child
        yield from _descendants(child)
