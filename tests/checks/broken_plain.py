"""A Banditron to break, and its kernels as they should be."""

from dataclasses import dataclass

import numpy as np

from onearm import Learner
from onearm.core.learner import state
from onearm.core.parameters import real
from onearm.core.vectors import linear
from onearm.linear.banditron import chances, choose, update

GOOD = {
    "look": linear,
    "chances": chances,
    "choose": choose,
    "update": update,
}


@dataclass
class Plain(Learner):
    """A Banditron to break: its subclasses bring kernels or methods with a defect."""

    gamma: float = real(0.2, "(0, 1]")
    weights: np.ndarray = state("n_features", "n_classes")

    off_policy = True

    def model(self):
        return self.weights, self.gamma
