"""From the kernels of a learner to everything compiled that it needs.

The first part is the contract: the kernels that a learner brings, over flat arguments. `model` is
what its method `model()` returns: state arrays, then hyperparameters. The second part are the
templates into which `bind` puts them.
"""

from typing import Any, NamedTuple

import numpy as np

from onearm.core.kernels import (
    CALL,
    LOOP_WITHOUT_REFCOUNTS,
    ROUND,
    bind,
    kernel,
    kernel_without_refcounts,
)
from onearm.core.vectors import FINE, LARGEST, fault, fits, row

HIDDEN = -1  # the true label, when the feedback does not reveal it
LEAST = 1e-12  # of a propensity: learners that weigh by 1/p stay finite


def look(x, *model) -> Any:
    """Return what choosing and learning both need to know about x. Pure."""


def scores(seen, *model) -> Any:
    """Return k scores; the greedy label is the largest."""


def chances(seen, among, *model) -> Any:
    """Return P(label) for each of the k labels, 0 for those not in `among`."""


def choose(seen, among, rng, *model) -> Any:
    """Return (label, greedy, propensity). May advance the generator, nothing else."""


def update(x, seen, label, greedy, propensity, reward, truth, rng, *model) -> None:
    """Learn in place. `truth` is the true label where it is known, else HIDDEN."""


@kernel
def as_seen(seen, *model):
    """The default `scores`: what was seen are the scores."""
    return seen


@kernel
def copy_into(values, out):
    """To assign an array, Numba compiles an error message about shapes, which takes two seconds."""
    for r in range(len(out)):
        out[r] = values[r]


@kernel_without_refcounts
def outcome(y, t, a, shown):
    """What label a comes to in round t, its reward, and the true label if it becomes known.

    y has the true labels, or the rewards of all labels, (n, k).
    """
    if y.ndim == 2:
        return y[t, a], y[t, a], HIDDEN
    right = a == y[t]
    truth = y[t] if shown or right else HIDDEN  # the one place where labels are hidden
    return right, 1.0 if right else 0.0, truth


def _play(
    X, y, shown, among, label, greedy, propensity, correct, done, choosing, updating, model
):  # fmt: skip
    """`shown`: the learner sees every true label; `done` sums up rounds and rewards."""
    total = 0.0
    for t in range(len(y)):
        x = row(X, t)
        seen = look(x, *model)
        a, g, p = choose(seen, among, choosing, *model)
        p = max(p, LEAST)
        result, reward, truth = outcome(y, t, a, shown)
        update(x, seen, a, g, p, reward, truth, updating, *model)
        label[t], greedy[t], propensity[t], correct[t] = a, g, p, result
        total += reward
    done[0] += len(y)
    done[1] += total


def _learn(X, label, greedy, propensity, reward, truth, updating, model):
    for t in range(len(label)):
        choice = label[t], greedy[t], propensity[t]
        updated(row(X, t), choice, reward[t], truth[t], updating, model)


def _learn_off_policy(X, label, greedy, propensity, reward, truth, updating, model):
    for t in range(len(label)):
        x = row(X, t)
        g = greedy[t]
        if g == HIDDEN:  # another policy chose: the greedy label of now
            g = np.argmax(scores(look(x, *model), *model))
        updated(x, (label[t], g, propensity[t]), reward[t], truth[t], updating, model)


def _score(X, out, model):
    for t in range(len(out)):
        copy_into(scores(look(row(X, t), *model), *model), out[t])


def _chance(X, among, out, model):
    for t in range(len(out)):
        copy_into(chances(look(row(X, t), *model), among, *model), out[t])


def chosen(x, among, rng, model):
    """The arrays of a round come and go in here; what calls it takes and gives numbers."""
    label, greedy, propensity = choose(look(x, *model), among, rng, *model)
    return label, greedy, max(propensity, LEAST)


def decided(x, among, rng, out, model):
    """Choose, and put the probabilities of all labels into `out`."""
    label, greedy, propensity = choose(look(x, *model), among, rng, *model)
    copy_into(chances(look(x, *model), among, *model), out)
    return label, greedy, max(propensity, LEAST)


def updated(x, choice, reward, truth, rng, model):
    """The same of an update."""
    label, greedy, propensity = choice
    update(x, look(x, *model), label, greedy, propensity, reward, truth, rng, *model)


def _choose_one(model, d, missing, busy, among, rng, x):
    """Return the choice; if another thread is busy or the row is bad, one of the label HIDDEN."""
    if busy[0] or not fits(x, d) or fault(x, d, missing, LARGEST) != FINE:
        return HIDDEN, HIDDEN, 0.0
    return chosen(x, among, rng, model)


def _decide_one(model, d, missing, busy, among, rng, out, x):
    """Return the choice as above, with the probabilities of all labels in `out`."""
    if busy[0] or not fits(x, d) or fault(x, d, missing, LARGEST) != FINE:
        return HIDDEN, HIDDEN, 0.0
    return decided(x, among, rng, out, model)


def _update_one(model, d, missing, busy, k, rng, x, choice, reward, truth):
    """Return whether nobody is busy, row and choice can be learnt from, and were."""
    if busy[0] or not fits(x, d) or fault(x, d, missing, LARGEST) != FINE:
        return False
    label, greedy, propensity = choice
    if not (0 <= label < k and 0 <= greedy < k and LEAST <= propensity <= 1.0):
        return False
    updated(x, choice, reward, truth, rng, model)
    return True


class Kernels(NamedTuple):
    """What a learner runs: the loops, and one round cut in two."""

    play: Any
    learn: Any
    learn_off_policy: Any
    score: Any
    chance: Any
    choose: Any
    decide: Any
    update: Any


def assemble(name: str, look, choose, update, chances, scores=as_seen, bind=bind) -> Kernels:
    """Compile everything that the learner called `name` needs, or bind it in another way."""
    chosen_ = bind(chosen, f"{name}.chosen", ROUND, look=look, choose=choose)
    decided_ = bind(decided, f"{name}.decided", ROUND, look=look, choose=choose, chances=chances)
    updated_ = bind(updated, f"{name}.updated", ROUND, look=look, update=update)
    scoring = {"look": look, "scores": scores}
    return Kernels(
        bind(_play, f"{name}.play", look=look, choose=choose, update=update),
        bind(_learn, f"{name}.learn", LOOP_WITHOUT_REFCOUNTS, updated=updated_),
        bind(_learn_off_policy, f"{name}.learn_off_policy", updated=updated_, **scoring),
        bind(_score, f"{name}.score", **scoring),
        bind(_chance, f"{name}.chance", look=look, chances=chances),
        bind(_choose_one, f"{name}.choose", CALL, chosen=chosen_),
        bind(_decide_one, f"{name}.decide", CALL, decided=decided_),
        bind(_update_one, f"{name}.update", CALL, updated=updated_),
    )
