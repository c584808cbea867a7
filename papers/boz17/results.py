"""The runs of BOZ17's Figure 2 by data set, learner and γ."""

import numpy as np

from onearm.experiments.job import Record
from papers.boz17.paper import BANDITS, LEARNERS, powers
from papers.claims import Values
from papers.records import grouped

NEAR = 0.05  # what the error may be above the best bandit's and still be good


class Results:
    """Runs by data set, learner and γ, of the seeds that have every γ of a learner."""

    def __init__(self, records: list[Record]) -> None:
        cells = grouped(records, "data", "learner", "power")
        self.runs = {cell: {run["seed"]: run for run in runs} for cell, runs in cells.items()}

    def seeds(self, data: str, *learners: str) -> list[int]:
        """Return the seeds of runs that all these learners have with every γ."""
        cells = [(data, learner, power) for learner in learners for power in powers(learner)]
        return sorted(set.intersection(*(set(self.runs.get(cell, ())) for cell in cells)))

    def played(self, data: str) -> list[str]:
        """Return the learners that have played a data set with every γ."""
        return [learner for learner in LEARNERS if self.seeds(data, learner)]

    def chosen(self, data: str, learner: str, power: int, *beside: str) -> list[Record]:
        """Return runs with one γ, of the seeds that the learners `beside` have too."""
        cell = self.runs[data, learner, power]
        return [cell[seed] for seed in self.seeds(data, learner, *beside)]

    def errors(self, data: str, learner: str, power: int, *beside: str) -> Values:
        """Return the errors of those runs."""
        return [run["error"] for run in self.chosen(data, learner, power, *beside)]

    def means(self, data: str, learner: str) -> dict[int, float]:
        """Return the mean error for each γ."""
        return {p: float(np.mean(self.errors(data, learner, p))) for p in powers(learner)}

    def best(self, data: str, learner: str) -> int:
        """Return the power of the γ of least mean error; the largest γ of several."""
        means = self.means(data, learner)
        return min(means, key=lambda power: means[power])

    def good(self, data: str, learner: str) -> int:
        """Return for how many γ the error is near the least of any bandit learner and γ."""
        return sum(mean <= self.lowest(data) + NEAR for mean in self.means(data, learner).values())

    def lowest(self, data: str) -> float:
        """Return the least mean error of a bandit learner."""
        played = [learner for learner in BANDITS if learner in self.played(data)]
        return min((min(self.means(data, name).values()) for name in played), default=1.0)

    def pair(self, data: str, a: str, b: str) -> tuple[Values, Values]:
        """Return the errors of two learners, each with its best γ, on the same rows."""
        first = self.errors(data, a, self.best(data, a), b)
        return first, self.errors(data, b, self.best(data, b), a)
