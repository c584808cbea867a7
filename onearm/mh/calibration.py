"""Probabilities: votes times a factor β, then softmax; for several labels the logistic function.

    P(l|x) = exp(β f_l(x)) / Σ_m exp(β f_m(x))    or    P(l|x) = 1/(1 + exp(-2β f_l(x)))

The rounds make votes larger on the rows that they are fitted to than on others, so β must come from
rows that they have not seen. With `validation` these are at hand, and so they are where
cross-validation chooses the number of rounds. Otherwise a second fit, of a
twelfth of the rounds t on half of the rows, shows the β with the least log loss on the other half.
Votes of t rounds are smaller than those of all; but the sharpness

    c = β · root mean square of the votes on the rows of the fit

hardly depends on the number of rows, and on that of the rounds less and less. What it has gained
from 0.4 t to t rounds it is taken to gain once more. So β = c²(t)/c(0.4 t) over the root mean
square of the final votes.

Labels are smoothed as by Platt: otherwise β would be infinite where no row is wrong. Which half a
row is in depends on its values alone: a repeated row is in one half, as a row of twice the weight.
Where nearly all rows are repeated, β is that of the rows of the fit: new rows are the same.

J. Platt. Probabilistic outputs for support vector machines. 1999. C. Guo, G. Pleiss, Y. Sun,
K. Weinberger. On calibration of modern neural networks. ICML 2017.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from onearm.mh import ensemble
from onearm.mh.rounds import Training
from onearm.mh.settings import Settings

SHARE, LEAST_ROUNDS, EARLY = 12, 20, 0.4  # of the second fit: t is 1/SHARE of the rounds
FITTED_ROWS, HELD_OUT_ROWS = 10_000, 2000  # of the second fit, at most
SIZE_ROWS = 200  # that the size of the final votes is taken from, about
HASHED = 2**16  # rows at a time
REPEATED = 0.1  # a smaller share of different rows cannot be halved, nor fitted too closely
RANGE = 1e-2, 1e4  # of the sharpness
STEPS = 60  # of the search for it: far more than it needs


def vote_scale(
    model: Any, X: Any, positive: np.ndarray, sample_weight: np.ndarray, settings: Settings
) -> float | None:
    """Return β of a fitted ensemble by a second fit, None if the rows are too few to find it."""
    u = row_hashes(X)
    are_counts = (sample_weight % 1.0 == 0.0).all()  # else rows are repeated no more than they are
    in_order = np.sort(u)
    n_different = 1 + np.count_nonzero(in_order[1:] != in_order[:-1])
    del in_order
    if n_different < REPEATED * (sample_weight.sum() if are_counts else len(u)):
        votes = model.ensemble_.votes_on(X)
        return best_scale(votes, positive, sample_weight, model.multilabel_)
    n, rounds = len(u), len(model.alpha_)
    rounds = max(rounds // SHARE, min(rounds, LEAST_ROUNDS))
    bound = min(0.5, FITTED_ROWS / n)
    inside, outside = u < bound, (u >= bound) & (u < bound + min(0.5, HELD_OUT_ROWS / n))
    if rounds == 0 or inside.sum() < 2 or outside.sum() < 2:
        return None
    columns = model._training.columns.of_rows(inside)
    second = Training(replace(settings, random_state=0), columns, positive[inside],
                      sample_weight[inside])  # fmt: skip
    fitted = ensemble.make(settings.kind_and_size(), positive.shape[1])
    fitted.boost(rounds, second)
    seen = positive[outside], sample_weight[outside], model.multilabel_
    sharpness, t = [], int(np.ceil(EARLY * rounds))
    f, f_seen = (np.zeros((rows.sum(), positive.shape[1])) for rows in (outside, inside))
    for stage in (fitted.part(0, t), fitted.part(t, rounds)):
        f += stage.votes_on(X[outside])
        f_seen += stage.votes_on(X[inside])
        size = root_mean_square(f_seen, sample_weight[inside])
        if size == 0.0:
            return None
        sharpness.append(size * best_scale(f, *seen))
    early, late = sharpness
    return scaled_by(late * max(1.0, late / early), model.ensemble_, X, sample_weight, u)


def scaled_by(
    sharpness: float, fitted: Any, X: Any, sample_weight: np.ndarray, u: np.ndarray | None = None
) -> float | None:
    """Return β of the votes of an ensemble on its rows; `u` are the hashes of the rows."""
    u = row_hashes(X) if u is None else u
    some = u < SIZE_ROWS / len(u)
    size = root_mean_square(fitted.votes_on(X[some]), sample_weight[some])
    return sharpness / size if size > 0.0 else None


def root_mean_square(f: np.ndarray, weight: np.ndarray) -> float:
    return float(np.sqrt((weight * (f * f).mean(axis=1)).sum() / weight.sum())) if len(f) else 0.0


def best_scale(f: np.ndarray, positive: np.ndarray, weight: np.ndarray, multilabel: bool) -> float:
    """Return the β with the least log loss of smoothed labels, by Newton's method in a bracket."""
    smoothing = 1.0 / (weight.sum() + 2.0)  # weights are multiples of the lightest
    target = positive + smoothing * (0.5 - positive if multilabel else 1 / f.shape[1] - positive)
    size = root_mean_square(f, weight)
    if size == 0.0:
        return 1.0
    low, high = (bound / size for bound in RANGE)
    beta = 1.0 / size
    for _ in range(STEPS):
        p = probabilities(f, beta, multilabel)
        if multilabel:
            slope, bend = 2.0 * f * (p - target), 4.0 * f * f * p * (1.0 - p)
        else:
            mean = (p * f).sum(axis=1, keepdims=True)
            slope, bend = f * (p - target), p * (f - mean) ** 2
        rise, curvature = ((weight * part.sum(axis=1)).sum() for part in (slope, bend))
        low, high = (low, beta) if rise > 0.0 else (beta, high)
        step = beta - rise / curvature if curvature > 0.0 else low
        before, beta = beta, step if low < step < high else np.sqrt(low * high)
        if abs(beta - before) <= 1e-13 * beta:
            break
    return float(beta)


def log_loss(
    f: np.ndarray, beta: float, positive: np.ndarray, weight: np.ndarray, multilabel: bool
) -> float:
    """Return the mean log loss of rows; with several labels, of their sum over labels."""
    p = np.clip(probabilities(f, beta, multilabel), 1e-15, 1 - 1e-15)
    terms = np.where(positive, np.log(p), np.log1p(-p) if multilabel else 0.0).sum(axis=1)
    return float(-(weight * terms).sum() / weight.sum())


def probabilities(f: np.ndarray, beta: float, multilabel: bool) -> np.ndarray:
    """Return P(l|x) of each row and label."""
    if multilabel:
        return 1.0 / (1.0 + np.exp(np.clip(-2.0 * beta * f, -700.0, 700.0)))
    p = np.exp(beta * (f - f.max(axis=1, keepdims=True)))
    return p / p.sum(axis=1, keepdims=True)


def row_hashes(X: Any) -> np.ndarray:
    """Return a number in [0, 1) for each row, by its values alone, dense or sparse."""
    odd = np.random.default_rng(0).integers(0, 2**63, X.shape[1]).astype(np.uint64) * 2 + 1
    if isinstance(X, np.ndarray) and len(X) > HASHED:
        parts = [row_hashes(X[begin : begin + HASHED]) for begin in range(0, len(X), HASHED)]
        return np.concatenate(parts)
    if hasattr(X, "tocsr"):
        X = csr_array(X)
        terms = np.append(_bits(X.data) * odd[X.indices], np.uint64(0))
        upto = np.append(np.uint64(0), np.cumsum(terms, dtype=np.uint64))
        h = upto[X.indptr[1:]] - upto[X.indptr[:-1]]
    else:
        h = np.zeros(len(X), np.uint64)
        for j in range(X.shape[1]):
            h += _bits(X[:, j]) * odd[j]
    for shift in (32, 29, 32):  # high bits depend on all of the low ones, and low on high
        h = (h ^ (h >> np.uint64(shift))) * np.uint64(0xD6E8FEB86659FD93)
    return (h >> np.uint64(11)) * 2.0**-53


def _bits(x: np.ndarray) -> np.ndarray:
    """Return the bits of values, 0 for both zeros and the same for all missing values."""
    bits = (np.asarray(x, float) + 0.0).view(np.uint64)
    return np.where(np.isnan(x), np.uint64(1), bits ^ (bits >> np.uint64(32)))
