"""What a learner says and what it hears: Choice, Trace, and their checks."""

from collections.abc import Sequence
from functools import partial
from numbers import Real
from operator import index
from typing import Any, NamedTuple

import numpy as np

from onearm.core.assembly import HIDDEN, LEAST
from onearm.core.inputs import as_array, as_labels
from onearm.core.kernels import COMPILED


class Choice(NamedTuple):
    """What a learner said, with all that must come back for it to learn from the answer."""

    label: int  # ỹ, what it says
    greedy: int  # ŷ, what it would have said had it not explored
    propensity: float  # the probability with which it said `label`


class Trace(NamedTuple):
    """Choices and their outcomes, one array each, one entry per round."""

    label: np.ndarray
    greedy: np.ndarray
    propensity: np.ndarray
    correct: np.ndarray

    @classmethod
    def empty(cls, n: int) -> "Trace":
        """Return room for `n` rounds."""
        return cls(np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n), np.empty(n, bool))

    @classmethod
    def joined(cls, traces: "Sequence[Trace]") -> "Trace":
        """Return traces one after the other; one alone is not copied."""
        if len(traces) < 2:
            return traces[0] if traces else cls.empty(0)
        return cls(*(np.concatenate(arrays) for arrays in zip(*traces, strict=True)))

    def part(self, start: int, stop: int) -> "Trace":
        """Return rounds start … stop-1."""
        return Trace(*(array[start:stop] for array in self))


class Tally(NamedTuple):
    """What remains of a Trace when only counters are kept."""

    rounds: int
    correct: int


def _plain(chosen: tuple) -> Choice:
    label, greedy, propensity = chosen
    return Choice(int(label), int(greedy), float(propensity))


# What a kernel chose as a Choice of plain numbers, which compiled kernels give.
to_choice = partial(tuple.__new__, Choice) if COMPILED else _plain


def as_choice(choice: Any, learner: Any) -> tuple[int, int, float]:
    """Return a choice in the types that kernels take; greedy is HIDDEN if another policy chose."""
    k = learner.n_classes
    try:
        label, greedy, propensity = choice
        foreign = greedy is None
        label, greedy = index(label), HIDDEN if foreign else index(greedy)
        propensity = float(propensity + 0.0)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"choice must be (label, greedy, propensity), got {choice!r}") from None
    if not 0 <= label < k or not (foreign or 0 <= greedy < k):
        wrong = label if not 0 <= label < k else greedy
        raise ValueError(f"the labels of a choice must be in [0, {k - 1}], got {wrong}")
    if not LEAST <= propensity <= 1:
        raise ValueError(f"propensity must be in [{LEAST:g}, 1], got {propensity}")
    if foreign:
        require_off_policy(learner)
    return label, greedy, propensity


def require_off_policy(learner: Any) -> None:
    """Refuse choices of another policy for a learner that can only learn from its own."""
    if not learner.off_policy:
        name = type(learner).__name__
        raise ValueError(
            f"{name} cannot learn from the choices of another policy: its update is right only for "
            "labels that it chose itself (a choice of its own has a greedy label)"
        )


def as_outcome(learner: Any, label: int, correct: Any, truth: Any) -> tuple[float, int]:
    """Return (reward, truth): what was heard about `label`.

    True and False say right and wrong, so the truth is known when they say right. A number is a
    reward and says nothing about the other labels.
    """
    name = type(learner).__name__
    if isinstance(correct, bool | np.bool_):
        reward, known = float(correct), label if correct else HIDDEN
    elif learner.real_rewards and isinstance(correct, Real) and 0 <= float(correct) <= 1:
        reward, known = float(correct), HIDDEN
    else:
        allowed = "True, False or a number in [0, 1]" if learner.real_rewards else "True or False"
        raise ValueError(f"correct must be {allowed} for {name}, got {correct!r}")
    if not learner.full_information:
        if truth is not None:
            raise ValueError(f"{name} hears only right or wrong: truth must not be given")
        return reward, known
    if truth is None:
        raise ValueError(f"{name} learns from full information: truth must be given")
    known = int(as_labels([truth], learner.n_classes, 1, "truth")[0])
    if (known == label) != bool(correct):
        raise ValueError(f"correct is {correct} but label is {label} and truth is {known}")
    return reward, known


def as_greedy(learner: Any, greedy: Any, n: int) -> np.ndarray:
    """Return the greedy labels of a trace, HIDDEN where another policy chose."""
    if greedy is None:
        greedy = np.full(n, HIDDEN)
    foreign = np.asarray(greedy) == HIDDEN
    if foreign.shape == (n,) and foreign.any():
        require_off_policy(learner)
        return np.where(
            foreign, HIDDEN, as_labels(np.where(foreign, 0, greedy), learner.n_classes, n, "greedy")
        )
    return as_labels(greedy, learner.n_classes, n, "greedy")


def as_outcomes(learner: Any, trace: Any, y: Any) -> tuple[Trace, np.ndarray, np.ndarray]:
    """Return a logged trace with its rewards and known truths, all checked."""
    k, name = learner.n_classes, type(learner).__name__
    if not isinstance(trace, tuple | list) or len(trace) != 4 or np.ndim(trace[0]) != 1:
        raise ValueError("trace must be arrays (label, greedy, propensity, correct)")
    label, greedy, propensity, correct = trace
    n = len(label)
    label, greedy = as_labels(label, k, n, "label"), as_greedy(learner, greedy, n)
    propensity = as_array(propensity, np.float64, "propensity").copy()
    correct = np.array(correct)
    if propensity.shape != (n,) or correct.shape != (n,):
        raise ValueError(f"propensity and correct must have {n} entries, as label has")
    fine = (propensity >= LEAST) & (propensity <= 1)
    if not fine.all():
        at = int(fine.argmin())
        raise ValueError(
            f"propensity must be in [{LEAST:g}, 1], got {propensity[at]} in round {at}"
        )
    right = correct.dtype == bool
    if not right and not (learner.real_rewards and correct.dtype.kind in "fiu"):
        raise ValueError(f"correct must be True or False for {name}, got dtype {correct.dtype}")
    if not right and not ((correct >= 0) & (correct <= 1)).all():
        raise ValueError("rewards must be in [0, 1] in every round")
    reward = as_array(correct, np.float64, "correct")
    if not learner.full_information:
        if y is not None:
            raise ValueError(f"{name} hears only right or wrong: y must not be given")
        truth = np.where(correct, label, HIDDEN) if right else np.full(n, HIDDEN)
    else:
        if y is None:
            raise ValueError(f"{name} learns from full information: y must be given")
        truth = as_labels(y, k, n)
        if not np.array_equal(truth == label, correct):
            raise ValueError("correct must say where label equals y")
    return Trace(label, greedy, propensity, correct), reward, truth
