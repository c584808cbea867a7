"""Prepared: a linear learner together with what it wants of a row.

A reduction: rows of numbers, codes and words are prepared online (`rows`), and a linear learner
chooses and learns on what they become. The moments of the columns are state and change with each
update; a late answer is prepared with the moments of then.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np

import onearm
from onearm.core import saving, state
from onearm.core.assembly import Kernels, assemble
from onearm.core.estimator import CALLS, Estimator
from onearm.core.kernels import bind
from onearm.core.learner import Learner
from onearm.core.parameters import named, pairs_of, settings_of, whole, wholes
from onearm.core.vectors import LARGEST
from onearm.prepare.learners import learner_class
from onearm.prepare.rows import WIDE, note, places, prepare_dense, prepare_few, prepare_sparse

SHARED = ("choosing", "updating")  # generators: those of the whole are used
METHODS = ("choose", "update", "play", "learn")
INNER_MARKS = (
    "full_information", "real_rewards", "off_policy", "random_greedy", "estimated_propensity",
    "exploration", "fixed_labels",
)  # fmt: skip


def look(x, columns, *model):
    z = prepare(x, *columns)  # noqa: F821 bound
    return z, inner_look(z, *model)  # noqa: F821 bound to the inner learner's, as all below


def scores(seen, columns, *model):
    return inner_scores(seen[1], *model)  # noqa: F821


def chances(seen, among, columns, *model):
    return inner_chances(seen[1], among, *model)  # noqa: F821


def choose(seen, among, rng, columns, *model):
    return inner_choose(seen[1], among, rng, *model)  # noqa: F821


def update(x, seen, label, greedy, propensity, reward, truth, rng, columns, *model):
    z, inner_seen = seen
    inner_update(z, inner_seen, label, greedy, propensity, reward, truth, rng, *model)  # noqa: F821
    note(x, *columns)


TEMPLATES: dict[str, Any] = {
    "look": look,
    "scores": scores,
    "chances": chances,
    "choose": choose,
    "update": update,
}

PREPARE = {"dense": prepare_dense, "few": prepare_few, "sparse": prepare_sparse}
FEW = 4  # numbers of a prepared row for each that is not 0: if there are more, zeros are left out


@cache
def assembled(cls: Any, form: str) -> Kernels:
    """Return what runs a class of learners on rows that are prepared in this form."""
    name = f"onearm.prepare.{form}.{saving.name(cls)}"
    inner = {f"inner_{key}": kernel for key, kernel in cls.round.items()}
    inner |= {"prepare": PREPARE[form], "note": note}
    return assemble(
        name, **{key: bind(t, f"{name}.{key}", **inner) for key, t in TEMPLATES.items()}
    )


class Inner:
    """The arrays of the inner learner, as a part of the whole."""

    def __init__(self, learner: Estimator, shared: tuple[str, ...] = SHARED) -> None:
        self.learner, self.shared = learner, shared

    def shapes(self) -> state.Shapes:
        return {n: s for n, s in self.learner.shapes().items() if n not in self.shared}

    def content_shapes(self, saved: dict[str, np.ndarray]) -> state.Shapes:
        return self.shapes()

    def allocate(self) -> None:
        self.learner._build()

    def arrays(self) -> dict[str, np.ndarray]:
        return {n: a for n, a in self.learner.arrays().items() if n not in self.shared}

    content = arrays

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        state.require_ranges(saved, self.learner)
        self.learner.require_sound(saved)

    def make_room(self, saved: dict[str, np.ndarray]) -> None:
        pass


def _name(learner: Any) -> str | None:
    """Return the name of a learner, which may be given as its class."""
    if isinstance(learner, type):
        is_public = getattr(onearm, learner.__name__, None) is learner
        return learner.__name__ if is_public else saving.name(learner)
    return learner if isinstance(learner, str) else None


@dataclass
class Prepared(Learner):
    """A linear learner on rows that are one-hot encoded, standardised and scaled online.

    Parameters and weights of the learner are attributes of the whole, too.

    Examples
    --------
    >>> from onearm import datasets
    >>> letters = datasets.load("letter").shuffled(1)
    >>> learner = Prepared(letters.n_classes, letters.n_features, learner="LinUCB")
    >>> int((~learner.play(letters).correct).sum())
    7243
    """

    learner: str = named(
        "InverseGap", _name, "the name of a learner", doc="The learner that gets prepared rows."
    )
    settings: Any = settings_of(doc="Parameters of the learner, by name.")
    nominal: tuple[int, ...] = wholes(
        (), 0, doc="Number of values of each nominal column, 0 for a numeric one; empty if none."
    )
    n_words: int = whole(0, 0, doc="How many columns, the last ones, count words.")
    interactions: tuple[tuple[int, int], ...] = pairs_of(
        doc="Pairs of columns whose products are features, too."
    )
    moments: np.ndarray = state.state(3, "n_features", range="(-inf, inf)")  # count, mean, square
    n_rounds: np.ndarray = state.state(1, range="[0, inf)")

    missing = True

    def validate(self) -> None:
        d = self.n_features
        if len(self.nominal) not in (0, d):
            raise ValueError(
                f"nominal must have n_features={d} entries or none, got {len(self.nominal)}"
            )
        if self.n_words > d or any(self.nominal[d - self.n_words :]):
            raise ValueError(
                f"n_words must be at most the {d} columns and none of them nominal, got "
                f"{self.n_words}"
            )
        for i, j in self.interactions:
            if not 0 <= min(i, j) <= max(i, j) < d - self.n_words:
                raise ValueError(
                    f"interactions must be pairs of columns in [0, {d - self.n_words - 1}], got "
                    f"{(i, j)}"
                )

    def plan(self) -> None:
        columns: state.Shapes = {"moments": ((3, self.n_features), np.float64)}
        state.require_room(f"Prepared of {self.n_features} columns", columns, self.way_out)
        nominal = np.array(self.nominal or np.zeros(self.n_features), np.int64)
        pairs = np.array(self.interactions, np.int64).reshape(-1, 2)
        self.layout = places(nominal, pairs), nominal, pairs, self.n_words
        self.n_inputs = int(self.layout[0][-1]) + 1
        self.sparse = self.n_words > 0 or self.n_inputs > WIDE
        cls = inner_class(self.learner)
        sizes = {"n_classes": self.n_classes, "n_features": self.n_inputs, "seed": self.seed}
        for name in sizes.keys() & self.settings.keys():
            raise ValueError(f"settings must not have {name}, got {self.settings[name]}")
        self.inner = cls._planned(sizes | self.settings)
        self.parts = (Inner(self.inner),)
        vars(self).update({mark: getattr(cls, mark) for mark in INNER_MARKS})

    @property
    def kernels(self) -> Kernels:  # type: ignore[override] # of the inner learner
        cls: Any = type(self.inner)
        most = self.n_features + len(self.interactions) + 1  # entries that are not 0
        few = "few" if self.n_inputs > FEW * most else "dense"
        return assembled(cls, "sparse" if self.sparse else few)

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        counts, means, squares = saved["moments"]
        if not (counts >= 0.0).all() or not (squares >= 0.0).all():
            raise ValueError(
                "saved array moments of Prepared must have counts and squares from 0 on"
            )
        if not (abs(means) <= LARGEST).all():
            raise ValueError(f"saved array moments of Prepared must have means within ±{LARGEST:g}")

    def __getattr__(self, name: str) -> Any:
        inner = vars(self).get("inner")
        if inner is None or name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        mine = vars(self)
        if "_sealed" in mine and name not in mine and name in vars(self.inner):
            self.lock.run(self._set_inner, name, value)
        else:
            super().__setattr__(name, value)

    def _set_inner(self, name: str, value: Any) -> None:
        setattr(self.inner, name, value)  # which refuses what is no parameter
        vars(self)["settings"] = self.settings | {name: getattr(self.inner, name)}
        for calls in CALLS:
            vars(self).pop(calls, None)

    def _copy_labels(self, grown: Self) -> None:
        state.copy_labels(self, grown)
        state.copy_labels(self.inner, grown.inner)

    def model(self) -> tuple:
        return (tuple(self.moments), self.n_rounds, self.layout), *self.inner.model()


def inner_class(name: str) -> Any:
    """Return the class of a learner that may get prepared rows."""
    cls = getattr(onearm, name) if name in onearm.LEARNERS else saving.find_class(name)
    if not wants_preparation(cls):
        raise ValueError(f"learner must be one that does not prepare rows itself, got {name!r}")
    return cls


def wants_preparation(cls: Any) -> bool:
    """Whether a class of learners knows neither nominal columns nor missing values.

    One with methods of its own in the place of a learner's gets its rows as they are.
    """
    if not (isinstance(cls, type) and issubclass(cls, Learner)):
        return False
    is_plain = all(getattr(cls, name) is getattr(Learner, name) for name in METHODS)
    return is_plain and not cls.missing and "nominal" not in cls.__dataclass_fields__


def learner_for(
    cls: Any, n_classes: int, n_features: int, *, nominal: tuple[int, ...] = (), n_words: int = 0,
    raw: bool = False, **params: Any,
) -> Any:  # fmt: skip
    """Return a learner of class `cls` for such columns, with the preparation that it wants.

    `cls` may be a name. `raw` leaves preparation out. `seed` and `interactions` are those of
    Prepared.
    """
    cls = cls if callable(cls) else learner_class(cls)
    sizes: dict[str, Any] = {"n_classes": n_classes, "n_features": n_features}
    if not wants_preparation(cls) or raw:
        if params.pop("interactions", ()):
            why = "rows are raw" if raw else f"{cls.__name__} gets no prepared rows"
            raise ValueError(f"interactions must be left out where {why}")
        if nominal and "nominal" in cls.__dataclass_fields__:
            params = {"nominal": nominal} | params
        return cls(**sizes, **params)
    whole = {name: params.pop(name) for name in ("seed", "interactions") if name in params}
    sizes |= {"nominal": nominal, "n_words": n_words}
    return Prepared(**sizes, learner=cls, settings=params, **whole)
