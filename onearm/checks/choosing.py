"""Contracts on choosing: propensities are true, hidden labels are not used, no state changes."""

from collections import Counter
from typing import Any

import numpy as np

from onearm.checks.trial import answer, bits, require, rows, same_trace, trained, two_copies
from onearm.core.choice import Choice
from onearm.core.kernels import COMPILED
from onearm.core.rng import seeded

SAMPLES = 4000 if COMPILED else 400
SIGMAS = 5.5  # a count this far off has a chance of 4 in 10⁸; some hundred counts are compared


def choose_is_pure(learner: Any) -> None:
    """choose advances its generator only; scores, chances and predict change nothing."""
    copy = trained(learner)
    X, _ = rows(learner, 20)
    before, choosing = bits(copy), bits(copy, "choosing")
    for t, x in enumerate(X):
        copy.choose(x, rng=seeded(t))
        same = copy.choose(x, key=t) == copy.choose(x, key=t)
        require(same, "the same key gave two choices")
    copy.scores(X), copy.chances(X), copy.predict(X)
    require(bits(copy) == before, "the state changed though a generator or a key was given")
    for x in X:
        copy.choose(x)
    require(bits(copy, "choosing") == choosing, "choose changed more than its generator")


def hidden_labels_are_not_used(learner: Any) -> None:
    """Labels that the feedback does not reveal change neither choices nor state."""
    X, y, first, second = two_copies(learner)
    trace = first.play(X, y)
    k = learner.n_classes
    wrong = (trace.label + 1 + (y - trace.label + k) % k % (k - 1)) % k
    hidden = np.where(trace.correct, y, wrong)
    require((hidden != y).any(), "the check needs a mistake to hide")
    require(same_trace(trace, second.play(X, hidden)), "the choices depend on hidden labels")
    require(bits(first) == bits(second), "the state depends on hidden labels")


def propensities_are_frequencies(learner: Any) -> None:
    """Labels are chosen as often as their propensities and `chances` say."""
    copy = trained(learner)
    X, _ = rows(learner, 3, seed=2)
    subset = list(range(learner.n_classes))[1:]
    exact = 1e-6 if learner.estimated_propensity else 1e-12
    for x, among in [(x, among) for x in X for among in (None, subset)]:
        stated: dict[tuple[int, int], float] = {}  # by (label, greedy)
        counts: Counter[tuple[int, int]] = Counter()
        for i in range(SAMPLES):
            label, greedy, p = copy.choose(x, among, rng=seeded(i, 7))
            counts[label, greedy] += 1
            unique = stated.setdefault((label, greedy), p) == p
            require(unique, "the same choice has two propensities")
        for (label, greedy), count in counts.items():
            n = sum(m for (_, other), m in counts.items() if other == greedy)
            p = stated[label, greedy]
            far = abs(count - n * p) - SIGMAS * (n * p * (1 - p)) ** 0.5 - 4
            require(far <= 0, f"label {label} was chosen {count} times of {n}, with p = {p:.4g}")
        if among is None:
            chances = copy.chances(x[None])[0]
            require(abs(chances.sum() - 1) < max(exact, 1e-9), f"chances sum to {chances.sum()}")
            for (label, _), p in stated.items():
                known = f"chances say {chances[label]}"
                if not learner.random_greedy:
                    require(abs(chances[label] - p) <= exact, f"{known}, choose {p}")
                    continue
                count = sum(m for (other, _), m in counts.items() if other == label)
                mean = SAMPLES * chances[label]
                far = abs(count - mean) - SIGMAS * (mean * (1 - chances[label])) ** 0.5 - 4
                require(far <= 0, f"{known}, label {label} was chosen {count} times of {SAMPLES}")


def among_is_respected(learner: Any) -> None:
    """Only allowed labels are chosen; a single one with certainty."""
    copy = trained(learner)
    X, _ = rows(learner, 30)
    for t, x in enumerate(X):
        allowed = [label for label in range(learner.n_classes) if label % 2 == t % 2]
        choice = copy.choose(x, among=allowed)
        require({choice.label, choice.greedy} <= set(allowed), f"{choice} is not among {allowed}")
        only = t % learner.n_classes
        alone = Choice(only, only, 1.0)
        require(copy.choose(x, among=[only]) == alone, f"a single label must give {alone}")
        answer(copy, x, choice, choice.label)


def predict_is_greedy(learner: Any) -> None:
    """predict is the largest score, and the greedy label of choose."""
    copy = trained(learner)
    X, _ = rows(learner, 30)
    greedy = [copy.choose(x).greedy for x in X]
    require(np.array_equal(copy.predict(X), copy.scores(X).argmax(axis=1)), "predict is not argmax")
    if not learner.random_greedy:
        require(np.array_equal(copy.predict(X), greedy), "greedy is not the prediction")
        return
    for x, label in zip(X, copy.predict(X), strict=True):
        sampled = Counter(copy.choose(x, rng=seeded(i, 7)).greedy for i in range(SAMPLES // 4))
        often = sampled.most_common(1)[0][1]
        far = often - sampled[label] - SIGMAS * (often + sampled[label]) ** 0.5
        require(far <= 0, f"{label} is predicted, but is not the likeliest greedy label: {sampled}")
