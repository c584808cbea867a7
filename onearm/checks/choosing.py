"""Contracts on choosing: propensities are true, nothing is peeked at, nothing else changes."""

from collections import Counter
from typing import Any

import numpy as np

from onearm.checks.trial import answer, bits, demand, fresh, rows, same_trace, taught
from onearm.core.choice import Choice
from onearm.core.kernels import COMPILED
from onearm.core.rng import seeded

DRAWS = 4000 if COMPILED else 400
SIGMAS = 5.5  # a count this far off has a chance of 4 in 10⁸; some hundred counts are compared


def choose_is_pure(learner: Any) -> None:
    """choose advances its generator and nothing else; looking changes nothing at all."""
    one = taught(learner)
    X, _ = rows(learner, 20)
    before, choosing = bits(one), bits(one, "choosing")
    for t, x in enumerate(X):
        one.choose(x, rng=seeded(t))
    one.scores(X), one.chances(X), one.predict(X)
    demand(bits(one) == before, "the state changed though nothing was to be drawn from it")
    for x in X:
        one.choose(x)
    demand(bits(one, "choosing") == choosing, "choose changed more than its generator")


def nothing_peeked(learner: Any) -> None:
    """Labels that the learner was not told do not change what it does."""
    X, y = rows(learner)
    one, other = fresh(learner), fresh(learner)
    trace = one.play(X, y)
    k = learner.n_classes
    wrong = (trace.label + 1 + (y - trace.label + k) % k % (k - 1)) % k
    hidden = np.where(trace.correct, y, wrong)
    demand((hidden != y).any(), "the check needs a mistake to hide")
    demand(same_trace(trace, other.play(X, hidden)), "the choices depend on hidden labels")
    demand(bits(one) == bits(other), "the state depends on hidden labels")


def propensities_are_frequencies(learner: Any) -> None:
    """How often a label is said is what its propensity and `chances` promise."""
    one = taught(learner)
    X, _ = rows(learner, 3, seed=2)
    some = list(range(learner.n_classes))[1:]
    exact = 1e-6 if learner.estimated_propensity else 1e-12
    for x, among in [(x, among) for x in X for among in (None, some)]:
        promised: dict[tuple[int, int], float] = {}  # by (label, greedy)
        said: Counter[tuple[int, int]] = Counter()
        for i in range(DRAWS):
            label, greedy, p = one.choose(x, among, rng=seeded(i, 7))
            said[label, greedy] += 1
            one_promise = promised.setdefault((label, greedy), p) == p
            demand(one_promise, "the same choice has two propensities")
        for (label, greedy), count in said.items():
            n = sum(m for (_, other), m in said.items() if other == greedy)
            p = promised[label, greedy]
            far = abs(count - n * p) - SIGMAS * (n * p * (1 - p)) ** 0.5 - 4
            demand(far <= 0, f"label {label} was said {count} times of {n}, promised was {p:.4g}")
        if among is None:
            chances = one.chances(x[None])[0]
            demand(abs(chances.sum() - 1) < max(exact, 1e-9), f"chances sum to {chances.sum()}")
            for (label, _), p in promised.items():
                known = f"chances say {chances[label]}"
                if not learner.random_greedy:
                    demand(abs(chances[label] - p) <= exact, f"{known}, choose {p}")
                    continue
                count = sum(m for (other, _), m in said.items() if other == label)
                mean = DRAWS * chances[label]
                far = abs(count - mean) - SIGMAS * (mean * (1 - chances[label])) ** 0.5 - 4
                demand(far <= 0, f"{known}, label {label} was said {count} times of {DRAWS}")


def among_is_kept(learner: Any) -> None:
    """Only allowed labels are said; a single one with certainty."""
    one = taught(learner)
    X, _ = rows(learner, 30)
    for t, x in enumerate(X):
        allowed = [label for label in range(learner.n_classes) if label % 2 == t % 2]
        choice = one.choose(x, among=allowed)
        demand({choice.label, choice.greedy} <= set(allowed), f"{choice} is not among {allowed}")
        only = t % learner.n_classes
        alone = Choice(only, only, 1.0)
        demand(one.choose(x, among=[only]) == alone, f"a single label must give {alone}")
        answer(one, x, choice, choice.label)


def predict_is_greedy(learner: Any) -> None:
    """predict is the largest score, and the greedy label of choose."""
    one = taught(learner)
    X, _ = rows(learner, 30)
    greedy = [one.choose(x).greedy for x in X]
    demand(np.array_equal(one.predict(X), one.scores(X).argmax(axis=1)), "predict is not argmax")
    if not learner.random_greedy:
        demand(np.array_equal(one.predict(X), greedy), "greedy is not what predict says")
        return
    for x, label in zip(X, one.predict(X), strict=True):
        drawn = Counter(one.choose(x, rng=seeded(i, 7)).greedy for i in range(DRAWS // 4))
        often = drawn.most_common(1)[0][1]
        far = often - drawn[label] - SIGMAS * (often + drawn[label]) ** 0.5
        demand(far <= 0, f"predict says {label}, but it is not the likeliest greedy label: {drawn}")
