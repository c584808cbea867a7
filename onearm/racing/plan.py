"""A plan: learners × parameters × streams × repeats, as told in Python, a TOML file or a command.

repeats = 10
rounds = 100_000

[[streams]]
name = "SynNonSep"
noise = 0.1

[[learners]]
name = "Banditron"
gamma = [0.01, 0.05]   # a list is tried value by value
"""

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import onearm
from onearm.core.parameters import parameters
from onearm.experiments import identity
from onearm.racing.grid import grid, grid_size, plain
from onearm.racing.run import Job
from onearm.racing.sources import Source, source
from onearm.streams.stream import demand

LISTS = (list, tuple)
MOST_RUNS, MOST_ROUNDS = 100_000, 10**9  # of a plan, of a run
SIZES = ("n_classes", "n_features", "nominal", "seed")  # parameters that the race sets


@dataclass(frozen=True)
class Plan:
    """What is to be raced.

    Parameters
    ----------
    streams
        Names of streams and data sets, paths of files, dicts of either with parameters, or
        Streams.
    learners
        Names or classes, or dicts with `name` and parameters; a list of values is a grid.
    repeats
        How often each learner plays each stream, in another order or on other rows each time.
    rounds
        How many rounds; None for all rows there are. More than there are go over them again. A
        Stream without `n_rows` needs them, and is read no further.
    seed
        Of rows and learners in the first repeat; the next have the next ones.
    tune
        The share of each stream, in [0, 0.5], on which exploration rates are chosen before the
        race: those rounds are not part of it, for any learner.
    exploration
        Rates to play every learner with, one after the other; empty for its own default.
    in_order
        Whether rows come in the order of their source in every repeat, else they are shuffled.
    raw
        Whether all learners see the rows as they are; else linear ones see them scaled.
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
            told = getattr(self, name)
            object.__setattr__(self, name, list(told) if isinstance(told, LISTS) else [told])
        demand(
            streams=(len(self.streams) > 0, "at least one", self.streams),
            learners=(len(self.learners) > 0, "at least one", self.learners),
            repeats=(
                _whole(self.repeats, 1, MOST_RUNS),
                f"a whole number in [1, {MOST_RUNS}]",
                self.repeats,
            ),
            rounds=(
                self.rounds is None or _whole(self.rounds, 10, MOST_ROUNDS),
                f"a whole number in [10, {MOST_ROUNDS}]",
                self.rounds,
            ),
            seed=(_whole(self.seed, 0, 2**62 - 1), "in [0, 2**62)", self.seed),
            in_order=(isinstance(self.in_order, bool), "True or False", self.in_order),
            raw=(isinstance(self.raw, bool), "True or False", self.raw),
            tune=(
                isinstance(self.tune, int | float) and 0 <= self.tune <= 0.5,
                "in [0, 0.5]",
                self.tune,
            ),
        )

    @classmethod
    def read(cls, path: str | Path) -> "Plan":
        """Return the plan of a TOML file."""
        try:
            told = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:  # not TOML, or not UTF-8
            raise ValueError(f"{path}: {error}") from None
        known = [field.name for field in fields(cls)]
        for key in told:
            if key not in known:
                raise ValueError(f"{path} must have the keys {', '.join(known)}, got {key!r}")
        for key in ("streams", "learners"):
            if key not in told:
                raise ValueError(f"{path} must have {key}")
        return cls(**told)

    def toml(self) -> str:
        """Return the plan as TOML, a Stream and a class of Python in comments."""
        keys = [field.name for field in fields(self) if field.name not in ("streams", "learners")]
        values = {key: getattr(self, key) for key in keys}
        lines = [f"{key} = {_said(v)}" for key, v in values.items() if v is not None]
        given = [one.told for one in self.sources() if one.given]
        lines += [f"# a Stream of Python: {_said(s['name'])}, SHA-256 {s['sha256']}" for s in given]
        entries = [("streams", one.told) for one in self.sources() if not one.given]
        learners = [_entry(one) for one in self.learners]
        theirs = [one for one in learners if isinstance(one["name"], type)]
        lines += [f"# a class of Python: {_settings(one)}" for one in theirs]
        entries += [("learners", one) for one in learners if one not in theirs]
        for title, entry in entries:
            lines += ["", f"[[{title}]]"]
            told = {k: v for k, v in entry.items() if k != "sha256" and v is not None}
            lines += [f"{key} = {_said(value)}" for key, value in told.items()]
        return "\n".join(lines) + "\n"

    def sources(self) -> list[Source]:
        """Return the streams, no two of one name."""
        self._refuse_too_many_runs()
        told = [one for entry in self.streams for one in _streams(entry)]
        found = [source(one, self.rounds) for one in told]
        names = [one.name for one in found]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"streams must have different names, got {name!r} twice")
        return found

    def jobs(self) -> list[Job]:
        """Return all runs, those on the same rows beside each other."""
        self._refuse_too_many_runs()
        learners = [pair for one in self.learners for pair in self._grid(one)]
        kinds = {kind(cls) for cls, _ in learners}
        for name, n in Counter(one.__name__ for one in kinds).items():
            if n > 1:
                raise ValueError(f"learners must have different names, got {n} that are {name!r}")
        codes = {cls: identity.code(cls) for cls in kinds}
        how = (self.seed, self.rounds, self.tune, self.in_order, self.raw)
        return [
            Job(one, cls, given, repeat, *how, codes[kind(cls)])
            for one in self.sources()
            for repeat in range(self.repeats)
            for cls, given in learners
        ]

    def _refuse_too_many_runs(self) -> None:
        """Count the runs before any is made: grids and repeats multiply."""
        streams = sum(grid_size(plain(one)) if _is_grid(one) else 1 for one in self.streams)
        learners = sum(grid_size(self._entry(one)) for one in self.learners)
        runs = streams * learners * self.repeats
        parts = f"{streams} streams × {learners} learners × {self.repeats} repeats"
        demand(runs=(runs <= MOST_RUNS, f"at most {MOST_RUNS} ({parts})", runs))

    def _entry(self, told: Any) -> dict[str, Any]:
        """A learner with its class or name, its settings, and the rates to play it with."""
        entry = _entry(told)
        rate = kind(entry["name"]).exploration
        if self.exploration and rate and rate not in entry:
            entry[rate] = list(self.exploration)
        return entry

    def _grid(self, told: Any) -> Iterable[tuple[Any, dict[str, Any]]]:
        """Give a learner with each setting that is asked for."""
        entry = self._entry(told)
        cls = entry.pop("name")
        allowed = [one.name for one in parameters(kind(cls)) if one.name not in SIZES]
        for key in entry:
            if key not in allowed:
                name = kind(cls).__name__
                raise ValueError(f"{name} has the parameters {', '.join(allowed)}, got {key!r}")
        for chosen in grid(entry):
            yield cls, chosen


def kind(told: Any) -> Any:
    """Return the class of a learner that is told by its class, or by the name of ours."""
    return getattr(onearm, told) if isinstance(told, str) else told


def _streams(told: Any) -> Iterable[Any]:
    """Give a stream with each setting that is asked for; lists of a file are not settings."""
    return grid(plain(told)) if _is_grid(told) else [told]


def _is_grid(told: Any) -> bool:
    return isinstance(told, dict) and "file" not in told


def _entry(told: Any) -> dict[str, Any]:
    """A learner as a dict with its class, or the name of ours in the usual case."""
    entry = plain(told) if isinstance(told, dict) else {"name": told}
    if "name" not in entry:
        raise ValueError(f"learners must have a name, got {told!r}")
    if isinstance(entry["name"], type):
        if not issubclass(entry["name"], onearm.Learner):
            raise ValueError(f"learners must be classes of Learner, got {entry['name']!r}")
        ours = getattr(onearm, entry["name"].__name__, None) is entry["name"]
        return entry | {"name": entry["name"].__name__} if ours else entry
    if not isinstance(entry["name"], str):
        raise ValueError(f"learners must be names or classes, got {entry['name']!r}")
    known = {name.lower(): name for name in onearm.LEARNERS}
    if entry["name"].strip().lower() not in known:
        names = ", ".join(onearm.LEARNERS)
        raise ValueError(f"learners must be among {names}, got {entry['name']!r}")
    return entry | {"name": known[entry["name"].strip().lower()]}


def _settings(entry: dict[str, Any]) -> str:
    return ", ".join(
        [entry["name"].__name__, *(f"{k} = {_said(v)}" for k, v in entry.items() if k != "name")]
    )


def _whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _said(value: Any) -> str:
    """A value in TOML, which says these as JSON does."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
