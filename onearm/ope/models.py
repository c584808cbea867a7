"""Reward models: q(x, a), what a label is expected to earn for a context, in [0, 1].

Any model keeps the doubly robust estimate unbiased; a good one makes it narrow. Its terms are valid
only if an event is judged by a model that has not seen it (`fitting`).

    Linear      ridge regression for each label, of dense rows with one-hot codes
    Learned     a learner of ours: its scores
    Fitted      a scikit-learn classifier or regressor for each label
    Nothing     q = 0: DR is then IPS
"""

import copy
from itertools import pairwise
from typing import Any

import numpy as np

import onearm
from onearm.core.assembly import HIDDEN
from onearm.core.choice import Trace, class_name
from onearm.log.events import Events
from onearm.log.log import Log

WIDEST = 1000  # columns for which a full matrix per label is kept
LARGEST = 2**27  # numbers of these matrices together, 1 GiB
RIDGE = 1.0  # penalty, in rows of the mean square of each column


class Model:
    """What estimates rewards, in [0, 1], from events that are added to it."""

    def add(self, events: Events, reward: np.ndarray) -> None:
        """Take events to be fitted by the next `fit`."""

    def fit(self) -> None:
        """Use all that was added."""

    def q(self, X: Any) -> np.ndarray:
        """Return the expected rewards (n, k)."""
        raise NotImplementedError


class Nothing(Model):
    """No model: every reward is expected to be 0."""

    def __init__(self, k: int) -> None:
        self.k = k

    def q(self, X: Any) -> np.ndarray:
        return np.zeros((X.shape[0], self.k))


class Linear(Model):
    """Ridge regression of the reward for each label.

    The penalty of a column is its mean square, so that units do not matter; the constant has none.
    A label without events is expected to earn the mean reward.
    """

    def __init__(self, k: int, d: int, nominal: tuple[int, ...] = ()) -> None:
        self.sizes = np.array(nominal if any(nominal) else (0,) * d)
        width = 1 + int((self.sizes == 0).sum() + (self.sizes + 1)[self.sizes > 0].sum())
        self.A, self.b = np.zeros((k, width, width)), np.zeros((k, width))
        self.weights = np.zeros((width, k))

    def add(self, events: Events, reward: np.ndarray) -> None:
        Z, order = self._design(events.X), np.argsort(events.label, kind="stable")
        ends = np.searchsorted(events.label[order], np.arange(len(self.A) + 1))
        for label, (begin, end) in enumerate(pairwise(ends)):
            if end > begin:
                rows = Z[order[begin:end]]
                self.A[label] += rows.T @ rows
                self.b[label] += reward[order[begin:end]] @ rows

    def fit(self) -> None:
        n = self.A[:, 0, 0]
        if not n.sum():
            return
        square = np.diag(self.A.sum(axis=0)) / n.sum()
        penalty = RIDGE * np.where(square > 0, square, 1.0)
        penalty[0] = 1e-9
        mean = self.b[:, 0].sum() / n.sum()
        self.weights[0] = mean
        for label in np.flatnonzero(n):
            # around the mean reward of all labels, which is where few events leave it
            A, b = self.A[label], self.b[label] - mean * self.A[label, 0]
            self.weights[:, label] = np.linalg.solve(A + np.diag(penalty), b)
            self.weights[0, label] += mean

    def q(self, X: Any) -> np.ndarray:
        return np.clip(self._design(X) @ self.weights, 0.0, 1.0)

    def _design(self, X: Any) -> np.ndarray:
        """Return rows with a constant, numbers with 0 for missing ones, and one-hot codes."""
        X = X.toarray() if hasattr(X, "tocsr") else X
        parts = [np.ones((len(X), 1))]
        numbers = X[:, self.sizes == 0] if self.sizes.any() else X
        parts.append(np.where(np.isnan(numbers), 0.0, numbers))
        for j in np.flatnonzero(self.sizes):
            parts.append((X[:, [j]] == np.arange(self.sizes[j] + 1)).astype(float))
        return np.concatenate(parts, axis=1)


class Learned(Model):
    """A learner of ours, which learns from the events; its scores are the expected rewards."""

    def __init__(self, learner: Any) -> None:
        self.learning, self.learner = copy.deepcopy(learner), learner

    def add(self, events: Events, reward: np.ndarray) -> None:
        unknown = np.full(len(events), HIDDEN)
        trace = Trace(events.label, unknown, events.propensity, reward)
        self.learning.learn(events.X, trace)

    def fit(self) -> None:
        self.learner = copy.deepcopy(self.learning)

    def q(self, X: Any) -> np.ndarray:
        return np.clip(self.learner.scores(X), 0.0, 1.0)


class Fitted(Model):
    """A scikit-learn classifier (of rewards 0 and 1) or regressor for each label.

    Keeps all rows in memory: it is fitted anew each time.
    """

    def __init__(self, estimator: Any, k: int) -> None:
        self.estimator, self.rows, self.k = estimator, [], k
        self.fitted: list[Any] = [0.0] * k  # an estimator, or a number where one cannot be fitted

    rows: list[tuple[Events, np.ndarray]]

    def add(self, events: Events, reward: np.ndarray) -> None:
        if self._classifies and not np.isin(reward, (0.0, 1.0)).all():
            name = type(self.estimator).__name__
            raise ValueError(f"rewards must be 0 or 1 for a classifier, {name}: use a regressor")
        self.rows.append((events, reward))

    @property
    def _classifies(self) -> bool:
        return hasattr(self.estimator, "predict_proba")

    def fit(self) -> None:
        if not self.rows:
            return
        from sklearn.base import clone

        events = Events.joined([some for some, _ in self.rows])
        reward = np.concatenate([some for _, some in self.rows])
        self.rows = [(events, reward)]
        for label in range(self.k):
            which = np.flatnonzero(events.label == label)
            known = reward[which]
            if len(np.unique(known)) > 1:
                target = known.astype(int) if self._classifies else known
                self.fitted[label] = clone(self.estimator).fit(events.X[which], target)
            else:
                self.fitted[label] = float(known[0] if len(known) else reward.mean())

    def q(self, X: Any) -> np.ndarray:
        out = np.empty((X.shape[0], self.k))
        for label, model in enumerate(self.fitted):
            if isinstance(model, float):
                out[:, label] = model
            elif self._classifies:
                out[:, label] = model.predict_proba(X)[:, 1]
            else:
                out[:, label] = model.predict(X)
        return np.clip(out, 0.0, 1.0)


def new_model(spec: Any, log: Log) -> Model:
    """Return an unfitted model: "linear", "none", a learner or its class, or scikit-learn's."""
    from onearm.core.learner import Learner

    if spec == "none":
        return Nothing(log.n_classes)
    if spec == "linear":
        nominal = log.schema.nominal if log.schema is not None and log.schema.columns else ()
        width = log.n_features + sum(nominal)
        if width <= WIDEST and log.n_classes * width**2 <= LARGEST:
            return Linear(log.n_classes, log.n_features, nominal)
        from onearm.linear.inverse_gap import InverseGap

        return Learned(log.learner(InverseGap))
    if isinstance(spec, str):
        known = {name.lower(): name for name in onearm.LEARNERS}
        spec = getattr(onearm, known[spec.lower()]) if spec.lower() in known else spec
    if isinstance(spec, type) and issubclass(spec, Learner):
        spec = log.learner(spec)
    if isinstance(spec, Learner):
        if not (spec.off_policy and spec.real_rewards):
            need = "learn from rewards of another policy's choices"
            raise ValueError(f"model must {need}, which {class_name(spec)} cannot")
        log.check_schema(spec)
        return Learned(copy.deepcopy(spec))
    if hasattr(spec, "fit") and hasattr(spec, "predict") and not isinstance(spec, type):
        return Fitted(spec, log.n_classes)
    allowed = "'linear', 'none', a learner or a scikit-learn classifier or regressor"
    raise ValueError(f"model must be {allowed}, got {spec!r}")
