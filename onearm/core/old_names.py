"""What files of earlier versions call things that have another name by now.

`load` translates a file by these tables before anything else looks at it; a file that has both the
old and the new name of something is refused. An old name is never given to anything else.
"""

from typing import Any

Names = dict[str, str]  # old name: new name

MODULES: Names = {
    "onearm.convex.gradient_boosting": "onearm.regression.gradient_boosting",
    "onearm.convex.linear_regressors": "onearm.regression.linear_regressors",
    "onearm.mh.adaboost": "onearm.mh.classifier",
}

BOOSTERS = ("BanditGradientBooster", "GradientBooster", "SpanBooster")
TREES = {
    "grace": "grace_period", "tie": "tau", "leaves": "leaf_prediction", "observer": "splitter",
}  # fmt: skip

PARAMETERS: dict[str, Names] = {  # by class
    "Chorus": {"waves": "n_components"},
    **dict.fromkeys(("HoeffdingTree", "BinBandit"), TREES),
    **dict.fromkeys(("AdaBandit", "AdaBoostOLM"), TREES | {"ties": "tie_break"}),
    **dict.fromkeys(("BanditBBM", "OnlineMBBM"), TREES | {"ties": "potential_ties"}),
    **{name: {"N": "n_learners", "leaves": "max_leaves"} for name in BOOSTERS},
    **{name: {"N": "n_points"} for name in ("NFKM", "FKM")},
    "AdaBoostMH": {"form": "ensemble"},
}

WEIGHTS = {"W": "weights"}
ADAPTIVE = WEIGHTS | {"G": "squared_gradients"}  # a regression with adaptive steps
SECOND_ORDER = WEIGHTS | {"A": "second_order"}
REGRESSOR = WEIGHTS | {"t": "rounds", "rng": "choosing", "noise_rng": "noise_generator"}
BOOSTER = REGRESSOR | {
    "squared": "squared_norms", "first": "first_values", "edges": "bin_edges",
    "value": "leaf_values", "total": "leaf_gradients", "heard": "leaf_counts",
    "sums": "bin_gradients", "known": "n_first",
}  # fmt: skip
CHORUS = WEIGHTS | {
    "P": "variances", "S": "lead_products", "b": "lead_rewards", "c": "stacking_weights",
    "top": "top_confidence", "R": "memory_rows", "Y": "memory_labels", "kept": "memory_counts",
    "C": "scatter", "M": "label_means", "N": "label_counts", "A": "metric",
    "E": "frozen_weights", "G": "frozen_memory_weights", "T": "frozen_outcomes",
    "rounds": "n_rounds",
}  # fmt: skip
TREE = {"heard": "n_values"}
EXPERTS = WEIGHTS | TREE | {
    "alpha": "vote_weights", "logv": "log_expert_weights", "squares": "squared_gradients",
    "t": "n_updates",
}  # fmt: skip

ARRAYS: dict[str, Names] = {  # by class, its weak learners' arrays too
    "Chorus": CHORUS,
    **dict.fromkeys(("Perceptron", "Banditron", "ConservativeOVA", "SLB"), WEIGHTS),
    **dict.fromkeys(("Confidit", "LinUCB", "LinTS"), SECOND_ORDER),
    **dict.fromkeys(("Gaptron", "RDUE"), WEIGHTS | {"S": "squared_gradients"}),
    "SOBA": SECOND_ORDER | {"past": "sums"},
    "Newtron": {"V": "weights", "A": "second_order", "sqnorm": "squared_norm"},
    "OffsetTree": WEIGHTS | {"t": "n_updates"},
    "InverseGap": ADAPTIVE | {"t": "n_updates"},
    "EpsilonGreedy": ADAPTIVE | {"V": "reward_weights", "H": "reward_squared_gradients"},
    "Bag": ADAPTIVE,
    **dict.fromkeys(("OGD", "NFKM", "FKM"), REGRESSOR),
    **dict.fromkeys(BOOSTERS, BOOSTER),
    "SpanBooster": BOOSTER | {"sigma": "shrinkage"},
    "HoeffdingTree": TREE,
    **dict.fromkeys(("AdaBandit", "AdaBoostOLM"), EXPERTS),
    **dict.fromkeys(("BanditBBM", "OnlineMBBM"), WEIGHTS | TREE),
    "BinBandit": WEIGHTS | TREE | {"alpha": "vote_weights"},
}


def current_class(name: str) -> str:
    """Return the name that the class of a file has now."""
    module, _, short = name.rpartition(".")
    return f"{MODULES.get(module, module)}.{short}"


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


def _renamed(given: dict[str, Any], new_names: Names, kind: str) -> dict[str, Any]:
    for old, new in new_names.items():
        if old in given and new in given:
            raise ValueError(f"{kind} {new} is there twice, also by its old name {old}")
    return {new_names.get(name, name): value for name, value in given.items()}
