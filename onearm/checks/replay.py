"""Contracts on learning: the same rounds give the same bits, however they are played."""

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from onearm.checks.trial import (
    CheckError,
    answer,
    bits,
    demand,
    fresh,
    rows,
    same_trace,
    steps,
    taught,
)
from onearm.core.assembly import HIDDEN
from onearm.core.choice import Choice, Trace
from onearm.core.kernels import COMPILED, interpreted
from onearm.core.saving import load


def same_seed_same_bits(learner: Any) -> None:
    """Two learners with the same parameters and seed do the same, to the bit."""
    X, y = rows(learner)
    one, other = fresh(learner), fresh(learner)
    demand(same_trace(one.play(X, y), other.play(X, y)), "the choices differ")
    demand(bits(one) == bits(other), "the states differ")


def stepwise_equals_play(learner: Any) -> None:
    """choose and update, row by row, give the bits of play."""
    X, y = rows(learner)
    one, other = fresh(learner), fresh(learner)
    demand(same_trace(one.play(X, y), steps(other, X, y)), "the choices differ")
    demand(bits(one) == bits(other), "the states differ")


def learn_equals_play(learner: Any) -> None:
    """learn over a trace gives the bits of the play that made it, but for one generator."""
    X, y = rows(learner)
    one, other = fresh(learner), fresh(learner)
    other.learn(X, one.play(X, y), y if learner.full_information else None)
    demand(bits(one, "choosing") == bits(other, "choosing"), "the states differ")


def chunks_do_not_matter(learner: Any) -> None:
    """play in pieces, and without a trace, gives the bits of play at once."""
    X, y = rows(learner)
    one, other = fresh(learner), fresh(learner)
    whole = one.play(X, y)
    tallies = [other.play(X[part], y[part], trace=False) for part in (slice(70), slice(70, None))]
    demand(sum(t.correct for t in tallies) == whole.correct.sum(), "the counters differ")
    demand(bits(one) == bits(other), "the states differ")


def compiled_equals_plain(learner: Any) -> None:
    """The compiled kernels give the bits of the same text run by Python."""
    X, y = rows(learner)
    one, other = fresh(learner), fresh(learner)
    trace, log = one.play(X, y), Trace.empty(len(y))
    given = (X, y, learner.full_information, other.labels, *log, np.zeros(2, np.int64))
    interpreted(other.kernels.play)(*given, other.choosing, other.updating, other.model())
    demand(same_trace(trace, log), "the choices differ")
    demand(bits(one) == bits(other), "the states differ")


def save_load_resumes(learner: Any) -> None:
    """A learner that was saved and loaded goes on as if it had never stopped."""
    X, y = rows(learner)
    one = taught(learner)
    with tempfile.TemporaryDirectory() as folder:
        one.save(Path(folder) / "learner")
        other = load(Path(folder) / "learner")
    demand(type(other) is type(one) and other.params() == one.params(), "the parameters differ")
    demand(bits(one) == bits(other), "the loaded state differs")
    demand(same_trace(one.play(X, y), other.play(X, y)), "the choices afterwards differ")
    demand(bits(one) == bits(other), "the states afterwards differ")


def late_feedback_is_taken(learner: Any) -> None:
    """Answers come late, in another order and in another process, with equal result."""
    one = taught(learner)
    X, y = rows(learner, 20)
    asked = [(x, one.choose(x), int(label)) for x, label in zip(X, y, strict=True)]
    if isinstance(getattr(one, one.exploration or "", None), float):  # may change meanwhile
        setattr(one, one.exploration, 0.5 * getattr(one, one.exploration))
    with tempfile.TemporaryDirectory() as folder:
        one.save(Path(folder) / "learner")
        other = load(Path(folder) / "learner")
    for x, choice, label in reversed(asked):
        answer(one, x, choice, label)
        row, said = json.loads(json.dumps([x.tolist(), choice]))
        answer(other, row, said, label)
    demand(bits(one) == bits(other), "the answer was learnt from more than x and the choice")
    demand(all(np.isfinite(a).all() for a in one.content().values()), "the state is not finite")


def other_policies_teach(learner: Any) -> None:
    """Choices of another policy are learnt from, or refused with the reason; late answers taken."""
    X, y = rows(learner)
    rng, n, k = np.random.default_rng(3), len(y), learner.n_classes
    label = rng.integers(0, k, n)
    log = Trace(label, np.full(n, HIDDEN), np.full(n, 1.0 / k), label == y)
    truth = y if learner.full_information else None
    one, other = taught(learner), taught(learner)
    if not learner.off_policy:
        before = bits(one)
        for call in (
            lambda: one.update(X[0], (0, None, 0.5), False, (y[0] or 1) if truth is y else None),
            lambda: one.learn(X, log, truth),
        ):
            try:
                call()
            except ValueError as error:
                demand("of another policy" in str(error), f"it does not say why: {error}")
            else:
                raise CheckError("the choices of another policy are taken")
        demand(bits(one) == before, "the state changed though the choices were refused")
        return
    one.learn(X, log, truth)
    for t in range(n):
        greedy = int(other.predict(X[t]))
        choice = (int(label[t]), greedy if t % 2 else None, 1.0 / k)
        other.update(X[t], choice, bool(log.correct[t]), None if truth is None else int(y[t]))
    demand(bits(one) == bits(other), "learn and update differ, or it has another greedy label")
    demand(all(np.isfinite(a).all() for a in one.content().values()), "the state is not finite")


def rewards_are_taken(learner: Any) -> None:
    """A reward between 0 and 1 is learnt from, one by one and in bulk alike."""
    X, y = rows(learner)
    one, other = fresh(learner), fresh(learner)
    trace: Trace = fresh(learner).play(X, y)._replace(correct=np.linspace(0, 1, len(y)))
    other.learn(X, trace)
    for x, label, greedy, p, reward in zip(X, *trace, strict=True):
        one.update(x, Choice(label, greedy, p), float(reward))
    demand(bits(one) == bits(other), "the states differ")
    demand(not np.array_equal(one.scores(X), fresh(learner).scores(X)), "nothing was learnt")


def shapes_are_fixed(learner: Any) -> None:
    """State is arrays that are never rebound and keep their shape and dtype."""
    one = fresh(learner)
    before = {name: (id(a), a.shape, a.dtype) for name, a in one.arrays().items()}
    demand(before.keys() >= {"choosing", "updating"}, "the two generators must be state")
    one.play(*rows(learner))
    after = {name: (id(a), a.shape, a.dtype) for name, a in one.arrays().items()}
    demand(before == after, "an array was rebound or changed its shape or dtype")
    contiguous = all(a.flags.c_contiguous for a in one.arrays().values())
    demand(contiguous, "state arrays must be C-contiguous to be saved")


def beats_chance(learner: Any) -> None:
    """After an easy stream it predicts with less than half the error of guessing."""
    k, n = (4, 4000) if COMPILED else (2, 200)
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n + 200)
    X = np.eye(k, k + 2)[y] + 0.05 * rng.normal(size=(len(y), k + 2))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    one = fresh(learner, n_classes=k, n_features=k + 2)
    one.play(X[:n], y[:n])
    error = (one.predict(X[n:]) != y[n:]).mean()
    demand(error < 0.5 * (1 - 1 / k), f"its error is {error:.2f}, that of guessing {1 - 1 / k:.2f}")
