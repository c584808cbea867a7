"""Summaries of a race: means with 95 % intervals, and paired differences to the best learner."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from onearm.experiments.job import Record
from onearm.metrics import Interval, interval
from onearm.racing.rows import stream_name

METRICS = ("error", "last_tenth", "area")


class Score(NamedTuple):
    """A learner on a stream, over all repeats."""

    stream: str
    name: str
    records: list[Record]
    error: Interval
    last_tenth: Interval
    area: Interval
    difference: Interval | None  # of its error to that of the best, repeat by repeat
    best: bool  # of those with bandit feedback

    @property
    def full_information(self) -> bool:
        """Whether the learner has full information, that is, sees every true label."""
        return self.records[0]["full_information"]

    @property
    def rate(self) -> float:
        """Rounds per second of processor time."""
        seconds = sum(record["seconds"] for record in self.records)
        return sum(record["n_rounds"] for record in self.records) / max(seconds, 1e-9)

    @property
    def bytes(self) -> int:
        """The largest size of a learner at its end."""
        return max(record["bytes"] for record in self.records)

    def curve(self) -> dict[str, list[Any]]:
        """Return the error so far by rounds: mean and interval over the repeats."""
        errors = [record["curve"]["error"] for record in self.records]
        return curve_of(self.records[0]["curve"]["rounds"], errors)


class Failure(NamedTuple):
    """A run that failed, and why."""

    stream: str
    name: str
    repeat: int
    reason: str


def failed_on(failures: Iterable[Failure], stream: str) -> dict[str, list[Failure]]:
    """Return the failures on a stream by the learner's name."""
    by_name: dict[str, list[Failure]] = {}
    for failure in failures:
        if failure.stream == stream:
            by_name.setdefault(failure.name, []).append(failure)
    return by_name


def curve_of(rounds: list[int], errors: Sequence[Sequence[float]]) -> dict[str, list[Any]]:
    """Return the mean and interval of the errors at each round, over the repeats."""
    columns = zip(*(spread(column) for column in np.array(errors).T), strict=True)
    names = ("mean", "low", "high")
    return {"rounds": rounds} | {n: list(c) for n, c in zip(names, columns, strict=True)}


def baselines(scores: Sequence[Score]) -> dict[str, dict[str, list[Any]]]:
    """Return the curves of guessing uniformly and of the majority label so far, on one stream."""
    first = scores[0].records[0]
    rounds = first["curve"]["rounds"]
    uniform = [1 - 1 / first["n_classes"]] * len(rounds)
    majority = {r["repeat"]: r.get("majority") for score in scores for r in score.records}
    errors = [repeat for repeat in majority.values() if repeat]
    curves = {"uniform guessing": curve_of(rounds, [uniform])}
    return curves | ({"majority label so far": curve_of(rounds, errors)} if errors else {})


def spread(values: Any) -> Interval:
    """Return the mean with its 95 % interval, which is NaN for a single run.

    >>> spread([0.5])
    Interval(mean=0.5, low=nan, high=nan)
    """
    values = np.asarray(values, float)
    if len(values) < 2:
        return Interval(float(values.mean()), float("nan"), float("nan"))
    return interval(values)


def scores(records: Sequence[Record]) -> list[Score]:
    """Return every learner on every stream, the lowest error first.

    Differences are to the best learner with bandit feedback that has played all repeats, over the
    repeats that both have played. Where all have full information, none is marked as the best and
    differences are to the learner with the lowest error.
    """
    played: dict[str, dict[str, list[Record]]]
    played = {stream_name(record["stream"]): {} for record in records}
    for record in sorted(records, key=lambda record: record["repeat"]):
        by_name = played[stream_name(record["stream"])]
        by_name.setdefault(record["name"], []).append(record)
    scored = []
    for stream, by_name in played.items():
        mean = {n: np.mean([r["error"] for r in rs]) for n, rs in by_name.items()}
        bandits = [name for name, rs in by_name.items() if not rs[0]["full_information"]]
        most = max(len(by_name[name]) for name in bandits or by_name)
        whole = [name for name in bandits or by_name if len(by_name[name]) == most]
        best = min(whole, key=mean.__getitem__)
        for name in sorted(mean, key=mean.__getitem__):
            runs = by_name[name]
            error, last, area = (spread([run[key] for run in runs]) for key in METRICS)
            paired = None if name == best else _paired(runs, by_name[best])
            is_best = name == best and bool(bandits)
            scored.append(Score(stream, name, runs, error, last, area, paired, is_best))
    return scored


def by_stream(scores: Iterable[Score]) -> dict[str, list[Score]]:
    grouped: dict[str, list[Score]] = {}
    for score in scores:
        grouped.setdefault(score.stream, []).append(score)
    return grouped


def _paired(runs: list[Record], best: list[Record]) -> Interval | None:
    errors = {record["repeat"]: record["error"] for record in best}
    both = [r["error"] - errors[r["repeat"]] for r in runs if r["repeat"] in errors]
    return spread(both) if both else None


def exploration(scores: Sequence[Score]) -> dict[tuple[str, str], list[tuple[float, Interval]]]:
    """Return the errors of learners that were played with several exploration rates, by rate.

    The key is the learner's name with its other parameters, and the name of the rate.
    """
    by_learner: dict[tuple[str, str], list[tuple[float, Interval]]] = {}
    for score in scores:
        record = score.records[0]
        given = dict(record["parameters"])
        rate = given.pop(record["exploration"], None)
        if rate is not None:
            name = " ".join([record["learner"], *(f"{key}={v}" for key, v in given.items())])
            key = name, record["exploration"]
            by_learner.setdefault(key, []).append((rate, score.error))
    return {k: sorted(p, key=lambda pair: pair[0]) for k, p in by_learner.items() if len(p) > 1}
