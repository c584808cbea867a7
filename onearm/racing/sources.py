"""What a race is run on: a made stream, a data set, a file, or a Stream.

A stream is told as a dict: its name with parameters, or the path of a file with those of `read`.
"""

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import onearm
from onearm.streams import datasets
from onearm.streams.stream import Stream

MADE = {name.lower(): name for name in onearm.STREAMS if name != "Stream"}
READ = {"file", "label", "nominal", "name", "n_features", "sha256"}


class Source(NamedTuple):
    """A stream as it was told; `given` if it was a Stream itself."""

    told: dict[str, Any]
    given: Stream | None = None

    @property
    def made(self) -> Callable[..., Stream] | None:
        """What draws the rows, if they are drawn."""
        name = "" if self.given or "file" in self.told else self.told["name"]
        return getattr(onearm, name) if name in MADE.values() else None

    @property
    def data(self) -> datasets.DataSet | None:
        """What is known of the rows, if they are a data set."""
        if self.given or "file" in self.told or self.made:
            return None
        return datasets.about(self.told["name"])

    @property
    def name(self) -> str:
        """What the stream is called: its name or file, with its parameters."""
        return stream_name(self.told)

    @property
    def n_features(self) -> int | None:
        """How many features the rows have as they are, where that is known beforehand."""
        return self.data.features if self.data else self.given.n_features if self.given else None


def stream_name(told: dict[str, Any]) -> str:
    """Return what a stream is called: its name or file, with its parameters."""
    own = [f"{key}={value}" for key, value in told.items() if key not in ("name", "file", "sha256")]
    return " ".join([str(told.get("name") or told["file"]), *own])


def source(told: Any, rounds: int | None = None) -> Source:
    """Return the source of a name, a path, a dict of either with parameters, or a Stream."""
    if isinstance(told, Stream):
        given = _counted(told, rounds)
        return Source({"name": given.name, "sha256": _digest(given)}, given)
    if isinstance(told, str | Path):
        named = str(told).lower() in {*MADE, *datasets.names()}
        return source({"name": str(told)} if named else {"file": str(told)})
    if not isinstance(told, dict) or not {"file", "name"} & set(told):
        raise ValueError(f"streams must be names, files or Streams, got {told!r}")
    if "file" in told:
        for key in set(told) - READ:
            raise ValueError(f"a file is read with {', '.join(sorted(READ))}, got {key!r}")
        path = Path(str(told["file"]))
        if not path.is_file():
            known = ", ".join([*MADE.values(), *datasets.names()])
            raise ValueError(f"stream must be a file or one of {known}, got {told['file']!r}")
        with path.open("rb") as file:
            return Source(told | {"sha256": hashlib.file_digest(file, "sha256").hexdigest()})
    name = str(told["name"]).lower()
    found = Source(told | {"name": MADE.get(name, name)})
    if not found.made:
        datasets.about(name)  # which must be known
    allowed = set(inspect.signature(found.made).parameters) if found.made else set()
    for key in set(told) - {"name"}:
        if key not in allowed - {"n_rows", "seed"}:
            raise ValueError(f"stream {told['name']} has no parameter {key!r}")
    if found.made:
        try:
            drawn(found, 1, 0)  # refuses what it cannot have
        except (ValueError, TypeError) as error:
            raise ValueError(f"{found.name}: {error}") from error
    return found


def drawn(one: Source, rounds: int | None, seed: int) -> Stream:
    """Return a made stream with its parameters."""
    asked = {key: value for key, value in one.told.items() if key != "name"}
    return one.made(**({"n_rows": rounds} if rounds else {}), seed=seed, **asked)  # type: ignore[misc] # made is not None


def ready(one: Source, say: Callable[[str], Any]) -> None:
    """Say what is inferred of a file, and load a data set; raise what is wrong with either."""
    if "file" in one.told:
        datasets.read(one.told["file"], say=say, **how(one.told))
    elif one.data:
        _classes(datasets.load(one.told["name"]))


def how(told: dict[str, Any]) -> dict[str, Any]:
    """How a file is to be read."""
    return {key: value for key, value in told.items() if key not in ("file", "sha256")}


def _counted(stream: Stream, rounds: int | None) -> Stream:
    """Return a stream that says how many rows it has: of one that may never end, those played."""
    if stream.n_rows is not None:
        return stream
    if rounds is None:
        why = f"stream {stream.name} has no n_rows and may never end"
        raise ValueError(f"rounds must be a whole number of at least 10 where {why}, got None")
    first = stream.first(rounds)
    return replace(first, n_rows=sum(len(y) for _, y in first.chunks()))


def _digest(stream: Stream) -> str:
    about = (stream.n_classes, stream.n_features, stream.nominal)
    digest = hashlib.sha256(repr(about).encode())
    for X, y in stream.chunks():
        digest.update(repr((X.shape, X.dtype)).encode())
        for array in (X,) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr):
            digest.update(np.ascontiguousarray(array).tobytes())
        digest.update(y.tobytes())
    return digest.hexdigest()


def about(one: Source) -> str:
    """Say in a sentence where the rows come from."""
    if one.made:
        told = (inspect.getdoc(one.made) or "").splitlines()[0]
        told = told.removeprefix("Return ").replace("`", "")
        return told[:1].upper() + told[1:]
    if one.data is None:
        return f"SHA-256 {one.told['sha256']}"
    return one.data.said()


def _classes(stream: Stream) -> None:
    if stream.n_classes < 2:
        raise ValueError(f"stream {stream.name} has no classes: its label is a number")
