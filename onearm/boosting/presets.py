"""The settings published for each data set of Zhang, Jung and Tewari (AISTATS 2019)."""

from typing import Any

DATA_SETS = ("balance", "car", "nursery", "movement", "mice", "isolet")
WIDE = ("mice", "isolet")  # explored more, with trees that split late
TREES = {
    "weak": "tree", "leaf_prediction": "majority", "splitter": "gaussian", "tie_break": "random",
    "potential_ties": "random", "gamma": 0.1, "weight_scale": 1.0,
    "max_bytes": 2**32,  # without a limit in the authors' program
}  # fmt: skip
BANDIT = TREES | {
    "target": "cheapest", "clip": 100.0,
    "grace_period": (5.0, 20.0), "delta": (0.01, 0.9), "tau": (0.01, 0.9),
}  # fmt: skip
BANDIT_WIDE = {"grace_period": (300.0, 301.0), "delta": (1e-11, 1e-10), "tau": (0.7, 0.8)}
FULL_INFORMATION = TREES | {
    "grace_period": (50.0, 200.0), "delta": (1e-11, 0.9), "tau": (0.01, 0.9),
}  # fmt: skip
STEP = {"step": "paper", "step_scale": 1.0}


def published(preset: dict[str, Any], name: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a data set, except for what is `given`, from those of a booster."""
    data = DATA_SETS[0] if name is None else str(name).lower()
    if data not in DATA_SETS:
        raise ValueError(f"name must be one of {', '.join(DATA_SETS)}, got {name!r}")
    n_learners = preset["n_learners"][DATA_SETS.index(data)]
    settings = preset | {"n_learners": n_learners, "rho": 0.1 if data in WIDE else 0.001}
    if "clip" in preset and data in WIDE:
        settings |= BANDIT_WIDE
    if "clip" in preset and data == "isolet":
        settings["weight_scale"] = 1.0 / (given.get("n_classes", 26) - 1)
    return settings | given
