"""What every plain twin of a learner has besides its algorithm."""

from typing import ClassVar

import numpy as np


class Twin:
    """The plain implementation of a learner, made from it and compared with it."""

    left_out = ("seed",)  # parameters of the learner that the twin does not have
    tolerance = 1e-7, 1e-9  # relative and absolute, of scores and state
    tolerances: ClassVar = {}  # of single arrays

    @classmethod
    def from_learner(cls, learner):
        """The twin of a learner that has not learnt anything yet."""
        given = {name: v for name, v in learner.params().items() if name not in cls.left_out}
        sizes = given.pop("n_classes"), given.pop("n_features")
        return cls(*sizes, **given | cls.resolved(learner))

    @classmethod
    def resolved(cls, learner):
        """Parameters that the learner derives or draws, as it has them."""
        return {}

    def state(self):
        """Arrays that the learner must have, by name; NaN where any number will do."""
        return {}

    def draws(self, learner):
        """What the next update draws from, or the draws themselves."""
        return ()

    def floored(self, q):
        """No label has less than `floor`, which is at most half of what is there for each."""
        m = len(q)
        least = min(self.floor, 1 / (2 * m))
        return least + (1 - m * least) * q

    def softmax(self, x):
        """The softmax of the scores."""
        s = self.scores(x)
        e = np.exp(s - s.max())
        return e / e.sum()

    def tied(self, x):
        """Whether two labels are so alike that rounding says which is first."""
        return False
