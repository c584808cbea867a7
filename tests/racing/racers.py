"""Who races in tests, and for how long: plain Python is slow."""

from onearm.core.kernels import COMPILED
from onearm.experiments.job import key

ROUNDS = 2000 if COMPILED else 60
NAMES = ["Perceptron", "Banditron", "SOBA"]


def keys(plan):
    """The keys of a plan's runs."""
    return [key(job.configuration()) for job in plan.jobs()]
