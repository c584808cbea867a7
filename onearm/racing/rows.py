"""The rows of a race: source → order → view.

Our learners get rows as they are; learners of other packages may want them prepared.

A source is resolved once: a file is hashed and its columns are learned where the race is planned,
and every worker reads its rows once. A repeat puts the rows in an order of its own, or has others
of a synthetic stream; all learners of a repeat see the same rows in the same order, as a view
prepares them.
"""

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import onearm
from onearm.experiments import identity
from onearm.schema.names import did_you_mean
from onearm.streams import datasets
from onearm.streams.cache import file_digest
from onearm.streams.order import in_passes, shuffled_passes
from onearm.streams.prepared import filled, prepared
from onearm.streams.stream import Stream

SYNTHETIC = {name.lower(): name for name in onearm.STREAMS if name != "Stream"}
FILE_KEYS = {"file", "label", "nominal", "schema", "name", "n_features", "sha256"}
INFER = "infer"  # as a schema: that of `Schema.infer`, where long lists of values are hashed
IN_MEMORY = 2**30  # bytes of numbers: a larger stream is played in file order, chunk by chunk
VIEWS = {"raw": lambda stream: stream, "prepared": prepared, "filled": filled}
TRIALS = 100  # rounds for each label on which exploration rates are chosen
CACHED = 2**28  # bytes of a repeat's rows that stay in memory from one learner to the next


@dataclass
class Source:
    """Where rows come from: a name with parameters, or a file with those of `read`."""

    spec: dict[str, Any]  # a Stream of Python and a file have the SHA-256 of their rows in it
    stream: Stream | None = field(default=None, compare=False)  # given, or learned of a file
    generator: Any = field(default=None, compare=False)  # the function of a synthetic stream
    data: datasets.DataSet | None = field(default=None, compare=False)  # of a data set
    path: Path | None = field(default=None, compare=False)  # of a file, for workers elsewhere

    def __hash__(self) -> int:
        return hash(json.dumps(self.spec, sort_keys=True))

    def __getstate__(self) -> dict[str, Any]:
        """Send what was learned of a file to workers, but no arrays, which they read themselves."""
        is_sent = self.is_given or (self.stream is not None and not self.stream.in_memory)
        return vars(self) | {"stream": self.stream if is_sent else None}

    @property
    def is_given(self) -> bool:
        """Whether the source is a Stream of Python."""
        return "sha256" in self.spec and "file" not in self.spec

    @property
    def name(self) -> str:
        return stream_name(self.spec)

    @property
    def n_features(self) -> int | None:
        """The number of features before any view, where it is known without reading."""
        if self.data:
            return self.data.features
        return self.stream.n_features if self.is_given and self.stream else None

    def generate(self, rounds: int | None, seed: int) -> Stream:
        parameters = {key: value for key, value in self.spec.items() if key != "name"}
        n_rows = {"n_rows": rounds} if rounds else {}
        return self.generator(**n_rows, seed=seed, **parameters)

    def load(self, log: Callable[[str], Any] = lambda sentence: None) -> Stream:
        """Return the stream of a data set or a file, or the given one; `log` what is inferred."""
        if self.data:
            stream = datasets.load(self.spec["name"])
            if stream.n_classes < 2:
                raise ValueError(f"stream {stream.name} has no classes: its label is a number")
            return stream
        if self.stream is None:
            options = {k: v for k, v in self.spec.items() if k not in ("file", "sha256")}
            if "schema" in options:
                options["schema"] = onearm.Schema.from_json(options["schema"])
            self.stream = datasets.read(self.path or self.spec["file"], log=log, **options)
        return self.stream

    def describe(self) -> str:
        if self.generator:
            summary = (inspect.getdoc(self.generator) or "").splitlines()[0]
            summary = summary.removeprefix("Return ").replace("`", "")
            return summary[:1].upper() + summary[1:]
        return self.data.describe() if self.data else f"SHA-256 {self.spec['sha256']}"


def stream_name(spec: dict[str, Any]) -> str:
    """Return the name of a stream or file, with its parameters."""
    hidden = ("name", "file", "schema", "sha256")
    parameters = [f"{key}={value}" for key, value in spec.items() if key not in hidden]
    return " ".join([str(spec.get("name") or spec["file"]), *parameters])


def resolve(spec: Any, rounds: int | None = None) -> Source:
    """Return the source of a name, a path, a dict of either with parameters, or a Stream."""
    if isinstance(spec, Stream):
        if spec.n_rows is None:  # it may never end
            if rounds is None:
                why = f"stream {spec.name} has no n_rows and may never end"
                allowed = f"a whole number of at least 10 where {why}"
                raise ValueError(f"rounds must be {allowed}, got None")
            first = spec.first(rounds)
            spec = replace(first, n_rows=first.count())
        return Source({"name": spec.name, "sha256": identity.stream_digest(spec)}, spec)
    if isinstance(spec, str | Path):
        is_named = str(spec).lower() in {*SYNTHETIC, *datasets.names()}
        spec = {"name" if is_named else "file": str(spec)}
    if not isinstance(spec, dict) or not {"file", "name"} & set(spec):
        way_out = ": Stream.from_frame makes one" * hasattr(spec, "columns")
        got = f"a {type(spec).__name__}{way_out}" if way_out else repr(spec)
        raise ValueError(f"streams must be names, files or Streams, got {got}")
    return _file(spec) if "file" in spec else _named(spec)


def _file(spec: dict[str, Any]) -> Source:
    for key in set(spec) - FILE_KEYS:
        raise ValueError(f"a file is read with {', '.join(sorted(FILE_KEYS))}, got {key!r}")
    path = Path(str(spec["file"]))
    if not path.is_file():
        known = [*SYNTHETIC.values(), *datasets.names()]
        beside = [str(path.parent / other.name) for other in _files(path.parent)]
        if path.is_dir() or path.suffix or len(path.parts) > 1:  # no name of a stream
            what = "this is a folder" if path.is_dir() else "there is none"
            hint = did_you_mean(spec["file"], beside)
            raise ValueError(f"stream must be a file: {what}, got {spec['file']!r}{hint}")
        hint = did_you_mean(spec["file"], [*known, *beside])
        allowed = f"a file or one of {', '.join(known)}"
        raise ValueError(f"stream must be {allowed}, got {spec['file']!r}{hint}")
    if "schema" in spec:
        spec = spec | {"schema": schema_text(spec["schema"], path, spec.get("label"))}
    return Source(spec | {"sha256": file_digest(path)}, path=path.absolute())


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def schema_text(given: Any, path: Path, label: str | None) -> str:
    """Return the JSON of a schema: a given one, one in a file, JSON itself, or that inferred."""
    if given == INFER:
        return onearm.Schema.infer(path, label).to_json()
    if isinstance(given, onearm.Schema):
        return given.to_json()
    text = str(given)
    if not text.lstrip().startswith("{"):
        if not Path(text).is_file():
            allowed = f"a Schema, its JSON, a file of it or {INFER!r}"
            raise ValueError(f"schema must be {allowed}, got {text!r}")
        text = Path(text).read_text(encoding="utf-8")
    try:
        return onearm.Schema.from_json(text).to_json()
    except ValueError as error:
        raise ValueError(f"schema {given}: {error}") from None


def _named(spec: dict[str, Any]) -> Source:
    name, allowed = str(spec["name"]).lower(), set()
    source = Source(spec | {"name": SYNTHETIC.get(name, name)})
    if name in SYNTHETIC:
        source.generator = getattr(onearm, SYNTHETIC[name])
        allowed = set(inspect.signature(source.generator).parameters) - {"n_rows", "seed"}
    else:
        source.data = datasets.about(name)  # raises if it is not known
    for key in set(spec) - {"name"} - allowed:
        raise ValueError(f"stream {spec['name']} has no parameter {key!r}")
    if source.generator:
        try:
            source.generate(1, 0)  # raises if a parameter is out of its range
        except (ValueError, TypeError) as error:
            raise ValueError(f"{source.name}: {error}") from error
    return source


def n_tuning_rows(source: Source, rounds: int | None, tune: float) -> int:
    """Return how many rows are for tuning only: a share of those there are, at the beginning.

    With many labels a small share decides nothing: there are at least TRIALS for each, if that is
    not more than half of the rows.
    """
    if not tune:
        return 0
    stream = source.generate(rounds, 0) if source.generator else _loaded(source)
    count = stream.count()
    n = min(count, rounds or count)
    return max(1, min(max(round(tune * n), TRIALS * stream.n_classes), n // 2, count - 1))


def is_shuffled(source: Source, in_order: bool) -> bool:
    """Whether repeats have other rows, or another order of them; large files have not."""
    if source.generator:
        return True
    keeps_order = in_order or (source.data is not None and source.data.ordered)
    return not keeps_order and _loaded(source).in_memory


@lru_cache(maxsize=3)  # one of each view
def rows(
    source: Source, rounds: int | None, seed: int, in_order: bool, kind: str = "raw",
    tune: float = 0.0,
) -> Stream:  # fmt: skip
    """Return what is played in a repeat, in the view of this kind, one of VIEWS.

    The rows for tuning do not come again where rows are played several times.
    """
    if source.generator:
        stream = source.generate(rounds, seed)
        return VIEWS[kind](stream).in_memory_up_to(CACHED)
    stream = _loaded(source)
    n, n_tuning = rounds or stream.count(), n_tuning_rows(source, rounds, tune)
    if is_shuffled(source, in_order):
        ordered = shuffled_passes(stream, n, n_tuning, seed)
    else:
        ordered = in_passes(stream, n, n_tuning)
    return VIEWS[kind](ordered).in_memory_up_to(CACHED)


@lru_cache(maxsize=1)
def _loaded(source: Source) -> Stream:
    return source.load().in_memory_up_to(IN_MEMORY)
