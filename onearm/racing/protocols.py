"""Protocols: learners in plain Python and of other libraries, as learners that choose and update.

| methods | whose | a row is |
|---|---|---|
| `choose(x)`, `update(x, choice, correct)` | plain Python | array; sparse (indices, values) |
| `pull(arms, context=x)`, `update(arm, x, reward)` | River's contextual policies | dict |
| `predict_one(x)`, `learn_one(x, y)` | River | dict |
| `predict(X)`, `partial_fit(X, y)` | scikit-learn | matrix of one row |

A classifier wants the true label, which bandit feedback reveals only where the chosen label was
right. Learning those rounds alone confirms what is believed already; weighing them by 1/p is
unbiased but noisy. So a classifier or regressor is copied for each label, and the copy learns
whether its label is right, from every round in which that is known: the chosen label's, and all
others' where it was right. Exploration is ε-greedy.
"""

import math
from collections.abc import Sequence
from copy import deepcopy
from inspect import signature
from typing import Any

import numpy as np

from onearm.core.choice import Choice
from onearm.core.rng import below, seeded, uniform

EPSILON = 0.1  # of classifiers, if none is given
PAIRS = {
    "pull": "update", "choose": "update", "predict_one": "learn_one", "predict": "partial_fit",
}  # fmt: skip
EXPLORED = ("predict_one", "predict")  # those that do not explore by themselves
NEEDED = "choose and update, predict_one and learn_one, or predict and partial_fit"


def protocol(model: Any) -> str:
    """Return the method by which a class or object predicts; refuse one of no known protocol.

    >>> from types import SimpleNamespace
    >>> protocol(SimpleNamespace(predict_one=max, learn_one=max))
    'predict_one'
    """
    for predicts, learns in PAIRS.items():
        if _has(model, predicts) and _has(model, learns):
            return predicts
    names = dict.fromkeys([*PAIRS, *PAIRS.values()])
    has = " and ".join(name for name in names if _has(model, name))
    name = model.__name__ if isinstance(model, type) else type(model).__name__
    raise ValueError(f"a learner must have the methods {NEEDED}; {name} has {has or 'none'}")


def _has(model: Any, method: str) -> bool:
    try:
        return callable(getattr(model, method, None))
    except Exception:  # of a property
        return False


def adapted(model: Any, n_classes: int, epsilon: float, seed: int) -> Any:
    """Return the model as an object with `choose`, `update` and `row`."""
    adapters = {"pull": Pulled, "choose": Plain, "predict_one": River, "predict": ScikitLearn}
    return adapters[protocol(model)](model, n_classes, epsilon, seed)


class Plain:
    """A learner that has both methods."""

    def __init__(self, model: Any, n_classes: int, epsilon: float, seed: int) -> None:
        self.choose, self.update = model.choose, model.update

    @staticmethod
    def row(X: Any, t: int, names: Sequence[str]) -> Any:
        """Return row t as an array, or (indices, values) if it is sparse; a copy.

        >>> Plain.row(np.eye(2), 1, ())
        array([0., 1.])
        """
        if isinstance(X, np.ndarray):
            return X[t].copy()
        part = slice(*X.indptr[t : t + 2])
        return X.indices[part].copy(), X.data[part].copy()


class Pulled:
    """A policy of River, each label an arm."""

    def __init__(self, model: Any, n_classes: int, epsilon: float, seed: int) -> None:
        self.model, self.arms = model, list(range(n_classes))

    def choose(self, x: Any) -> Any:
        return self.model.pull(self.arms, context=x)

    def update(self, x: Any, arm: Any, correct: Any) -> None:
        self.model.update(arm, x, float(correct))

    @staticmethod
    def row(X: Any, t: int, names: Sequence[str]) -> dict[Any, float]:
        """Return row t by the names or numbers of its columns; of a sparse row, those it has.

        >>> Pulled.row(np.eye(2), 1, ("age", "hour"))
        {'age': 0.0, 'hour': 1.0}
        """
        if isinstance(X, np.ndarray):
            return dict(zip(names or range(X.shape[1]), X[t].tolist(), strict=True))
        columns, values = (part.tolist() for part in Plain.row(X, t, names))
        return dict(zip([names[j] for j in columns] if names else columns, values, strict=True))


class OneVsRest:
    """A copy of a model for each label, which learns whether its label is right; ε-greedy.

    A reward is learned by the chosen label's copy, if it is a regressor.
    """

    is_classifier: bool

    def __init__(self, model: Any, n_classes: int, epsilon: float, seed: int) -> None:
        self.copies = [deepcopy(model) for _ in range(n_classes)]
        self.epsilon, self.rng = epsilon, seeded(seed)

    def score(self, copy: Any, x: Any) -> Any:
        """Return the predicted chance that the copy's label is right, or None if it has none."""
        raise NotImplementedError

    def learn(self, copy: Any, x: Any, right: Any) -> None:
        raise NotImplementedError

    def choose(self, x: Any) -> Choice:
        given = [self.score(copy, x) for copy in self.copies]
        scores = [1.0 if s is None else -math.inf if math.isnan(s) else s for s in given]
        best = max(scores)
        ties = [label for label, score in enumerate(scores) if score == best]
        greedy = ties[below(len(ties), self.rng)]
        explores = uniform(self.rng) < self.epsilon
        label = below(len(scores), self.rng) if explores else greedy
        share = self.epsilon / len(scores)
        return Choice(label, greedy, share + (1.0 - self.epsilon) * (label == greedy))

    def update(self, x: Any, choice: Choice, correct: Any) -> None:
        if isinstance(correct, bool):
            for label in range(len(self.copies)) if correct else [choice.label]:
                self.learn(self.copies[label], x, correct and label == choice.label)
        elif self.is_classifier:
            raise ValueError("a classifier learns right or wrong, not rewards: race a regressor")
        else:
            self.learn(self.copies[choice.label], x, correct)


class River(OneVsRest):
    """Models with `predict_one` and `learn_one`."""

    row = staticmethod(Pulled.row)

    def __init__(self, model: Any, *settings: Any) -> None:
        super().__init__(model, *settings)
        last = model
        while getattr(last, "steps", None):  # a pipeline has every method, whatever it ends in
            last = list(last.steps.values())[-1]
        self.is_classifier = self.has_chances = hasattr(last, "predict_proba_one")

    def score(self, copy: Any, x: Any) -> Any:
        if self.has_chances:
            try:
                chances = copy.predict_proba_one(x)
                return chances.get(True, 0.0) if chances else None
            except NotImplementedError:  # River's way to say that there are no chances
                self.has_chances = False
        return copy.predict_one(x)

    def learn(self, copy: Any, x: Any, right: Any) -> None:
        copy.learn_one(x, right if self.is_classifier else float(right))


class ScikitLearn(OneVsRest):
    """Models with `predict` and `partial_fit`."""

    def __init__(self, model: Any, *settings: Any) -> None:
        super().__init__(model, *settings)
        self.fitted: set[int] = set()  # ids of copies: before, none can predict
        self.is_classifier = "classes" in signature(model.partial_fit).parameters
        self.classes = {"classes": np.array([False, True])} if self.is_classifier else {}
        named = (name for name in ("predict_proba", "decision_function") if hasattr(model, name))
        self.method = next(named, "predict") if self.is_classifier else "predict"

    @staticmethod
    def row(X: Any, t: int, names: Sequence[str]) -> Any:
        """Return row t as a matrix of one row, a copy."""
        return X[t : t + 1].copy()

    def score(self, copy: Any, x: Any) -> Any:
        return np.ravel(getattr(copy, self.method)(x))[-1] if id(copy) in self.fitted else None

    def learn(self, copy: Any, x: Any, right: Any) -> None:
        y = np.array([right] if self.is_classifier else [float(right)])
        copy.partial_fit(x, y, **self.classes)
        self.fitted.add(id(copy))
