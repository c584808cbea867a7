"""One run of B10's Table 1: what AdaBoost.MH attains on a data set, and in what time.

The number of rounds is chosen as in the paper: four fifths of the training rows are boosted, and T
is the number of rounds with the least smoothed error on the other fifth. Then all training rows are
boosted for T rounds. Where a full search takes very long, T is simply the maximum.

The paper gives no maximum. Where T is in the last third of ours, the smoothed error may still fall:
such a run is played again beyond it, until that error has not fallen for a third of the rounds
(`cap`). λ and η of EXP3.P with stumps are those of least smoothed validation error on each set.
"""

import time
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from onearm.core.code_digest import digest
from onearm.experiments.identity import versions
from onearm.experiments.job import OnProgress, Record
from onearm.mh.classifier import AdaBoostMH
from onearm.mh.early_stopping import ValidationCurve
from onearm.mh.saved import ADDED_PARAMETERS
from papers.b10.data import Split, load
from papers.b10.paper import BASES, DATA_SETS, POLICIES, SMOOTHED, of, size
from papers.playing import curve_rounds
from papers.records import select
from papers.replication import Request
from papers.trial import Trial

ROUNDS = {  # at most, in the order of the paper's data sets: of a bandit, and of a full search
    "stump": ((20_000, 20_000, 20_000, 60_000, 20_000), (3000, 3000, 5000, 60_000, 20_000)),
    "product": ((15_000, 10_000, 5000, 20_000, 10_000), (3000, 8000, 2000, 3000, 10_000)),
    "tree": ((5000, 5000, 3000, 5000, 3000), (500, 500, 1000, 300, 1000)),
}
TOO_LONG = ("mnist", "isolet")  # to play full searches twice
LAST_THIRD = 1.5  # times T: so many rounds without a lower smoothed error end a run
CAP = 100_000  # on the rounds of a run that is played again
LAM, ETA = (0.05, 0.15, 0.3, 0.6), (0.0, 0.3, 0.6)  # the paper's grid is finer
POINTS = 100  # of a curve
CHUNK = 50  # rounds between two readings of the clock
SEEDS = 20  # of a cell at most; by default one is played
PACKAGES = ("onearm", "numpy", "numba", "scikit-learn")


@dataclass(frozen=True, order=True)
class Job(Trial):
    """What is to be played."""

    data: str
    base: str
    arms: str
    seed: int
    cap: int | None = None  # of a run that is played again
    lam: float | None = None  # of EXP3.P; None for the default, as for eta
    eta: float | None = None
    tuning: bool | None = None  # whether only the validation error is wanted

    def least_rounds(self) -> int:
        """Return the maximum number of rounds of the first run."""
        bandits, full = ROUNDS[self.base]
        return of(self.data, full if self.arms == "full" else bandits)

    def max_rounds(self) -> int:
        """Return the maximum number of rounds."""
        return self.least_rounds() if self.cap is None else self.cap

    def validated(self) -> bool:
        """Whether the number of rounds is chosen on validation rows."""
        return self.arms != "full" or self.data not in TOO_LONG

    def make(self, rounds: int, **more: Any) -> "Timed":
        """Return a new classifier."""
        settings: dict[str, Any] = {"n_leaves": 8, "arms_per_round": 1, **ADDED_PARAMETERS}
        settings |= size(self.base, self.data)
        settings |= {"n_rounds": rounds, "arms": self.arms, "random_state": self.seed}
        if self.lam is not None:
            settings |= {"lam": self.lam, "eta": self.eta}
        model = Timed(self.base, **settings, **more)
        model.least = self.least_rounds()
        return model

    def configuration(self) -> Record:
        """Return everything that decides the results."""
        fields = {name: value for name, value in self.values().items() if value is not None}
        fields |= {} if self.cap is None else {"least": self.least_rounds()}
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
        if self.tuning:
            smoothed = self.validated_model(data).smoothed_error_
            return {"validation_error": float(smoothed.min()), "versions": versions(PACKAGES)}
        for more in ({"validation": 0.5}, {}):  # compiles, or loads what was compiled
            self.make(2, **more).fit(data.X[:300], data.y[:300])
        began = time.process_time()
        validated = self.validated()
        rounds = len(self.validated_model(data).alpha_) if validated else self.max_rounds()
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

    def validated_model(self, data: Split) -> "Timed":
        """Return a model of T rounds, chosen by the smoothed error on a fifth of the rows."""
        return self.make(self.max_rounds(), validation=0.2, patience=np.inf).fit(data.X, data.y)


class Timed(AdaBoostMH):
    """AdaBoostMH that records when it had played how many rounds.

    With validation rows it plays the least number of rounds, and then stops as its job asks.
    """

    least: int

    def _boost(self, rounds: int, curve: ValidationCurve | None, advance: Any) -> None:
        self.clock_ = [(0, time.process_time())]
        if curve is not None:

            def advanced(stage: int) -> None:
                if len(self.ensemble_.alpha) >= self.least:
                    self.patience = LAST_THIRD
                advance(stage)

            return super()._boost(rounds, curve, advanced)
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


def tuning_jobs(request: Request, _: list[Record]) -> list[Job]:
    """Return the runs that choose λ and η of EXP3.P with stumps."""
    grid = [] if request.options.quick else product(DATA_SETS, LAM, ETA)
    jobs = [Job(data, "stump", "exp3p", 0, None, lam, eta, True) for data, lam, eta in grid]
    return sorted(jobs, key=_length)


def best_parameters(tuning: list[Record], data: str) -> tuple[float, float] | tuple[None, None]:
    """Return the λ and η of least validation error on a data set; None if it is not all played."""
    runs = select(tuning, tuning=True, data=data)
    if len(runs) < len(LAM) * len(ETA):
        return None, None
    best = min(runs, key=lambda run: run["validation_error"])
    return best["lam"], best["eta"]


def jobs(request: Request, tuning: list[Record]) -> list[Job]:
    """Return every run, the short ones first."""
    tuned = {data: best_parameters(tuning, data) for data in DATA_SETS}
    every = [
        Job(data, base, arms, seed, None,
            *(tuned[data] if (base, arms) == ("stump", "exp3p") else (None, None)))
        for seed in range(max(request.options.runs or 1, SEEDS))
        for data in DATA_SETS
        for base in BASES
        for arms in POLICIES
        if seed == 0 or arms != "full"  # which is deterministic
    ]  # fmt: skip
    return sorted(every, key=_length)


def longer_jobs(request: Request, runs: list[Record]) -> list[Job]:
    """Return the runs that are played again beyond their maximum, the short ones first."""
    if request.options.quick:
        return []
    unsettled = [r for r in runs if "rounds" in r and r["validated"] and not settled(r)]
    again = [
        Job(r["data"], r["base"], r["arms"], r["seed"], request.options.cap, r.get("lam"),
            r.get("eta"))
        for r in unsettled
    ]  # fmt: skip
    return sorted(again, key=_length)


def settled(run: Record) -> bool:
    """Whether the smoothed validation error had not fallen in the last third of the rounds."""
    return LAST_THIRD * run["rounds"] <= run["most"]


def _length(job: Job) -> tuple[int, bool, int]:
    size = {"pendigits": 0, "usps": 1, SMOOTHED: 1, "letter": 2, "isolet": 3, "mnist": 4}
    return job.seed, job.arms == "full", size[job.data]
