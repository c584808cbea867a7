"""PreparedRegressor: a regressor together with what it wants of rows and targets.

A reduction: columns are one-hot encoded and standardised online, as for a linear learner (`rows`).
Rows of d columns are divided by √(d + 1), not by their norm: what is linear stays so. A regressor
with full information also gets standardised targets, (y - mean)/deviation by the targets so far,
within ±FARTHEST; what it predicts is turned back. From losses alone the scale of targets cannot be
known: there `lr`, `R` and `delta` are in units of the target. N-FKM and FKM move predictions unless
`settings` say otherwise: the noise of moved weights grows with the number of prepared columns.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import onearm
from onearm.core import state
from onearm.core.kernels import bind, kernel
from onearm.core.parameters import named, real, settings_of, wholes
from onearm.prepare.prepared import FEW, PREPARE, Inner, _name
from onearm.prepare.rows import FARTHEST, WIDE, note, places
from onearm.regression.losses import LOGISTIC
from onearm.regression.regressor import Regressor
from onearm.regression.rounds import Kernels, assemble

SHARED = ("choosing", "noise_generator", "rounds")  # those of the whole are used


@kernel
def scaled_row(z, columns):
    """A prepared row over √(d + 1) in the place of its norm; its last entry was 1 before."""
    values = z[1] if isinstance(z, tuple) else z
    factor = 1.0 / (values[-1] * math.sqrt(len(columns[0][0]) + 1.0))
    for i in range(len(values)):
        values[i] *= factor
    return z


@kernel
def deviation(moments, k):
    """The standard deviation of the targets so far; 1 while they say nothing."""
    counts, _, squares = moments
    return math.sqrt(squares[k] / counts[k]) if squares[k] > 0.0 else 1.0


@kernel
def note_target(y, moments):
    """Add a target to the moments."""
    counts, means, squares = moments
    for k in range(len(y)):
        counts[k] += 1.0
        off = y[k] - means[k]
        means[k] += off / counts[k]
        squares[k] += off * (y[k] - means[k])


def predict(x, prediction, model):
    columns, targets, (low, high), inner = model
    z = scaled_row(prepare(x, *columns), columns)  # noqa: F821 bound, as all below
    inner_predict(z, prediction, inner)  # noqa: F821
    for k in range(len(prediction)):
        p = targets[1][k] + deviation(targets, k) * prediction[k]
        prediction[k] = min(max(p, low), high)


def learn(x, y, kind, t, model):
    columns, targets, _, inner = model
    scaled = y.copy()
    if kind != LOGISTIC:
        for k in range(len(y)):
            v = (y[k] - targets[1][k]) / deviation(targets, k)
            scaled[k] = min(max(v, -FARTHEST), FARTHEST)
    if kind == LOGISTIC or targets[0][0] > 0.0:
        z = scaled_row(prepare(x, *columns), columns)  # noqa: F821
        inner_learn(z, scaled, kind, t, inner)  # noqa: F821
    if kind != LOGISTIC:
        note_target(y, targets)
    note(x, *columns)


def ask(x, prediction, points, directions, rng, model):
    columns, _, _, inner = model
    z = scaled_row(prepare(x, *columns), columns)  # noqa: F821
    inner_ask(z, prediction, points, directions, rng, inner)  # noqa: F821


def learn_losses(x, losses, directions, t, model):
    columns, _, _, inner = model
    z = scaled_row(prepare(x, *columns), columns)  # noqa: F821
    inner_learn(z, losses, directions, t, inner)  # noqa: F821
    note(x, *columns)


@cache
def assembled(name: str, inner: Kernels, form: str) -> Kernels:
    """Return what runs a regressor on rows that are prepared in this form."""
    name = f"onearm.prepare.{form}.{name}"
    inner_predict, inner_learn, inner_ask = inner.stages
    given = {"prepare": PREPARE[form], "inner_predict": inner_predict, "inner_learn": inner_learn}
    bound = bind(predict, f"{name}.predict_one", **given)
    if inner_ask is None:
        return assemble(name, bound, bind(learn, f"{name}.learn", **given))
    asks = bind(ask, f"{name}.ask", inner_ask=inner_ask, **given)
    return assemble(name, bound, bind(learn_losses, f"{name}.learn", **given), asks)


@dataclass(eq=False)
class PreparedRegressor(Regressor):
    """A regressor on rows that are one-hot encoded, standardised and scaled online.

    With full information its targets are standardised, too, so that its defaults serve at any
    scale of rows and targets.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = 100 * rng.normal(size=(2000, 3)); y = 5000 + X @ [10.0, -20.0, 5.0]
    >>> predictions, losses = PreparedRegressor(3).play(X, y)
    >>> bool(losses[-200:].mean() < 0.1 * y.var())
    True
    """

    lr: float = real(0.3, "[1e-12, 1e12]", fixed=True, doc="Steps are lr·t^(-power).")
    regressor: str = named(
        "OGD", _name, "the name of a regressor", doc="The regressor that gets prepared rows."
    )
    settings: Any = settings_of(doc="More parameters of the regressor, by name.")
    nominal: tuple[int, ...] = wholes(
        (), 0, doc="Number of values of each nominal column, 0 for a numeric one; empty if none."
    )
    moments: np.ndarray = state.state(3, "n_features", range="(-inf, inf)")  # count, mean, square
    target_moments: np.ndarray = state.state(3, "n_outputs", range="(-inf, inf)")
    n_rounds: np.ndarray = state.state(1, range="[0, inf)")

    missing = True

    def validate(self) -> None:
        super().validate()
        if len(self.nominal) not in (0, self.n_features):
            raise ValueError(
                f"nominal must have n_features={self.n_features} entries or none, got "
                f"{len(self.nominal)}"
            )

    def plan(self) -> None:
        if self.regressor not in onearm.REGRESSORS or self.regressor == type(self).__name__:
            raise ValueError(
                f"regressor must be one that does not prepare rows itself, got {self.regressor!r}"
            )
        cls: Any = getattr(onearm, self.regressor)
        nominal = np.array(self.nominal or np.zeros(self.n_features), np.int64)
        pairs = np.empty((0, 2), np.int64)
        self.layout = places(nominal, pairs), nominal, pairs, 0
        n_inputs = int(self.layout[0][-1]) + 1
        shared = {"n_outputs": self.n_outputs, "lr": self.lr, "power": self.power, "R": self.R}
        sizes = {"n_features": n_inputs, **shared, "seed": self.seed}
        for name in (sizes | {"low": 0, "high": 0}).keys() & self.settings.keys():
            raise ValueError(f"settings must not have {name}, got {self.settings[name]}")
        if callable(self.settings.get("weak")):
            raise ValueError("settings must have the name of a kind of weak learners as weak")
        around = {"perturb": "prediction"} if "perturb" in cls.__dataclass_fields__ else {}
        self.inner = cls._planned(sizes | around | self.settings)
        self.parts = (Inner(self.inner, SHARED),)
        vars(self)["full_information"] = cls.full_information
        sparse = n_inputs > WIDE and not self.inner.dense_rows
        few = n_inputs > FEW * (self.n_features + 1) and not self.inner.dense_rows
        self.form = "sparse" if sparse else "few" if few else "dense"

    @property
    def kernels(self) -> Kernels:  # type: ignore[override] # of the inner regressor
        return assembled(self.regressor, self.inner.kernels, self.form)

    def directions_shape(self) -> tuple[int, ...]:
        return self.inner.directions_shape()

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        for name in ("moments", "target_moments"):
            counts, means, squares = saved[name]
            if not ((counts >= 0.0).all() and (squares >= 0.0).all()):
                raise ValueError(f"saved array {name} must have counts and squares from 0 on")
            if not (abs(means) <= self.largest).all():
                raise ValueError(f"saved array {name} must have means within ±{self.largest:g}")

    def model(self) -> tuple:
        columns = tuple(self.moments), self.n_rounds, self.layout
        return columns, tuple(self.target_moments), (self.low, self.high), self.inner.model()
