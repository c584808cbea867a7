"""Estimators: the value of a policy from weights, rewards and a reward model.

With w = π(a|x)/p, rewards r in [0, 1], q(x, a) and q(x, π) = Σ π q:

    ips            mean of w r                      (unbiased)
    clipped_ips    mean of min(w, λ) r
    snips          Σ w r / Σ w
    dm             mean of q(x, π)
    dr             mean of q(x, π) + w (r - q(x, a))    (unbiased)
    sndr           mean of q(x, π) + Σ w (r - q(x, a)) / Σ w
    switch_dr      dr with w (r - q) left out where w > τ
    dros           dr with λ w/(w² + λ) in the place of w
    sub_gaussian   ips with w/(1 - λ + λ w) in the place of w
    cressie_read   events reweighted by empirical likelihood so that the mean of w is 1

`replay` is in a file of its own. λ and τ, unless given, have the least bound of the mean square
error: var/n + bias², where the bias is at most |mean of (w - ŵ)(r - q)| and a Bernstein term (Su et
al. 2020).

M. Dudík, J. Langford, L. Li. Doubly robust policy evaluation and learning. ICML 2011.
A. Swaminathan, T. Joachims. The self-normalized estimator for counterfactual learning. NIPS 2015.
Y.-X. Wang, A. Agarwal, M. Dudík. Optimal and adaptive off-policy evaluation. ICML 2017.
Y. Su, M. Dimakopoulou, A. Krishnamurthy, M. Dudík. Doubly robust off-policy evaluation with
shrinkage. ICML 2020.
A. Metelli, A. Russo, M. Restelli. Subgaussian and differentiable importance sampling. NeurIPS 2021.
N. Karampatziakis, J. Langford, P. Mineiro. Empirical likelihood for contextual bandits. NeurIPS
2020.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from onearm.core.kernels import kernel

NEEDS_MODEL = ("dm", "dr", "sndr", "switch_dr", "dros")
SHRINKING = ("clipped_ips", "switch_dr", "dros", "sub_gaussian")  # which have a parameter


class Terms(NamedTuple):
    """Numbers of each event: the estimate is Σ num / Σ den + mean(added)."""

    num: np.ndarray
    den: np.ndarray | None = None  # None: as many as there are events
    added: np.ndarray | None = None

    @property
    def value(self) -> float:
        """The estimate; NaN where it is not defined."""
        total = len(self.num) if self.den is None else float(self.den.sum())
        ratio = float(self.num.sum()) / total if total else math.nan
        return ratio + (0.0 if self.added is None else float(self.added.mean()))


class Inputs(NamedTuple):
    """What estimators are functions of, an array each."""

    w: np.ndarray
    r: np.ndarray
    q: np.ndarray  # q(x, a) of the logged label
    q_pi: np.ndarray  # q(x, π)


def inputs(
    pi: np.ndarray, q: np.ndarray, label: np.ndarray, propensity: np.ndarray, r: np.ndarray
) -> Inputs:
    """Return the inputs of a policy's probabilities π (n, k) and a model's rewards q (n, k)."""
    w, q_A, q_pi = (np.empty(len(label)) for _ in range(3))
    given = (np.ascontiguousarray(x, np.float64) for x in (pi, q))
    _gather(*given, np.ascontiguousarray(label, np.int64), propensity, w, q_A, q_pi)
    return Inputs(w, r, q_A, q_pi)


@kernel
def _gather(pi, q, label, p, w, q_A, q_pi):
    """w = π(A)/p(A), q(A) and Σ π q of each row."""
    for i in range(len(label)):
        total = 0.0
        for a in range(pi.shape[1]):
            total += pi[i, a] * q[i, a]
        w[i], q_A[i], q_pi[i] = pi[i, label[i]] / p[i], q[i, label[i]], total


def terms(name: str, x: Inputs, limit: float | None = None) -> Terms:
    """Return the terms of an estimator by name; `limit` is its λ or τ, else it is chosen."""
    w, r, q, q_pi = x
    if name in SHRINKING:
        shrink, rest = SHRUNK[name], r if name in ("clipped_ips", "sub_gaussian") else r - q
        limit = chosen_limit(shrink, w, rest) if limit is None else limit
        shrunk = shrink(w, limit)
        return Terms(shrunk * r) if rest is r else Terms(q_pi + shrunk * rest)
    if name == "ips":
        return Terms(w * r)
    if name == "snips":
        return Terms(w * r, w)
    if name == "dm":
        return Terms(q_pi)
    if name == "dr":
        return Terms(q_pi + w * (r - q))
    if name == "sndr":
        return Terms(w * (r - q), w, q_pi)
    raise ValueError(f"estimator must have terms, got {name!r}")


SHRUNK: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "clipped_ips": lambda w, limit: np.minimum(w, limit),
    "switch_dr": lambda w, limit: np.where(w <= limit, w, 0.0),
    "dros": lambda w, limit: w if math.isinf(limit) else limit * w / (w * w + limit),
    "sub_gaussian": lambda w, limit: w / (1 - limit + limit * w),
}


def chosen_limit(
    shrink: Callable[[np.ndarray, float], np.ndarray], w: np.ndarray, rest: np.ndarray,
    delta: float = 0.05,
) -> float:  # fmt: skip
    """Return the λ or τ with the least bound of the mean square error."""
    n, L = len(w), math.log(2 / delta)
    noise = math.sqrt(2 * float(np.mean(w**2)) * L / n) + 2 * float(w.max()) * L / (3 * n)

    def bound(limit: float) -> float:
        shrunk = shrink(w, limit)
        bias = abs(float(np.mean((w - shrunk) * rest))) + noise
        return float(np.var(shrunk * rest)) / n + bias**2

    return min(_limits(shrink, w), key=bound)


def _limits(shrink: Callable, w: np.ndarray) -> list[float]:
    """Return limits to choose from, the one that leaves weights as they are included."""
    if shrink is SHRUNK["sub_gaussian"]:
        return [0.0, *np.geomspace(1e-4, 0.99, 25).tolist()]
    top = max(float(w.max()), 1.0)
    if shrink is SHRUNK["dros"]:
        return [*np.geomspace(1e-2, 100 * top**2, 30).tolist(), math.inf]
    return [*np.geomspace(1.0, top, 30).tolist()[:-1], top]


def cressie_read(w: np.ndarray, r: np.ndarray, least: float = 0.0, most: float = math.inf) -> float:
    """Return the estimate of power -2; weights are known beforehand to be in [least, most].

    Events and one more, which has the largest or least possible weight, get probabilities that
    are nearest to even and make the mean weight 1. They are linear in the weight, c + b w over
    n + 1; what the further event takes away of Σ P w is filled with the mean reward.
    """
    n, total, squares = len(w), float(w.sum()), float((w * w).sum())
    extra = max(most, float(w.max())) if total < n else min(least, float(w.min()))
    if math.isinf(extra):
        c, b = (1 + n) / n, 0.0
    else:
        mean, square = (extra + total) / (1 + n), (extra**2 + squares) / (1 + n)
        if square - mean**2 <= 0:  # all weights are equal
            return float(np.mean(r))
        c, b = (square - mean) / (square - mean**2), (1 - mean) / (square - mean**2)
    value = (c * float(w @ r) + b * float((w * w) @ r)) / (1 + n)
    missing = max(0.0, 1 - (c * total + b * squares) / (1 + n))
    return value + missing * float(np.mean(r))
