"""The recorded runs of the bake-off as errors of contestants, and comparisons of two of them.

A contestant is an algorithm at its default, with its fixed setting, or with the setting that had
the lowest error on the set at hand. Errors are means over the repeats that are recorded; two
contestants are compared on the repeats that both have.
"""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.bakeoff import rules
from bench.bakeoff.plan import (
    DEFAULT,
    FIXED,
    LOWEST,
    TUNED,
    Tuning,
    ledger,
    n_repeats,
    settings,
    text,
)
from bench.bakeoff.rivals import EXTRA_TREES, VOWPAL_WABBIT, Algorithm, Setting, algorithms
from bench.bakeoff.runs import STUDIED, unpack
from bench.bakeoff.sets import DEVELOPMENT, Set, sets
from onearm.experiments.job import Record

NAMES = {DEFAULT: "default", FIXED: "fixed setting", TUNED: "best in hindsight"}
Repeats = dict[int, Record]


class Contestant(NamedTuple):
    """An algorithm, and how its setting is chosen."""

    algorithm: str
    how: str = DEFAULT

    def __str__(self) -> str:
        several = len(algorithms()[self.algorithm].settings) > 1
        return f"{self.algorithm}, {NAMES[self.how]}" if several else self.algorithm


class Balance(NamedTuple):
    """On how many of some sets one of two is significantly better, and worse."""

    wins: int
    losses: int
    sets: int  # on which both played

    def __str__(self) -> str:
        return f"{self.wins - self.losses:+d}".replace("-", "−") if self.sets else "–"


class Scores:
    """The runs of all algorithms, of all rounds and of the tuning, by algorithm."""

    def __init__(
        self, full: Mapping[str, Iterable[Record]], tried: Mapping[str, Iterable[Record]]
    ) -> None:
        self.tried = {name: list(tried.get(name, ())) for name in algorithms()}
        self.tunings = {name: Tuning(a, self.tried[name]) for name, a in algorithms().items()}
        self._chosen: dict[tuple[str, str], dict[str, Setting]] = {}
        self.records = {name: latest(name, list(full.get(name, ()))) for name in algorithms()}
        self._runs: dict[tuple[str, str, str], Repeats] = {}
        for name, records in self.records.items():
            for record in records:
                runs = self._runs.setdefault((name, record["set"], text(record["setting"])), {})
                runs[record["repeat"]] = record

    def contestants(self, algorithm: Algorithm) -> list[Contestant]:
        """Return an algorithm with each way of choosing its setting."""
        several = len(algorithm.settings) > 1
        return [Contestant(algorithm.name, how) for how in (NAMES if several else (DEFAULT,))]

    def team(self, team: str) -> list[Contestant]:
        """Return the contestants of a team."""
        return [c for a in algorithms().values() if a.team == team for c in self.contestants(a)]

    def setting(self, contestant: Contestant, data: Set) -> Setting | None:
        """Return the setting of a contestant on a set; None as long as it cannot be chosen."""
        place = contestant.algorithm, data.name
        if place not in self._chosen:
            self._chosen[place] = settings(self.tunings[contestant.algorithm], data)
        return self._chosen[place].get(contestant.how)

    def runs(self, contestant: Contestant, data: Set) -> Repeats:
        """Return the runs of a contestant on a set by repeat."""
        setting = self.setting(contestant, data)
        return {} if setting is None else self.of(contestant.algorithm, data.name, setting)

    def of(self, algorithm: str, name: str, setting: Setting) -> Repeats:
        """Return the runs with a setting on a set by repeat."""
        return self._runs.get((algorithm, name, text(setting)), {})

    def is_complete(self, contestant: Contestant, data: Set) -> bool:
        """Whether a contestant has played all repeats of a set."""
        wanted = n_repeats(algorithms()[contestant.algorithm], data)
        return len(self.runs(contestant, data)) >= wanted

    def error(self, contestant: Contestant, data: Set) -> float | None:
        """Return its mean error on a set, None if it has not played."""
        runs = self.runs(contestant, data)
        return float(np.mean([r["error"] for r in runs.values()])) if runs else None

    def ratio(self, contestant: Contestant, data: Set) -> float | None:
        """Return its error over that of ExtraTrees, on the repeats that both played."""
        errors, others = self.paired(contestant, Contestant(EXTRA_TREES), data)
        return float(np.mean(errors) / max(np.mean(others), LOWEST)) if len(errors) else None

    def paired(
        self, first: Contestant, second: Contestant, data: Set
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the errors of two on the repeats of a set that both played."""
        runs, others = self.runs(first, data), self.runs(second, data)
        both = [i for i in runs if i in others]
        errors = np.array([[r[i]["error"] for i in both] for r in (runs, others)])
        return errors[0], errors[1]

    def rounds_per_second(self, contestant: Contestant, data: list[Set]) -> float | None:
        """Return the median over sets of rounds per CPU second."""
        rates = []
        for data_set in data:
            runs = self.runs(contestant, data_set).values()
            if runs:
                spent = sum(r["cpu_seconds"] for r in runs)
                rates.append(sum(r["n"] for r in runs) / max(spent, 1e-9))
        return float(np.median(rates)) if rates else None

    def balance(self, first: Contestant, second: Contestant, data: list[Set], test: str) -> Balance:
        """Return wins and losses of the first by a test of TESTS."""
        signs = [TESTS[test](self, first, second, data_set) for data_set in data]
        known = [sign for sign in signs if sign is not None]
        return Balance(known.count(-1), known.count(1), len(known))

    def best_vowpal_wabbit(self, data: Set) -> Contestant | None:
        """Return the contestant of Vowpal Wabbit with the lowest mean error on a set."""
        played = {c: self.error(c, data) for c in self.team(VOWPAL_WABBIT)}
        errors = {c: error for c, error in played.items() if error is not None}
        return min(errors, key=lambda c: errors[c]) if errors else None

    def fixed_vowpal_wabbit(self) -> Contestant | None:
        """Return the algorithm of Vowpal Wabbit whose fixed setting is best on development sets.

        All algorithms must have been tuned, and played all these sets with their fixed settings.
        """
        half = [data for data in sets().values() if data.half == DEVELOPMENT]
        means = {}
        for a in (a for a in algorithms().values() if a.team == VOWPAL_WABBIT):
            errors = [self.error(Contestant(a.name, FIXED), data) for data in half]
            if None in errors:
                return None
            logs = [math.log(max(error or 0.0, LOWEST)) for error in errors]
            means[Contestant(a.name, FIXED)] = math.fsum(logs)
        return min(means, key=lambda c: means[c])


def latest(name: str, records: list[Record]) -> list[Record]:
    """Return the records of a studied learner that are of its latest recorded code; else all."""
    if name not in STUDIED or not records:
        return records
    code = max(records, key=lambda record: record["date"])["code"]
    return [record for record in records if record["code"] == code]


def read(folder: Path) -> Scores:
    """Return what the ledgers of a folder have."""
    full, tried = (
        {name: list(ledger(folder, name, tuning).records().values()) for name in algorithms()}
        for tuning in (False, True)
    )
    return Scores(full, tried)


def by_rule(scores: Scores, first: Contestant, second: Contestant, data: Set) -> int | None:
    """Return -1 or 1 if the first has a lower or higher error by the bake-off's rule, else 0."""
    errors, others = scores.paired(first, second, data)
    if not len(errors):
        return None
    x, y = float(errors.mean()), float(others.mean())
    significant = rules.bakeoff_p(x, y, data.rounds) < rules.LEVEL
    return int(np.sign(x - y)) if significant else 0


def by_mcnemar(scores: Scores, first: Contestant, second: Contestant, data: Set) -> int | None:
    """Return the same by McNemar's test on the recorded rounds of the repeats that both have."""
    runs, others = scores.runs(first, data), scores.runs(second, data)
    both = [i for i in runs if i in others and "rounds" in runs[i] and "rounds" in others[i]]
    if not both:
        return None
    pairs = [[unpack(r[i]["rounds"], r[i]["n"]) for r in (runs, others)] for i in both]
    only = np.sum([rules.discordant(*pair) for pair in pairs], axis=0)
    significant = rules.mcnemar_p(int(only[0]), int(only[1])) < rules.LEVEL
    return int(np.sign(only[1] - only[0])) if significant else 0


TESTS = {"the bake-off's rule": by_rule, "McNemar": by_mcnemar}
