"""The runs of Table 1 of BH20: projection-free methods on the problems of `problems`.

All get the same noisy gradients, or only losses. Measured are the regret against the best fixed
point in hindsight, and the cost of a round.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from onearm.convex.frank_wolfe import MORGFW, MetaFrankWolfe, OnlineFrankWolfe
from onearm.convex.projection_free import GRADIENTS, LOSSES, ProjectionFree
from onearm.experiments.identity import processor, versions
from onearm.experiments.job import OnProgress, Record
from papers.bh20.problems import PROBLEMS, Best, Problem, best, single
from papers.replication import Request
from papers.trial import Trial

TABLE, LONG = ("completion", "routing", "portfolio"), "three assets"
ROUNDS, LONGEST = (64, 256, 1024), 4096  # the longest only for LONG
QUICK_ROUNDS, QUICK_LONGEST = (64, 128), 256
SEEDS, CAP = 5, 32
PACKAGES = ("onearm", "numpy", "scipy")
OURS, BANDIT = "Algorithm 1", "Algorithm 1, losses"
THEORY: dict[str, Callable[[int], int]] = {  # steps a round
    "Online-FW": lambda T: 1,
    "Meta-FW": lambda T: round(T**1.5),
    "MORGFW": lambda T: T,
    OURS: lambda T: round(T**0.5),
    BANDIT: lambda T: round(T**0.5),
}
CHAINS = {"Meta-FW": MetaFrankWolfe, "MORGFW": MORGFW}  # whose steps are capped


@dataclass(frozen=True, order=True)
class Job(Trial):
    """A run to be played."""

    problem: str
    method: str
    T: int
    seed: int
    steps: int  # a round

    def play(self, progress: OnProgress) -> Record:
        """Return the regret of a run, and the cost of a round."""
        problem = PROBLEMS[self.problem](self.seed, self.T)
        hindsight = best_in_hindsight(self.problem, self.T, self.seed)
        problem.K.minimise = minimise = Counted(problem.K.minimise)
        method, paid, cpu, calls = learner(self, problem), 0.0, 0.0, 0
        oracle_of = problem.losses if self.method == BANDIT else problem.gradients
        for t in range(self.T):
            oracle = Counted(oracle_of(t))
            start = time.process_time()
            x = method.play(oracle, t)
            cpu += time.process_time() - start
            paid += problem.loss(x, single(t))
            calls += oracle.calls
        cost = {"calls": calls, "minimisations": minimise.calls, "cpu_ms": 1000 * cpu}
        return {
            "best": hindsight.loss, "gap": hindsight.gap, "regret": paid - hindsight.loss,
            "centre": problem.loss(problem.K.centre, slice(None)) - hindsight.loss,
            "noise": problem.noise, **{name: total / self.T for name, total in cost.items()},
            "versions": versions(PACKAGES), "cpu": processor(),
        }  # fmt: skip


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.calls = function, 0

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        return self.function(*arguments)


def learner(job: Job, problem: Problem) -> Any:
    """Return a method ready to play."""
    K, seed = problem.K, job.seed
    if job.method == "Online-FW":
        return OnlineFrankWolfe(K)
    if job.method in CHAINS:
        return CHAINS[job.method](K, job.steps, seed)
    if job.method == BANDIT:
        return ProjectionFree(K, job.steps, LOSSES, delta(K.inner, job.T), seed=seed)
    return ProjectionFree(K, job.steps, GRADIENTS, seed=seed)


def delta(inner: float, T: int) -> float:
    """Return δ: of the order T^(-1/4), and half of the inner radius in the shortest run."""
    return inner / 2 * (T / ROUNDS[0]) ** -0.25


@cache
def best_in_hindsight(problem: str, T: int, seed: int) -> Best:
    """Return the best fixed point, computed once for all methods."""
    return best(PROBLEMS[problem](seed, T), T)


def jobs(request: Request, _: list[Record]) -> list[Job]:
    """Return the runs of the table and of the figure."""
    options = request.options
    rounds, longest = (QUICK_ROUNDS, QUICK_LONGEST) if options.quick else (ROUNDS, LONGEST)
    pairs = [(problem, method) for problem in TABLE for method in THEORY]
    pairs += [(LONG, method) for method in (OURS, BANDIT)]
    return [
        Job(problem, method, T, seed, steps(method, T, options.cap or CAP))
        for problem, method in pairs
        for T in (*rounds, *([longest] if problem == LONG else []))
        for seed in range(options.runs or SEEDS)
    ]


def steps(method: str, T: int, cap: int) -> int:
    """Return the steps of a round: those of the theory, for some methods up to a cap."""
    return min(THEORY[method](T), cap if method in CHAINS else T)
