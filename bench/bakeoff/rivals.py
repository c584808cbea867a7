"""Who takes part in the bake-off, and which settings of each are tried, the default first.

A setting is the same on all sets, so a rate of exploration is a factor of the learner's default,
which may depend on the number of classes.
"""

from functools import cache
from itertools import product
from typing import Any, NamedTuple

import onearm
from bench.bakeoff.sets import Set
from bench.chorus.learners import BOOSTERS, learners
from onearm.streams.stream import WIDE

Setting = dict[str, Any]

OURS, VOWPAL_WABBIT, REFERENCE = "ours", "Vowpal Wabbit", "full information"
CHORUS, EXTRA_TREES, OAA = "Chorus", "ExtraTrees", "VW oaa"
LEARNING_RATES = (0.5, 0.02, 0.1, 2.0)
FACTORS = (0.25, 4.0, 1 / 16)  # of the default rate of exploration
ADF = "--cb_explore_adf"
VW_OPTIONS = {
    "VW greedy": [f"{ADF} --epsilon 0", f"{ADF} --epsilon 0 --cb_type dr"],
    "VW epsilon": [f"{ADF} --epsilon {rest}" for rest in ("0.05", "0.02", "0.02 --cb_type dr")],
    "VW bag": [f"{ADF} --bag {rest}" for rest in ("4", "4 --greedify", "16 --greedify")],
    "VW cover": [f"{ADF} --cover 4 --nounif --psi {psi}" for psi in (1, 0.01)],
    "VW regcb-opt": [f"{ADF} --regcbopt --mellowness {m}" for m in (0.1, 0.001)],
    "VW squarecb": [f"{ADF} --squarecb --gamma_scale {scale}" for scale in (10, 1000)],
    "VW synthcover": [f"{ADF} --synthcover --synthcoverpsi {psi}" for psi in (0.1, 0.01)],
    OAA: [""],
}  # fmt: skip
SMALL = {"rho": 0.003, "n_learners": 5}
OTHERS: dict[str, list[Setting]] = {  # beside the default and factors of its exploration
    "ConservativeOVA": [{"C": C} for C in (0.03, 0.1, 0.3)],
    "OffsetTree": [{"explore": c} for c in (1 / 16, 1 / 4)] + [{"C": 0.1}],
    "LinUCB": [{"lam": 0.01}, {"lam": 0.01, "exploration": 0.25}],
    "LinTS": [{"lam": 0.01}, {"lam": 0.01, "exploration": 0.25}],
    "InverseGap": [{"rule": "fast"}, {"exploration": 16.0}],
    "Gaptron": [{"loss": "hinge"}],
    "EpsilonGreedy": [{"loss": "squared"}],
    **{name: [{"rho": 0.003}, SMALL] for name in BOOSTERS},
}


class Algorithm(NamedTuple):
    """An algorithm with its settings, the default first."""

    name: str
    team: str
    settings: tuple[Setting, ...] = ({},)

    @property
    def informed(self) -> bool:
        """Whether it learns all labels."""
        return self.team == REFERENCE


@cache
def algorithms() -> dict[str, Algorithm]:
    """Return everyone by name: Chorus, our other learners, Vowpal Wabbit, and references."""
    ours = [Algorithm(CHORUS, OURS), *(Algorithm(name, OURS, tried(name)) for name in learners())]
    theirs = [
        Algorithm(name, REFERENCE if name == OAA else VOWPAL_WABBIT, tuple(vw_settings(options)))
        for name, options in VW_OPTIONS.items()
    ]
    references = [Algorithm(name, REFERENCE) for name in ("HoeffdingTree", EXTRA_TREES)]
    return {a.name: a for a in [*ours, *theirs, *references]}


def named(names: list[str]) -> list[Algorithm]:
    """Return algorithms by name, all without names; a wrong name is refused."""
    wrong = [name for name in names if name not in algorithms()]
    if wrong:
        raise ValueError(f"learners must be of {', '.join(algorithms())}, got {wrong[0]!r}")
    return [algorithm for name, algorithm in algorithms().items() if not names or name in names]


def tried(name: str) -> tuple[Setting, ...]:
    """Return the settings of one of our learners."""
    has_rate = getattr(onearm, name).exploration is not None and name not in BOOSTERS
    rates = [{"exploration": factor} for factor in FACTORS] if has_rate else []
    return ({}, *rates, *OTHERS.get(name, []))


def vw_settings(options: list[str]) -> list[Setting]:
    """Return all options with all learning rates, on rows as they are and standardised."""
    return [
        {"options": text, "learning_rate": rate, "standardised": standardised}
        for text, standardised, rate in product(options, (False, True), LEARNING_RATES)
    ]


def on(setting: Setting, data: Set) -> Setting:
    """Return a setting as it is played on a set: words and names are not standardised."""
    has_numbers = data.features <= WIDE and len(data.nominal) < data.features
    if setting.get("standardised") and not has_numbers:
        return setting | {"standardised": False}
    return setting
