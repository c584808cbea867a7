"""After how many rounds weights start again, by cross-validation.

The rounds are divided into runs of T. Each run starts from the initial weights, and the votes of
all runs are averaged. Since cuts are random and a bandit chooses other columns in each run, their
mean varies less than a run does: where labels are partly noise, many short runs have a lower error
than a long one, which fits the noise; where they are not, one run of all rounds is best.

In each fold a run is boosted. At checkpoints T = 5, 7, 10, 14, … the votes on the rows held out of
all folds are scored together by

    (error + 1/n) · log loss,    with the scale β of the votes that has the least log loss

since the error alone is noisy, and the log loss alone rises while the error still falls. Of all
scores within 3 % of the least that of the largest T is taken. Boosting stops after PATIENCE times
the best checkpoint so far, and at a quarter of all rounds: if that is best, and a fifth better than
half as many, there is one run of all. Of many rows one fold is enough.

Also returned is the sharpness of the best checkpoint, β · root mean square of the votes on the rows
of the fit, which gives the scale of the final votes (see `calibration`).
"""

from dataclasses import replace

import numpy as np
from sklearn.utils import check_random_state

from onearm.mh import ensemble
from onearm.mh.binning import BinnedColumns
from onearm.mh.calibration import best_scale, log_loss, root_mean_square
from onearm.mh.early_stopping import error
from onearm.mh.rounds import Training
from onearm.mh.settings import Settings

FOLDS, MANY = 4, 3000  # from so many rows on one of the folds is boosted
FITTED_ROWS, HELD_OUT_ROWS = 5000, 5000  # of a fold, at most
FIRST, STEP, PATIENCE, TOLERANCE, FALLING = 5, 2.0**0.5, 3.0, 1.03, 0.8


class Fold:
    """Some rows to boost, and others that are held out."""

    def __init__(
        self, rows: tuple, inside: np.ndarray, outside: np.ndarray, columns: BinnedColumns,
        settings: Settings,
    ) -> None:  # fmt: skip
        X, positive, weight = rows
        chosen = np.zeros(len(weight), bool)
        chosen[inside] = True
        inside, columns = np.flatnonzero(chosen), columns.of_rows(chosen)
        self.fitted = ensemble.make(settings.kind_and_size(), positive.shape[1])
        settings = replace(settings, random_state=0)
        self.training = Training(settings, columns, positive[inside], weight[inside])
        self.f = np.zeros((len(outside), positive.shape[1]))
        self.seen, self.seen_weight = X[inside], weight[inside]
        self.X, self.positive, self.weight = X[outside], positive[outside], weight[outside]

    def boost_to(self, t: int) -> bool:
        """Boost to t rounds; return whether there is more to gain."""
        before = len(self.fitted.alpha)
        more = self.fitted.boost(t - before, self.training)
        voters, X = self.fitted.with_dense(self.X)
        voters.vote(X, self.f, before, len(self.fitted.alpha))
        return more

    def size(self, t: int) -> float:
        """Return the root mean square of the votes of t rounds on the rows of the fit."""
        return root_mean_square(self.fitted.first(t).votes_on(self.seen), self.seen_weight)


def choose_rounds(
    rows: tuple, multilabel: bool, columns: BinnedColumns, settings: Settings
) -> tuple[int, float | None]:
    """Return the rounds T of a run, and the sharpness (None if all votes are 0)."""
    X, positive, weight = rows
    rows = (X.tocsr() if hasattr(X, "tocsr") else X), positive, weight
    folds = [Fold(rows, *part, columns, settings) for part in divided(len(weight), settings)]
    truth = np.concatenate([fold.positive for fold in folds])
    seen = truth, np.concatenate([fold.weight for fold in folds])
    tried: list[tuple[float, int, float]] = []  # score, T, β
    last = max(1, settings.most_rounds() // FOLDS)
    for t in checkpoints(last):
        if tried and t > PATIENCE * max(FIRST, min(tried)[1]):
            break
        more = [fold.boost_to(t) for fold in folds]
        f = np.concatenate([fold.f for fold in folds])
        beta = best_scale(f, *seen, multilabel)
        wrong = error(f, truth, seen[1] / seen[1].sum(), multilabel) + 1.0 / len(truth)
        tried.append((wrong * log_loss(f, beta, *seen, multilabel), t, beta))
        if not all(more):
            break
    t, beta = max((t, beta) for score, t, beta in tried if score <= TOLERANCE * min(tried)[0])
    size = float(np.mean([fold.size(t) for fold in folds]))
    if t == last:
        at_half = [score for score, checkpoint, _ in tried if 2 * checkpoint <= last]
        if not at_half or tried[-1][0] <= FALLING * at_half[-1]:
            t = settings.most_rounds()
    return t, beta * size if size > 0.0 else None


def checkpoints(most: int) -> list[int]:
    """Return the numbers of rounds that are tried.

    >>> checkpoints(40)
    [5, 7, 10, 14, 20, 28, 40]
    """
    n = int(np.ceil(np.log(max(most, FIRST) / FIRST) / np.log(STEP)))
    return sorted({min(most, round(FIRST * STEP**k)) for k in range(n + 1)} | {most})


def divided(n: int, settings: Settings) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the rows to boost and those held out of each fold."""
    order = check_random_state(settings.random_state).permutation(n)
    parts = np.array_split(order, FOLDS)
    folds = [
        (np.concatenate([p for p in parts if p is not held_out])[:FITTED_ROWS],
         held_out[:HELD_OUT_ROWS])
        for held_out in parts
    ]  # fmt: skip
    return folds[:1] if n >= MANY else folds
