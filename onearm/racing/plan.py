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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

import onearm
from onearm.parameters import parameters
from onearm.racing.run import Job
from onearm.racing.sources import Source, source
from onearm.streams.stream import demand

LISTS = (list, tuple)
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
            repeats=(_whole(self.repeats, 1), "a whole number of at least 1", self.repeats),
            rounds=(
                self.rounds is None or _whole(self.rounds, 10),
                "a whole number of at least 10",
                self.rounds,
            ),
            seed=(_whole(self.seed, 0) and self.seed < 2**62, "in [0, 2**62)", self.seed),
            tune=(
                isinstance(self.tune, int | float) and 0 <= self.tune <= 0.5,
                "in [0, 0.5]",
                self.tune,
            ),
        )

    @classmethod
    def read(cls, path: str | Path) -> "Plan":
        """Return the plan of a TOML file."""
        told = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        known = [field.name for field in fields(cls)]
        for key in told:
            if key not in known:
                raise ValueError(f"{path} must have the keys {', '.join(known)}, got {key!r}")
        for key in ("streams", "learners"):
            if key not in told:
                raise ValueError(f"{path} must have {key}")
        return cls(**told)

    def toml(self) -> str:
        """Return the plan as TOML: a Stream and a class by their names."""
        told = [field.name for field in fields(self) if field.name not in ("streams", "learners")]
        values = {key: getattr(self, key) for key in told}
        lines = [f"{key} = {_said(v)}" for key, v in values.items() if v is not None]
        given = [one.told for one in self.sources() if one.given]
        lines += [f"# a Stream of Python: {one['name']}, SHA-256 {one['sha256']}" for one in given]
        entries = [("streams", one.told) for one in self.sources() if not one.given]
        entries += [("learners", _entry(one)) for one in self.learners]
        for title, entry in entries:
            lines += ["", f"[[{title}]]"]
            lines += [f"{key} = {_said(v)}" for key, v in entry.items() if key != "sha256"]
        return "\n".join(lines) + "\n"

    def sources(self) -> list[Source]:
        """Return the streams, no two of one name."""
        found = [source(told, self.rounds) for told in self.streams]
        names = [one.name for one in found]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"streams must have different names, got {name!r} twice")
        return found

    def jobs(self) -> list[Job]:
        """Return all runs, those on the same rows beside each other."""
        learners = [pair for one in self.learners for pair in self._grid(one)]
        return [
            Job(one, cls, given, repeat, self.seed, self.rounds, self.tune, self.in_order, self.raw)
            for one in self.sources()
            for repeat in range(self.repeats)
            for cls, given in learners
        ]

    def _grid(self, told: Any) -> Iterable[tuple[Any, dict[str, Any]]]:
        """Give a learner with each setting that is asked for."""
        entry = {key: getattr(v, "tolist", lambda v=v: v)() for key, v in _entry(told).items()}
        cls = entry.pop("name")
        kind = getattr(onearm, cls) if isinstance(cls, str) else cls
        allowed = [one.name for one in parameters(kind) if one.name not in SIZES]
        for key in entry:
            if key not in allowed:
                raise ValueError(
                    f"{kind.__name__} has the parameters {', '.join(allowed)}, got {key!r}"
                )
        if self.exploration and kind.exploration and kind.exploration not in entry:
            entry[kind.exploration] = list(self.exploration)
        values = [value if isinstance(value, list) else [value] for value in entry.values()]
        for chosen in product(*values):
            yield cls, dict(zip(entry, chosen, strict=True))


def _entry(told: Any) -> dict[str, Any]:
    """A learner as a dict with its class, or the name of ours in the usual case."""
    entry = dict(told) if isinstance(told, dict) else {"name": told}
    if "name" not in entry:
        raise ValueError(f"learners must have a name, got {told!r}")
    if isinstance(entry["name"], type):
        own = getattr(onearm, entry["name"].__name__, None) is entry["name"]
        return entry | {"name": entry["name"].__name__} if own else entry
    if not isinstance(entry["name"], str):
        raise ValueError(f"learners must be names or classes, got {entry['name']!r}")
    known = {name.lower(): name for name in onearm.LEARNERS}
    if entry["name"].strip().lower() not in known:
        names = ", ".join(onearm.LEARNERS)
        raise ValueError(f"learners must be among {names}, got {entry['name']!r}")
    return entry | {"name": known[entry["name"].strip().lower()]}


def _whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _said(value: Any) -> str:
    """A value in TOML, which says these as JSON does; a class by its name."""
    value = value.__name__ if isinstance(value, type) else value
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
