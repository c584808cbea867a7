"""Foreign learners in a race: any class, function or object, played one round at a time.

A class or function makes a learner; it is called with those of `n_classes`, `n_features`,
`nominal`, `seed` and `random_state` that it has parameters for. An object is copied for each run.
It travels to workers as bytes, by value if its module is not installed.
"""

import inspect
import time
import traceback
from collections.abc import Callable
from functools import partial
from operator import index
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np

from onearm.core.assembly import LEAST
from onearm.core.choice import Trace
from onearm.experiments.pool import RunError
from onearm.racing.portable import LONG, brief, code_of, dumped
from onearm.racing.protocols import EPSILON, EXPLORED, adapted, protocol

GIVEN = ("n_classes", "n_features", "nominal", "seed", "random_state")  # by the race
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
HERE = Path(__file__).parent
OFTEN = 0.2  # seconds between two reports of progress


class ForeignClass:
    """Stands in the place of a learner's class: it is called as one."""

    missing = False

    def __init__(self, given: Any) -> None:
        is_function = inspect.isfunction(given) or isinstance(given, partial)
        self.is_maker = is_function or isinstance(given, type)
        named = given.func if isinstance(given, partial) else given
        self.__name__ = getattr(named if self.is_maker else type(given), "__name__", "learner")
        predicts = None if is_function else protocol(given)
        self.exploration = "epsilon" if predicts in EXPLORED else None
        signature = _signature(given) if self.is_maker else {}
        self.takes = [name for name in GIVEN if name in signature]
        self.__dataclass_fields__ = dict.fromkeys(self.takes)  # asked whether it has `nominal`
        others = {name: p for name, p in signature.items() if name not in GIVEN}
        self.required = [name for name, p in others.items() if p.default is p.empty]
        explored = predicts is None or predicts in EXPLORED
        self.parameters = list(dict.fromkeys([*others, *(["epsilon"] if explored else [])]))
        self.has_epsilon = "epsilon" in others
        self.payload = dumped(given)
        self.code = code_of(given, ForeignLearner, adapted)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ForeignClass) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, str]:
        return self.__name__, self.code

    def require_parameters(self, given: dict[str, Any]) -> None:
        """Refuse parameters with which it cannot be made."""
        for name in self.required:
            if name not in given:
                example = f'{{"name": {self.__name__}, "{name}": …}}'
                raise ValueError(f"{self.__name__} needs the parameter {name!r}: give {example}")
        epsilon = given.get("epsilon", EPSILON)
        if not self.has_epsilon and not (isinstance(epsilon, int | float) and 0 <= epsilon <= 1):
            raise ValueError(f"{self.__name__}: epsilon must be in [0, 1], got {epsilon!r}")

    def __call__(
        self, n_classes: int, n_features: int, *, seed: int = 0, nominal: Any = (), **given: Any
    ) -> "ForeignLearner":
        self.require_parameters(given)
        sizes = (n_classes, n_features, nominal, seed, seed % 2**32)
        known = {k: v for k, v in zip(GIVEN, sizes, strict=True) if k in self.takes}
        mine = {k: v for k, v in given.items() if k != "epsilon" or self.has_epsilon}
        model = cloudpickle.loads(self.payload)
        if self.is_maker:
            model = in_words(f"{self.__name__}()", model, **known, **mine)
        epsilon = EPSILON if self.has_epsilon else given.get("epsilon", EPSILON)
        return ForeignLearner(self, model, n_classes, epsilon, seed, given)


class ForeignLearner:
    """A foreign learner with what a run asks of a learner."""

    full_information = False
    schema: Any = None

    def __init__(
        self, cls: ForeignClass, model: Any, n_classes: int, epsilon: float, seed: int, given: Any
    ) -> None:
        self.cls, self.model, self.n_classes, self.rounds = cls, model, n_classes, 0
        self.exploration = "epsilon" if protocol(model) in EXPLORED else None
        if self.exploration is None and "epsilon" in given and not cls.has_epsilon:
            raise RunError(f"{cls.__name__} has no parameter 'epsilon': it explores by itself")
        self.epsilon = epsilon
        self.adapter = adapted(model, n_classes, epsilon, seed)
        self.choose, self.update = self.adapter.choose, self.adapter.update
        self.played = given | ({"epsilon": epsilon} if self.exploration else {})

    def params(self) -> dict[str, Any]:
        return self.played

    def content(self) -> dict[str, np.ndarray]:
        """Return its bytes when pickled, none if it cannot be."""
        try:
            return {"pickle": np.frombuffer(cloudpickle.dumps(self.adapter), np.uint8)}
        except Exception:  # whatever its parts raise: it has played, and only its size is not known
            return {}

    def play(
        self, X: Any, y: np.ndarray, progress: Callable[[int, int], Any] = lambda *_: None
    ) -> Trace:
        """Choose and update along the rows; what it raises or returns is reported by round.

        y are labels, or rewards of all labels: the feedback is then that of the chosen one.
        """
        columns = self.schema.columns if self.schema else ()
        names = [column.name for column in columns] if len(columns) == X.shape[1] else ()
        trace = Trace.empty(len(y), bool if y.ndim == 1 else float)
        total, reported = 0, time.monotonic()
        for t, truth in enumerate(y.tolist()):
            where = f" in round {self.rounds}"
            x = self.adapter.row(X, t, names)
            choice = in_words(f"choose{where}", self.adapter.choose, x)
            label, greedy, propensity = as_chosen(choice, self.n_classes, where)
            correct = label == truth if y.ndim == 1 else truth[label]
            x = self.adapter.row(X, t, names)  # `choose` may have changed its copy
            in_words(f"update{where}", self.adapter.update, x, choice, correct)
            trace.label[t], trace.greedy[t], trace.propensity[t] = label, greedy, propensity
            trace.correct[t] = correct
            total += correct
            self.rounds += 1
            if time.monotonic() - reported > OFTEN:
                progress(t + 1, total)
                reported = time.monotonic()
        return trace


def as_chosen(choice: Any, n_classes: int, where: str = "") -> tuple[int, int, float]:
    """Return label, greedy label and propensity of what `choose` returned, -1 and NaN if unknown.

    >>> as_chosen(2, 3), as_chosen((2, 0.5), 3), as_chosen((2, 1, 0.25), 3)
    ((2, -1, nan), (2, -1, 0.5), (2, 1, 0.25))
    """
    parts = tuple(choice) if isinstance(choice, tuple | list) else (choice,)
    *labels, propensity = parts if len(parts) > 1 else (*parts, 1.0)
    if len(labels) == 2 and labels[1] is None:  # a Choice without a greedy label
        del labels[1]
    try:
        labels = [index(label) for label in labels]
    except TypeError:
        labels = []
    if len(labels) not in (1, 2) or not all(0 <= label < n_classes for label in labels):
        allowed = f"a label in [0, {n_classes - 1}], (label, propensity) or a Choice"
        raise RunError(f"choose{where} must return {allowed}, got {brief(choice)}")
    try:
        share = float(propensity)
    except (TypeError, ValueError, OverflowError):
        share = float("nan")
    if not LEAST <= share <= 1:
        allowed = f"a propensity in [{LEAST:g}, 1]"
        raise RunError(f"choose{where} must return {allowed}, got {brief(propensity)}")
    return labels[0], labels[1] if len(labels) > 1 else -1, share if len(parts) > 1 else np.nan


def in_words(what: str, call: Callable[..., Any], *args: Any, **more: Any) -> Any:
    """Return what a call returns; if it raises, say what and in which line."""
    try:
        return call(*args, **more)
    except (KeyboardInterrupt, RunError):
        raise
    except BaseException as error:  # SystemExit, too: it must not end the race
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [frame for frame in frames if Path(frame.filename).parent != HERE]
        lines = [frame.lineno for frame in theirs if frame.filename == theirs[0].filename]
        place = f" ({Path(theirs[0].filename).name}, line {lines[-1]})" if lines else ""
        try:
            text = str(error)[:LONG]
        except Exception:
            text = "?"
        raise RunError(f"{what} raised {type(error).__name__}: {text}{place}") from error


def _signature(maker: Any) -> dict[str, inspect.Parameter]:
    try:
        parameters = inspect.signature(maker).parameters
    except (TypeError, ValueError):  # a class of C
        return {}
    return {name: p for name, p in parameters.items() if p.kind not in VARIADIC}
