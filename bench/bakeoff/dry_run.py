"""The dry run: how many runs the bake-off still needs, and how many CPU hours.

The time of a run is that of recorded runs of the same algorithm: a line is fitted to them, seconds
to start and seconds for each round, class, column and policy. It is multiplied by how much longer
the recorded runs on the set took than the line says.
Before its settings are chosen, an algorithm is taken to play all of `default`, `fixed` and `tuned`,
at the time of its slowest setting.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bench.bakeoff.plan import HOW, Tuning, full_jobs, n_repeats, settings, tuning_jobs
from bench.bakeoff.rivals import Algorithm, Setting
from bench.bakeoff.runs import Job
from bench.bakeoff.sets import Set, sets
from onearm.experiments.job import Record, key
from onearm.streams.stream import WIDE
from papers.markdown import table

WORDS = 100  # columns that count of a set whose rows count words
MOST_HOURS = 30.0


class Need(NamedTuple):
    """The runs of an algorithm: how many, how many are recorded, and CPU seconds of both."""

    algorithm: str
    runs: int
    recorded: int
    seconds: float  # of the runs that are not recorded
    spent: float  # of those that are
    unknown: int  # runs whose time cannot be estimated: the algorithm never played

    @property
    def hours(self) -> float:
        return (self.seconds + self.spent) / 3600


class Rates:
    """CPU seconds of an algorithm by the work of a run: a line, and how far sets are from it."""

    def __init__(self, records: Iterable[Record]) -> None:
        points: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for record in records:
            amount = work(sets()[record["set"]], record["setting"], record["n"])
            points[record["set"]].append((amount, seconds(record)))
        self.line = line([point for some in points.values() for point in some]) if points else None
        self.factors = {
            name: sum(spent for _, spent in some) / sum(self._on_line(x) for x, _ in some)
            for name, some in points.items()
        }

    def _on_line(self, amount: float) -> float:
        start, slope = self.line or (0.0, 0.0)
        return max(start + slope * amount, 1e-9)

    def estimate(self, data: Set, setting: Setting, rounds: int) -> float | None:
        """Return the seconds of some rounds with a setting on a set; None if nothing is known."""
        if self.line is None:
            return None
        return self._on_line(work(data, setting, rounds)) * self.factors.get(data.name, 1.0)


def work(data: Set, setting: Setting, rounds: int) -> int:
    """Return rounds times classes times columns, times the policies of Vowpal Wabbit's ensembles.

    >>> work(sets()["letter"], {"options": "--cb_explore_adf --bag 4"}, 10)
    16640
    """
    words = str(setting.get("options", "")).split()
    policies = [int(n) for word, n in pairwise(words) if word in ("--bag", "--cover")]
    columns = WORDS if data.features > WIDE else data.features
    return rounds * data.classes * columns * (policies or [1])[0]


def line(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Return start and slope of the line through points by least squares, neither below 0.

    >>> line([(1.0, 1.0), (2.0, 3.0)]), line([(1.0, 3.0), (2.0, 1.0)]), line([(4.0, 2.0)])
    ((0.0, 1.4), (2.0, 0.0), (0.0, 0.5))
    """
    x, y = np.array(points).T
    through_0 = 0.0, float(x @ y / (x @ x))
    if len(set(x)) < 2:
        return through_0
    slope, start = np.polyfit(x, y, 1).tolist()
    if slope < 0:
        return float(y.mean()), 0.0
    return (start, slope) if start >= 0 else through_0


def seconds(record: Record) -> float:
    """Return the CPU seconds of a run, with reading rows where that was recorded."""
    return float(record.get("spent", record["cpu_seconds"]))


def need(algorithm: Algorithm, data: list[Set], full: list[Record], tried: list[Record]) -> Need:
    """Return what an algorithm needs on some sets, by the records of its runs so far."""
    rates, tuning = Rates([*full, *tried]), Tuning(algorithm, tried)
    recorded = {record["key"]: seconds(record) for record in [*full, *tried]}
    runs = done = unknown = 0
    total = spent = 0.0
    for data_set in data:
        for job in planned(tuning, data_set):
            runs += 1
            name = key(job.configuration())
            rounds = min(job.rounds or data_set.rounds, data_set.rounds)
            estimate = rates.estimate(data_set, job.setting, rounds)
            if name in recorded:
                done, spent = done + 1, spent + recorded[name]
            elif estimate is None:
                unknown += 1
            else:
                total += estimate
        later = undecided(tuning, data_set)
        runs += later
        settings = algorithm.settings if later else ()
        times = [rates.estimate(data_set, setting, data_set.rounds) for setting in settings]
        known = [estimate for estimate in times if estimate is not None]
        total += later * max(known, default=0.0)
        unknown += later if later and not known else 0
    return Need(algorithm.name, runs, done, total, spent, unknown)


def planned(tuning: Tuning, data: Set) -> list[Job]:
    """Return all runs on a set whose settings are decided."""
    return [*tuning_jobs(tuning.algorithm, data), *full_jobs(tuning, data)]


def undecided(tuning: Tuning, data: Set) -> int:
    """Return how many runs of all rounds there may be whose settings are to be chosen."""
    if len(tuning.algorithm.settings) == 1:
        return 0
    return (len(HOW) - len(settings(tuning, data))) * n_repeats(tuning.algorithm, data)


def report(needs: list[Need]) -> str:
    """Return the table of a dry run, with the sum, and whether it is within the bound."""
    rows = [
        [n.algorithm, f"{n.runs:,}", f"{n.recorded:,}", f"{n.spent / 3600:.2f}",
         f"{n.seconds / 3600:.2f}" + (f" and {n.unknown} runs unknown" if n.unknown else "")]
        for n in needs
    ]  # fmt: skip
    hours, unknown = sum(n.hours for n in needs), sum(n.unknown for n in needs)
    runs, recorded = sum(n.runs for n in needs), sum(n.recorded for n in needs)
    bound = "within" if hours <= MOST_HOURS else "above"
    text = f"{runs:,} runs at most, of which {recorded:,} are recorded: {hours:.1f} CPU hours in "
    text += f"all, {bound} the bound of {MOST_HOURS:.0f}."
    if unknown:
        text += f" {unknown:,} runs are of algorithms that never played: their time is unknown."
    head = ["algorithm", "runs", "recorded", "CPU hours so far", "CPU hours left"]
    return f"{table(head, rows)}\n\n{text}"
