"""Every learner equals, round by round, the plain implementation written from the papers."""

from importlib import import_module

import numpy as np
import pytest
from scipy.sparse import csr_array

import onearm
from onearm import seeded
from onearm.rng import poisson
from tests.cases import ASIDE, EAGER, FEW, FORMS, PLAIN, ids, learner_class, make

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
    away = RENAMED_AWAY if learner.drawn_greedy else {*RENAMED_AWAY, "seed"}
    params = {key: v for key, v in learner.params().items() if key not in away}
    renamed = {RENAMED.get((name, key), key): v for key, v in params.items()}
    if "eta" in params and not params["eta"] and not learner.drawn_greedy:
        renamed["eta"] = learner.model()[-1]
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
    return (learner.updating.copy(),) if learner.drawn_greedy else ()


@pytest.mark.parametrize("case", ids())
@pytest.mark.parametrize("rewards", ["right or wrong", "in between"])
def test_equals_reference(case, rewards):
    learner = make(case, K, D, seed=1)
    if rewards == "in between" and not learner.real_rewards:
        with pytest.raises(ValueError, match="correct must be"):
            learner.update(np.ones(D), learner.choose(np.ones(D)), 0.5)
        return
    naive = reference(learner)
    for t, (x, y) in enumerate(zip(*examples(seed=2), strict=True)):
        reward = None if rewards == "right or wrong" else (t % 7) / 7
        compare_a_round(learner, naive, x, int(y), t, reward)
    compare_states(learner, naive)


def compare_a_round(learner, naive, x, y, t, reward=None):
    estimate = 1e-7 if learner.estimated_propensity else 0.0
    np.testing.assert_allclose(learner.scores(x[None])[0], naive.scores(x), *nearly(learner))
    p = naive.chances(x)
    if tied(learner, naive, x):
        p = learner.chances(x[None])[0]
    else:
        np.testing.assert_allclose(learner.chances(x[None])[0], p, 1e-7, 1e-9 + estimate)
    if learner.drawn_greedy:
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


def test_chorus_with_nominal_columns_and_missing_values():
    learner = onearm.Chorus(K, D, nominal=NOMINAL, waves=64, seed=3)
    naive = reference(learner)
    X, y = nominal_examples(4, missing=True)
    for t, (x, label) in enumerate(zip(X[:120], y, strict=False)):
        compare_a_round(learner, naive, x, int(label), t)
    compare_states(learner, naive)


@pytest.mark.compiled
def test_chorus_with_many_numbers():
    """More than are remembered: they are folded, and the measure is made three times."""
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, 70)
    X = rng.normal(size=(70, 150)) + 3 * rng.normal(size=(3, 150))[y]
    learner = onearm.Chorus(3, 150, waves=64, seed=3)
    naive = reference(learner)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        compare_a_round(learner, naive, x, int(label), t)
    assert naive.due > int(1.3 * (int(1.3 * 20) + 10)) + 10  # at 20, 36 and later
    compare_states(learner, naive)


@pytest.mark.compiled
def test_chorus_remembers_the_last_rows_only():
    """Where labels are noise, most rows surprise: soon there are more than there is room for."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(600, D))
    y = np.where(rng.random(600) < 0.5, rng.integers(0, 3, 600), X[:, :3].argmax(axis=1))
    learner = onearm.Chorus(3, D, waves=64, seed=3)
    naive = reference(learner)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        compare_a_round(learner, naive, x, int(label), t)
    assert naive.remembered > 300 > len(naive.memory) == 256
    compare_states(learner, naive)


@pytest.mark.parametrize("nominal", [(), (0,) * 597 + (3, 500, 4)])
def test_chorus_with_texts(nominal):
    """Sparse rows of more than a thousand numbers, now and then without any."""
    d = len(nominal) or 1100
    rng = np.random.default_rng(7)
    X = rng.poisson(rng.exponential(0.02, d), (150, d)) * rng.choice([1.0, -0.5], (150, d))
    X[:, 597:600] += 1.0  # codes, if nominal
    X[:, 598] += rng.integers(0, 510, 150)
    y = np.where(rng.random(150) < 0.1, 0, abs(X[:, :K]).argmax(axis=1))
    X[::20] = 0.0
    X[5:100:9, 590:] = np.nan
    learner = onearm.Chorus(K, d, nominal=nominal, seed=3)
    naive = reference(learner)
    rows = csr_array(X)
    for t in range(len(X)):
        row, x = rows[[t]], X[t]
        np.testing.assert_array_equal(learner.scores(row), learner.scores(x[None]))
        np.testing.assert_allclose(learner.scores(row)[0], naive.scores(x), 1e-7, 1e-9)
        choice = learner.choose(row)
        assert choice == (np.argmax(naive.chances(x)), np.argmax(naive.scores(x)), 1.0)
        correct = choice.label == y[t]
        naive.update(x, *choice, float(correct), None)
        learner.update(row, choice, bool(correct))
    compare_states(learner, naive)


def compare_through_a_change(X, y, change):
    """The alarm rings in both, at the same time, and both hear the same echo."""
    k = y.max() + 1
    learner = onearm.Chorus(k, X.shape[1], waves=64, seed=3)
    naive = reference(learner)
    y = np.where(np.arange(len(y)) < change, y, (y + 1) % k)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        alarms = naive.alarms
        compare_a_round(learner, naive, x, int(label), t)
        assert learner.change[1] == naive.alarms
        assert t >= change or not naive.alarms
        if naive.alarms > alarms:
            due = learner.kept[1]
            compare_states(learner, naive)
    assert learner.change[1] == 1
    compare_states(learner, naive)
    return learner, due


@pytest.mark.compiled
def test_chorus_when_labels_are_exchanged():
    """And go on until the rows of before are measured anew, too."""
    X = np.random.default_rng(8).normal(size=(900, D))
    learner, due = compare_through_a_change(X, X[:, :K].argmax(axis=1), 250)
    assert learner.kept[1] > due
    assert learner.Y.any(axis=1).all()


def test_chorus_when_labels_of_texts_are_exchanged():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 4, 220)
    X = (rng.random((220, 1001)) < 0.003).astype(float)
    X[np.arange(220), 3 * y + rng.integers(0, 3, 220)] = 2.0
    compare_through_a_change(X, y, 150)


@pytest.mark.parametrize(
    ("leaves", "observer"),
    [
        ("adaptive", "gaussian"),
        ("bayes", "gaussian"),
        ("majority", "gaussian"),
        ("bayes", "histogram"),
        ("majority", "histogram"),
    ],
)
def test_trees_with_nominal_columns_and_missing_values(leaves, observer):
    form = EAGER | {"leaves": leaves, "observer": observer, "nominal": NOMINAL}
    learner = onearm.HoeffdingTree(K, D, **form)
    naive = reference(learner)
    for t, (x, y) in enumerate(zip(*nominal_examples(4, missing=True), strict=True)):
        compare_a_round(learner, naive, x, int(y), t)
    compare_states(learner, naive)
    multiway = [node for node in walk(naive.root) if node.children and node.threshold is None]
    assert multiway, "no nominal column was split: the test shows less than it says"


def test_histograms_grow_and_speak():
    """Leaves that have set their bins answer by them, split, and begin anew in the same place."""
    form = EAGER | {"observer": "histogram", "leaves": "bayes", "grace": 60.0}
    learner = onearm.HoeffdingTree(K, D, **form)
    naive = reference(learner)
    answered = 0
    for t, (x, y) in enumerate(zip(*examples(6, n=700), strict=True)):
        answered += naive.route(x).observers is not None and naive.route(x).observers[0].knows()
        compare_a_round(learner, naive, x, int(y), t)
    assert answered > 50
    assert sum(bool(node.children) for node in walk(naive.root)) >= 3


def walk(node):
    yield node
    for child in node.children:
        yield from walk(child)


NOMINAL_FORMS = {
    "AdaBandit": ASIDE | PLAIN | {"target": "cheapest"},
    "AdaBoostOLM": FEW | {"weight_scale": (5.0, 20.0), "leaves": "bayes"},
    "BanditBBM": ASIDE | {"target": "cheapest", "gamma": 0.2, "weight_scale": 5.0},
    "OnlineMBBM": FEW | PLAIN | {"ties": "strict", "leaves": "majority", "observer": "histogram"},
    "BinBandit": ASIDE
    | PLAIN
    | {"n_learners": 2, "leaves": "majority", "eta": 0.01, "others": False},
}


@pytest.mark.parametrize("name", NOMINAL_FORMS)
def test_boosters_with_nominal_columns(name):
    learner = learner_class(name)(K, D, **NOMINAL_FORMS[name], nominal=NOMINAL, seed=3)
    naive = reference(learner)
    for t, (x, y) in enumerate(zip(*nominal_examples(5, missing=False), strict=True)):
        compare_a_round(learner, naive, x, int(y), t)
    compare_states(learner, naive)


def test_every_option_of_a_booster_has_a_form():
    """Each value of each option runs other code somewhere: none is left out."""
    for name in ("HoeffdingTree", *NOMINAL_FORMS):
        forms = [learner_class(name)(K, D, **form).params() for form in FORMS[name]]
        forms += [NOMINAL_FORMS[name]] if name in NOMINAL_FORMS else []
        for option in ("step", "target", "others"):
            if option in forms[0]:
                assert len({form[option] for form in forms if option in form}) == 2, (name, option)
