"""One run of BOZ17's Figure 2: a learner with some γ plays a stream once.

    synsep, synnonsep    a million rows each, sampled with the seed; raw, as Newtron's D = 1 needs
    covtype              581,012 rows, columns scaled to [0, 1] as in LibSVM's covtype.scale
    reuters              four topics of Reuters-21578, in place of the four of RCV1 in the paper
    rcv1                 those, where scikit-learn can fetch them
    covtype-raw          columns as they are, which LibSVM has too
    covtype-file         scaled, in the order of the file

Rows of data sets are shuffled with the seed.

Differs from the paper: it does not say whether runs differ in the order of rows; ours do, and in
the rows of SynSep and SynNonSep. Our Newtron is scaled down to the ball of radius D.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import onearm
from onearm import Stream, SynNonSep, SynSep
from onearm.experiments.job import OnProgress, Record
from onearm.streams import datasets
from papers.boz17.paper import LEARNERS, powers
from papers.playing import curve, curve_rounds, in_memory, play_timed, sparse_rows
from papers.replication import Request
from papers.trial import Trial

SYNTHETIC = {"synsep": SynSep, "synnonsep": SynNonSep}
RAW, FILE = "covtype-raw", "covtype-file"
ENTRIES = {  # of the data catalogue
    "covtype": "covtype-scaled", "reuters": "reuters-topics", "rcv1": "rcv1", RAW: "covtype",
    FILE: "covtype-scaled",
}  # fmt: skip
FETCHED = "rcv1"
ALTERNATIVES = {RAW: 3, FILE: 3}  # other readings of the paper, and how many runs
ROUNDS = {"synsep": 10**6, "synnonsep": 10**6, "reuters": 6387}
ROUNDS |= dict.fromkeys(("covtype", RAW, FILE), 581_012)
QUICK_ROUNDS = 5000
SIZES = {"synsep": (9, 400), "synnonsep": (9, 400)}  # k and d
SIZES |= {
    data: (datasets.about(entry).classes, datasets.about(entry).features)
    for data, entry in ENTRIES.items()
}
POINTS, FIRST = 30, 100  # of a curve, and its first round
RUNS = 10


@dataclass(frozen=True, order=True)
class Job(Trial):
    """What is to be played."""

    data: str
    learner: str
    power: int  # γ = 2^-power; 0 for the perceptron, which explores nothing
    seed: int
    rounds: int  # at most

    def make(self) -> Any:
        """Return a new learner."""
        name, _ = LEARNERS[self.learner]
        return getattr(onearm, name)(*SIZES[self.data], seed=self.seed, **self.parameters())

    def parameters(self) -> dict[str, Any]:
        """Return the learner's parameters."""
        return LEARNERS[self.learner][1] | ({"gamma": 2.0**-self.power} if self.power else {})

    def play(self, progress: OnProgress) -> Record:
        """Play to the end."""
        correct, seconds = play_timed(self.make(), stream(self.data, self.seed, self.rounds))
        n = len(correct)
        return {
            "played": n,
            "error": round(float((~correct).mean()), 6),
            "last": round(float((~correct[-max(1, n // 10) :]).mean()), 6),
            "cpu_seconds": round(seconds, 6),
            "curve": curve(correct, curve_rounds(n, POINTS, FIRST)),
        }


def jobs(request: Request, _: list[Record]) -> list[Job]:
    """Return every run; those on the same rows stand together."""
    options = request.options
    rounds = QUICK_ROUNDS if options.quick else 10**9
    settings = [(name, power) for name in LEARNERS for power in powers(name)]
    return [
        Job(data, learner, power, seed, min(rounds, ROUNDS.get(data, rounds)))
        for seed in range(max(options.runs or RUNS, RUNS))
        for data in SIZES
        for learner, power in settings
        if seed < ALTERNATIVES.get(data, seed + 1)
        and not (options.quick and data in ALTERNATIVES and data not in options.only)
    ]


@lru_cache(maxsize=1)
def stream(data: str, seed: int, rounds: int) -> Stream:
    """Return rows in memory, in the order in which the run with this seed plays them."""
    if data in SYNTHETIC:
        return in_memory(SYNTHETIC[data](rounds, seed=seed))
    rows = load(data)
    return in_memory((rows if data == FILE else rows.shuffled(seed)).first(rounds))


def load(data: str) -> Stream:
    """Return sparse rows in the order of the file."""
    return Stream.of(*sparse_rows(ENTRIES[data]), name=ENTRIES[data])
