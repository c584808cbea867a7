"""The contract on labels that are added to a learner."""

from typing import Any

import numpy as np

from onearm.checks import trial
from onearm.checks.trial import bits, require, require_refused, rows, trained


def labels_can_be_added(learner: Any) -> None:
    """A copy with more labels scores the old ones as before and learns the new, or is refused."""
    copy, k = trained(learner), learner.n_classes
    if learner.fixed_labels:
        require_refused(lambda: copy.with_labels(k + 2), "labels cannot be added to", "more labels")
        return
    before = bits(copy)
    grown = copy.with_labels(k + 2)
    require(bits(copy) == before, "the learner itself changed")
    require(grown.params() == copy.params() | {"n_classes": k + 2}, "the parameters differ")
    require_refused(lambda: grown.with_labels(k), "n_classes must be at least", "fewer labels")
    X, _ = rows(learner, 20, seed=2)
    change = grown.scores(X)[:, :k] - copy.scores(X)
    far = np.ptp(change, axis=1).max()  # all may change by the same, as where a prior is 1/k
    require(far < 1e-12, f"the scores of the old labels moved apart by {far:.2g}")
    new, first = k + 1, grown.scores(X)
    for t, x in enumerate(X):
        trial.answer(grown, x, grown.choose(x, among=[new]), new if t % 2 else 0)
    require((grown.scores(X)[:, new] != first[:, new]).any(), "a new label learns nothing")
    X, y = rows(grown, seed=3)
    other = trial.reloaded(grown)
    trial.require_same(grown, other, trial.play(grown, X, y), trial.play(other, X, y))
