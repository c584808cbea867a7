"""Choice and Trace: what a learner chooses and how it came out, and their checks."""

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
    """What a learner chose, with all that must come back for it to learn from the feedback."""

    label: int  # ỹ, the chosen label
    greedy: int  # ŷ, the label without exploration
    propensity: float  # the probability with which `label` was chosen


class Trace(NamedTuple):
    """Choices and their outcomes, one array each, one entry per round."""

    label: np.ndarray
    greedy: np.ndarray
    propensity: np.ndarray
    correct: np.ndarray  # right or wrong, or the rewards

    @classmethod
    def empty(cls, n: int, kind: type = bool) -> "Trace":
        """Return room for `n` rounds with right or wrong as feedback, or rewards: floats."""
        return cls(np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n), np.empty(n, kind))

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
    correct: float  # rounds that were right, an integer, or the sum of rewards


def plain(total: Any) -> float:
    """Return a number of right choices as an integer, a sum of rewards as it is."""
    return int(total) if total == int(total) else float(total)


def _plain(chosen: tuple) -> Choice:
    return Choice(int(chosen[0]), int(chosen[1]), float(chosen[2]))


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


def class_name(learner: Any) -> str:
    """Return the name of a learner's class in messages: of the learner that is prepared, if any."""
    return type(getattr(learner, "inner", learner)).__name__


def require_off_policy(learner: Any) -> None:
    """Refuse choices of another policy for a learner that can only learn from its own."""
    if not learner.off_policy:
        raise ValueError(
            f"{class_name(learner)} cannot learn from the choices of another policy: its update "
            "is right only for labels that it chose itself (such a choice has a greedy label)"
        )


def require_feedback(learner: Any, truth: Any, what: str) -> None:
    """Refuse true labels for a learner that must not see them, and their lack for the others."""
    name = class_name(learner)
    if learner.full_information and truth is None:
        raise ValueError(f"{name} learns from full information: {what} must be given")
    if not learner.full_information and truth is not None:
        raise ValueError(f"{name} gets only right or wrong as feedback: {what} must not be given")


def as_outcome(learner: Any, label: int, correct: Any, truth: Any) -> tuple[float, int]:
    """Return (reward, truth): the feedback on `label`.

    True and False mean right and wrong, so the truth is known when it is True. A number is a reward
    and means nothing for the other labels.
    """
    if isinstance(correct, bool | np.bool_):
        reward, known = float(correct), label if correct else HIDDEN
    elif learner.real_rewards and isinstance(correct, Real) and 0 <= float(correct) <= 1:
        reward, known = float(correct), HIDDEN
    else:
        allowed = "True, False or a number in [0, 1]" if learner.real_rewards else "True or False"
        raise ValueError(f"correct must be {allowed} for {class_name(learner)}, got {correct!r}")
    require_feedback(learner, truth, "truth")
    if learner.full_information:
        known = int(as_labels([truth], learner.n_classes, 1, "truth")[0])
        if (known == label) != bool(correct):
            raise ValueError(f"correct is {correct} but label is {label} and truth is {known}")
    return reward, known


def as_greedy(learner: Any, greedy: Any, n: int) -> np.ndarray:
    """Return the greedy labels of a trace, HIDDEN where another policy chose."""
    greedy = np.full(n, HIDDEN) if greedy is None else greedy
    foreign = np.asarray(greedy) == HIDDEN
    if foreign.shape != (n,) or not foreign.any():
        return as_labels(greedy, learner.n_classes, n, "greedy")
    require_off_policy(learner)
    labels = as_labels(np.where(foreign, 0, greedy), learner.n_classes, n, "greedy")
    return np.where(foreign, HIDDEN, labels)


def as_outcomes(learner: Any, trace: Any, y: Any) -> tuple[Trace, np.ndarray, np.ndarray]:
    """Return a logged trace with its rewards and known truths, all checked."""
    k = learner.n_classes
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
        got = f"{propensity[fine.argmin()]} in round {fine.argmin()}"
        raise ValueError(f"propensity must be in [{LEAST:g}, 1], got {got}")
    right = correct.dtype == bool
    if not right and not (learner.real_rewards and correct.dtype.kind in "fiu"):
        name, kind = class_name(learner), correct.dtype
        raise ValueError(f"correct must be True or False for {name}, got dtype {kind}")
    if not right and not ((correct >= 0) & (correct <= 1)).all():
        raise ValueError("rewards must be in [0, 1] in every round")
    reward = as_array(correct, np.float64, "correct")
    require_feedback(learner, y, "y")
    truth = np.where(correct, label, HIDDEN) if right else np.full(n, HIDDEN)
    if learner.full_information:
        truth = as_labels(y, k, n)
        if not np.array_equal(truth == label, correct):
            raise ValueError("correct must be True where label equals y, and nowhere else")
    return Trace(label, greedy, propensity, correct), reward, truth
