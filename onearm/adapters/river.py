"""to_river: a learner as a classifier of River, which learns under simulated bandit feedback.

River calls `predict_one(x)`, then `learn_one(x, y)` with the true label. Here `learn_one` lets the
learner choose a label, exploring, and learn only whether that was y; only a learner with full
information gets y. Before that, y joins the labels to choose from, which are those that were met
so far.
"""

import math
from typing import Any
from zlib import crc32

import numpy as np
from river import base

from onearm.adapters.making import make_learner
from onearm.core.inputs import as_row

SPARSE = 512  # with more features rows are sparse


class RiverClassifier(base.Classifier):
    """A learner as a classifier of River; `to_river` makes one.

    `predict_one` is the greedy label, `predict_proba_one` the softmax of the scores, which is not
    calibrated. `n_chosen` and `n_right` count the choices in `learn_one`, exploration included.
    """

    def __init__(
        self, learner: Any = "Chorus", n_classes: int = 16, n_features: int = 64, seed: int = 0,
        params: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.learner, self.n_classes, self.n_features = learner, n_classes, n_features
        self.seed, self.params = seed, params
        sparse = n_features > SPARSE
        self.model = make_learner(learner, n_classes, n_features, seed, params, sparse)
        self.labels: list[Any] = []  # in the order in which they were met
        self.places: dict[Any, int] = {}  # of features in a row
        self.n_chosen = self.n_right = 0

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        if y not in self.labels:
            if len(self.labels) == self.n_classes:
                raise ValueError(f"n_classes must be larger: {y!r} is label {self.n_classes + 1}")
            self.labels.append(y)
        row = self._row(x, add=True)
        choice = self.model.choose(row, among=np.arange(len(self.labels)))
        right, truth = self.labels[choice.label] == y, None
        if self.model.full_information:
            truth = self.labels.index(y)
        self.model.update(row, choice, bool(right), truth)
        self.n_chosen, self.n_right = self.n_chosen + 1, self.n_right + bool(right)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        if not self.labels:
            return {}
        scores = self.model.scores(self._row(x, add=False))[: len(self.labels)]
        shares = np.exp(scores - scores.max())
        return dict(zip(self.labels, (shares / shares.sum()).tolist(), strict=True))

    def _row(self, x: dict[Any, Any], add: bool) -> Any:
        """Return x as a row: a number in its place, a word as a 1 in the place of column=word."""
        counts: dict[int, float] = {}
        for name, value in _numbers(x).items():
            place = self._place(name, add)
            if place is not None:
                counts[place] = counts.get(place, 0.0) + value
        indices = np.array(sorted(counts), np.int32)
        values = np.array([counts[place] for place in indices.tolist()])
        if self.n_features > SPARSE:
            return as_row((indices, values), self.n_features)
        row = np.zeros(self.n_features)
        row[indices] = values
        return row

    def _place(self, name: Any, add: bool) -> int | None:
        """Return the place of a feature: one of its own, or by hash when none is left."""
        if name not in self.places and len(self.places) == self.n_features:
            return crc32(str(name).encode()) % self.n_features
        if name not in self.places and add:
            self.places[name] = len(self.places)
        return self.places.get(name)


def _numbers(x: dict[Any, Any]) -> dict[Any, float]:
    """Return the features of x as numbers, in the order of their names; missing ones are left out.

    >>> _numbers({"hour": 7, "device": "phone", "age": None, "new": True})
    {'device=phone': 1.0, 'hour': 7.0, 'new': 1.0}
    """
    numbers: dict[Any, float] = {}
    for name in sorted(x, key=lambda name: (str(name), str(type(name)))):
        value = x[name]
        if isinstance(value, str):
            numbers[f"{name}={value}"] = 1.0
        elif value is not None and not (isinstance(value, float) and math.isnan(value)):
            try:
                numbers[name] = float(value)
            except (TypeError, ValueError):
                raise ValueError(f"{name!r} must be a number or a text, got {value!r}") from None
    return numbers


def to_river(
    learner: Any = "Chorus", n_classes: int = 16, n_features: int = 64, seed: int = 0, **params: Any
) -> RiverClassifier:
    """Return a learner, by name or class, as a classifier of River.

    It learns under simulated bandit feedback: `learn_one(x, y)` lets it choose among the labels
    met so far, and tells it only whether that was y. There is room for `n_classes` labels and
    `n_features` features (a text counts one for each value). River's metrics score the greedy
    label; `n_right / n_chosen` are the choices.

    >>> from river import datasets, evaluate, metrics
    >>> model = to_river("Chorus", n_classes=7, n_features=20)
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    Accuracy: 93.72%
    """
    return RiverClassifier(learner, n_classes, n_features, seed, params or None)
