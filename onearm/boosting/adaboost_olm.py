"""AdaBoost.OLM: boosting that adapts to its weak learners, with full information.

The same as AdaBandit with the true label y known: g = e_y, and weak learner i is taught y with
weight -C^i[y, y] / (k-1).

Y. H. Jung, J. Goetz, A. Tewari. Online multiclass boosting. NIPS 2017.

Differs from the paper: the default step is the inverse root of the squared gradients so far.
"""

import math
from dataclasses import dataclass
from typing import Any

from onearm.boosting.adabandit import KERNELS, Adaptive
from onearm.boosting.costs import FULL
from onearm.boosting.presets import FULL_INFORMATION, published


@dataclass
class AdaBoostOLM(Adaptive, **KERNELS):
    """Boosting that adapts to its weak learners, with full information.

    Examples
    --------
    >>> from onearm import Diagonal
    >>> stream = Diagonal(10_000, n_features=10, n_used=2)  # a tenth of the labels is noise
    >>> trace = AdaBoostOLM(n_classes=2, n_features=10).play(stream)
    >>> int((~trace.correct[-1000:]).sum())
    113
    """

    full_information = True

    def first_weight(self) -> float:
        return 0.5

    def model(self) -> tuple:
        return self._model(0.0, 0.0, FULL, 2.0 * math.sqrt(2.0) / (self.n_classes - 1))

    @classmethod
    def paper(cls, name: str | None = None, **given: Any) -> "AdaBoostOLM":
        """Return a learner with the settings published for a data set, except for those given."""
        own = {"step": "paper", "step_scale": 1.0, "weight_scale": (5.0, 20.0)}
        return published(cls, name, own | given, FULL_INFORMATION, (20,) * 6)
