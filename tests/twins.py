"""The plain twin of a learner, and how the two are compared, round by round."""

from importlib import import_module

import numpy as np
import pytest

import onearm
from onearm import seeded
from onearm.core.rng import poisson

K, D, ROUNDS = 5, 6, 150
NOMINAL = (0, 3, 0, 4, 0, 2)


def examples(seed, n=ROUNDS):
    rng = np.random.default_rng(seed)
    U = rng.normal(size=(D, K))
    X = rng.normal(size=(n, D))
    X[::20] = 0.0  # a row of nothing must not break anything
    y = np.where(rng.random(n) < 0.1, rng.integers(0, K, n), (X @ U).argmax(axis=1))
    return X, y


def nominal_examples(seed, missing):
    """Columns 1, 3 and 5 hold codes, now and then one that is none; some entries are missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * ROUNDS, D))
    for j in (1, 3, 5):
        X[:, j] = rng.integers(0, NOMINAL[j], len(X))
        odd = rng.random(len(X)) < 0.1
        X[odd, j] = rng.choice([-1.0, 0.5, 9.0, 1e6], odd.sum())
    y = (np.where(X[:, 0] < X[:, 2], X[:, 3], X[:, 1]) % K).astype(int)
    y = np.where(rng.random(len(X)) < 0.1, rng.integers(0, K, len(X)), y)
    X[(rng.random(X.shape) < 0.1) & missing] = np.nan
    X[::50] = np.nan if missing else 0.0
    return X, y


def reference(learner):
    name = type(learner).__name__
    module = import_module(f"tests.reference.{onearm.LEARNERS[name].rsplit('.', 1)[1]}")
    away = RENAMED_AWAY if learner.random_greedy else {*RENAMED_AWAY, "seed"}
    params = {key: v for key, v in learner.params().items() if key not in away}
    renamed = {RENAMED.get((name, key), key): v for key, v in params.items()}
    if "eta" in params and not params["eta"] and not learner.random_greedy:
        renamed["eta"] = learner.model()[0][-1]
    if params.get("weight_scale") == "unit":
        renamed["weight_scale"] = learner.scale[0]  # test_boosting shows that it is right
    extra = {"eager": False} if name == "SLB" else {}
    if name == "Chorus":  # what was drawn; test_chorus shows what it is good for
        extra = {"signs": learner.signs, "scale": learner.scale, "shift": learner.shift}
    if name == "OffsetTree" and learner.explore:
        renamed |= {"explore": "sqrt", "c": learner.explore}
    elif name == "OffsetTree":
        renamed["explore"] = "none"
    return getattr(module, name)(learner.n_classes, learner.n_features, **renamed, **extra)


RENAMED_AWAY = {"n_classes", "n_features", "max_bytes"}
RENAMED = {("InverseGap", "scale"): "gamma_scale", ("InverseGap", "exponent"): "gamma_exponent"}


def draws(learner):
    """What the next update of the twin draws from, or the draws themselves."""
    if isinstance(learner, onearm.Bag):
        rng = learner.updating.copy()
        return ([poisson(1.0, rng) for _ in range(learner.n_bags)],)
    return (learner.updating.copy(),) if learner.random_greedy else ()


def compare_a_round(learner, naive, x, y, t, reward=None):
    estimate = 1e-7 if learner.estimated_propensity else 0.0
    np.testing.assert_allclose(learner.scores(x[None])[0], naive.scores(x), *nearly(learner))
    p = naive.chances(x)
    if tied(learner, naive, x):
        p = learner.chances(x[None])[0]
    else:
        np.testing.assert_allclose(learner.chances(x[None])[0], p, 1e-7, 1e-9 + estimate)
    if learner.random_greedy:
        among = [0, 2, 3] if t % 5 == 4 else None
        choice = learner.choose(x, among, seeded(t))
        assert choice == pytest.approx(naive.choose(x, among, seeded(t)), rel=1e-12)
    else:
        choice = learner.choose(x)
        assert choice.greedy == np.argmax(learner.scores(x[None])[0])
        assert choice.propensity == pytest.approx(p[choice.label], rel=1e-7, abs=1e-9 + estimate)
    correct = choice.label == y
    truth = y if correct or learner.full_information else None
    heard = (float(correct), truth) if reward is None else (reward, None)
    naive.update(x, *choice, *heard, *draws(learner))
    told = y if learner.full_information else None
    learner.update(x, choice, correct if reward is None else reward, told)


def tied(learner, naive, x):
    """Whether counts alone speak and leave two classes alike: then rounding says which is first."""
    if not isinstance(learner, onearm.HoeffdingTree) or learner.observer == "gaussian":
        return False
    second, first = np.sort(naive.scores(x))[-2:]
    return learner.leaves == "bayes" and first - second < 1e-9


def compare_states(learner, naive):
    """Beyond the scores: what boosters have besides weak learners, and that trees have grown."""
    if isinstance(learner, onearm.BinBandit | onearm.AdaBandit | onearm.AdaBoostOLM):
        np.testing.assert_allclose(learner.alpha, naive.alpha, 1e-7, 1e-9)
    if isinstance(learner, onearm.AdaBandit | onearm.AdaBoostOLM):
        np.testing.assert_allclose(learner.logv, naive.logv, 1e-7, 1e-9)
    if isinstance(learner, onearm.Chorus):
        compare_choruses(learner, naive)
    trees = getattr(learner, "trees", getattr(learner, "learners", None))
    if hasattr(trees, "used"):
        children = trees.used[:, 0] - 1
        late = learner.observer == "histogram" or getattr(learner, "weak", "tree") == "stump"
        assert children.max() >= (2 if late else 6)


def compare_choruses(learner, naive):
    own, bold, variances = learner.W.transpose(1, 0, 2)
    learnt = [own, bold, variances, learner.P, learner.top]
    same = [naive.own, naive.bold, naive.var, naive.P, [naive.top]]
    for ours, theirs in zip(learnt, same, strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-7, 1e-9)
    E, G, before = naive.echo or (np.zeros(learner.E.shape), np.zeros(learner.G.shape), [])
    learnt = [learner.S, learner.b, learner.c, learner.change, learner.E, learner.G]
    same = [naive.S, naive.b, naive.c, [naive.change, naive.alarms], E, G]
    for ours, theirs in zip(learnt, same, strict=True):
        np.testing.assert_allclose(ours, theirs, *nearly(learner))
    np.testing.assert_allclose(learner.T.transpose(2, 0, 1), naive.table, 1e-12)
    if not naive.text:
        compare_memories(learner, naive, before)


def compare_memories(learner, naive, before):
    n, means, C = naive.scatter()
    np.testing.assert_array_equal(learner.N, n)
    np.testing.assert_allclose(learner.M, means, 1e-6, 1e-9)
    np.testing.assert_allclose(np.tril(learner.C), np.tril(C), 1e-9, 1e-9)
    np.testing.assert_allclose(learner.A.T, naive.A, 1e-6, 1e-7)
    np.testing.assert_array_equal(learner.kept, [naive.remembered, naive.due])
    for ring, R, Y in zip((naive.memory, before), learner.R, learner.Y, strict=True):
        signed = [label + 1 if right else -(label + 1) for _, label, right in ring]
        np.testing.assert_array_equal(Y, signed + [0] * (len(Y) - len(ring)))
        if ring:
            U = np.array([u for u, _, _ in ring])
            np.testing.assert_allclose(R[0, :, : len(ring)].T, U, 1e-6, 1e-9)
            np.testing.assert_allclose(R[1, :, : len(ring)].T, naive.measured(U), 1e-5, 1e-6)


def nearly(learner):
    """Tolerances: what a Chorus remembers is rounded to seven digits."""
    memory = isinstance(learner, onearm.Chorus) and len(learner.G)
    return (1e-5, 1e-7) if memory else (1e-7, 1e-9)
