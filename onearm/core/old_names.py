"""What files of earlier versions call things that have another name by now.

`load` translates a file by these tables before anything else looks at it; a file that has both the
old and the new name of something is refused. An old name is never given to anything else.
"""

from typing import Any

CLASSES = {
    "onearm.convex.gradient_boosting.BanditGradientBooster": (
        "onearm.regression.gradient_boosting.BanditGradientBooster"
    ),
    "onearm.convex.gradient_boosting.GradientBooster": (
        "onearm.regression.gradient_boosting.GradientBooster"
    ),
    "onearm.convex.gradient_boosting.SpanBooster": (
        "onearm.regression.gradient_boosting.SpanBooster"
    ),
    "onearm.mh.adaboost.AdaBoostMH": "onearm.mh.classifier.AdaBoostMH",
    "onearm.convex.linear_regressors.OGD": "onearm.regression.linear_regressors.OGD",
    "onearm.convex.linear_regressors.NFKM": "onearm.regression.linear_regressors.NFKM",
    "onearm.convex.linear_regressors.FKM": "onearm.regression.linear_regressors.FKM",
}

TREES = {
    "grace": "grace_period", "tie": "tau", "leaves": "leaf_prediction", "observer": "splitter",
}  # fmt: skip
EXPERTS = TREES | {"ties": "tie_break"}
MAJORITY = TREES | {"ties": "potential_ties"}

BOOSTERS = ("BanditGradientBooster", "GradientBooster", "SpanBooster")

PARAMETERS: dict[str, dict[str, str]] = {  # by class: {old name: new name}
    "Chorus": {"waves": "n_components"},
    "HoeffdingTree": TREES,
    "AdaBandit": EXPERTS,
    "AdaBoostOLM": EXPERTS,
    "BanditBBM": MAJORITY,
    "OnlineMBBM": MAJORITY,
    "BinBandit": TREES,
    **{booster: {"N": "n_learners", "leaves": "max_leaves"} for booster in BOOSTERS},
    "NFKM": {"N": "n_points"},
    "FKM": {"N": "n_points"},
    "AdaBoostMH": {"form": "ensemble"},
}

WEIGHTS = {"W": "weights"}
ADAPTIVE = WEIGHTS | {"G": "squared_gradients"}  # a regression with adaptive steps
SECOND_ORDER = WEIGHTS | {"A": "second_order"}

REGRESSOR = {"t": "rounds", "rng": "choosing", "noise_rng": "noise_generator", "W": "weights"}
BOOSTER = REGRESSOR | {
    "squared": "squared_norms",
    "first": "first_values",
    "edges": "bin_edges",
    "value": "leaf_values",
    "total": "leaf_gradients",
    "heard": "leaf_counts",
    "sums": "bin_gradients",
    "known": "n_first",
}

CHORUS = WEIGHTS | {
    "P": "variances", "S": "lead_products", "b": "lead_rewards", "c": "stacking_weights",
    "top": "top_confidence", "R": "memory_rows", "Y": "memory_labels", "kept": "memory_counts",
    "C": "scatter", "M": "label_means", "N": "label_counts", "A": "metric",
    "E": "frozen_weights", "G": "frozen_memory_weights", "T": "frozen_outcomes",
    "rounds": "n_rounds",
}  # fmt: skip

TREE_ARRAYS = {"heard": "n_values"}
EXPERT_ARRAYS = WEIGHTS | TREE_ARRAYS | {
    "alpha": "vote_weights", "logv": "log_expert_weights", "squares": "squared_gradients",
    "t": "n_updates",
}  # fmt: skip

ARRAYS: dict[str, dict[str, str]] = {  # by class, its weak learners' arrays too
    "Chorus": CHORUS,
    "Perceptron": WEIGHTS,
    "Banditron": WEIGHTS,
    "SOBA": SECOND_ORDER | {"past": "sums"},
    "Newtron": {"V": "weights", "A": "second_order", "sqnorm": "squared_norm"},
    "ConservativeOVA": WEIGHTS,
    "OffsetTree": WEIGHTS | {"t": "n_updates"},
    "Confidit": SECOND_ORDER,
    "Gaptron": WEIGHTS | {"S": "squared_gradients"},
    "RDUE": WEIGHTS | {"S": "squared_gradients"},
    "SLB": WEIGHTS,
    "InverseGap": ADAPTIVE | {"t": "n_updates"},
    "EpsilonGreedy": ADAPTIVE | {"V": "reward_weights", "H": "reward_squared_gradients"},
    "LinUCB": SECOND_ORDER,
    "LinTS": SECOND_ORDER,
    "Bag": ADAPTIVE,
    "OGD": REGRESSOR,
    "NFKM": REGRESSOR,
    "FKM": REGRESSOR,
    "BanditGradientBooster": BOOSTER,
    "GradientBooster": BOOSTER,
    "SpanBooster": BOOSTER | {"sigma": "shrinkage"},
    "HoeffdingTree": TREE_ARRAYS,
    "AdaBandit": EXPERT_ARRAYS,
    "AdaBoostOLM": EXPERT_ARRAYS,
    "BanditBBM": WEIGHTS | TREE_ARRAYS,
    "OnlineMBBM": WEIGHTS | TREE_ARRAYS,
    "BinBandit": WEIGHTS | TREE_ARRAYS | {"alpha": "vote_weights"},
}


def current_class(name: str) -> str:
    """Return the name that the class of a file has now."""
    return CLASSES.get(name, name)


def current_parameters(cls: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters in a file of class `cls` by the names that they have now."""
    renamed = _renamed(given, PARAMETERS.get(cls, {}), "parameter")
    nested = renamed.get("parameters")  # AdaBoostMH saves more than its parameters
    if isinstance(nested, dict):
        renamed["parameters"] = _renamed(nested, PARAMETERS.get(cls, {}), "parameter")
    return renamed


def current_arrays(cls: str, saved: dict[str, Any]) -> dict[str, Any]:
    """Return the arrays in a file of class `cls` by the names that they have now."""
    return _renamed(saved, ARRAYS.get(cls, {}), "array")


def _renamed(given: dict[str, Any], new_names: dict[str, str], kind: str) -> dict[str, Any]:
    for old, new in new_names.items():
        if old in given and new in given:
            raise ValueError(f"{kind} {new} is there twice, also by its old name {old}")
    return {new_names.get(name, name): value for name, value in given.items()}
