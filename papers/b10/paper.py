"""What B10 prints: Busa-Fekete and Kégl, Fast boosting using adversarial bandits, ICML 2010.

Its USPS we play twice, with pixels as they are and smoothed: only these can be the paper's.
"""

from typing import Any

PRINTED = ("mnist", "usps", "pendigits", "isolet", "letter")
SMOOTHED = "usps-smoothed"
DATA_SETS = ("mnist", "usps", SMOOTHED, "pendigits", "isolet", "letter")
POLICIES = {
    "full": "FULL", "uniform": "RANDOM", "ucb": "UCB", "ucbv": "UCBV", "exp3p": "EXP3.P",
    "recent": "recent",
}  # fmt: skip
BASES = ("stump", "product", "tree")
SIZES = {"product": (3, 3, 2, 6, 10), "tree": (17, 15, 19, 8, 38)}  # terms, leaves; by PRINTED
ERRORS = {  # Table 1: smoothed test error in percent, in the order of PRINTED
    ("stump", "full"): (7.56, 6.28, 4.96, 4.52, 14.57),
    ("stump", "uniform"): (6.94, 6.13, 4.57, 4.43, 14.60),
    ("stump", "ucb"): (7.07, 6.03, 4.63, 4.30, 14.65),
    ("stump", "ucbv"): (7.02, 6.08, 4.63, 4.43, 14.77),
    ("stump", "exp3p"): (6.96, 6.08, 4.63, 4.43, 14.62),
    ("product", "full"): (1.26, 4.37, 1.89, 3.86, 2.31),
    ("product", "uniform"): (1.73, 4.58, 1.83, 3.59, 2.25),
    ("product", "ucb"): (1.82, 4.43, 1.80, 3.53, 2.25),
    ("product", "ucbv"): (1.85, 4.53, 1.92, 3.53, 2.20),
    ("product", "exp3p"): (1.70, 4.53, 1.94, 3.40, 2.30),
    ("tree", "full"): (1.52, 4.87, 2.12, 3.85, 2.48),
    ("tree", "uniform"): (1.82, 5.13, 2.06, 3.78, 3.08),
    ("tree", "ucb"): (2.30, 4.98, 2.09, 3.85, 3.10),
    ("tree", "ucbv"): (3.06, 5.18, 2.20, 3.78, 3.08),
    ("tree", "exp3p"): (1.85, 4.93, 2.06, 3.72, 3.02),
}


def of(data: str, values: tuple) -> Any:
    """Return the value of a data set, where they are given in the order of PRINTED."""
    return values[PRINTED.index("usps" if data == SMOOTHED else data)]


def size(base: str, data: str) -> dict[str, int]:
    """Return the parameter of AdaBoostMH that the paper has chosen by validation, if any."""
    names = {"product": "n_terms", "tree": "n_leaves"}
    return {names[base]: of(data, SIZES[base])} if base in SIZES else {}
