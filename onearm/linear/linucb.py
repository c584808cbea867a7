"""LinUCB: chooses the label whose upper confidence bound on the reward is largest.

A ridge regression per label, updated only when the label was chosen, predicts its reward; the
choice is argmax_r w_r·x + α·√(xᵀA_r⁻¹x), with A_r = λI at first: that of Confidit with η = α².

L. Li, W. Chu, J. Langford, R. Schapire. A contextual-bandit approach to personalized news article
recommendation. WWW 2010, Algorithm 1 ("disjoint").
"""

from dataclasses import dataclass

from onearm.core.explore import FLOOR_DOC
from onearm.core.learner import flag, real
from onearm.linear.confidit import chances, choose
from onearm.linear.ridge import look, means, update
from onearm.linear.second_order import SecondOrder


@dataclass
class LinUCB(SecondOrder, look=look, scores=means, chances=chances, choose=choose, update=update):
    """Optimistic ridge regression per label, full or diagonal.

    Examples
    --------
    >>> from onearm import Separable
    >>> trace = LinUCB(n_classes=3, n_features=10).play(Separable(2000, 3, 10))
    >>> int((~trace.correct).sum())
    16
    """

    alpha: float = real(1.0, "[0, 1e12]", doc="Width α of the confidence bound.")
    lam: float = real(1.0, "[1e-12, 1e12]", fixed=True, doc="Regulariser λ.")
    diagonal: bool = flag(False, fixed=True, doc="Keep only the diagonals of the matrices A_r.")
    floor: float = real(0.0, "[0, 0.5]", doc=FLOOR_DOC)

    exploration = "alpha"
    real_rewards = True
    off_policy = True
    per_label = True

    def scale(self) -> tuple[float, float]:
        return self.lam, 1.0 / self.lam

    def model(self) -> tuple:
        return self.weights, self.second_order, (self.alpha * self.alpha, self.floor)
