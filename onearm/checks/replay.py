"""Contracts on learning: the same rounds give bit-identical states in every mode."""

import json
from typing import Any

import numpy as np

from onearm.checks import trial
from onearm.checks.trial import bits, fresh, play, require, require_same, rows, trained, two_copies
from onearm.core.assembly import HIDDEN
from onearm.core.choice import Choice, Trace
from onearm.core.kernels import COMPILED, interpreted


def same_seed_same_bits(learner: Any) -> None:
    """Two learners with the same parameters and seed are bit-identical."""
    X, y, first, second = two_copies(learner)
    require_same(first, second, play(first, X, y), play(second, X, y))


def stepwise_equals_play(learner: Any) -> None:
    """choose and update, row by row, are bit-identical to play."""
    X, y, first, second = two_copies(learner)
    require_same(first, second, first.play(X, y), trial.steps(second, X, y))


def learn_equals_play(learner: Any) -> None:
    """learn from a trace is bit-identical to the play that made it, except for one generator."""
    X, y, first, second = two_copies(learner)
    second.learn(X, first.play(X, y), y if learner.full_information else None)
    require(bits(first, "choosing") == bits(second, "choosing"), "the states differ")


def chunked_equals_whole(learner: Any) -> None:
    """play in chunks, and without a trace, is bit-identical to a single play."""
    X, y, first, second = two_copies(learner)
    whole = first.play(X, y)
    tallies = [second.play(X[part], y[part], trace=False) for part in (slice(70), slice(70, None))]
    require(sum(t.correct for t in tallies) == whole.correct.sum(), "the counters differ")
    require(bits(first) == bits(second), "the states differ")


def compiled_equals_plain(learner: Any) -> None:
    """The compiled kernels are bit-identical to the same code run by Python."""
    X, y, first, second = two_copies(learner)
    trace, log = first.play(X, y), Trace.empty(len(y))
    given = (X, y, learner.full_information, second.labels, *log, np.zeros(2, np.int64))
    interpreted(second.kernels.play)(*given, second.choosing, second.updating, second.model())
    require_same(first, second, trace, log)


def save_load_resumes(learner: Any) -> None:
    """A saved and loaded learner resumes as if it had never stopped."""
    X, y = rows(learner)
    copy = trained(learner)
    other = trial.reloaded(copy)
    require(type(other) is type(copy) and other.params() == copy.params(), "the parameters differ")
    require(bits(copy) == bits(other), "the loaded state differs")
    require_same(copy, other, play(copy, X, y), play(other, X, y))


def late_feedback_is_accepted(learner: Any) -> None:
    """Feedback may come late, in another order and in another process, with equal results."""
    copy = trained(learner)
    X, y = rows(learner, 20)
    rounds = [(x, copy.choose(x), int(label)) for x, label in zip(X, y, strict=True)]
    if isinstance(getattr(copy, copy.exploration or "", None), float):  # may change meanwhile
        setattr(copy, copy.exploration, 0.5 * getattr(copy, copy.exploration))
    other = trial.reloaded(copy)
    for x, choice, label in reversed(rounds):
        trial.answer(copy, x, choice, label)
        row, received = json.loads(json.dumps([x.tolist(), choice]))
        trial.answer(other, row, received, label)
    require(bits(copy) == bits(other), "feedback was learnt from more than x and the choice")
    require(all(np.isfinite(a).all() for a in copy.content().values()), "the state is not finite")


def off_policy_learning(learner: Any) -> None:
    """Choices of another policy are learnt from, or refused with the reason."""
    X, y = rows(learner)
    rng, n, k = np.random.default_rng(3), len(y), learner.n_classes
    label = rng.integers(0, k, n)
    log = Trace(label, np.full(n, HIDDEN), np.full(n, 1.0 / k), label == y)
    truth = y if learner.full_information else None
    first, second = trained(learner), trained(learner)
    if not learner.off_policy:
        before = bits(first)
        shown = (y[0] or 1) if truth is y else None
        for method, call in {
            "update": lambda: first.update(X[0], (0, None, 0.5), False, shown),
            "learn": lambda: first.learn(X, log, truth),
        }.items():
            trial.require_refused(call, "of another policy", method)
        require(bits(first) == before, "the state changed though the choices were refused")
        return
    first.learn(X, log, truth)
    for t in range(n):
        greedy = int(second.predict(X[t]))
        choice = (int(label[t]), greedy if t % 2 else None, 1.0 / k)
        second.update(X[t], choice, bool(log.correct[t]), None if truth is None else int(y[t]))
    require(bits(first) == bits(second), "learn and update differ, or it has another greedy label")
    require(all(np.isfinite(a).all() for a in first.content().values()), "the state is not finite")


def rewards_are_accepted(learner: Any) -> None:
    """Rewards in [0, 1] are learnt from, by update, learn and play alike."""
    X, y, first, second = two_copies(learner)
    trace: Trace = fresh(learner).play(X, y)._replace(correct=np.linspace(0, 1, len(y)))
    second.learn(X, trace)
    for x, label, greedy, p, reward in zip(X, *trace, strict=True):
        first.update(x, Choice(label, greedy, p), float(reward))
    require(bits(first) == bits(second), "the states differ")
    require(not np.array_equal(first.scores(X), fresh(learner).scores(X)), "nothing was learnt")
    rewards = np.random.default_rng(4).random((len(X), learner.n_classes))
    earned = first.play(X, rewards).correct
    for t, x in enumerate(X):
        choice = second.choose(x)
        second.update(x, choice, float(rewards[t, choice.label]))
        require(rewards[t, choice.label] == earned[t], "play has other choices or rewards")
    require(bits(first) == bits(second), "the states of play and update differ")


def state_shapes_are_fixed(learner: Any) -> None:
    """State is arrays that are never rebound and keep their shape and dtype."""
    copy = fresh(learner)
    before = {name: (id(a), a.shape, a.dtype) for name, a in copy.arrays().items()}
    require(before.keys() >= {"choosing", "updating"}, "the two generators must be state")
    copy.play(*rows(learner))
    after = {name: (id(a), a.shape, a.dtype) for name, a in copy.arrays().items()}
    require(before == after, "an array was rebound or changed its shape or dtype")
    contiguous = all(a.flags.c_contiguous for a in copy.arrays().values())
    require(contiguous, "state arrays must be C-contiguous to be saved")


def beats_chance(learner: Any) -> None:
    """After an easy stream its error is less than half that of guessing."""
    k, n = (4, 4000) if COMPILED else (2, 200)
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n + 200)
    X = np.eye(k, k + 2)[y] + 0.05 * rng.normal(size=(len(y), k + 2))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    copy = fresh(learner, n_classes=k, n_features=k + 2)
    copy.play(X[:n], y[:n])
    error = (copy.predict(X[n:]) != y[n:]).mean()
    require(error < 0.5 * (1 - 1 / k), f"its error is {error:.2f}, of guessing {1 - 1 / k:.2f}")
