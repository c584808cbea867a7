"""Booster: what all boosters share: N weak learners, each with its own settings.

A booster's kernels are templates that call `weak_look` and `weak_learn`. They are compiled once for
trees and once for linear weak learners, and run as plain Python over Python objects.
"""

import math
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar, Self

import numpy as np

from onearm.boosting.costs import CHEAPEST, FULL, TRUTH
from onearm.boosting.presets import published
from onearm.boosting.trees import settings
from onearm.boosting.trees.forest import Trees
from onearm.boosting.trees.nodes import NOTES
from onearm.boosting.weak import WEAK, Linear, PythonLearners
from onearm.core import saving
from onearm.core.assembly import Kernels, assemble
from onearm.core.kernels import COMPILED, Dispatcher, bind, compose, interpreted
from onearm.core.learner import Learner
from onearm.core.locking import Lock
from onearm.core.parameters import option, option_or_call, real, span, whole
from onearm.core.rng import seeded, uniform

LEAST_WEIGHT = 1e-12  # of a first answer, that is larger than rounding errors
SETTINGS_STREAM = 4  # the generator of a seed that samples the settings of weak learners


def look_at_all(x, *model):
    """Return what each weak learner notes about x."""
    rules, weak = model[-2:]
    k, N = rules[:2]
    seen, out = np.empty((N, NOTES), np.int64), np.empty(k)
    for i in range(N):
        weak_look(x, i, seen[i], out, *weak)  # noqa: F821 bound to a weak learner's
    return seen


@dataclass
class Booster(Learner):
    """N weak learners, and their parameters."""

    n_learners: int = whole(20, 1, doc="Number N of weak learners.")
    weak: Any = option_or_call(
        "tree", "tree", "stump", "linear",
        doc="Weak learners: Hoeffding 'tree's, 'stump's (trees of depth 1), 'linear', or a "
        "callable that returns River or scikit-learn (`partial_fit`) classifiers.",
    )  # fmt: skip
    weight_scale: Any = span(
        "unit", "[1e-12, 1e12]", "unit",
        doc="Factor of the weights; 'unit' gives the first right answer weight 1. Like the next "
        "three a number, or a range (low, high) to sample each weak learner's value from.",
    )  # fmt: skip
    nominal: tuple[int, ...] = settings.nominal_field()
    grace_period: Any = span((2.0, 10.0), "[1e-12, 1e12]", doc=settings.GRACE_PERIOD)
    delta: Any = span((0.01, 0.9), "(0, 1)", doc=settings.DELTA)
    tau: Any = span((0.01, 0.9), "[1e-12, 1e12]", doc=settings.TAU)
    leaf_prediction: str = settings.leaf_prediction_field()
    splitter: str = settings.splitter_field()
    max_bytes: int = settings.max_bytes_field()

    dense_rows = True
    fills_missing = True
    random_greedy = True
    off_policy = True
    fixed_labels = "its weak learners have learnt costs over as many labels as it was made with"
    templates: ClassVar[dict[str, Any]]
    preset: ClassVar[dict[str, Any]]  # published settings

    def __init_subclass__(cls, **templates: Any) -> None:
        super().__init_subclass__()
        if templates:
            cls.templates = {"look": look_at_all, **templates}

    def plan(self) -> None:
        n, k = self.sizes()
        if callable(self.weak):
            self.learners: Any = PythonLearners(self.weak, n, k)
        elif self.weak == "linear":
            self.learners = Linear(n, k, self.n_features)
        else:
            self.learners = Trees(
                n, k, self.n_features, self.nominal, 10, 1 if self.weak == "stump" else 0,
                self.leaf_prediction, self.splitter, self.max_bytes,
            )  # fmt: skip
        self.parts = (self.learners,)

    def start(self) -> None:
        super().start()
        *rates, self.scale = self._sampled_settings(self.sizes()[0])
        self.grace_period_, self.delta_, self.tau_ = rates
        if isinstance(self.learners, Trees):
            self.learners.rates = tuple(rates)

    def sizes(self) -> tuple[int, int]:
        """Return how many weak learners there are, and how many labels each knows."""
        return self.n_learners, self.n_classes

    def first_weight(self) -> float:
        """Return the weight of the first right answer, before it is scaled."""
        return 1.0

    @property
    def kernels(self) -> Kernels:  # type: ignore[override] # of the kind of weak learner
        kind = "python" if callable(self.weak) else "linear" if self.weak == "linear" else "tree"
        cls: Any = type(self)
        return assembled(cls, kind)

    @classmethod
    def paper(cls, name: str | None = None, **given: Any) -> Self:
        """Return a learner with the settings published for a data set, except for those given.

        Names are balance, car, nursery, movement, mice and isolet; without one: those of balance.
        """
        known = cls.__dataclass_fields__.keys() | given.keys()
        every = published(cls.preset, name, given)
        return cls(**{key: value for key, value in every.items() if key in known})

    def _new_lock(self) -> Lock:
        return Lock(always=not COMPILED or callable(self.weak))

    def _sampled_settings(self, n: int) -> np.ndarray:
        """Sample each weak learner's grace period, delta, tau and weight scale."""
        scale, rng = self.weight_scale, seeded(self.seed, SETTINGS_STREAM)
        if scale == "unit":
            weight = self.first_weight()
            if not weight > LEAST_WEIGHT:
                raise ValueError(
                    f"weight_scale must be a number for {self}: the first of n_learners="
                    f"{self.n_learners} would weigh {weight:g}, too little to be taken for 1"
                )
            scale = 1.0 / weight
        ranges = (self.grace_period, self.delta, self.tau, scale)
        logarithmic = (False, True, True, False)
        sampled = [
            [_sampled(*pair, uniform(rng)) for pair in zip(ranges, logarithmic, strict=True)]
            for _ in range(n)
        ]
        return np.array(sampled).T.copy()


def _sampled(given: Any, logarithmic: bool, u: float) -> float:
    low, high = given if isinstance(given, tuple) else (given, given)
    if low == high:
        return low
    if logarithmic:
        return math.exp(math.log(low) + (math.log(high) - math.log(low)) * u)
    return low + (high - low) * u


# parameters of some boosters
rho_field = partial(
    real, 0.003, "(0, 1)", doc="Exploration rate ρ: the chance of another label than ŷ."
)
clip_field = partial(
    real, 100.0, "[1e-12, 1e12]", doc="Largest cost, and difference of two costs, taught."
)
target_field = partial(
    option, "truth", "cheapest", "truth",
    doc="Label taught after an answer: the 'cheapest', or the 'truth' where it is known.",
)  # fmt: skip
EDGE = "Edge γ over guessing that the weak learners are assumed to have."


def answer_rules(booster: Any) -> tuple[float, float, int]:
    """Return the exploration rate, the largest cost, and which label is taught."""
    if booster.full_information:
        return 0.0, 0.0, FULL
    return booster.rho, booster.clip, TRUTH if booster.target == "truth" else CHEAPEST


@cache
def assembled(cls: Any, kind: str) -> Kernels:
    """Return what a class of boosters runs over weak learners of this kind."""
    name, weak = f"{saving.name(cls)}.{kind}", WEAK[kind]
    if kind == "python":
        plain = {key: interpreted(compose(t, **weak)) for key, t in cls.templates.items()}
        kernels = assemble(name, **plain, bind=_plain)
        return kernels._replace(
            choose=lambda *given: _numbers(kernels.choose(*given)),
            decide=lambda *given: _numbers(kernels.decide(*given)),
        )
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
