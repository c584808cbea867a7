"""What C09 prints in section VI, and what it says of how the numbers were made."""

from typing import Any

DATA_SETS = {"rcv1": "RCV1-v2", "mnist": "MNIST", "newsgroups": "20 Newsgroups", "usps": "USPS"}
METHODS: dict[str, tuple[str, dict[str, Any]]] = {  # our names, our classes, their parameters
    "Banditron": ("Banditron", {}),
    "OVA PA": ("ConservativeOVA", {"variant": "PA"}),
    "OVA PA-I": ("ConservativeOVA", {"variant": "PA-I", "C": 1.0}),
    "OVA PA-II": ("ConservativeOVA", {"variant": "PA-II", "C": 1.0}),
    "tree PA": ("OffsetTree", {"variant": "PA"}),
    "tree PA-I": ("OffsetTree", {"variant": "PA-I", "C": 1.0}),
    "tree PA-II": ("OffsetTree", {"variant": "PA-II", "C": 1.0}),
    "Perceptron": ("Perceptron", {}),
}
OVA = ("OVA PA", "OVA PA-I", "OVA PA-II")
TREES = ("tree PA", "tree PA-I", "tree PA-II")
ERRORS = {  # Table I: final cumulative error in percent, in the order of the data sets
    "Banditron": (10.80, 36.79, 75.07, 50.28),
    "OVA PA": (2.91, 14.01, 33.75, 18.85),
    "OVA PA-I": (2.84, 13.92, 37.70, 17.70),
    "OVA PA-II": (2.87, 14.23, 33.36, 18.60),
    "tree PA": (6.13, 65.04, 62.85, 58.79),
    "tree PA-I": (3.79, 64.97, 50.04, 59.50),
    "tree PA-II": (4.58, 64.33, 51.58, 59.51),
    "Perceptron": (3.97, 14.19, 29.50, 14.47),
}
GAMMA = {"rcv1": 0.03, "mnist": 0.15, "newsgroups": 0.3, "usps": 0.3}  # of Banditron
STAND_IN = {"reuters": "rcv1"}  # other data, in place of the paper's


def printed(data: str, method: str) -> float:
    """Return the number of Table I, as a share."""
    place = list(DATA_SETS).index(STAND_IN.get(data, data))
    return ERRORS[method][place] / 100
