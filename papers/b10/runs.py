"""One run of B10's Table 1: what AdaBoost.MH attains on a data set, and in what time.

The number of rounds is chosen as in the paper: four fifths of the training rows are boosted, and T
is the number of rounds with the least smoothed error on the other fifth. Then all training rows are
boosted for T rounds. Where a full search takes very long, T is simply the maximum.

The paper gives no maximum. Where T is in the last third of ours, the smoothed error may still fall:
such a run is played again, until that error has not fallen for a third of the rounds (`cap`).
"""

import time
from typing import Any, NamedTuple

import numpy as np

from onearm.core.code_digest import digest
from onearm.experiments.identity import versions
from onearm.experiments.job import OnProgress, Record
from onearm.mh.classifier import AdaBoostMH
from onearm.mh.early_stopping import ValidationCurve
from onearm.mh.saved import ADDED_PARAMETERS
from papers.b10.data import Split, load
from papers.b10.paper import BASES, DATA_SETS, POLICIES, SIZES, SMOOTHED, of
from papers.playing import curve_rounds
from papers.replication import Request

ROUNDS = {  # at most, in the order of the paper's data sets: of a bandit, and of a full search
    "stump": ((20_000, 20_000, 20_000, 60_000, 20_000), (3000, 3000, 5000, 60_000, 20_000)),
    "product": ((15_000, 10_000, 5000, 20_000, 10_000), (3000, 8000, 2000, 3000, 10_000)),
    "tree": ((5000, 5000, 3000, 5000, 3000), (500, 500, 1000, 300, 1000)),
}
TOO_LONG = ("mnist", "isolet")  # to play full searches twice
LAST_THIRD = 1.5  # times T: so many rounds without a lower smoothed error end a run
CAP = 100_000  # on the rounds of a run that is played again
POINTS = 100  # of a curve
CHUNK = 50  # rounds between two readings of the clock
SEEDS = 20  # of a cell at most; by default one is played
PACKAGES = ("onearm", "numpy", "numba", "scikit-learn")


class Job(NamedTuple):
    """What is to be played."""

    data: str
    base: str
    arms: str
    seed: int
    cap: int | None = None  # of a run that is played again

    def max_rounds(self) -> int:
        """Return the maximum number of rounds."""
        if self.cap is not None:
            return self.cap
        bandits, full = ROUNDS[self.base]
        return of(self.data, full if self.arms == "full" else bandits)

    def validated(self) -> bool:
        """Whether the number of rounds is chosen on validation rows."""
        return self.arms != "full" or self.data not in TOO_LONG

    def make(self, rounds: int, **more: Any) -> "Timed":
        """Return a new classifier."""
        names = {"product": "n_terms", "tree": "n_leaves"}
        settings: dict[str, Any] = {"n_leaves": 8, "arms_per_round": 1, **ADDED_PARAMETERS}
        if self.base in names:
            settings[names[self.base]] = of(self.data, SIZES[self.base])
        settings |= {"n_rounds": rounds, "arms": self.arms, "random_state": self.seed}
        return Timed(self.base, **settings, **more)

    def configuration(self) -> Record:
        """Return everything that decides the results."""
        fields = self._asdict()
        if self.cap is None:
            del fields["cap"]
        parameters = self.make(self.max_rounds()).get_params()
        return {
            **fields,
            "most": self.max_rounds(),
            "validated": self.validated(),
            "parameters": {n: v for n, v in parameters.items() if n not in ADDED_PARAMETERS},
        }

    def play(self, progress: OnProgress) -> Record:
        """Choose T, play T rounds, and return the error on test rows over the rounds."""
        data = load(self.data)
        for more in ({"validation": 0.5}, {}):  # compiles, or loads what was compiled
            self.make(2, **more).fit(data.X[:300], data.y[:300])
        began = time.process_time()
        rounds = self.rounds_by_validation(data) if self.validated() else self.max_rounds()
        chosen = time.process_time()
        model = self.make(rounds).fit(data.X, data.y)
        t, clock = np.array(model.clock_).T
        smoothed = smoothed_errors(model, data)
        at = curve_rounds(len(smoothed), POINTS)
        seconds = np.interp(at, t, clock - chosen)
        return {
            "versions": versions(PACKAGES),
            "code": digest(AdaBoostMH),
            "rounds": len(smoothed),
            "error": float(smoothed[-1]),
            "loss": float(np.log(model.loss_).sum()),
            "cpu_seconds": round(clock[-1] - chosen, 3),
            "setup_seconds": round(clock[0] - chosen, 3),
            "validation_seconds": round(chosen - began, 3),
            "curve": {
                "rounds": at.tolist(),
                "seconds": seconds.round(4).tolist(),
                "error": smoothed[at - 1].round(5).tolist(),
            },
        }

    def rounds_by_validation(self, data: Split) -> int:
        """Return T: the number of rounds with the least smoothed error on a fifth of the rows."""
        most, patience = self.max_rounds(), 100.0 if self.cap is None else LAST_THIRD
        model = self.make(most, validation=0.2, patience=patience).fit(data.X, data.y)
        return len(model.alpha_)

    def summary(self, record: Record) -> str:
        """Return a run in a line."""
        return (
            f"{self.data} {self.base} {self.arms} seed {self.seed}: {100 * record['error']:.2f} % "
            f"after {record['rounds']:,} rounds, {record['cpu_seconds']:.1f} CPU s"
        )


class Timed(AdaBoostMH):
    """AdaBoostMH that records when it had played how many rounds."""

    def _boost(self, rounds: int, curve: ValidationCurve | None, advance: Any) -> None:
        self.clock_ = [(0, time.process_time())]
        if curve is not None:
            return super()._boost(rounds, curve, advance)
        while rounds > 0:
            before = len(self.ensemble_.alpha)
            super()._boost(min(rounds, CHUNK), None, advance)
            rounds -= CHUNK
            self.clock_.append((len(self.ensemble_.alpha), time.process_time()))
            if len(self.ensemble_.alpha) - before < min(rounds, CHUNK):
                return None
        return None


def smoothed_errors(model: AdaBoostMH, data: Split) -> np.ndarray:
    """Return the smoothed error on test rows after each round."""
    truth = data.y_test[:, None] == model.classes_
    curve = ValidationCurve(data.X_test, truth, np.ones(len(truth)))
    curve.update(model.ensemble_, False)
    return curve.smoothed()


def jobs(request: Request, _: list[Record]) -> list[Job]:
    """Return every run, the short ones first."""
    every = [
        Job(data, base, arms, seed)
        for seed in range(max(request.options.runs or 1, SEEDS))
        for data in DATA_SETS
        for base in BASES
        for arms in POLICIES
        if seed == 0 or arms != "full"  # which is deterministic
    ]
    return sorted(every, key=_length)


def longer_jobs(request: Request, runs: list[Record]) -> list[Job]:
    """Return the runs that are played again, with another maximum, the short ones first."""
    if request.options.quick:
        return []
    unsettled = [run for run in runs if run["validated"] and not settled(run)]
    names = ("data", "base", "arms", "seed")
    again = [Job(*(run[name] for name in names), request.options.cap) for run in unsettled]
    return sorted(again, key=_length)


def settled(run: Record) -> bool:
    """Whether the smoothed validation error had not fallen in the last third of the rounds."""
    return LAST_THIRD * run["rounds"] <= run["most"]


def _length(job: Job) -> tuple[int, bool, int]:
    size = {"pendigits": 0, "usps": 1, SMOOTHED: 1, "letter": 2, "isolet": 3, "mnist": 4}
    return job.seed, job.arms == "full", size[job.data]
