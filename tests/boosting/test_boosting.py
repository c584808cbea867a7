"""What boosters do beyond the contracts: votes, Hedge, steps, and what weak learners are taught."""

from copy import deepcopy

import numpy as np
import pytest

from onearm import AdaBandit, AdaBoostOLM, BanditBBM, BinBandit, OnlineMBBM
from onearm.boosting.partitions import n_entries
from onearm.boosting.potential import longest, potential
from onearm.checks.trial import bits, rows, same_trace
from tests.cases import FEW

BOOSTERS = [AdaBandit, AdaBoostOLM, BanditBBM, OnlineMBBM, BinBandit]
X = np.eye(3)


class Parrot:
    """A weak learner that always predicts the same label."""

    def __init__(self, label):
        self.label, self.examples = label, []

    def predict_one(self, x):
        return self.label

    def learn_one(self, x, y, w):
        self.examples.append((y, w))


def parrots(*labels, **params):
    """An AdaBandit of k = 4 labels whose weak learner i predicts labels[i]."""
    left = list(labels)
    params = {"step": "paper", "weight_scale": 1.0} | params
    learner = AdaBandit(4, 3, len(labels), weak=lambda: Parrot(left.pop(0)), **params)
    learner.vote_weights[:] = 0.5 + np.arange(len(labels))  # each outvotes those before it
    return learner


def expert_chances(learner):
    v = np.exp(learner.log_expert_weights - learner.log_expert_weights.max())
    return v / v.sum()


def test_experts_are_the_partial_votes():
    learner = parrots(0, 1, 2, rho=0.01)
    np.testing.assert_allclose(learner.scores(X), [[1 / 3, 1 / 3, 1 / 3, 0]] * 3)
    assert {learner.choose(X[0]).greedy for _ in range(60)} == {0, 1, 2}
    learner.log_expert_weights[:] = [-1e4, 0.0, -1e4]
    np.testing.assert_allclose(learner.scores(X), [[0, 1, 0, 0]] * 3)
    np.testing.assert_allclose(learner.chances(X)[0], [0.01 / 3, 0.99, 0.01 / 3, 0.01 / 3])
    assert {learner.choose(X[0]).greedy for _ in range(20)} == {1}


def test_experts_pay_what_their_label_lost():
    """Explored and right, k = 4: l̂ is 3/ρ for labels that are neither the truth nor greedy."""
    learner = parrots(0, 1, 2, rho=0.5)
    learner.update(X[0], (1, 0, 0.5 / 3), True)
    np.testing.assert_allclose(learner.log_expert_weights, [0, 0, -6])
    learner.update(X[0], (2, 2, 0.5), False)  # greedy and wrong: 1/(1-ρ) for it alone
    np.testing.assert_allclose(learner.log_expert_weights, [0, 0, -8])
    learner.update(X[0], (1, 1, 0.5), True)  # greedy and right: 1/(1-ρ) for all others
    np.testing.assert_allclose(learner.log_expert_weights, [-2, 0, -10])
    learner.update(X[0], (3, 1, 0.5 / 3), False)  # explored and wrong: nothing is known
    np.testing.assert_allclose(learner.log_expert_weights, [-2, 0, -10])


def test_an_expert_that_was_hit_is_dead_without_a_share():
    plain, mixed = parrots(0, 1, 2, rho=0.001), parrots(0, 1, 2, rho=0.001, share=0.03)
    for learner in (plain, mixed):
        learner.update(X[0], (1, 0, 0.001 / 3), True)
        for _ in range(50):
            learner.update(X[0], (2, 2, 0.999), True)  # from now on expert 2 alone is right
    assert expert_chances(plain)[2] == 0.0
    assert expert_chances(mixed)[2] > 0.9
    assert (expert_chances(mixed) >= 0.01 * (1 - 1e-12)).all()


@pytest.mark.parametrize("share", [0.0, 0.01])
@pytest.mark.parametrize("step", ["paper", "adaptive"])
def test_hits_after_little_exploration_leave_everything_finite(step, share):
    """One hit counts (k-1)/ρ = 3000: weights that are no logarithms would be 0/0."""
    learner = AdaBandit(4, 6, rho=0.001, step=step, share=share, **FEW)
    some, labels = rows(learner, 60)
    for t, (x, y) in enumerate(zip(some, labels, strict=True)):
        greedy = int((y + 1 + t % 3) % 4)
        learner.update(x, (int(y), greedy, 0.001 / 3), True)
    assert all(np.isfinite(array).all() for array in learner.content().values())
    assert (np.abs(learner.vote_weights) <= 2).all()
    p = learner.chances(some)
    assert ((p >= 0) & (p <= 1)).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("weak", ["tree", Parrot(0)], ids=["tree", "object"])
@pytest.mark.parametrize("step", ["paper", "adaptive"])
def test_a_gradient_of_zero_makes_no_step(step, weak):
    """Explored and wrong before any vote: every g is 1 and the slope is 0, so are its squares."""
    weak = weak if isinstance(weak, str) else lambda: Parrot(0)
    learner = AdaBandit(4, 3, rho=0.5, step=step, **FEW | {"weak": weak})
    learner.update(X[0], (1, 0, 0.5 / 3), False)
    assert not learner.vote_weights.any()
    assert not learner.squared_gradients.any()
    learner.update(X[0], (0, 0, 0.5), True)
    assert learner.vote_weights[0] > 0


def test_a_weight_of_nothing_teaches_nothing():
    """Explored and wrong at s = 0: all costs are 0."""
    learner = parrots(1, 1, rho=0.5)
    learner.vote_weights[:] = 0
    learner.update(X[0], (1, 0, 0.5 / 3), False)
    assert [weak.model.examples for weak in learner.learners.learners] == [[], []]
    learner.update(X[0], (1, 1, 0.5), True)
    taught = [weak.model.examples for weak in learner.learners.learners]
    assert taught[0] == [(1, pytest.approx(4 * 3 / 2 / 0.5, abs=0.1))]  # k(k-1)/2 over 1-ρ


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("cls", BOOSTERS)
def test_the_unit_is_the_first_right_answer(cls, k):
    """For a label chosen with probability 1; what exploring adds, 1/(1-ρ), is left out."""
    parrot = Parrot(0)
    explores = {} if cls.full_information else {"rho": 1e-9}
    learner = cls(k, 3, n_learners=5, weak=lambda: parrot, **explores)
    learner.update(X[0], (1, 1, 1.0), True, 1 if cls.full_information else None)
    first = next(w for y, w in parrot.examples if y == 1)
    assert first == pytest.approx(1, abs=0.011 * k)  # costs are rounded to hundredths
    assert set(learner.scale) == {1 / learner.first_weight()}


def test_the_target_is_the_truth_or_the_cheapest():
    """Explored and right with k = 3, ρ = .1: the vote before makes the greedy label cheapest."""
    for target, label in (("truth", 1), ("cheapest", 0)):
        first, second = Parrot(0), Parrot(0)
        both = iter((first, second))
        learner = AdaBandit(3, 3, 2, rho=0.1, target=target, weak=lambda both=both: next(both))
        learner.vote_weights[0] = 1.0
        learner.update(X[0], (1, 0, 0.05), True)
        assert [y for y, _ in first.examples] == [
            1
        ]  # before any vote both are, and the truth is taken
        assert [y for y, _ in second.examples] == [label]


def test_binary_votes_stay_finite_after_a_hit():
    """exp(η h/p) with p = ρ/(k-1) is beyond the largest number, or below the smallest."""
    for correct, surprise in ((False, True), (True, False)):
        learner = BinBandit(4, 3, rho=0.001, eta=0.3, others=False, **FEW)
        for _ in range(20):
            learner.update(X[0], (1, 1, 0.999), correct)
        learner.update(X[0], (1, 0, 0.001 / 3), surprise)
        assert np.isfinite(learner.vote_weights).all()
        np.testing.assert_allclose(learner.vote_weights.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("cls", BOOSTERS)
def test_a_deep_copy_goes_its_own_way(cls):
    learner = cls(4, 6, **FEW)
    some, labels = rows(learner, 100)
    learner.play(some[:60], labels[:60])
    copy, before = deepcopy(learner), bits(learner)
    assert copy == learner
    copy.play(some[60:], labels[60:])
    assert bits(learner) == before != bits(copy)
    learner.play(some[60:], labels[60:])
    assert bits(learner) == bits(copy)


@pytest.mark.parametrize("cls", [BanditBBM, OnlineMBBM])
def test_the_closed_form_teaches_what_the_table_does(cls, monkeypatch):
    form = FEW | {"n_learners": 4, "grace_period": 1.0, "tau": 0.9}
    by_table = cls(4, 6, **form)
    monkeypatch.setattr("onearm.boosting.potential.LARGEST", 20)
    potential.cache_clear()
    with pytest.warns(UserWarning, match="up to n_learners=3"):
        by_form = cls(4, 6, **form)
    potential.cache_clear()
    assert by_form.potential[0].size == 0 < by_table.potential[0].size
    some, labels = rows(by_table, 60)
    assert same_trace(by_table.play(some, labels), by_form.play(some, labels))
    assert by_table.learners.used.max() > 1
    np.testing.assert_allclose(by_form.learners.mass, by_table.learners.mass, atol=1e-9)


def test_only_without_a_table_there_is_a_warning(monkeypatch):
    for k, largest in ((2, 15), (4, 48)):
        monkeypatch.setattr("onearm.boosting.potential.LARGEST", largest)
        potential.cache_clear()
        N = longest(k)
        assert (n_entries(k, N), n_entries(k, N + 1)) == {2: (15, 21), 4: (41, 64)}[k]
        assert BanditBBM(k, 6, n_learners=N, weak="linear").potential[0].size > 0
        with pytest.warns(UserWarning, match=f"up to n_learners={N}"):
            OnlineMBBM(k, 6, n_learners=N + 1, weak="linear")
    potential.cache_clear()


@pytest.mark.compiled
def test_many_learners_need_no_table():
    """Beyond the largest table potentials are computed as they are needed, with a warning."""
    message = "n_classes=26.*n_learners=60.*no table.*about 2 ms.*up to n_learners=47"
    with pytest.warns(UserWarning, match=message):
        learner = BanditBBM(26, 6, n_learners=60, max_bytes=2**24)
    assert learner.potential[0].size == 0
    some, labels = rows(learner, 20)
    trace = learner.play(some, labels)
    assert ((trace.propensity > 0) & (trace.propensity <= 1)).all()


def test_a_first_weight_that_is_nothing_is_refused_by_name():
    with pytest.raises(ValueError, match=r"weight_scale must be a number .* n_learners=500 would"):
        BanditBBM(4, 2, n_learners=500, gamma=0.99)
