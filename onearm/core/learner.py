"""Learner: choose a label, hear right or wrong, learn.

A learner is a dataclass of parameters and arrays with a few kernels (`assembly` states them); all
that a user calls is derived from these once, here. Nothing is remembered between calls: the choice
carries what is needed, so the answer may come late, out of order, or in another process. Any thread
may call anything at any time (`core.locking`): what is learnt is that of some order of the rounds.
"""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy import ndarray

from onearm.core import saving
from onearm.core.assembly import HIDDEN, Kernels, assemble
from onearm.core.calls import DENSE, FLOAT, SPARSE, Calls, Prepared, other_than_dense
from onearm.core.choice import Choice, Tally, Trace, as_choice, as_outcome, as_outcomes, said
from onearm.core.estimator import Estimator
from onearm.core.inputs import (
    as_among,
    as_dense_row,
    as_labels,
    as_row,
    as_rows,
    at_once,
    between,
    chunks,
    complaint,
    count,
    is_row,
)
from onearm.core.kernels import COMPILED
from onearm.core.locking import Lock
from onearm.core.pacing import paced
from onearm.core.parameters import REQUIRED, whole
from onearm.core.rng import as_generator, seeded
from onearm.core.state import generator, state

__all__ = ["Learner", "state"]

Progress = Callable[[int, int], Any]  # called with the rounds done and how many were right


@dataclass
class Learner(Estimator):
    """What every learner is besides its own parameters, arrays and kernels."""

    n_classes: int = whole(REQUIRED, 2, doc="Number of labels k; labels are the integers 0 to k-1.")
    n_features: int = whole(REQUIRED, 1, doc="Number of features d.")
    _: KW_ONLY
    seed: int = whole(0, 0, 2**63 - 1, doc="Random seed of all that the learner draws.")
    choosing: np.ndarray = generator()  # that choosing draws from
    updating: np.ndarray = generator()  # that updating draws from

    kernels: ClassVar[Kernels]
    full_information: ClassVar[bool] = False  # a baseline that is shown every true label
    dense_rows: ClassVar[bool] = False  # sparse rows are made dense before a kernel sees them
    missing: ClassVar[bool] = False  # NaN is a value like any other
    real_rewards: ClassVar[bool] = False  # `correct` may be a reward in [0, 1]
    off_policy: ClassVar[bool] = False  # its update is right for choices of any other policy
    drawn_greedy: ClassVar[bool] = False  # the greedy label is drawn too: of an expert, at a tie
    estimated_propensity: ClassVar[bool] = False  # the propensity is a numerical estimate
    exploration: ClassVar[str | None] = None  # the parameter that sets how much is explored
    dense_calls, sparse_calls = Prepared(DENSE), Prepared(SPARSE)  # one round by call
    marks = (
        "full_information", "dense_rows", "missing", "real_rewards", "off_policy", "drawn_greedy",
        "estimated_propensity", "exploration",
    )  # fmt: skip

    def __init_subclass__(cls, **kernels: Any) -> None:
        super().__init_subclass__()
        if kernels:
            cls.kernels = assemble(saving.name(cls), **kernels)

    def start(self) -> None:
        self.choosing[...], self.updating[...] = seeded(self.seed, 0), seeded(self.seed, 1)
        self.labels = np.arange(self.n_classes)

    def _new_lock(self) -> Lock:
        return Lock(always=not COMPILED)

    def model(self) -> tuple:
        """Return what kernels take at the end: state arrays, then hyperparameters.

        They are the same until a parameter is set: `choose` and `update` do not ask each time.
        """
        raise NotImplementedError  # every learner has its own

    def choose(self, x: Any, among: Any = None, rng: np.ndarray | None = None) -> Choice:
        """Choose a label for `x`, exploring.

        `among` are the labels allowed this time, or a mask of them; `rng` a generator
        (`onearm.seeded(n)`) to draw from in place of the learner's own.
        """
        if among is None and rng is None:
            dense = type(x) is ndarray and x.dtype is FLOAT and x.ndim == 1
            calls = self.dense_calls if dense else other_than_dense(self, x)
            chosen = calls.choose(x)
            if chosen[0] >= 0:
                return said(chosen)
        x = self._row(x)
        among = self.labels if among is None else as_among(among, self.n_classes)
        rng = self.choosing if rng is None else as_generator(rng)
        chosen = self.lock.run(self._calls(x).choose_locked, among, rng, x)
        if chosen[0] < 0:
            raise ValueError(f"x: {complaint(x, self.n_features, self.missing)}")
        return said(chosen)

    def update(self, x: Any, choice: Any, correct: Any, truth: int | None = None) -> None:
        """Learn from hearing whether `choice` was right for `x`, now or much later.

        `choice` is what `choose` returned, or that of another policy: (label, None, propensity).
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
        x = self._row(x)
        choice = as_choice(choice, self)
        reward, known = as_outcome(self, choice[0], correct, truth)
        self.lock.run(self._update, x, choice, reward, known)

    def _update(self, x: Any, choice: tuple[int, int, float], reward: float, truth: int) -> None:
        wrong = complaint(x, self.n_features, self.missing)
        if wrong:
            raise ValueError(f"x: {wrong}")
        if choice[1] == HIDDEN:
            choice = choice[0], self._greedy(x), choice[2]
        self._calls(x).update_locked(x, choice, reward, truth)

    def _greedy(self, x: Any) -> int:
        """Return the greedy label of now."""
        X = (np.array([0, len(x[0])]), *x) if isinstance(x, tuple) else x[None]
        s = np.empty((1, self.n_classes))
        self.kernels.score(X, s, self.model())
        return int(s[0].argmax())

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
                for start, stop in paced(len(labels), self.lock):
                    log = kept[-1].part(start, stop) if trace else Trace.empty(stop - start)
                    self.lock.run(
                        self.kernels.play, between(rows, start, stop), labels[start:stop],
                        self.full_information, self.labels, *log, done, self.choosing,
                        self.updating, self.model(),
                    )  # fmt: skip
                    if progress:
                        progress(int(done[0]), int(done[1]))
        except KeyboardInterrupt as interrupt:
            interrupt.trace = _played(kept, done, trace)  # type: ignore[attr-defined] # ours to add
            raise
        return _played(kept, done, trace)

    def learn(self, X: Any, trace: Any, y: Any = None) -> None:
        """Learn from logged choices and their outcomes, in their order.

        The choices of another policy have no greedy label: `trace.greedy` is None, or -1 where
        there is none. `y`, the true labels, is for fully informed learners alone.
        """
        log, reward, truth = as_outcomes(self, trace, y)
        n = len(log.label)
        kernel = self.kernels.learn if (log.greedy >= 0).all() else self.kernels.learn_off_policy
        if getattr(X, "n_rows", None) not in (None, n) or np.shape(X)[:1] not in ((), (n,)):
            raise ValueError(f"X must have {n} rows, as the trace has")
        first = 0
        for rows, _ in self._examples(X, None):
            if first + count(rows) > n:
                raise ValueError(f"X has more than the {n} rows of the trace")
            for start, stop in paced(count(rows), self.lock):
                part = slice(first + start, first + stop)
                self.lock.run(
                    kernel, between(rows, start, stop), *(a[part] for a in log[:3]), reward[part],
                    truth[part], self.updating, self.model(),
                )  # fmt: skip
            first += count(rows)
        if first < n:
            raise ValueError(f"X has only {first} rows, the trace has {n}; those were learnt from")

    def scores(self, X: Any) -> np.ndarray:
        """Return the k scores of a row, or of each of many; they change nothing."""
        return self._each(X, self.kernels.score)

    def chances(self, X: Any, among: Any = None) -> np.ndarray:
        """Return, for a row or each of many, the probability with which `choose` takes each label.

        `among` are the labels allowed, or a mask of them.
        """
        among = self.labels if among is None else as_among(among, self.n_classes)
        return self._each(X, self.kernels.chance, among)

    def predict(self, X: Any) -> np.ndarray:
        """Return the greedy label of a row, or of each of many: no exploration, no change."""
        return self.scores(X).argmax(axis=-1)

    def _row(self, x: Any) -> Any:
        x = as_row(x, self.n_features)
        return as_dense_row(x, self.n_features, self.missing) if self.dense_rows else x

    def _calls(self, x: Any) -> Calls:
        return self.sparse_calls if isinstance(x, tuple) else self.dense_calls

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
        if hasattr(X, "check_schema"):  # a Stream
            X.check_schema(self)
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
        if is_row(X):
            x = self._row(X)
            wrong = complaint(x, self.n_features, self.missing)
            if wrong:
                raise ValueError(f"x: {wrong}")
            rows = (np.array([0, len(x[0])]), *x) if isinstance(x, tuple) else x[None]
            return self._filled(rows, kernel, *among)[0]
        parts = [self._filled(rows, kernel, *among) for rows, _ in self._converted(X, None, False)]
        if not parts:
            raise ValueError("X is empty: it has no rows")
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def _filled(self, rows: Any, kernel: Any, *among: np.ndarray) -> np.ndarray:
        out = np.empty((count(rows), self.n_classes))
        for start, stop in paced(len(out), self.lock):
            some = between(rows, start, stop)
            self.lock.run(kernel, some, *among, out[start:stop], self.model())
        return out


def _played(kept: list[Trace], done: np.ndarray, trace: bool) -> Trace | Tally:
    rounds, correct = (int(n) for n in done)
    return Trace.joined(kept).part(0, rounds) if trace else Tally(rounds, correct)
