"""What BOZ17 says of its Figure 2: learners, their parameters and data sets; it prints no numbers.

All parameters but γ are fixed: a = 1 of SOBA, α = 10, β = 0.01 and D = 1 of PNewtron. It has only
the diagonal versions of Newtron and SOBA.
"""

from typing import Any

LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {  # the paper's names, our classes
    "Banditron": ("Banditron", {}),
    "PNewtron": ("Newtron", {"alpha": 10.0, "beta": 0.01, "D": 1.0, "diagonal": True}),
    "SOBAdiag": ("SOBA", {"a": 1.0, "diagonal": True}),
    "Perceptron": ("Perceptron", {}),
}
BANDITS = ("Banditron", "PNewtron", "SOBAdiag")
POWERS = range(1, 17)  # γ = 2 to minus these
NOISE = 0.05  # of labels in SynNonSep
DATA_SETS = {  # in the order of the figure
    "synsep": "SynSep",
    "synnonsep": "SynNonSep",
    "covtype": "Covtype",
    "reuters": "Reuters-21578 in place of Reuters4",
    "rcv1": "Reuters4",
}
TEXTS = ("reuters", "rcv1")  # the paper shows no PNewtron there


def powers(learner: str) -> range:
    """Return the powers of γ that a learner plays with."""
    return range(1) if learner == "Perceptron" else POWERS
