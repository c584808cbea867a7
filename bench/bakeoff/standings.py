"""Who stands where in the bake-off: each contestant on some sets, and pairs of algorithms."""

from typing import NamedTuple

import numpy as np

from bench.bakeoff.plan import DEFAULT, FIXED
from bench.bakeoff.rivals import algorithms
from bench.bakeoff.scores import TESTS, Contestant, Scores
from bench.bakeoff.sets import DEVELOPMENT, REPORTED, Set, sets
from bench.bakeoff.verdicts import SELF, geometric_mean, ratios, reported

QUARTILES = (0, 25, 50, 75, 100)


class Row(NamedTuple):
    """A contestant on some sets."""

    contestant: Contestant
    ratios: dict[str, float]  # of its errors to those of ExtraTrees
    rounds_per_second: float | None
    balances: tuple[str, ...]  # wins minus losses of Chorus against it, by test

    @property
    def mean(self) -> float:
        return geometric_mean(list(self.ratios.values()))

    def cells(self) -> list[str]:
        relative = np.percentile(list(self.ratios.values()), QUARTILES) - 1
        texts = [f"{x:+.2f}".replace("-", "−") for x in relative]
        rate = f"{self.rounds_per_second:,.0f}" if self.rounds_per_second else "–"
        numbers = [str(len(self.ratios)), f"{self.mean:.3f}", *texts, rate]
        return [str(self.contestant), *numbers, *self.balances]


def groups() -> dict[str, list[Set]]:
    """Return the sets that are reported together."""
    every = list(sets().values())
    real = [data for data in every if data.half == DEVELOPMENT and not data.generated]
    return {
        "Reported half": reported(),
        "Development half": real,
        "Generated sets of the reported half": [
            data for data in every if data.half == REPORTED and data.generated
        ],
        "Generated sets of the development half": [
            data for data in every if data.half == DEVELOPMENT and data.generated
        ],
    }


def rows(scores: Scores, data: list[Set]) -> list[Row]:
    """Return all contestants that played some of the sets, the lowest mean ratio first."""
    every = []
    for algorithm in algorithms().values():
        for contestant in scores.contestants(algorithm):
            known = ratios(scores, contestant, data)
            if not known:
                continue
            balances = tuple(
                "" if contestant == SELF else str(scores.balance(SELF, contestant, data, test))
                for test in TESTS
            )
            rate = scores.rounds_per_second(contestant, data)
            every.append(Row(contestant, known, rate, balances))
    return sorted(every, key=lambda row: row.mean)


def entrants(scores: Scores) -> list[Contestant]:
    """Return each algorithm with its fixed setting, or at its default until that is known."""
    chosen = {name: tuning.fixed is not None for name, tuning in scores.tunings.items()}
    return [Contestant(name, FIXED if chosen[name] else DEFAULT) for name in algorithms()]


def pairs(scores: Scores, data: list[Set], test: str) -> list[list[str]]:
    """Return wins minus losses of each algorithm against each other one, row by row."""
    entered = entrants(scores)
    played = [c for c in entered if any(scores.runs(c, data_set) for data_set in data)]
    cells = [
        [str(scores.balance(a, b, data, test)) if a != b else "" for b in played] for a in played
    ]
    return [[f"{i}. {played[i - 1]}", *line] for i, line in enumerate(cells, 1)]
