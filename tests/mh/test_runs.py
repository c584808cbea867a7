"""Defaults: sizes by the data, and how long a run is, by cross-validation."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

import onearm
from onearm.core.saving import save
from onearm.mh import classifier, cross_validation, saved
from onearm.mh.calibration import probabilities
from onearm.mh.classifier import AdaBoostMH
from onearm.mh.cross_validation import divided
from onearm.mh.settings import Settings
from tests.mh.shared_rows import BASES, same_ensemble


def rows(n, noise, seed=0):
    """Rows of two labels by the sum of two columns, a share of them at random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    return X, np.where(rng.random(n) < noise, rng.integers(0, 2, n), y)


def log_loss(p, y):
    return -np.log(np.clip(p[np.arange(len(y)), y], 1e-15, 1)).mean()


@pytest.mark.parametrize(
    ("n", "d", "K", "leaves", "arms"),
    [(100, 1, 2, 7, 1), (20, 5, 2, 4, 1), (49, 100, 2, 5, 1), (14_000, 16, 26, 128, 4),
     (900, 6, 3, 26, 3), (60_000, 784, 10, 128, 8)],
)  # fmt: skip
def test_sizes_follow_from_the_data(n, d, K, leaves, arms):
    sized = Settings().sized(n, n, d, K)
    assert (sized.n_leaves, sized.arms_per_round) == (leaves, arms)
    assert sized.n_rounds == ("auto" if n >= 50 else 100)
    assert Settings("tree").sized(9000, 9000, 6, 3).n_leaves == 21
    given = Settings(n_leaves=5, arms_per_round=7, n_rounds=9)
    assert given.sized(n, n, d, K) == given


@pytest.mark.compiled
def test_noisy_labels_are_boosted_in_many_short_runs():
    X, y = rows(2300, 0.5)
    model = AdaBoostMH(max_rounds=400, random_state=0).fit(X[:300], y[:300])
    single = AdaBoostMH(n_rounds=400, random_state=0).fit(X[:300], y[:300])
    assert model.n_runs_ > 3
    assert single.n_runs_ == 1
    X, y = X[300:], y[300:]
    assert model.score(X, y) > single.score(X, y) + 0.02
    p = model.predict_proba(X)
    assert log_loss(p, y) < log_loss(single.predict_proba(X), y) - 0.02
    f = model.ensemble_.votes_on(X)
    best = min(log_loss(probabilities(f, beta, False), y) for beta in np.geomspace(0.1, 100, 200))
    assert log_loss(p, y) < 1.03 * best


@pytest.mark.compiled
def test_labels_without_noise_are_boosted_in_one_run():
    X, _ = rows(700, 0.0)
    y = (X.sum(axis=1) > 0).astype(int)
    model = AdaBoostMH("stump", max_rounds=200, random_state=0).fit(X[:400], y[:400])
    assert model.n_runs_ == 1
    assert model.score(X[400:], y[400:]) > 0.85


@pytest.mark.parametrize("base", BASES)
def test_each_run_starts_from_the_initial_weights(base, monkeypatch):
    """The product of its losses is the exponential loss of its votes alone."""
    monkeypatch.setattr(classifier, "choose_rounds", lambda *given: (9, 1.0))
    X, y = rows(60, 0.2)
    w = 1.0 + np.arange(60) % 3
    model = AdaBoostMH(base, max_rounds=30, random_state=0).fit(X, y, w)
    assert model.n_runs_ == 3
    assert len(model.alpha_) == 27
    signs = 2.0 * (y[:, None] == np.arange(2)) - 1.0
    for run in range(3):
        f = np.zeros((60, 2))
        model.ensemble_.vote(X, f, 9 * run, 9 * run + 9)
        loss = (w[:, None] / (2 * w.sum()) * np.exp(-3 * f * signs)).sum()
        assert np.prod(model.loss_[9 * run : 9 * run + 9]) == pytest.approx(loss, rel=1e-9)
    assert model.pulls_by_stage_.shape[0] == 3


def test_given_rounds_are_played_as_they_are(monkeypatch):
    monkeypatch.setattr(cross_validation, "Fold", None)
    X, y = rows(80, 0.2)
    assert len(AdaBoostMH(n_rounds=8).fit(X, y).alpha_) == 8
    assert len(AdaBoostMH(max_rounds=12, validation=0.3).fit(X, y).validation_error_) == 12
    few = AdaBoostMH(random_state=0).fit(X[:49], y[:49])
    assert len(few.alpha_) == 100
    warm = AdaBoostMH(n_rounds=5, warm_start=True, random_state=0).fit(X[:49], y[:49])
    same_ensemble(warm.set_params(n_rounds="auto").fit(X[:49], y[:49]), few)


def test_folds_hold_out_each_row_once_and_few_of_many():
    folds = divided(101, Settings(random_state=0))
    assert sorted(np.concatenate([held_out for _, held_out in folds]).tolist()) == list(range(101))
    for inside, outside in folds:
        assert sorted([*inside.tolist(), *outside.tolist()]) == list(range(101))
    ((inside, outside),) = divided(100_000, Settings(random_state=0))
    assert len(inside) == len(outside) == 5000
    assert not set(inside.tolist()) & set(outside.tolist())


@pytest.mark.parametrize("arms", ["full", "uniform"])
def test_rows_of_any_kind_choose_a_run(arms):
    """Several labels, weights, rows of the same values, rows that cannot be told apart."""
    X, y = rows(90, 0.3)
    Y = np.stack([y, X[:, 2] > 0, X[:, 3] > 0], axis=1).astype(int)
    w = np.random.default_rng(0).uniform(0.5, 2.0, 90)
    model = AdaBoostMH("tree", max_rounds=20, arms=arms, random_state=0).fit(X, Y, w)
    assert model.vote_scale_ > 0.0
    assert model.n_runs_ == 1 or arms == "uniform"
    constant = AdaBoostMH(max_rounds=20, arms=arms, random_state=0).fit(np.zeros((90, 2)), y)
    assert constant.predict_proba(np.zeros((1, 2))).shape == (1, 2)


def test_the_number_of_runs_is_saved(tmp_path):
    model = AdaBoostMH("stump", n_rounds=2, random_state=0).fit(*rows(60, 0.0))
    model.n_runs_ = 7
    model.save(tmp_path / "model")
    assert onearm.load(tmp_path / "model").n_runs_ == 7
    facts, arrays = saved.contents(model)
    for wrong in (0, 1.0, True, "1", None):
        save(AdaBoostMH, tmp_path / "model", facts | {"runs": wrong}, arrays)
        with pytest.raises(ValueError, match="runs must be an integer of at least 1"):
            onearm.load(tmp_path / "model")


def test_all_runs_have_one_progress_bar(monkeypatch, capsys):
    monkeypatch.setattr(classifier, "choose_rounds", lambda *given: (5, 1.0))
    model = AdaBoostMH("stump", max_rounds=20, verbose=True, random_state=0).fit(*rows(60, 0.5))
    assert model.n_runs_ == 4
    assert capsys.readouterr().out.count("boosting") == 1
