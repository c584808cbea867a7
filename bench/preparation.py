"""How rows should be prepared for linear learners: errors over ways to do it.

Ways were compared on the development streams; `Prepared` does what was best there. On the other
streams it is compared only with what races did before: columns divided by their largest absolute
value, which needs a look at all rows. Re-running plays what is missing.
"""

from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

import onearm
from bench.benchmark import PlayedBenchmark, last_run
from bench.chorus.views import linear, unit
from bench.timing import now
from onearm import datasets, metrics
from onearm.experiments.identity import versions
from onearm.experiments.job import OnProgress, Record
from onearm.streams.stream import Stream
from papers.markdown import table

SEEDS, ROUNDS = 3, 6000
LEARNERS = (
    "Perceptron", "Banditron", "SOBA", "Newtron", "ConservativeOVA", "OffsetTree", "Confidit",
    "InverseGap", "EpsilonGreedy", "LinUCB", "LinTS", "Bag",
)  # fmt: skip
TEXTS = ("newsgroups",)
DEVELOPMENT = ("balance", "mice", "pendigits", "letter", "elec2", *TEXTS)
OTHERS = ("adult", "nursery", "digits", "usps", "movement", "reuters")
FULL = 150  # features up to which matrices are full


def online(stream: Stream, clip: float = 2.0, far: float = 10.0, norm: bool = True) -> Any:
    """Return rows standardised by the moments so far, clipped, with a constant."""
    X = np.asarray(stream.arrays()[0], float)
    nominal = np.array(stream.nominal or (0,) * X.shape[1])
    numbers, Z = X[:, nominal == 0], []
    count, mean, square = np.zeros((3, numbers.shape[1]))
    for x in numbers:
        known, deviation = ~np.isnan(x), np.sqrt(square / np.maximum(count, 1))
        scaled = np.divide(x - mean, deviation, where=(square > 0) & known, out=np.zeros(len(x)))
        Z.append(np.clip(scaled, -clip, clip))
        bounds = np.where((count >= 10) & (square > 0), far * np.maximum(deviation, 1e-300), np.inf)
        v = np.where(known, np.clip(x, mean - bounds, mean + bounds), mean)
        count, off = count + known, v - mean
        mean = mean + off / np.maximum(count, 1)
        square = square + off * (v - mean)
    codes = [X[:, [j]] == np.arange(nominal[j]) for j in np.flatnonzero(nominal)]
    rows = np.hstack([*(np.sqrt(2) * c for c in codes), np.array(Z), np.ones((len(X), 1))])
    return unit(rows) if norm else rows / np.sqrt(len(nominal) + sum(nominal > 0) + 1)


def tf_idf(stream: Stream, logs: bool) -> Any:
    """Return sparse rows weighed by how rare words were so far, of counts or their logarithms."""
    X = stream.arrays()[0].tocsr().astype(float)
    seen = np.zeros(X.shape[1])
    for t in range(X.shape[0]):
        words = slice(*X.indptr[t : t + 2])
        at = X.indices[words]
        values = np.log1p(X.data[words]) if logs else X.data[words]
        X.data[words] = values * (np.log((2 + t) / (1 + seen[at])) + 1)
        seen[at] += 1
    return unit(X)


WAYS: dict[str, Any] = {
    "largest value": lambda stream: linear(stream).arrays()[0],
    "clip 2": online,
    "clip 3": partial(online, clip=3.0),
    "clip 5": partial(online, clip=5.0),
    "norm not 1": partial(online, norm=False),
    "all outliers": partial(online, far=np.inf),
}
TEXT_WAYS: dict[str, Any] = {
    "largest value": lambda stream: unit(stream.arrays()[0]),
    "tf-idf": partial(tf_idf, logs=False),
    "log tf-idf": partial(tf_idf, logs=True),
}


class Job(NamedTuple):
    """A learner on a stream, with rows prepared in each way, over all seeds."""

    learner: str
    stream: str

    def configuration(self) -> Record:
        return {**self._asdict(), "seeds": SEEDS, "rounds": ROUNDS}

    def play(self, progress: OnProgress) -> Record:
        """Return the errors by way, a list over seeds each."""
        errors: dict[str, list[float]] = {}
        cls = getattr(onearm, self.learner)
        for seed in range(SEEDS):
            stream = shuffled(self.stream, seed)
            for way in ways(self.stream):
                X = rows(self.stream, seed, way)
                learner = cls(stream.n_classes, X.shape[1], seed=seed, **given(cls, X.shape[1]))
                correct = learner.play(X, stream.arrays()[1]).correct
                errors.setdefault(way, []).append(metrics.error(correct))
            width = stream.learner(onearm.Perceptron).inner.n_features
            learner = stream.learner(cls, seed=seed, **given(cls, width))
            errors.setdefault("Prepared", []).append(metrics.error(learner.play(stream).correct))
        return {"errors": errors, "versions": versions(), "date": now()}

    def summary(self, record: Record) -> str:
        means = {way: round(float(np.mean(errors)), 4) for way, errors in record["errors"].items()}
        return f"{self.learner} on {self.stream}: {means}"


def given(cls: Any, width: int) -> dict[str, Any]:
    is_large = width > FULL and "diagonal" in cls.__dataclass_fields__
    return {"diagonal": True} if is_large else {}


def ways(stream: str) -> list[str]:
    known = TEXT_WAYS if stream in (*TEXTS, "reuters") else WAYS
    return list(known) if stream in DEVELOPMENT else ["largest value"]


@lru_cache(maxsize=SEEDS)
def shuffled(name: str, seed: int) -> Stream:
    stream = datasets.load(name)
    ordered = stream if name == "elec2" else stream.shuffled(seed)
    X, y = ordered.first(ROUNDS).arrays()
    return Stream.of(X, y, stream.n_classes, name, nominal=stream.nominal)


@lru_cache(maxsize=SEEDS * len(WAYS))
def rows(name: str, seed: int, way: str) -> Any:
    return (WAYS | (TEXT_WAYS if hasattr(shuffled(name, seed).arrays()[0], "tocsr") else {}))[way](
        shuffled(name, seed)
    )


def jobs() -> list[Job]:
    """Return every learner on every stream, those on the same rows beside each other."""
    return [Job(learner, name) for name in (*DEVELOPMENT, *OTHERS) for learner in LEARNERS]


def report(records: list[Record]) -> str:
    """Return a table of geometric means over learners by stream, then one table a stream."""
    columns = list(dict.fromkeys(["largest value", "Prepared", *WAYS, *TEXT_WAYS]))
    lines, parts = [], []
    for name in dict.fromkeys(record["stream"] for record in records):
        some = [record for record in records if record["stream"] == name]
        title = f"{name} (development)" if name in DEVELOPMENT else name
        lines.append([title, *(_geometric_mean(some, way) for way in columns)])
        used = list(some[0]["errors"])
        rows = [[r["learner"], *(f"{np.mean(r['errors'][w]):.3f}" for w in used)] for r in some]
        parts.append(f"## {name}\n\n{table(['learner', *used], rows)}")
    about = f"""\
Geometric mean over {len(LEARNERS)} linear learners, at their default parameters, of the mean error
of {SEEDS} seeds over {ROUNDS:,} rounds. {last_run("preparation", records)}"""
    return "\n\n".join([about, table(["stream", *columns], lines), *parts]) + "\n"


def _geometric_mean(records: list[Record], way: str) -> str:
    if way not in records[0]["errors"]:
        return ""
    return f"{np.exp(np.mean([np.log(np.mean(r['errors'][way])) for r in records])):.3f}"


main = PlayedBenchmark("preparation", __doc__, "preparation.jsonl", jobs, report).main
