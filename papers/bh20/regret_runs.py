"""The runs of Table 1 of BH20: projection-free methods on the problems of bh20_problems.

All hear the same noisy gradients, or losses alone. What a method pays beyond the best fixed point
in hindsight is counted, together with what a round costs.
"""

import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from onearm.convex.frank_wolfe import MORGFW, MetaFrankWolfe, OnlineFrankWolfe
from onearm.convex.projection_free import GRADIENTS, LOSSES, ProjectionFree
from papers.bh20.problems import PROBLEMS, Best, Problem, best, one

TABLE, LONG = ("completion", "routing", "portfolio"), "three assets"
ROUNDS, LONGEST = (64, 256, 1024), 4096  # the longest for LONG alone
SEEDS = range(5)
OURS, BANDIT = "Algorithm 1", "Algorithm 1, losses"
THEORY: dict[str, Callable[[int], int]] = {  # steps a round
    "Online-FW": lambda T: 1,
    "Meta-FW": lambda T: round(T**1.5),
    "MORGFW": lambda T: T,
    OURS: lambda T: round(T**0.5),
    BANDIT: lambda T: round(T**0.5),
}
CHAINS = {"Meta-FW": MetaFrankWolfe, "MORGFW": MORGFW}  # whose steps are capped
Record = dict[str, Any]


class Job(NamedTuple):
    """A run to be played."""

    problem: str
    method: str
    T: int
    seed: int
    steps: int  # a round


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.calls = function, 0

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        return self.function(*arguments)


def learner(job: Job, problem: Problem) -> Any:
    """A method ready to play."""
    K, seed = problem.K, job.seed
    if job.method == "Online-FW":
        return OnlineFrankWolfe(K)
    if job.method in CHAINS:
        return CHAINS[job.method](K, job.steps, seed)
    if job.method == BANDIT:
        return ProjectionFree(K, job.steps, LOSSES, delta(K.inner, job.T), seed=seed)
    return ProjectionFree(K, job.steps, GRADIENTS, seed=seed)


def delta(inner: float, T: int) -> float:
    """Of the order T^(-1/4), and half of the inner radius in the shortest run."""
    return inner / 2 * (T / ROUNDS[0]) ** -0.25


@cache
def hindsight(problem: str, T: int, seed: int) -> Best:
    """The best fixed point, found once for all methods."""
    return best(PROBLEMS[problem](seed, T), T)


def play(job: Job) -> Record:
    """Play a run: its regret, and what a round has cost."""
    problem = PROBLEMS[job.problem](job.seed, job.T)
    found = hindsight(job.problem, job.T, job.seed)
    minimise = Counted(problem.K.minimise)
    problem.K.minimise = minimise
    method, paid, cpu, calls = learner(job, problem), 0.0, 0.0, 0
    oracle_of = problem.losses if job.method == BANDIT else problem.gradients
    for t in range(job.T):
        oracle = Counted(oracle_of(t))
        start = time.process_time()
        x = method.play(oracle, t)
        cpu += time.process_time() - start
        paid += problem.loss(x, one(t))
        calls += oracle.calls
    cost = {"calls": calls, "minimisations": minimise.calls, "cpu_ms": 1000 * cpu}
    return {
        **job._asdict(), "best": found.loss, "gap": found.gap, "regret": paid - found.loss,
        "centre": problem.loss(problem.K.centre, slice(None)) - found.loss,
        "noise": problem.noise, **{name: total / job.T for name, total in cost.items()},
    }  # fmt: skip


def jobs(rounds: Sequence[int], seeds: Sequence[int], longest: int, cap: int) -> list[Job]:
    """The runs of the table and of the figure."""
    asked = [(problem, method) for problem in TABLE for method in THEORY]
    asked += [(LONG, method) for method in (OURS, BANDIT)]
    return [
        Job(problem, method, T, seed, min(THEORY[method](T), cap if method in CHAINS else T))
        for problem, method in asked
        for T in (*rounds, *([longest] if problem == LONG else []))
        for seed in seeds
    ]
