"""Learner: choose a label, hear right or wrong, learn.

A learner is a dataclass of parameters and arrays with a few kernels (`assembly` states them); all
that a user calls is derived from these once, here. Nothing is remembered between calls: the choice
carries what is needed, so the answer may come late, out of order, or in another process.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy import ndarray

from onearm import saving
from onearm.assembly import HIDDEN, Kernels, assemble
from onearm.calls import DENSE, FLOAT, SPARSE, Calls, calls_of, forget, other_than_dense
from onearm.choice import Choice, Tally, Trace, as_choice, as_outcome, as_outcomes, said
from onearm.inputs import (
    as_dense_row,
    as_labels,
    as_row,
    as_rows,
    at_once,
    between,
    chunks,
    complaint,
    count,
)
from onearm.parameters import REQUIRED, parameters, settle, whole
from onearm.rng import as_generator, seeded

Progress = Callable[[int, int], Any]  # called with the rounds done and how many were right


def state() -> Any:
    """Return a dataclass field for an array that learning changes."""
    return field(init=False, repr=False, compare=False)


@dataclass
class Learner:
    """What every learner is besides its own parameters, arrays and kernels."""

    n_classes: int = whole(REQUIRED, 2)
    n_features: int = whole(REQUIRED, 1)
    _: KW_ONLY
    seed: int = whole(0, 0, 2**63 - 1)
    choosing: np.ndarray = state()  # (1,): the generator that choosing draws from
    updating: np.ndarray = state()  # (1,): the generator that updating draws from

    kernels: ClassVar[Kernels]
    full_information: ClassVar[bool] = False  # a baseline that is shown every true label
    dense_rows: ClassVar[bool] = False  # sparse rows are made dense before a kernel sees them
    missing: ClassVar[bool] = False  # NaN is a value like any other
    real_rewards: ClassVar[bool] = False  # `correct` may be a reward in [0, 1]
    drawn_greedy: ClassVar[bool] = False  # the greedy label is drawn too: of an expert, at a tie
    estimated_propensity: ClassVar[bool] = False  # the propensity is a numerical estimate
    exploration: ClassVar[str | None] = None  # the parameter that sets how much is explored

    def __init_subclass__(cls, **kernels: Any) -> None:
        if kernels:
            cls.kernels = assemble(saving.name(cls), **kernels)

    def __post_init__(self) -> None:
        settle(self)
        self.choosing, self.updating = seeded(self.seed, 0), seeded(self.seed, 1)
        self.labels = np.arange(self.n_classes)
        self.parts: tuple = ()  # what else holds arrays that learning changes

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        forget(vars(self))

    def __getstate__(self) -> dict[str, Any]:
        return forget(vars(self).copy())

    def model(self) -> tuple:
        """Return what kernels take at the end: state arrays, then hyperparameters.

        They are the same until an attribute is set: `choose` and `update` do not ask each time.
        """
        raise NotImplementedError  # every learner has its own

    def choose(self, x: Any, among: Any = None, rng: np.ndarray | None = None) -> Choice:
        """Say a label for `x`, exploring.

        `among` are the labels allowed this time; `rng` a generator (`onearm.seeded(n)`) to draw
        from in place of the learner's own.
        """
        if among is None and rng is None:
            dense = type(x) is ndarray and x.dtype is FLOAT and x.ndim == 1
            calls = self.dense_calls if dense else other_than_dense(self, x)
            chosen = calls.choose(x)
            if chosen[0] >= 0:
                return said(chosen)
        x, calls = self._row(x)
        among = self.labels if among is None else self._allowed(among)
        rng = self.choosing if rng is None else as_generator(rng)
        chosen = calls.choose_among(among, rng, x)
        if chosen[0] < 0:
            raise ValueError(f"x: {complaint(x, self.n_features, self.missing)}")
        return said(chosen)

    def update(self, x: Any, choice: Any, correct: Any, truth: int | None = None) -> None:
        """Learn from hearing whether `choice` was right for `x`, now or much later.

        `truth`, the true label, is for fully informed learners alone.
        """
        if type(choice) is Choice:
            label, greedy, propensity = choice
            if type(label) is int and type(greedy) is int and type(propensity) is float:
                if type(correct) is bool and truth is None and not self.full_information:
                    reward, known = (1.0, label) if correct else (0.0, HIDDEN)
                else:
                    reward, known = as_outcome(self, label, correct, truth)
                dense = type(x) is ndarray and x.dtype is FLOAT and x.ndim == 1
                calls = self.dense_calls if dense else other_than_dense(self, x)
                try:
                    if calls.update(x, choice, reward, known):
                        return
                except OverflowError:  # a label of more than 64 bits
                    pass
        x, calls = self._row(x)
        choice = as_choice(choice, self.n_classes)
        reward, known = as_outcome(self, choice[0], correct, truth)
        if not calls.update(x, choice, reward, known):
            wrong = complaint(x, self.n_features, self.missing)
            raise ValueError(f"x: {wrong}" if wrong else self._refusal(*choice))

    def play(
        self, X: Any, y: Any = None, *, trace: bool = True, progress: Progress | None = None
    ) -> Any:
        """Choose and update along a labelled stream, hearing only right or wrong.

        Returns the Trace, or with `trace=False` a Tally. Ctrl-C keeps what was learnt so far; the
        KeyboardInterrupt then has what would have been returned as its `trace`.
        """
        kept: list[Trace] = []
        done = np.zeros(2, np.int64)
        try:
            for rows, labels in self._examples(X, y, labelled=True):
                if trace:
                    kept.append(Trace.empty(len(labels)))
                for start, stop in _paced(len(labels)):
                    log = kept[-1].part(start, stop) if trace else Trace.empty(stop - start)
                    self.kernels.play(
                        between(rows, start, stop), labels[start:stop], self.full_information,
                        self.labels, *log, done, self.choosing, self.updating,
                        self.model(),
                    )  # fmt: skip
                    if progress:
                        progress(int(done[0]), int(done[1]))
        except KeyboardInterrupt as interrupt:
            interrupt.trace = _played(kept, done, trace)  # type: ignore[attr-defined] # ours to add
            raise
        return _played(kept, done, trace)

    def learn(self, X: Any, trace: Any, y: Any = None) -> None:
        """Learn from logged choices and their outcomes, in their order.

        `y`, the true labels, is for fully informed learners alone.
        """
        log, reward, truth = as_outcomes(self, trace, y)
        n = len(log.label)
        bad = self.kernels.impossible(*log[:3], self.n_classes, self.model())
        if bad < n:
            said = self._refusal(*(array[bad] for array in log[:3]))
            raise ValueError(f"round {bad}: {said}")
        if getattr(X, "n_rows", None) not in (None, n) or np.shape(X)[:1] not in ((), (n,)):
            raise ValueError(f"X must have {n} rows, as the trace has")
        first = 0
        for rows, _ in self._examples(X, None):
            if first + count(rows) > n:
                raise ValueError(f"X has more than the {n} rows of the trace")
            for start, stop in _paced(count(rows)):
                part = slice(first + start, first + stop)
                self.kernels.learn(
                    between(rows, start, stop), *(a[part] for a in log[:3]), reward[part],
                    truth[part], self.updating, self.model(),
                )  # fmt: skip
            first += count(rows)
        if first < n:
            raise ValueError(f"X has only {first} rows, the trace has {n}; those were learnt from")

    def scores(self, X: Any) -> np.ndarray:
        """Return the k scores of each row; they change nothing."""
        return self._each(X, self.kernels.score)

    def chances(self, X: Any) -> np.ndarray:
        """Return, for each row, the probability with which `choose` would say each label."""
        return self._each(X, self.kernels.chance, self.labels)

    def predict(self, X: Any) -> np.ndarray:
        """Return the greedy label of each row: no exploration, no change."""
        return self.scores(X).argmax(axis=1)

    def save(self, path: str | Path) -> None:
        """Write the learner to a file for `onearm.load`."""
        saving.save(self, path, self.params(), self.content())

    @classmethod
    def loaded(cls, parameters: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Learner":
        """Return a learner from what was saved of it."""
        learner = cls(**parameters)
        saving.fill(learner, arrays)
        return learner

    def params(self) -> dict[str, Any]:
        """Return the parameters that make a learner like this one."""
        return {p.name: getattr(self, p.name) for p in parameters(self)}

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that learning changes, by name."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if not f.init}
        return own | {name: a for part in self.parts for name, a in part.arrays().items()}

    def content(self) -> dict[str, np.ndarray]:
        """Return the arrays without room that is still unused: what is saved and compared."""
        return self.arrays() | {n: a for part in self.parts for n, a in part.content().items()}

    @cached_property
    def dense_calls(self) -> Calls:
        return calls_of(self, DENSE)

    @cached_property
    def sparse_calls(self) -> Calls:
        return calls_of(self, SPARSE)

    def _row(self, x: Any) -> tuple[Any, Calls]:
        x = as_row(x, self.n_features)
        if self.dense_rows:
            x = as_dense_row(x, self.n_features, self.missing)
        return x, self.sparse_calls if isinstance(x, tuple) else self.dense_calls

    def _allowed(self, among: Any) -> np.ndarray:
        if np.ndim(among) != 1 or len(among) == 0 or (np.diff(among) <= 0).any():
            raise ValueError(f"among must be ascending labels, at least one, got {among}")
        return as_labels(among, self.n_classes, len(among), "among")

    def _refusal(self, label: int, greedy: int, propensity: float) -> str:
        choice = Choice(int(label), int(greedy), float(propensity))
        return f"{self} cannot have made {choice}"

    def _examples(self, X: Any, y: Any, labelled: bool = False) -> Iterator[tuple[Any, Any]]:
        """Convert and check the examples, chunk by chunk; arrays wholly before the first."""
        if getattr(X, "n_classes", 0) > self.n_classes:
            sizes = f"{X.n_classes} classes, {type(self).__name__} has {self.n_classes}"
            raise ValueError(f"the stream {X.name} has {sizes}")
        if not at_once(X, self.dense_rows):
            for _ in self._converted(X, y, labelled):
                pass
        return self._converted(X, y, labelled)

    def _converted(self, X: Any, y: Any, labelled: bool) -> Iterator[tuple[Any, Any]]:
        first = 0
        for some, labels in chunks(X, y, self.dense_rows):
            rows = as_rows(some, self.n_features, self.missing, first)
            n = count(rows)
            if labelled:
                if labels is None:
                    raise ValueError("y must be given: the true labels that the world knows")
                labels = as_labels(labels, self.n_classes, n, first=first)
            yield rows, labels
            first += n

    def _each(self, X: Any, kernel: Any, *among: np.ndarray) -> np.ndarray:
        parts = []
        for rows, _ in self._converted(X, None, False):
            out = np.empty((count(rows), self.n_classes))
            kernel(rows, *among, out, self.model())
            parts.append(out)
        if not parts:
            raise ValueError("X is empty: it has no rows")
        return np.concatenate(parts) if len(parts) > 1 else parts[0]


def _paced(n: int) -> Iterator[tuple[int, int]]:
    """Cut n rounds into parts of about a tenth of a second, so that Ctrl-C is heard."""
    start, rows = 0, 64
    while start < n:
        stop = min(n, start + rows)
        began = time.perf_counter()
        yield start, stop
        rows = rows * 2 if time.perf_counter() - began < 0.05 else max(1, rows // 2)
        start = stop


def _played(kept: list[Trace], done: np.ndarray, trace: bool) -> Trace | Tally:
    rounds, correct = (int(n) for n in done)
    return Trace.joined(kept).part(0, rounds) if trace else Tally(rounds, correct)
