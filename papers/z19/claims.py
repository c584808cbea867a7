"""What Z19 says of its tables and learning curves, tested on our runs with the published settings.

Our copy of the paper has no figures, so no value can be read off them. What its text says of them
is tested; where a curve ends is its number in Table 1.
"""

from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np

from onearm.experiments.job import Record
from papers.claims import Claim, Values, lower
from papers.records import select
from papers.z19.paper import DATA_SETS
from papers.z19.runs import PAPER, errors

FULL = {"BanditBBM": "OnlineMBBM", "AdaBandit": "AdaBoostOLM"}


def _early(records: list[Record], **cell: str) -> Values:
    """Return the mean errors of the learning curve's first half, by seed."""
    curves = [run["curve"]["accuracy"] for run in select(records, **cell)]
    return [1.0 - float(np.mean(curve[: len(curve) // 2])) for curve in curves]


def _lower(
    records: list[Record], data: str, a: str, b: str, says: str, of: Callable[..., Values] = errors
) -> list[Claim]:
    both = [of(records, data=data, learner=name, settings=PAPER) for name in (a, b)]
    return lower(says, data, (a, b), both)


def of_table(records: list[Record]) -> list[Claim]:
    """Return the claims about Table 1."""
    says = "AdaBandit is more accurate than BanditBBM at the end"
    return [c for d in DATA_SETS for c in _lower(records, d, "AdaBandit", "BanditBBM", says)]


def of_totals(records: list[Record]) -> list[Claim]:
    """Return the claim about Table 2: where k is large, boosters still improve at the end."""
    claims = []
    for data, learner in product(("mice", "isolet"), FULL):
        cell = {"data": data, "learner": learner, "settings": PAPER}
        both = [errors(records, of, **cell) for of in ("asymptotic", "total")]
        says = f"{learner} has a higher error over the whole stream than at the end"
        claims += lower(says, data, ("at the end", "whole stream"), both)
    return claims


def of_figures(records: list[Record], data_sets: tuple[str, ...]) -> list[Claim]:
    """Return the claims about the learning curves of these data sets."""
    claims = []
    for data in data_sets:
        if data == "car":
            for full in FULL.values():
                says = f"On Car AdaBandit outperforms {full} by the end"
                claims += _lower(records, data, "AdaBandit", full, says)
        for bandit, full in FULL.items():
            if data == "isolet":
                says = f"On Isolet {bandit} is behind {full} at the end"
                claims += _lower(records, data, full, bandit, says)
            says = f"{bandit} learns more slowly than {full} (first half of the curve)"
            claims += _lower(records, data, full, bandit, says, _early)
    return claims


FIGURES = {
    "z19.figure1": partial(of_figures, data_sets=("car", "isolet")),
    "z19.figure2": partial(of_figures, data_sets=("balance", "nursery", "movement", "mice")),
}
