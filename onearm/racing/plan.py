"""A plan: learners × parameters × streams × repeats, from Python, a TOML file or a command.

repeats = 10
rounds = 100_000

[[streams]]
name = "SynNonSep"
noise = 0.1

[[learners]]
name = "Banditron"
gamma = [0.01, 0.05]   # a list of values is a grid
"""

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from onearm.core.parameters import parameters
from onearm.experiments import identity
from onearm.experiments.job import hash_text
from onearm.prepare.prepared import Prepared, wants_preparation
from onearm.racing import texts
from onearm.racing.entries import grid, grid_size, learner_class, learner_entry, stream_grid
from onearm.racing.foreign import ForeignClass
from onearm.racing.rows import Source, resolve
from onearm.racing.run import Job
from onearm.schema.names import did_you_mean
from onearm.streams.prepared import prepared
from onearm.streams.stream import require

MAX_RUNS = 100_000  # of a plan
LIMITS = {"repeats": (1, MAX_RUNS), "rounds": (10, 10**9), "seed": (0, 2**62 - 1)}
SIZES = ("n_classes", "n_features", "nominal", "seed")  # parameters that the race sets


@dataclass(frozen=True)
class Plan:
    __doc__ = f"""What is to be raced.

    Parameters
    ----------
    streams
        Names of streams and data sets, paths of files, dicts of either with parameters, or
        Streams.
    learners
        Names, classes, or objects and functions that make them, of any library with `choose` and
        `update`, `predict_one` and `learn_one`, or `predict` and `partial_fit`; or dicts with one
        of these as `name` and parameters, where a list of values is a grid.
    repeats
        {texts.REPEATS}
    rounds
        {texts.ROUNDS} A Stream without `n_rows` needs it, and is read no further.
    seed
        {texts.SEED}
    tune
        The share of each stream, in [0, 0.5], on which exploration rates are chosen before the
        race: those rounds are not part of it, for any learner. There are at least 100 rounds for
        each label, up to half of all.
    exploration
        A grid of exploration rates for every learner; empty for its default.
    in_order
        {texts.IN_ORDER}
    raw
        {texts.RAW}
    """

    streams: Sequence[Any]
    learners: Sequence[Any]
    repeats: int = 1
    rounds: int | None = None
    seed: int = 0
    tune: float = 0.0
    exploration: Sequence[float] = ()
    in_order: bool = False
    raw: bool = False

    def __post_init__(self) -> None:
        for name in ("streams", "learners", "exploration"):
            given = getattr(self, name)
            several = list(given) if isinstance(given, list | tuple) else [given]
            object.__setattr__(self, name, several)
        for name in ("streams", "learners"):
            require(**{name: (len(getattr(self, name)) > 0, "at least one", getattr(self, name))})
        for name in ("in_order", "raw"):
            value = getattr(self, name)
            require(**{name: (isinstance(value, bool), "True or False", value)})
        for name, (least, most) in LIMITS.items():
            value = getattr(self, name)
            is_whole = isinstance(value, int) and not isinstance(value, bool)
            fits = (is_whole and least <= value <= most) or (name == "rounds" and value is None)
            require(**{name: (fits, f"a whole number in [{least}, {most}]", value)})
        fits = isinstance(self.tune, int | float) and 0 <= self.tune <= 0.5
        require(tune=(fits, "in [0, 0.5]", self.tune))

    @classmethod
    def read(cls, path: str | Path) -> "Plan":
        """Return the plan of a TOML file."""
        try:
            given = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:  # not TOML, or not UTF-8
            raise ValueError(f"{path}: {error}") from None
        known = [field.name for field in fields(cls)]
        for key in given:
            if key not in known:
                raise ValueError(f"{path} must have the keys {', '.join(known)}, got {key!r}")
        for key in ("streams", "learners"):
            if key not in given:
                raise ValueError(f"{path} must have {key}")
        return cls(**given)

    def toml(self) -> str:
        """Return the plan as TOML, with Streams and classes of Python in comments."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        lines, tables = _toml_lines(values, "streams", "learners"), []
        for source in self.sources:
            if source.is_given:
                name, sha256 = _to_toml(source.spec["name"]), source.spec["sha256"]
                lines.append(f"# a Stream of Python: {name}, SHA-256 {sha256}")
            else:
                tables += ["", "[[streams]]", *_toml_lines(source.spec, "sha256")]
        for entry in map(learner_entry, self.learners):
            if isinstance(entry["name"], str):
                tables += ["", "[[learners]]", *_toml_lines(entry)]
            else:
                settings = [learner_class(entry["name"]).__name__, *_toml_lines(entry, "name")]
                lines.append(f"# a class of Python: {', '.join(settings)}")
        return "\n".join(lines + tables) + "\n"

    @cached_property
    def sources(self) -> list[Source]:
        """The streams, no two of one name; files are hashed once."""
        self._require_few_runs()
        entries = [entry for given in self.streams for entry in stream_grid(given)[1]]
        sources = [resolve(entry, self.rounds) for entry in entries]
        _require_different("streams", [source.name for source in sources])
        return sources

    def jobs(self) -> list[Job]:
        """Return all runs, those on the same rows beside each other."""
        self._require_few_runs()
        learners = [pair for given in self.learners for pair in self._grid(given)]
        _require_different("learners", [c.__name__ for c in dict.fromkeys(c for c, _ in learners)])
        settings = (self.seed, self.rounds, self.tune, self.in_order, self.raw)
        return [
            Job(source, cls, chosen, repeat, *settings, _code(cls))
            for source in self.sources
            for repeat in range(self.repeats)
            for cls, chosen in learners
        ]

    def _require_few_runs(self) -> None:
        """Count the runs before any is made: grids and repeats multiply."""
        streams = sum(stream_grid(given)[0] for given in self.streams)
        learners = sum(grid_size(self._entry(given)[1]) for given in self.learners)
        runs = streams * learners * self.repeats
        parts = f"{streams} streams × {learners} learners × {self.repeats} repeats"
        require(runs=(runs <= MAX_RUNS, f"at most {MAX_RUNS} ({parts})", runs))

    def _entry(self, given: Any) -> tuple[Any, dict[str, Any]]:
        """Return a learner's class and parameters, with the rates to play it with."""
        entry = learner_entry(given)
        name = entry.pop("name")
        cls = learner_class(name)
        if self.exploration and cls.exploration and cls.exploration not in entry:
            entry[cls.exploration] = list(self.exploration)
        return cls, entry

    def _grid(self, given: Any) -> Iterable[tuple[Any, dict[str, Any]]]:
        """Yield a learner's class with each of its settings."""
        cls, entry = self._entry(given)
        is_foreign = isinstance(cls, ForeignClass)
        every = cls.parameters if is_foreign else [p.name for p in parameters(cls)]
        allowed = [name for name in every if name not in SIZES]
        allowed += ["interactions"] if wants_preparation(cls) and not self.raw else []
        for key in entry:
            if key not in allowed:
                expected = f"{cls.__name__} has the parameters {', '.join(allowed) or '(none)'}"
                raise ValueError(f"{expected}, got {key!r}{did_you_mean(key, allowed)}")
        return ((cls, chosen) for chosen in grid(entry))


def _code(cls: Any) -> str:
    """Return a hash of the code of a learner and of what prepares its rows."""
    if isinstance(cls, ForeignClass):
        return hash_text(f"{cls.code} {identity.code(prepared)}")
    code = identity.code(cls)
    return hash_text(f"{code} {identity.code(Prepared)}") if wants_preparation(cls) else code


def _require_different(what: str, names: list[str]) -> None:
    for name, n in Counter(names).items():
        if n > 1:
            raise ValueError(f"{what} must have different names, got {n} that are {name!r}")


def _toml_lines(entry: dict[str, Any], *hidden: str) -> list[str]:
    shown = {key: v for key, v in entry.items() if key not in hidden and v is not None}
    return [f"{key} = {_to_toml(value)}" for key, value in shown.items()]


def _to_toml(value: Any) -> str:
    """Return a value in TOML, which writes these as JSON does."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
