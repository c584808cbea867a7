"""Learner: choose a label, get right or wrong as feedback, learn.

A learner is a dataclass of parameters and arrays with a few kernels (`assembly` states them); all
that a user calls is derived from these once, here. Nothing is remembered between calls: the choice
carries what is needed, so the answer may come late, out of order, or in another process. Any thread
may call anything at any time (`core.locking`): what is learnt is that of some order of the rounds.
"""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy import ndarray

from onearm.core import saving
from onearm.core.assembly import HIDDEN, Kernels, as_seen, assemble
from onearm.core.calls import DENSE, FLOAT, SPARSE, Calls, CompiledCalls, calls_for_sparse
from onearm.core.choice import (
    Choice,
    Tally,
    Trace,
    as_choice,
    as_outcome,
    as_outcomes,
    class_name,
    plain,
    to_choice,
)
from onearm.core.estimator import Estimator, Progress
from onearm.core.inputs import as_among, as_labels, as_matrix, as_rewards, between, count
from onearm.core.kernels import kernel
from onearm.core.parameters import REQUIRED, flag, option, real, whole
from onearm.core.rng import as_generator, keyed, seeded
from onearm.core.state import copy_labels, generator, state

__all__ = ["Learner", "flag", "kernel", "option", "real", "state", "whole"]


@dataclass
class Learner(Estimator):
    """What every learner has besides its parameters, arrays and kernels."""

    n_classes: int = whole(REQUIRED, 2, doc="Number of labels k; labels are the integers 0 to k-1.")
    n_features: int = whole(REQUIRED, 1, doc="Number of features d.")
    _: KW_ONLY
    seed: int = whole(0, 0, 2**63 - 1, doc="Random seed.")
    choosing: np.ndarray = generator()  # that choosing draws from
    updating: np.ndarray = generator()  # that updating draws from

    kernels: ClassVar[Kernels]
    round: ClassVar[dict[str, Any]]  # the kernels of `assembly` that it brings, by name
    full_information: ClassVar[bool] = False  # a baseline that is shown every true label
    real_rewards: ClassVar[bool] = False  # `correct` may be a reward in [0, 1]
    off_policy: ClassVar[bool] = False  # its update is right for choices of any other policy
    random_greedy: ClassVar[bool] = False  # the greedy label is drawn too: of an expert, at a tie
    estimated_propensity: ClassVar[bool] = False  # the propensity is a numerical estimate
    exploration: ClassVar[str | None] = None  # the parameter that sets how much is explored
    fixed_labels: ClassVar[str | None] = None  # why labels cannot be added, if they cannot
    dense_calls, sparse_calls = CompiledCalls(DENSE), CompiledCalls(SPARSE)  # one round by call
    marks = (
        "full_information", "dense_rows", "missing", "real_rewards", "off_policy", "random_greedy",
        "estimated_propensity", "exploration", "fixed_labels",
    )  # fmt: skip

    def __init_subclass__(cls, **kernels: Any) -> None:
        super().__init_subclass__()
        if kernels:
            cls.round = {"scores": as_seen, **kernels}
            cls.kernels = assemble(saving.name(cls), **kernels)

    def start(self) -> None:
        self.choosing[...], self.updating[...] = seeded(self.seed, 0), seeded(self.seed, 1)
        self.labels = np.arange(self.n_classes)

    def choose(
        self, x: Any, among: Any = None, rng: np.ndarray | None = None,
        key: str | bytes | int | None = None,
    ) -> Choice:  # fmt: skip
        """Choose a label for `x`, exploring.

        `among` are the labels allowed this time, or a mask of them; `rng` a generator
        (`onearm.seeded(n)`) to use in place of the learner's own. With a `key`, as the id of an
        event, the choice is a function of model, row and key: the learner's generator is not used.
        """
        if among is None and rng is None and key is None:
            dense = type(x) is ndarray and x.dtype is FLOAT and x.ndim == 1
            calls = self.dense_calls if dense else calls_for_sparse(self, x)
            chosen = calls.choose(x)
            if chosen[0] >= 0:
                return to_choice(chosen)
        x = self._row(x)
        among = self.labels if among is None else as_among(among, self.n_classes)
        if key is not None and rng is not None:
            raise ValueError("rng and key must not be given together")
        if key is None:
            rng = self.choosing if rng is None else as_generator(rng)
        else:
            rng = keyed(self.seed, key)
        chosen = self.lock.run(self._calls(x).choose_locked, among, rng, x)
        if chosen[0] < 0:
            self._check_row(x)
        return to_choice(chosen)

    def choose_with_chances(self, x: Any, among: Any, key: str | bytes | int) -> tuple:
        """Return what `choose` returns for a key, and what `chances` returns, in half the time."""
        x = self._row(x)
        among = self.labels if among is None else as_among(among, self.n_classes)
        rng, out = keyed(self.seed, key), np.empty(self.n_classes)
        chosen = self.lock.run(self._calls(x).decide_locked, among, rng, out, x)
        if chosen[0] < 0:
            self._check_row(x)
        return to_choice(chosen), out

    def update(self, x: Any, choice: Any, correct: Any, truth: int | None = None) -> None:
        """Learn from the feedback whether `choice` was right for `x`, now or much later.

        `choice` is what `choose` returned, or that of another policy: (label, None, propensity).
        `truth`, the true label, is only for learners with full information.
        """
        if type(choice) is Choice:
            label, greedy, propensity = choice
            if type(label) is int and type(greedy) is int and type(propensity) is float:
                if type(correct) is bool and truth is None and not self.full_information:
                    reward, known = (1.0, label) if correct else (0.0, HIDDEN)
                else:
                    reward, known = as_outcome(self, label, correct, truth)
                dense = type(x) is ndarray and x.dtype is FLOAT and x.ndim == 1
                calls = self.dense_calls if dense else calls_for_sparse(self, x)
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
        self._check_row(x)
        if choice[1] == HIDDEN:  # another policy chose: the greedy label of now
            s = np.empty((1, self.n_classes))
            self.kernels.score(as_matrix(x), s, self.model())
            choice = choice[0], int(s[0].argmax()), choice[2]
        self._calls(x).update_locked(x, choice, reward, truth)

    def play(
        self, X: Any, y: Any = None, *, trace: bool = True, progress: Progress | None = None
    ) -> Any:
        """Choose and update along a stream, with feedback on the chosen label only.

        `y` are the true labels: the feedback is right or wrong. Or y are the rewards of all labels,
        (n, k) in [0, 1]: the feedback is that of the chosen label. Returns the Trace, or with
        `trace=False` a Tally. Ctrl-C keeps what was learnt so far; the KeyboardInterrupt then has
        what would have been returned as its `trace`.
        """
        done = np.zeros(2)

        def play(rows: Any, labels: np.ndarray, log: Any) -> None:
            self.lock.run(
                self.kernels.play, rows, labels, self.full_information, self.labels,
                *(log or empty(labels)), done, self.choosing, self.updating,
                self.model(),
            )  # fmt: skip

        def result(logs: list[Trace]) -> Trace | Tally:
            rounds = int(done[0])
            return Trace.joined(logs).part(0, rounds) if trace else Tally(rounds, plain(done[1]))

        def empty(answers: np.ndarray) -> Trace:
            return Trace.empty(len(answers), bool if answers.ndim == 1 else float)

        room = empty if trace else lambda answers: None
        report = progress and (lambda rounds, total: progress(rounds, plain(total)))
        return self._run(X, y, self._answers, play, room, done, report, result)

    def learn(self, X: Any, trace: Any = None, y: Any = None) -> None:
        """Learn from logged choices and their outcomes, in their order.

        `X` is an `onearm.Log`, or the rows of a `trace`. The choices of another policy have no
        greedy label: `trace.greedy` is None, or -1 where there is none; those of a Log count as
        such. `y`, the true labels, is only for learners with full information.
        """
        if trace is None:
            self._learn_log(X)
            return
        log, reward, truth = as_outcomes(self, trace, y)
        n = len(log.label)
        kernel = self.kernels.learn if (log.greedy >= 0).all() else self.kernels.learn_off_policy
        if getattr(X, "n_rows", None) not in (None, n) or np.shape(X)[:1] not in ((), (n,)):
            raise ValueError(f"X must have {n} rows, as the trace has")
        first = 0
        for rows, _ in self._examples(X):
            if first + count(rows) > n:
                raise ValueError(f"X has more than the {n} rows of the trace")
            for part in self.lock.parts(count(rows)):
                some = between(rows, part.start, part.stop)
                given = (a[first:][part] for a in (*log[:3], reward, truth))
                self.lock.run(kernel, some, *given, self.updating, self.model())
            first += count(rows)
        if first < n:
            raise ValueError(f"X has only {first} rows, the trace has {n}; those were learnt from")

    def _learn_log(self, log: Any) -> None:
        """Learn from a Log, and remember up to which event: it can be judged on later ones."""
        if not hasattr(log, "examples"):
            raise ValueError(
                "trace must be arrays (label, greedy, propensity, correct): X is no Log"
            )
        for rows, trace in log.examples(self):
            self.learn(rows, trace)
        vars(self)["trained_on"] = log.learnt(self.trained_on)

    def scores(self, X: Any) -> np.ndarray:
        """Return the k scores of a row, or of each of many; they change nothing."""
        return self._by_row(X, self.kernels.score, self.n_classes)

    def chances(self, X: Any, among: Any = None) -> np.ndarray:
        """Return, for a row or each of many, the probability with which `choose` takes each label.

        `among` are the labels allowed, or a mask of them.
        """
        among = self.labels if among is None else as_among(among, self.n_classes)
        return self._by_row(X, self.kernels.chance, self.n_classes, among)

    def predict(self, X: Any) -> np.ndarray:
        """Return the greedy label of a row, or of each of many: no exploration, no change."""
        return self.scores(X).argmax(axis=-1)

    def with_labels(self, n_classes: int) -> Self:
        """Return a copy that has more labels; the new ones start as all labels do.

        >>> from onearm import LinUCB
        >>> learner = LinUCB(n_classes=2, n_features=3)
        >>> learner.update([0.0, 1.0, 0.0], learner.choose([0.0, 1.0, 0.0]), True)
        >>> learner.with_labels(4).scores([0.0, 1.0, 0.0])
        array([0.5, 0. , 0. , 0. ])
        """
        if self.fixed_labels:
            raise ValueError(f"labels cannot be added to {class_name(self)}: {self.fixed_labels}")
        grown = type(self)(**self.params() | {"n_classes": n_classes})
        if grown.n_classes < self.n_classes:
            raise ValueError(f"n_classes must be at least {self.n_classes}, got {n_classes}")
        self.lock.run(self._copy_labels, grown)
        if self.schema is not None:  # whose labels have no names now
            vars(grown)["schema"] = self.schema.with_labels(())
        return grown

    def _copy_labels(self, grown: Self) -> None:
        copy_labels(self, grown)
        for old, new in zip(self.parts, grown.parts, strict=True):
            copy_labels(old, new)

    def _calls(self, x: Any) -> Calls:
        return self.sparse_calls if isinstance(x, tuple) else self.dense_calls

    def _examples(self, X: Any, y: Any = None, targets: Any = None) -> Iterator[tuple[Any, Any]]:
        if getattr(X, "n_classes", 0) > self.n_classes:
            sizes = f"{X.n_classes} classes, {class_name(self)} has {self.n_classes}"
            raise ValueError(f"the stream {X.name} has {sizes}")
        return super()._examples(X, y, targets)

    def _answers(self, y: Any, n: int, first: int) -> np.ndarray:
        if np.ndim(y) != 2:
            return as_labels(y, self.n_classes, n, first=first)
        if not self.real_rewards:
            expected = "labels, one for each row: it learns from right or wrong, not from rewards"
            raise ValueError(f"y must be {expected}, for {class_name(self)}")
        return as_rewards(y, self.n_classes, n, first)
