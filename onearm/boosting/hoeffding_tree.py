"""HoeffdingTree: a decision tree that grows with the stream.

A leaf splits once Hoeffding's bound shows that its best column is, with probability 1-δ, the column
that would be best with all data in hand. It learns with full information, and is the weak learner
of the boosters beside it.

P. Domingos, G. Hulten. Mining high-speed data streams. KDD 2000.

Differs from the paper: leaves may predict by naive Bayes (J. Gama, R. Rocha, P. Medas, KDD 2003),
or by whichever of it and the majority has been right more often there.
"""

from dataclasses import dataclass

import numpy as np

from onearm.boosting.trees import settings
from onearm.boosting.trees.forest import Trees
from onearm.boosting.trees.nodes import LABEL, NOTES, learn, probabilities
from onearm.boosting.trees.nodes import look as look_at
from onearm.core.explore import best, certain
from onearm.core.kernels import kernel, kernel_without_refcounts
from onearm.core.learner import Learner
from onearm.core.parameters import real, whole


@kernel_without_refcounts
def look(x, room, trees):
    """The rest of what is seen lies in `room`: returning arrays would cost more than the tree."""
    look_at(x, 0, *room, *trees)
    return room[0][LABEL]


@kernel
def scores(seen, room, trees):
    return probabilities(*room)


@kernel
def chances(seen, among, room, trees):
    return certain(best(room[1], among), len(room[1]))


@kernel_without_refcounts
def choose(seen, among, rng, room, trees):
    label = best(room[1], among)
    return label, label, 1.0


@kernel_without_refcounts
def update(x, seen, label, greedy, propensity, reward, truth, rng, room, trees):
    learn(x, 0, room[0], truth, 1.0, *trees)


@dataclass
class HoeffdingTree(
    Learner, look=look, scores=scores, chances=chances, choose=choose,
    update=update,
):  # fmt: skip
    """Decision tree for streams, with full information.

    Examples
    --------
    >>> from onearm import Diagonal
    >>> stream = Diagonal(10_000, n_features=10, n_used=2)  # a tenth of the labels is noise
    >>> trace = HoeffdingTree(n_classes=2, n_features=10).play(stream)
    >>> int((~trace.correct[-1000:]).sum())
    123
    """

    nominal: tuple[int, ...] = settings.nominal_field()
    grace_period: float = real(200.0, "[1e-12, 1e12]", fixed=True, doc=settings.GRACE_PERIOD)
    delta: float = real(1e-7, "(0, 1)", fixed=True, doc=settings.DELTA)
    tau: float = real(0.05, "[0, 1e12]", fixed=True, doc=settings.TAU)
    leaf_prediction: str = settings.leaf_prediction_field()
    splitter: str = settings.splitter_field()
    n_splits: int = whole(10, 1, 1000, doc="Thresholds tried per column with Gaussians.")
    max_depth: int = whole(0, 0, doc="Depth at which leaves split no more, 0 for no limit.")
    max_bytes: int = settings.max_bytes_field()

    full_information = True
    off_policy = True
    missing = True
    dense_rows = True
    fixed_labels = "its splits and the room in its nodes are for the labels it was made with"

    def plan(self) -> None:
        self.trees = Trees(
            1, self.n_classes, self.n_features, self.nominal, self.n_splits, self.max_depth,
            self.leaf_prediction, self.splitter, self.max_bytes,
            tuple(np.array([rate]) for rate in (self.grace_period, self.delta, self.tau)),
        )  # fmt: skip
        self.parts = (self.trees,)

    def model(self) -> tuple:
        room = np.empty(NOTES, np.int64), np.empty(self.n_classes)  # for what is seen of a row
        return room, self.trees.model()
