"""Weak learners: N of them, addressed by i, behind two kernels.

    look(x, i, notes, out, *weak)          notes[LABEL] is i's prediction, `out` its k scores
    learn(x, i, notes, label, w, *weak)    i learns that x has this label, with weight w

Hoeffding trees are in `trees`; here are linear learners and Python objects.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from onearm.boosting.trees.nodes import BY_BAYES, LABEL, learn, look, margin, top
from onearm.core.explore import runner_up
from onearm.core.kernels import kernel
from onearm.core.state import Part, state
from onearm.core.vectors import add, linear, sqnorm


@kernel
def linear_look(x, i, notes, out, W):
    """Predict argmax xᵀW_i."""
    s = linear(x, W[i])
    for r in range(len(s)):
        out[r] = s[r]
    notes[LABEL], notes[BY_BAYES] = top(s), 0


@kernel
def linear_learn(x, i, notes, label, w, W):
    """Passive-aggressive: as far as needed for a margin of 1, but by no more than w."""
    s = linear(x, W[i])
    rival = runner_up(s, label)
    loss, norm = 1.0 - (s[label] - s[rival]), sqnorm(x)
    if loss > 0.0 and norm > 0.0:
        tau = min(w, loss / (2.0 * norm))
        add(tau, x, W[i], label)
        add(-tau, x, W[i], rival)


@kernel
def linear_margin(notes, out):
    """The margin of class 1 over class 0, in [-1, 1], of a learner of two classes."""
    return max(-1.0, min(1.0, 0.5 * (out[1] - out[0])))


@dataclass(eq=False)
class Linear(Part):
    """N linear learners."""

    n_learners: int
    n_classes: int
    n_features: int
    weights: np.ndarray = state("n_learners", "n_features", "n_classes")

    def model(self) -> tuple:
        return (self.weights,)


def python_look(x, i, notes, out, learners):
    notes[LABEL], notes[BY_BAYES] = learners[i].predict(x, out), 0


def python_learn(x, i, notes, label, w, learners):
    learners[i].learn(x, int(label), float(w))


class PythonLearner:
    """A classifier with River's or scikit-learn's methods."""

    def __init__(self, model: Any, n_classes: int) -> None:
        self.model, self.classes, self.fitted = model, np.arange(n_classes), False
        self.is_river = hasattr(model, "learn_one") and hasattr(model, "predict_one")
        if not self.is_river and not (hasattr(model, "partial_fit") and hasattr(model, "predict")):
            has = "learn_one and predict_one, or partial_fit and predict"
            raise ValueError(f"weak must make objects with {has}, got {type(model).__name__}")

    def predict(self, x: np.ndarray, out: np.ndarray) -> int:
        """Return the label of x, before anything is learnt 0; its score is 1."""
        if self.is_river:
            label = self.model.predict_one(dict(enumerate(x.tolist()))) or 0
        else:
            label = int(self.model.predict(x[None])[0]) if self.fitted else 0
        out[:] = 0.0
        out[label] = 1.0
        return label

    def learn(self, x: np.ndarray, label: int, w: float) -> None:
        """Learn that x has this label, with weight w."""
        if self.is_river:
            self.model.learn_one(dict(enumerate(x.tolist())), label, w=w)
        else:
            self.model.partial_fit(x[None], [label], self.classes, sample_weight=[w])
            self.fitted = True


class PythonLearners(Part):
    """N objects that `make` returned."""

    def __init__(self, make: Callable[[], Any], n_learners: int, n_classes: int) -> None:
        self.learners = [PythonLearner(make(), n_classes) for _ in range(n_learners)]

    def model(self) -> tuple:
        return (self.learners,)

    def arrays(self) -> dict[str, np.ndarray]:
        kind = type(self.learners[0].model).__name__
        raise TypeError(f"a booster over {kind} objects is not made of arrays: it cannot be saved")


WEAK = {
    "tree": {"weak_look": look, "weak_learn": learn, "weak_margin": margin},
    "linear": {"weak_look": linear_look, "weak_learn": linear_learn, "weak_margin": linear_margin},
    "python": {"weak_look": python_look, "weak_learn": python_learn, "weak_margin": linear_margin},
}
