"""vw-estimators and pybandits on the arrays of a log: their values, and how long they take.

Runs in an environment of its own, which has not onearm, and prints JSON:
python peers.py ARRAYS.npz REPEATS.
"""

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

ALPHA = 0.05
PYBANDITS = "pybandits.offline_policy_estimator"


def estimated(module: str, make: Callable[[Any], Any], lists: tuple, *get: float) -> Any:
    """Return what an estimator of vw-estimators says after all events, by one call for each."""
    estimator = make(import_module(f"estimators.bandits.{module}"))
    for p_log, r, p_pred in zip(*lists, strict=True):
        estimator.add_example(p_log, r, p_pred)
    return estimator.get(*get)


def vw_estimators(data: Any) -> dict[str, Callable[[], Any]]:
    """Return a call for each of its estimators and intervals."""
    lists = tuple(data[name].tolist() for name in ("propensity", "reward", "of_label"))
    most = float(data["most"])
    calls: dict[str, tuple[Any, ...]] = {
        "ips": ("ips", lambda m: m.Estimator()),
        "snips": ("snips", lambda m: m.Estimator()),
        "cressie_read": ("cressieread", lambda m: m.Estimator()),
        "cressie_read, largest weight given": ("cressieread", lambda m: m.Estimator(0.0, most)),
        "gaussian": ("gaussian", lambda m: m.Interval(), ALPHA),
        "clopper_pearson": ("clopper_pearson", lambda m: m.Interval(), ALPHA),
        "confidence_sequence": ("cs", lambda m: m.Interval(), ALPHA),
    }
    named = {
        name: lambda given=given: estimated(given[0], given[1], lists, *given[2:])
        for name, given in calls.items()
    }
    small = (*lists[:2], (data["propensity"] * data["up_to_1"]).tolist())
    name, *rest = calls["confidence_sequence"]
    return named | {
        "confidence_sequence, weights up to 1": lambda: estimated(name, rest[0], small, rest[1])
    }


def pybandits(data: Any) -> dict[str, Callable[[], Any]]:
    """Return a call for each of its estimators: the mean of their terms."""
    estimators = import_module(PYBANDITS)
    sub_gaussian = estimators.SubGaussianInverseProbabilityWeighting(shrinkage_factor=0.3)
    kinds = {
        "ips": estimators.InverseProbabilityWeighting(),
        "snips": estimators.SelfNormalizedInverseProbabilityWeighting(),
        "dm": estimators.DirectMethod(),
        "dr": estimators.DoublyRobust(),
        "sndr": estimators.SelfNormalizedDoublyRobust(),
        "switch_dr": estimators.SwitchDoublyRobust(switch_threshold=2.0),
        "dros": estimators.DoublyRobustWithOptimisticShrinkage(shrinkage_factor=5.0),
        "sub_gaussian": sub_gaussian,
        "replay": estimators.ReplayMethod(),
    }

    def value(name: str, policy: str) -> float:
        more = {}
        if name == "sub_gaussian, its weights given":
            name, more = "sub_gaussian", {"shrinkage_method": sub_gaussian._shrink_weights}
        return float(kinds[name].estimate_sample_rewards(**arguments(data, policy), **more).mean())

    names = [*kinds, "sub_gaussian, its weights given"]
    calls = {name: lambda name=name: value(name, "pi") for name in names}
    return calls | {"dr, stochastic policy": lambda: value("dr", "stochastic")}


def arguments(data: Any, policy: str = "pi") -> dict[str, np.ndarray]:
    return {
        "action": data["label"], "reward": data["reward"].astype(int),
        "propensity_score": data["propensity"], "estimated_policy": data[policy],
        "expected_reward": data["q"],
    }  # fmt: skip


def seconds(call: Callable[[], Any], repeats: int) -> list[float]:
    """Return CPU seconds of each of some calls."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    return taken


def timed(data: Any, repeats: int) -> dict[str, list[float]]:
    kind = import_module(PYBANDITS).DoublyRobust
    estimator, fewer = kind(random_state=0), kind(random_state=0, n_bootstrap_samples=1000)
    given, vw = arguments(data), vw_estimators(data)
    return {
        "ips": seconds(vw["ips"], repeats),
        "confidence_sequence": seconds(vw["confidence_sequence"], repeats),
        "dr": seconds(lambda: estimator.estimate_sample_rewards(**given).mean(), repeats),
        "dr_interval": seconds(
            lambda: estimator.estimate_policy_value_with_confidence_interval(**given),
            min(repeats, 3),
        ),
        "dr_bootstrap": seconds(
            lambda: fewer.estimate_policy_value_with_confidence_interval(**given), repeats
        ),
    }


def main(path: str, repeats: int) -> None:
    data = dict(np.load(path))
    results = {
        "vw_estimators": {name: call() for name, call in vw_estimators(data).items()},
        "pybandits": {name: call() for name, call in pybandits(data).items()},
        "seconds": timed(data, repeats),
    }
    print("\n" + json.dumps(results))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
