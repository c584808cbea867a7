"""AdaBoost.OLM: boosting that adapts to its weak learners, with full information.

The same as AdaBandit with the true label y known: g = e_y, and weak learner i is taught y with
weight -C^i[y, y] / (k-1).

Y. H. Jung, J. Goetz, A. Tewari. Online multiclass boosting. NIPS 2017.

Differs from the paper: the default step is the inverse root of the squared gradients so far.
"""

from dataclasses import dataclass

from onearm.boosting.adabandit import Adaptive
from onearm.boosting.presets import FULL_INFORMATION, STEP


@dataclass
class AdaBoostOLM(Adaptive):
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
    preset = FULL_INFORMATION | STEP | {"n_learners": (20,) * 6, "weight_scale": (5.0, 20.0)}
