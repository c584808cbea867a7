"""Labels that are added to a learner: what each array makes of them."""

import numpy as np
import pytest

import onearm
from onearm.checks.trial import bits, rows, trained
from onearm.chorus.echo import FIRST, FROZEN
from tests.cases import FORMS, ids, make

GROWING = [case for case in ids() if not make(case, 3, 4).fixed_labels]


def test_trees_and_boosters_refuse_with_the_reason():
    refusing = {case.split("-")[0] for case in ids()} - {case.split("-")[0] for case in GROWING}
    boosters = {name for name, forms in FORMS.items() if "n_learners" in forms[0]}
    assert refusing == {"OffsetTree", "HoeffdingTree"} | boosters
    with pytest.raises(ValueError, match="labels cannot be added to OffsetTree: its nodes are"):
        onearm.OffsetTree(4, 6).with_labels(5)


@pytest.mark.parametrize("case", [case for case in GROWING if "Chorus" not in case])
def test_scores_of_old_labels_keep_their_bits(case):
    learner = trained(make(case, 4, 6))
    X, _ = rows(learner, 20, seed=2)
    grown = learner.with_labels(7)
    assert np.array_equal(grown.scores(X)[:, :4], learner.scores(X))
    assert bits(learner.with_labels(4)) == bits(learner)


@pytest.mark.parametrize("case", GROWING)
def test_a_new_learner_with_more_labels_is_one_that_was_made_with_them(case):
    assert bits(make(case, 3, 4).with_labels(5)) == bits(make(case, 5, 4))


def test_new_labels_of_matrices_start_at_the_regulariser():
    for learner in (onearm.LinUCB(2, 3, lam=0.5), onearm.SOBA(2, 3, diagonal=False, a=0.5)):
        X, y = rows(learner, 30)
        learner.play(X, y)
        A = learner.with_labels(3).second_order
        new = A[2] if A.ndim == 3 else A[:, 2, :, 2]
        assert np.array_equal(new, 2.0 * np.eye(3))
        if A.ndim == 4:
            assert not A[:, 2, :, :2].any()
            assert not A[:, :2, :, 2].any()
            assert np.array_equal(A[:, :2, :, :2], learner.second_order)


def test_the_labels_of_every_bag_stay_in_their_bag():
    learner = trained(onearm.Bag(3, 4, n_bags=2))
    before = learner.weights.reshape(4, 2, 3)
    after = learner.with_labels(5).weights.reshape(4, 2, 5)
    assert np.array_equal(after[:, :, :3], before)
    assert not after[:, :, 3:].any()


def frozen_chorus(k=3):
    """One with a model that was frozen at a drift, made as `freeze` would."""
    learner = trained(onearm.Chorus(k, 4, n_components=16))
    learner.change[FROZEN] = 1.0
    learner.frozen_weights[...] = -1.0  # below the score 0 of labels that it does not know
    learner.frozen_outcomes[np.arange(k), np.arange(k) if k <= 1000 else 0] = FIRST
    return learner


def test_the_frozen_model_of_chorus_does_not_predict_labels_added_since():
    learner = frozen_chorus()
    X, _ = rows(learner, 10, seed=2)
    before, after = learner.scores(X), learner.with_labels(5).scores(X)
    assert np.ptp(after[:, :3] - before, axis=1).max() < 0.1  # by the prior 1/k of its outcomes
    grown = learner.with_labels(5)
    for x in X:
        grown.update(x, grown.choose(x), False)
    assert not grown.frozen_outcomes[3:].any()
    assert grown.frozen_outcomes[:3].sum() > learner.frozen_outcomes.sum()


def test_outcomes_of_the_frozen_model_when_labels_become_many(monkeypatch):
    monkeypatch.setattr("onearm.chorus.chorus.FOLLOWED", 4)
    learner = frozen_chorus()
    learner.frozen_outcomes[1, 1] = 5.0, 2.0
    grown = learner.with_labels(6)
    assert grown.frozen_outcomes.shape == (6, 1, 2)
    assert (
        grown.frozen_outcomes[:, 0].tolist()
        == [[FIRST, FIRST], [5.0, 2.0], [FIRST, FIRST]] + [[0.0, 0.0]] * 3
    )


@pytest.mark.parametrize("n_classes", [2, 1, 2.5, "4", None])
def test_fewer_or_no_labels_are_refused(n_classes):
    with pytest.raises(ValueError, match=r"n_classes must be .*, got"):
        onearm.Banditron(3, 4).with_labels(n_classes)
