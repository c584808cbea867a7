"""The same log for all contestants, and what ours makes of it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from onearm.ope.estimators import Inputs, cressie_read, inputs, terms
from onearm.ope.intervals import bootstrap, clopper_pearson, gaussian
from onearm.ope.uncertainty import Bounded, sequence
from onearm.ope.weighing import KAPPA, bounded

ALPHA = 0.05
K = 10
Arrays = dict[str, np.ndarray]


def log_arrays(n: int, seed: int = 0) -> Arrays:
    """Return events with rewards 0 and 1, a deterministic and a stochastic policy, and q.

    A weight is at most 1 over the least chance, 0.02, times the policy's.
    """
    rng, rows = np.random.default_rng(seed), np.arange(n)
    p = 0.8 * rng.dirichlet(np.ones(K), n) + 0.02
    label = (rng.random((n, 1)) > np.cumsum(p, axis=1)[:, :-1]).sum(axis=1)
    q = rng.random((n, K))
    reward = (rng.random(n) < 0.3 + 0.4 * q[rows, label]) * 1.0
    pi = np.eye(K)[(p * rng.random((n, K))).argmax(axis=1)]
    stochastic = rng.dirichlet(np.ones(K), n)
    return {
        "label": label, "propensity": p[rows, label], "reward": reward, "chances": p, "q": q,
        "pi": pi, "stochastic": stochastic, "of_label": pi[rows, label], "most": np.array(50.0),
        "up_to_1": rng.random(n),
    }  # fmt: skip


def given(data: Arrays, policy: str = "pi") -> Inputs:
    return inputs(data[policy], data["q"], data["label"], data["propensity"], data["reward"])


def ips(data: Arrays) -> float:
    w = data["of_label"] / data["propensity"]
    return terms("ips", Inputs(w, data["reward"], w, w)).value


def ips_sequence(data: Arrays) -> list[float]:
    return weighted_sequence(data["of_label"] / data["propensity"], data["reward"])


def weighted_sequence(w: np.ndarray, r: np.ndarray) -> list[float]:
    low, high = sequence(Bounded(w * r, w * (1 - r), 0.0), ALPHA, np.array([len(w)]))
    return [float(low[0]), float(high[0])]


def dr(data: Arrays) -> float:
    return terms("dr", given(data)).value


def dr_sequence(data: Arrays) -> tuple[float, float, float]:
    """Return DR with its default interval."""
    r, q, pi, p = data["reward"], data["q"], data["pi"], data["chances"]
    A, p_A = data["label"], data["propensity"]
    lower, upper = bounded(r, q, pi, p, A, p_A), bounded(1 - r, 1 - q, pi, p, A, p_A)
    low, high = sequence(Bounded(lower, upper, KAPPA), ALPHA, np.array([len(r)]))
    return dr(data), float(low[0]), float(high[0])


def dr_bootstrap(data: Arrays) -> Any:
    """Return DR with a bootstrap of 1,000 replicates."""
    rounds = terms("dr", given(data))
    return rounds.value, bootstrap(rounds.num, ALPHA, seed=0)


def values(data: Arrays) -> dict[str, dict[str, Any]]:
    """Return by peer what ours says for each of its estimators, by the same formula."""
    x, most = given(data), float(data["most"])
    w, r = x.w, x.r
    largest = float(w.max())
    by_name = {
        name: terms(name, x, limit).value
        for name, limit in {
            "ips": None, "snips": None, "dm": None, "dr": None, "sndr": None, "switch_dr": 2.0,
            "dros": 5.0, "sub_gaussian": 0.3,
        }.items()
    }  # fmt: skip
    vw = {
        "ips": by_name["ips"], "snips": by_name["snips"],
        "cressie_read": cressie_read(w, r),
        "cressie_read, largest weight given": cressie_read(w, r, 0.0, most),
        "gaussian": list(gaussian(w * r, ALPHA)),
        "clopper_pearson": list(
            clopper_pearson(float((w * r).sum()) / largest, len(w) / largest, ALPHA)
        ),
        "confidence_sequence": ips_sequence(data),
        "confidence_sequence, weights up to 1": weighted_sequence(data["up_to_1"], r),
    }  # fmt: skip
    stochastic = terms("dr", given(data, "stochastic")).value
    more = {
        "sub_gaussian, its weights given": by_name["sub_gaussian"],
        "dr, stochastic policy": stochastic, "replay": None,
    }  # fmt: skip
    return {"vw_estimators": vw, "pybandits": by_name | more}


TIMED: dict[str, Callable[[Arrays], Any]] = {
    "ips": ips, "confidence_sequence": ips_sequence, "dr": dr, "dr_interval": dr_sequence,
    "dr_bootstrap": dr_bootstrap,
}  # fmt: skip
