"""Conservative one-vs-all: a binary passive-aggressive learner per class, no exploration.

It chooses the label with the largest score, a random one of several. Right: every class learns, its
own +1 and the others -1. Wrong: only the chosen class learns -1, so that a wrong winner is
pushed down until another label wins; that is how it finds what it has not yet seen.

A class that is pushed below -1 on every row that was right for others is rarely chosen again: on
texts many classes never are. `gate` leaves out steps -1 where the score is already negative.

G. Chen, G. Chen, J. Zhang, S. Chen, C. Zhang. Beyond Banditron: a conservative and efficient
reduction for online multiclass prediction with bandit setting model. ICDM 2009, Algorithm 1.

Differs from the paper: a `gate` other than "none" is not in its Algorithm 1 and Algorithm 2.
"""

from dataclasses import dataclass

import numpy as np

from onearm.core.explore import (
    FLOOR_DOC,
    add_best_chances,
    at_least,
    best,
    one_of_best,
    sample_label,
)
from onearm.core.learner import Learner, kernel, option, real, state
from onearm.core.vectors import add, linear, spread, sqnorm
from onearm.linear.passive_aggressive import C_DOC, VARIANT_DOC, VARIANTS, step

GATES = ("none", "right", "all")
NONE, RIGHT, ALL = range(3)


@kernel
def chances(s, among, W, rules):
    p = np.zeros(len(s))
    add_best_chances(s, among, 1.0, p)
    return at_least(rules[2], p, among)


@kernel
def choose(s, among, rng, W, rules):
    if rules[2] > 0.0:
        return sample_label(chances(s, among, W, rules), best(s, among), rng)
    return one_of_best(s, among, rng)


@kernel
def update(x, f, label, greedy, propensity, reward, truth, rng, W, rules):
    variant, C, _, gate = rules
    n2 = sqnorm(x)
    if label != truth:
        if gate == ALL and f[label] < 0.0:
            return
        a = step(f[label], -1.0, n2, variant, C)
        if a != 0.0:
            add(a, x, W, label)
        return
    steps = np.empty(len(f))
    moved = False
    for r in range(len(f)):
        steps[r] = 0.0
        if r == label or gate == NONE or f[r] >= 0.0:
            steps[r] = step(f[r], 1.0 if r == label else -1.0, n2, variant, C)
        moved = moved or steps[r] != 0.0
    if moved:
        spread(steps, x, W)


@dataclass
class ConservativeOVA(Learner, look=linear, chances=chances, choose=choose, update=update):
    """One-vs-all with passive-aggressive updates that explores by elimination.

    Examples
    --------
    >>> from onearm import SynNonSep
    >>> trace = ConservativeOVA(n_classes=9, n_features=400).play(SynNonSep(30_000, unit=True))
    >>> int((~trace.correct).sum())
    1577
    """

    variant: str = option("PA-I", *VARIANTS, doc=VARIANT_DOC)
    C: float = real(1.0, "[1e-12, 1e12]", doc=C_DOC)
    floor: float = real(0.0, "[0, 0.5]", doc=FLOOR_DOC)
    gate: str = option(
        "none", *GATES,
        doc="Which steps -1 are left out where the score is already negative: 'none', those after "
        "a 'right' answer, or 'all'.",
    )  # fmt: skip
    weights: np.ndarray = state("n_features", "n_classes")

    def model(self) -> tuple:
        rules = VARIANTS.index(self.variant), self.C, self.floor, GATES.index(self.gate)
        return self.weights, rules
