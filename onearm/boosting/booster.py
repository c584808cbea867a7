"""Booster: what all boosters share: N weak learners of some kind, each with settings of its own.

A booster's kernels are templates that call `weak_look` and `weak_learn`. They are compiled once for
trees and once for linear weak learners, and run as plain Python over anybody's objects.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from onearm.boosting.trees.forest import LEAVES, Trees, learn
from onearm.boosting.trees.leaves import lean, look
from onearm.boosting.trees.nodes import NOTES
from onearm.boosting.weak import (
    Foreign,
    Linear,
    foreign_learn,
    foreign_look,
    linear_lean,
    linear_learn,
    linear_look,
)
from onearm.core import saving
from onearm.core.assembly import Kernels, assemble
from onearm.core.kernels import COMPILED, Dispatcher, bind, compose, interpreted
from onearm.core.learner import Learner
from onearm.core.locking import Lock
from onearm.core.parameters import option, option_or_call, span, whole, wholes
from onearm.core.rng import seeded, uniform

LEAST_WEIGHT = 1e-12  # of a first answer, that can still be told from rounding
SETTINGS_DRAWN = 4  # the generator of a seed that the settings of weak learners are drawn from
WEAK = {
    "tree": {"weak_look": look, "weak_learn": learn, "weak_lean": lean},
    "linear": {"weak_look": linear_look, "weak_learn": linear_learn, "weak_lean": linear_lean},
    "python": {"weak_look": foreign_look, "weak_learn": foreign_learn, "weak_lean": linear_lean},
}


def look_at_all(x, *model):
    """What each weak learner notes about x."""
    rules, weak = model[-2:]
    k, N = rules[:2]
    seen, out = np.empty((N, NOTES), np.int64), np.empty(k)
    for i in range(N):
        weak_look(x, i, seen[i], out, *weak)  # noqa: F821 bound to a weak learner's
    return seen


@dataclass
class Booster(Learner):
    """N weak learners, and the parameters that say what they are."""

    n_learners: int = whole(20, 1, doc="Number N of weak learners.")
    weak: Any = option_or_call(
        "tree",
        "tree",
        "stump",
        "linear",
        doc="What they are: Hoeffding 'tree's, 'stump's (trees of depth 1), 'linear', or "
        "something that, called without arguments, makes objects with River's `learn_one` and "
        "`predict_one` or scikit-learn's `partial_fit` and `predict`; those run as plain "
        "Python.",
    )
    weight_scale: Any = span(
        "unit",
        "[1e-12, 1e12]",
        "unit",
        doc="Factor of the weights; 'unit' makes the first right answer weigh 1. Like the next "
        "three a number, or a range (low, high) from which each weak learner draws its own.",
    )
    nominal: tuple[int, ...] = wholes(
        (),
        0,
        doc="The number of values of each column, 0 for a numeric one; empty if all are numeric. "
        "The values are 0, 1, …; any other counts as one more.",
    )
    grace: Any = span(
        (2.0, 10.0),
        "[1e-12, 1e12]",
        doc="Weight that a leaf must have gathered since it last tried to split.",
    )
    delta: Any = span((0.01, 0.9), "(0, 1)", doc="Chance δ of a wrong split.")
    tie: Any = span(
        (0.01, 0.9),
        "[1e-12, 1e12]",
        doc="Bound τ below which two columns are as good as each other, and the first is taken.",
    )
    leaves: str = option(
        "adaptive",
        *LEAVES,
        fixed=True,
        doc="What a leaf says: its 'majority', naive 'bayes', or 'adaptive': the better of the "
        "two.",
    )
    observer: str = option(
        "gaussian",
        "gaussian",
        "histogram",
        fixed=True,
        doc='How numeric columns are remembered: "gaussian" or "histogram".',
    )
    max_bytes: int = whole(2**28, 1, 2**50, doc="Memory for all weak learners together.")

    dense_rows = True
    random_greedy = True
    off_policy = True
    templates: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, **templates: Any) -> None:
        super().__init_subclass__()
        if templates:
            cls.templates = {"look": look_at_all, **templates}

    def plan(self) -> None:
        n, k = self.sizes()
        if callable(self.weak):
            self.learners: Any = Foreign(self.weak, n, k)
        elif self.weak == "linear":
            self.learners = Linear(n, k, self.n_features)
        else:
            self.learners = Trees(
                n, k, self.n_features, self.nominal, 10, 1 if self.weak == "stump" else 0,
                self.leaves, self.observer, self.max_bytes,
            )  # fmt: skip
        self.parts = (self.learners,)

    def start(self) -> None:
        super().start()
        self.grace_, self.delta_, self.tie_, self.scale = self._drawn(self.sizes()[0])
        if isinstance(self.learners, Trees):
            self.learners.set_rates(self.grace_, self.delta_, self.tie_)

    def sizes(self) -> tuple[int, int]:
        """Return how many weak learners there are, and how many labels each knows."""
        return self.n_learners, self.n_classes

    def first_weight(self) -> float:
        """Return the weight of the first right answer, before it is scaled."""
        return 1.0

    @property
    def kernels(self) -> Kernels:  # type: ignore[override] # of the kind of weak learner
        cls: Any = type(self)
        if callable(self.weak):
            return assembled(cls, "python")
        return assembled(cls, "linear" if self.weak == "linear" else "tree")

    def _new_lock(self) -> Lock:
        return Lock(always=not COMPILED or callable(self.weak))

    def _unit(self) -> float:
        """Return the scale that makes the first right answer weigh 1."""
        weight = self.first_weight()
        if not weight > LEAST_WEIGHT:
            raise ValueError(
                f"weight_scale must be a number for {self}: the first of n_learners="
                f"{self.n_learners} would weigh {weight:g}, too little to be taken for 1"
            )
        return 1.0 / weight

    def _drawn(self, n: int) -> tuple[np.ndarray, ...]:
        """Draw what each weak learner has for itself: grace, delta, tie and weight scale."""
        rng = seeded(self.seed, SETTINGS_DRAWN)
        scale = self._unit() if self.weight_scale == "unit" else self.weight_scale
        ranges = (self.grace, self.delta, self.tie, scale)
        ends = [r if isinstance(r, tuple) else (r, r) for r in ranges]
        drawn = np.empty((4, n))
        for i in range(n):
            for setting, (low, high) in enumerate(ends):
                u = uniform(rng)
                if low == high:
                    value = low
                elif setting in (1, 2):
                    value = math.exp(math.log(low) + (math.log(high) - math.log(low)) * u)
                else:
                    value = low + (high - low) * u
                drawn[setting, i] = value
        return tuple(drawn)


@cache
def assembled(cls: Any, kind: str) -> Kernels:
    """Return what a class of boosters runs over weak learners of this kind."""
    name, weak = f"{saving.name(cls)}.{kind}", WEAK[kind]
    if kind == "python":
        plain = {key: interpreted(compose(t, **weak)) for key, t in cls.templates.items()}
        kernels = assemble(name, **plain, bind=_plain)
        return kernels._replace(choose=lambda *given: _numbers(kernels.choose(*given)))
    bound = {
        key: t if isinstance(t, Dispatcher) else bind(t, f"{name}.{t.__name__}", **weak)
        for key, t in cls.templates.items()
    }
    return assemble(name, **bound)


def _plain(template: Any, name: str, *options: Any, **kernels: Any) -> Any:
    return interpreted(compose(template, **kernels))


def _numbers(chosen: tuple) -> tuple[int, int, float]:
    label, greedy, propensity = chosen
    return int(label), int(greedy), float(propensity)
