"""Estimator: parameters, generators, arrays, saving, checked input, progress and Ctrl-C.

Learners and regressors are estimators: dataclasses of parameters and state. One is made in three
steps: `validate` checks the parameters, `plan` derives what all sizes depend on, and only then
arrays are made. So a file is compared with its parameters before it can ask for memory. Afterwards
sizes and arrays stay: a parameter may be changed if it is not fixed, and is checked as at first.

Any thread may call anything at any time (`core.locking`); a copy is the state of one moment.
"""

import copy
from collections.abc import Callable, Iterator
from dataclasses import MISSING
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from onearm.core import saving, state
from onearm.core.chunks import chunks, is_read_once
from onearm.core.inputs import (
    as_matrix,
    as_row,
    as_rows,
    between,
    by_name,
    check_row,
    count,
    is_row,
    without_gaps,
)
from onearm.core.kernels import COMPILED
from onearm.core.locking import Lock
from onearm.core.parameters import checked, document, parameters
from onearm.core.state import Shapes
from onearm.core.vectors import LARGEST
from onearm.schema.names import did_you_mean

CALLS = ("dense_calls", "sparse_calls")  # made anew when a parameter is changed
TRANSIENT = ("lock", *CALLS)  # attributes that copies and files leave out
Progress = Callable[[int, Any], Any]  # gets the rounds done and how many were right, or their loss


class Estimator(saving.Saveable):
    """Parameters and state, checked, locked and saved."""

    n_features: int
    lock: Lock
    dense_rows = False  # sparse rows are made dense before a kernel sees them
    missing = False  # NaN is a value like any other
    fills_missing = False  # NaN becomes 0 before a kernel sees it
    largest = LARGEST  # absolute value of a feature
    added_later: tuple[str, ...] = ()  # state that files of earlier versions lack: zeros
    marks: tuple[str, ...] = ()  # class variables that no instance may replace
    schema: ClassVar[Any] = None  # of an instance: its columns and labels by name, where known
    trained_on: ClassVar[Any] = None  # of an instance: logs by identity, and how many events
    way_out = "use fewer features or classes, or set onearm.max_bytes"

    def __init_subclass__(cls) -> None:
        document(cls)

    def __post_init__(self) -> None:
        self._prepare()
        self._build()

    def _prepare(self) -> None:
        for parameter in parameters(self):
            setattr(self, parameter.name, checked(parameter, getattr(self, parameter.name)))
        self.parts: tuple = ()  # what else holds arrays that learning changes, as trees
        self.validate()
        self.plan()
        state.require_room(f"{self}", self.shapes() | self.scratch(), self.way_out)

    def _build(self) -> None:
        state.allocate(self)
        for part in self.parts:
            part.allocate()
        self.start()
        self.lock = self._new_lock()
        self._sealed = frozenset({*vars(self), *self.marks, "_sealed"})

    def validate(self) -> None:
        """Refuse parameters that do not go together."""

    def plan(self) -> None:
        """Derive what sizes depend on and set `parts`; nothing large is made yet."""

    def scratch(self) -> Shapes:
        """Return shape and type of large arrays besides the state."""
        return {}

    def start(self) -> None:
        """Set what the fields of the state cannot state."""

    def require_sound(self, saved: dict[str, np.ndarray]) -> None:
        """Refuse saved state whose arrays do not go together, each within its range."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in vars(self).get("_sealed", ()):
            super().__setattr__(name, value)
            return
        known, mine = {p.name: p for p in parameters(self)}, type(self).__name__
        if name not in known:
            raise AttributeError(f"{name} of {mine} cannot be replaced once it is made")
        if known[name].metadata["fixed"]:
            raise AttributeError(f"{name} of {mine} is fixed once it is made: make another {mine}")
        self.lock.run(self._store, name, checked(known[name], value))

    def __delattr__(self, name: str) -> None:
        if name in vars(self).get("_sealed", ()):
            raise AttributeError(f"{name} of {type(self).__name__} cannot be deleted")
        super().__delattr__(name)

    def _store(self, name: str, value: Any) -> None:
        before, vars(self)[name] = vars(self)[name], value
        try:
            self.validate()
        except ValueError:
            vars(self)[name] = before
            raise
        for calls in CALLS:
            vars(self).pop(calls, None)

    def params(self) -> dict[str, Any]:
        """Return the parameters that make an estimator like this one."""
        return {p.name: getattr(self, p.name) for p in parameters(self)}

    def shapes(self) -> Shapes:
        """Return shape and type of every array that learning changes, by name."""
        return state.shapes(self) | {n: s for part in self.parts for n, s in part.shapes().items()}

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that learning changes, by name."""
        arrays = {f.name: getattr(self, f.name) for f in state.state_fields(self)}
        return arrays | {n: a for part in self.parts for n, a in part.arrays().items()}

    def content(self) -> dict[str, np.ndarray]:
        """Return the arrays without room that is still unused: what is saved and compared."""
        return self.arrays() | {n: a for part in self.parts for n, a in part.content().items()}

    def save(self, path: str | Path) -> None:
        """Write the estimator, as it is at one moment, to a file for `onearm.load`."""
        moment = self.lock.run(self._moment)
        saving.save(type(self), path, *moment)

    def _moment(self) -> tuple:
        return self.params(), copy.deepcopy(self.content()), self.schema, self.trained_on

    @classmethod
    def loaded(cls, given: dict[str, Any], saved: dict[str, np.ndarray]) -> Self:
        """Return an estimator from what was saved of it."""
        made = cls._planned(given)
        expected = state.shapes(made)
        saved = {name: np.zeros(*expected[name]) for name in cls.added_later} | saved
        of_parts = {n: s for part in made.parts for n, s in part.content_shapes(saved).items()}
        state.require_shapes(saved, expected | of_parts, cls.__name__)
        state.require_ranges(saved, made)
        for owner in (made, *made.parts):
            owner.require_sound(saved)
        made._build()
        for part in made.parts:
            part.make_room(saved)
        for name, array in made.content().items():
            array[...] = saved[name]
        return made

    @classmethod
    def _planned(cls, given: dict[str, Any]) -> Self:
        """Return an estimator with these parameters, its arrays not yet made."""
        known = {p.name: p for p in parameters(cls)}
        for name in given.keys() - known.keys():
            hint = did_you_mean(name, known)
            raise ValueError(f"{cls.__name__} has no parameter {name!r}{hint}")
        made = cls.__new__(cls)
        for name, parameter in known.items():
            if name not in given and parameter.default is MISSING:
                raise ValueError(f"{name} must be {parameter.metadata['allowed']}, got nothing")
            setattr(made, name, given.get(name, parameter.default))
        made._prepare()
        return made

    def __getstate__(self) -> dict[str, Any]:
        lasting = {name: value for name, value in vars(self).items() if name not in TRANSIENT}
        return self.lock.run(copy.deepcopy, lasting)

    def __setstate__(self, lasting: dict[str, Any]) -> None:
        vars(self).update(lasting)
        vars(self)["lock"] = self._new_lock()

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # two estimators over the same arrays would need one lock

    def _new_lock(self) -> Lock:
        return Lock(always=not COMPILED)

    def _row(self, x: Any) -> Any:
        """Return a row as kernels take it; its values are checked only where it is made dense."""
        x = as_row(by_name(x, self.schema), self.n_features)
        if self.fills_missing:
            x = without_gaps(x)
        if self.dense_rows and isinstance(x, tuple):
            self._check_row(x)
            indices, values = x
            x = np.zeros(self.n_features)
            x[indices] = values
        return x

    def _check_row(self, x: Any) -> None:
        check_row(x, self.n_features, self.missing, self.largest)

    def _examples(self, X: Any, y: Any = None, targets: Any = None) -> Iterator[tuple[Any, Any]]:
        """Yield rows, converted and checked, and `targets(y, n, first)`; of arrays all at once."""
        X = by_name(X, self.schema)
        if not is_read_once(X, self.dense_rows):
            for _ in self._converted(X, y, targets):
                pass
        return self._converted(X, y, targets)

    def _converted(self, X: Any, y: Any, targets: Any) -> Iterator[tuple[Any, Any]]:
        if hasattr(X, "check_schema"):  # a Stream
            X.check_schema(self)
        first = 0
        for some, answers in chunks(X, y, self.dense_rows):
            some = without_gaps(some) if self.fills_missing else some
            rows = as_rows(some, self.n_features, self.missing, first, self.largest)
            if targets and answers is None:
                raise ValueError("y must be given: the true answer for each row")
            yield rows, targets(answers, count(rows), first) if targets else answers
            first += count(rows)

    def _run(
        self, X: Any, y: Any, targets: Any, play: Any, room: Any, done: Any, progress: Any,
        result: Any,
    ) -> Any:  # fmt: skip
        """Play examples part by part, `play(rows, targets, log)`, and return `result(logs)`.

        `room(targets)` makes the log of these rounds, or None; `done` is counted up by `play`.
        Ctrl-C keeps what was learnt; the KeyboardInterrupt then has what would have been returned
        as `trace`.
        """
        logs: list[Any] = []
        try:
            for rows, answers in self._examples(X, y, targets):
                logs.append(room(answers))
                for part in self.lock.parts(count(rows)):
                    log = logs[-1] and [array[part] for array in logs[-1]]
                    play(between(rows, part.start, part.stop), answers[part], log)
                    if progress:
                        progress(int(done[0]), done[1].item())
        except KeyboardInterrupt as interrupt:
            interrupt.trace = result(logs)  # type: ignore[attr-defined] # ours to add
            raise
        return result(logs)

    def _by_row(self, X: Any, kernel: Any, width: int, *among: np.ndarray) -> np.ndarray:
        """Return `width` numbers for a row, or for each of many, that change nothing."""
        X = by_name(X, self.schema)
        if is_row(X):
            x = self._row(X)
            self._check_row(x)
            return self._computed(as_matrix(x), kernel, width, *among)[0]
        examples = self._converted(X, None, None)
        parts = [self._computed(rows, kernel, width, *among) for rows, _ in examples]
        if not parts:
            raise ValueError("X is empty: it has no rows")
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def _computed(self, rows: Any, kernel: Any, width: int, *among: np.ndarray) -> np.ndarray:
        out = np.empty((count(rows), width))
        for part in self.lock.parts(len(out)):
            some = between(rows, part.start, part.stop)
            self.lock.run(kernel, some, *among, out[part], self.model())
        return out

    def model(self) -> tuple:
        """Return what kernels take at the end: state arrays, then hyperparameters.

        They are the same until a parameter is set: `choose` and `update` do not ask each time.
        """
        raise NotImplementedError
