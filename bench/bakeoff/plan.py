"""What is played in the bake-off, stage by stage.

1. Each algorithm plays all repeats of each set with its default.
2. Each setting of it plays the first TUNING_ROUNDS rounds of repeat 0.
3. Two of the settings play all repeats: `fixed`, which has the lowest geometric mean of errors in
   stage 2 over the development half, and `tuned`, which has the lowest error there on the set.

Boosters, of which a run takes long, play few repeats, and no sets of words.
"""

import json
import math
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from bench.bakeoff.rivals import Algorithm, Setting, on
from bench.bakeoff.runs import Job
from bench.bakeoff.sets import DEVELOPMENT, FEW_REPEATS, Set, sets
from bench.chorus.learners import BOOSTERS
from onearm.experiments.job import Record
from onearm.experiments.ledger import Ledger
from onearm.streams.stream import WIDE

TUNING_ROUNDS = 10_000
LOWEST = 1e-4  # an error of 0 counts as this one in geometric means
DEFAULT, FIXED, TUNED = HOW = "default", "fixed", "tuned"


def ledger(folder: Path, name: str, tuning: bool = False) -> Ledger:
    """Return the ledger of an algorithm's runs, or of those of stage 2."""
    stage = "tuning/" if tuning else ""
    return Ledger(folder / "bakeoff" / f"{stage}{name.replace(' ', '_')}.jsonl")


def text(setting: Setting) -> str:
    """Return a setting as a text that is the same for equal ones."""
    return json.dumps(setting, sort_keys=True)


def n_repeats(algorithm: Algorithm, data: Set) -> int:
    """Return how many repeats of a set an algorithm plays, 0 if it does not play it at all."""
    if algorithm.name in BOOSTERS:
        return 0 if data.features > WIDE else min(FEW_REPEATS, data.repeats)
    return data.repeats


def tuning_jobs(algorithm: Algorithm, data: Set) -> list[Job]:
    """Return the runs of stage 2 on a set: none where there is only the default."""
    if len(algorithm.settings) == 1 or not n_repeats(algorithm, data):
        return []
    settings = {text(played): played for played in (on(s, data) for s in algorithm.settings)}
    return [Job(data.name, algorithm.name, s, 0, TUNING_ROUNDS) for s in settings.values()]


class Tuning:
    """The errors of stage 2 of an algorithm, and the settings chosen by them.

    A choice is None as long as runs that it needs are missing.
    """

    def __init__(self, algorithm: Algorithm, records: Iterable[Record]) -> None:
        self.algorithm = algorithm
        self.errors = {(r["set"], text(r["setting"])): r["error"] for r in records}

    def error(self, setting: Setting, data: Set) -> float | None:
        return self.errors.get((data.name, text(on(setting, data))))

    def missing(self, data: Set) -> int:
        """Return how many settings have not been tried on a set."""
        jobs = tuning_jobs(self.algorithm, data)
        return sum((data.name, text(job.setting)) not in self.errors for job in jobs)

    def tuned(self, data: Set) -> Setting | None:
        """Return the setting with the lowest error on a set; of equal ones the first."""
        if len(self.algorithm.settings) == 1 or self.missing(data):
            return None
        return min(self.algorithm.settings, key=lambda s: self.error(s, data) or 0.0)

    @cached_property
    def fixed(self) -> Setting | None:
        """Return the setting with the lowest geometric mean of errors on the development half."""
        half = [data for data in sets().values() if data.half == DEVELOPMENT]
        if len(self.algorithm.settings) == 1 or any(self.missing(data) for data in half):
            return None
        return min(self.algorithm.settings, key=lambda s: self._mean(s, half))

    def _mean(self, setting: Setting, half: list[Set]) -> float:
        errors = [self.error(setting, data) or 0.0 for data in half]  # 0 where it does not play
        return math.fsum(math.log(max(error, LOWEST)) for error in errors) / len(half)


def settings(tuning: Tuning, data: Set) -> dict[str, Setting]:
    """Return the settings that play all repeats of a set, by how they are chosen."""
    chosen = {DEFAULT: tuning.algorithm.settings[0], FIXED: tuning.fixed}
    chosen[TUNED] = tuning.tuned(data)
    return {how: on(setting, data) for how, setting in chosen.items() if setting is not None}


def full_jobs(tuning: Tuning, data: Set, how: Iterable[str] = HOW) -> Iterator[Job]:
    """Yield the runs of all rounds on a set, each once."""
    chosen = settings(tuning, data)
    different = {text(chosen[name]): chosen[name] for name in how if name in chosen}
    for setting in different.values():
        for i in range(n_repeats(tuning.algorithm, data)):
            yield Job(data.name, tuning.algorithm.name, setting, i)
