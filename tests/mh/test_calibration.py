"""Probabilities of AdaBoostMH: calibrated, whatever the labels and weights, at little cost."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_array

pytest.importorskip("sklearn")

import onearm
from onearm.core.saving import save
from onearm.mh import calibration, ensemble, saved
from onearm.mh.binning import bin_columns
from onearm.mh.calibration import best_scale, probabilities, row_hashes
from onearm.mh.classifier import AdaBoostMH
from onearm.mh.weights import NONE, relative_weights
from tests.mh.shared_rows import same_ensemble


def noisy(n=900, K=2, seed=0):
    """Rows whose label is that of one column, with noise that no model can remove."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    scores = 1.5 * X[:, :K] + rng.gumbel(size=(n, K))
    return X, scores.argmax(axis=1)


def log_loss(p, y):
    return -np.log(np.clip(p[np.arange(len(y)), y], 1e-15, 1)).mean()


def sampled(beta, several, n=20_000, K=3):
    """Votes, and labels sampled with the probabilities that they stand for at a scale."""
    rng = np.random.default_rng(1)
    f = rng.normal(size=(n, K)) * 5.0
    p = probabilities(f, beta, several)
    if several:
        return f, rng.random((n, K)) < p
    return f, (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)[:, None] == np.arange(K)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("beta", [0.03, 0.3, 2.0])
def test_the_scale_that_labels_were_sampled_with_is_recovered(beta, several):
    f, positive = sampled(beta, several)
    assert best_scale(f, positive, np.ones(len(f)), several) == pytest.approx(beta, rel=0.06)


@pytest.mark.parametrize("several", [False, True])
def test_the_scale_has_the_least_loss_of_smoothed_labels(several):
    f, positive = sampled(0.3, several, n=50)
    w = np.random.default_rng(0).uniform(1.0, 3.0, 50)
    target = np.where(positive, 1.0, 0.0)
    smoothing = 1.0 / (w.sum() + 2.0)
    target += smoothing * ((0.5 if several else 1 / 3) - target)

    def loss(beta):
        p = probabilities(f, beta, several)
        parts = target * np.log(p) + ((1 - target) * np.log(1 - p) if several else 0.0)
        return -(w * parts.sum(axis=1)).sum()

    grid = np.geomspace(0.1, 0.9, 801)
    best = grid[np.argmin([loss(beta) for beta in grid])]
    assert best_scale(f, positive, w, several) == pytest.approx(best, rel=4e-3)


def test_integer_weights_equal_repeated_rows():
    f, positive = sampled(0.3, False, n=60)
    w = np.arange(60) % 4 + 1
    repeated = best_scale(f.repeat(w, axis=0), positive.repeat(w, axis=0), np.ones(w.sum()), False)
    assert best_scale(f, positive, w.astype(float), False) == pytest.approx(repeated, rel=1e-12)


def test_where_no_row_is_wrong_the_scale_is_finite():
    positive = np.eye(3, dtype=bool)[np.arange(99) % 3]
    scale = best_scale(2.0 * positive - 1.0, positive, np.ones(99), False)
    p = probabilities(2.0 * positive - 1.0, scale, False)
    assert 1 - p[positive].mean() == pytest.approx(2 / 3 / 101, rel=1e-6)


@pytest.mark.compiled
@pytest.mark.parametrize("base", ["stump", "product", "tree"])
@pytest.mark.parametrize("K", [2, 4])
def test_probabilities_are_close_to_the_best_scale(base, K):
    X, y = noisy(1500, K)
    given = {"n_rounds": 400, "n_leaves": 8, "arms_per_round": 1, "random_state": 0}
    model = AdaBoostMH(base, **given).fit(X[:800], y[:800])
    raw = AdaBoostMH(base, calibrate=False, **given).fit(X[:800], y[:800])
    X, y = X[800:], y[800:]
    f = model.ensemble_.votes_on(X)
    best = min(log_loss(probabilities(f, beta, False), y) for beta in np.geomspace(1e-3, 1, 200))
    assert log_loss(model.predict_proba(X), y) < 1.03 * best
    assert log_loss(raw.predict_proba(X), y) > 1.02 * best
    assert raw.vote_scale_ is None
    same_ensemble(model, raw)
    assert model.predict(X).tolist() == model.classes_[model.predict_proba(X).argmax(1)].tolist()


@pytest.mark.compiled
def test_probabilities_of_several_labels_and_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1600, 5))
    Y = (X[:, :3] + rng.logistic(size=(1600, 3)) > 0).astype(int)
    w = rng.uniform(0.5, 2.0, 800)
    model = AdaBoostMH("tree", n_rounds=400, random_state=0).fit(X[:800], Y[:800], w)
    p, f, Y = model.predict_proba(X[800:]), model.ensemble_.votes_on(X[800:]), Y[800:]

    def loss(p):
        return -np.log(np.where(Y == 1, p, 1 - p)).mean()

    best = min(loss(probabilities(f, beta, True)) for beta in np.geomspace(1e-3, 1, 200))
    assert loss(p) < 1.03 * best
    assert np.array_equal(p > 0.5, f > 0)


@pytest.mark.compiled
def test_validation_rows_are_used_where_there_are_some(monkeypatch):
    monkeypatch.setattr(calibration, "Training", None)  # no second fit
    X, y = noisy(1500)
    model = AdaBoostMH("tree", n_rounds=300, validation=0.3, random_state=0).fit(X[:800], y[:800])
    assert log_loss(model.predict_proba(X[800:]), y[800:]) < 0.55


def test_rows_that_are_nearly_all_repeated_are_calibrated_by_themselves():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (1200, 2)).astype(float)
    y = (rng.random(1200) < 0.1 + 0.2 * X.sum(axis=1) ** 2).astype(int)
    model = AdaBoostMH(n_rounds=100, random_state=0).fit(X[:600], y[:600])
    X, y = X[600:], y[600:]
    f = model.ensemble_.votes_on(X)
    best = min(log_loss(probabilities(f, beta, False), y) for beta in np.geomspace(1e-4, 100, 300))
    assert log_loss(model.predict_proba(X), y) < 1.03 * best


def test_weights_of_labels_are_no_repeated_rows():
    """Else weights of many labels would hide that all rows differ, and noise would look certain."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(800) < 0.8, 0, rng.integers(1, 24, 800))
    model = AdaBoostMH("stump", n_rounds=60, class_weight="balanced", random_state=0)
    model.fit(X := rng.normal(size=(800, 3)), y)
    f = model.ensemble_.votes_on(X)
    own = best_scale(f, y[:, None] == np.arange(24), relative_weights(1 / np.bincount(y)[y]), False)
    assert model.vote_scale_ < own / 3


@pytest.mark.parametrize(("rounds", "most"), [(600, 50), (100, 20), (8, 8)])
def test_the_second_fit_is_short(rounds, most, monkeypatch):
    played = []
    boost = ensemble.Products.boost

    def counted(self, n, training):
        played.append((n, len(training.psi)))
        return boost(self, n, training)

    monkeypatch.setattr(ensemble.Products, "boost", counted)
    monkeypatch.setattr(calibration, "FITTED_ROWS", 60)
    X, y = noisy(300)
    AdaBoostMH("stump", n_rounds=rounds, random_state=0).fit(X, y)
    assert played[-1][0] == most
    assert 30 < played[-1][1] < 90  # rows, by their hashes
    assert sum(n for n, _ in played) == rounds + most


def test_a_warm_start_is_calibrated_as_one_fit():
    X, y = noisy(200)
    whole = AdaBoostMH("stump", n_rounds=50, random_state=0).fit(X, y)
    model = AdaBoostMH("stump", n_rounds=30, random_state=0, warm_start=True).fit(X, y)
    first = model.vote_scale_
    model.set_params(n_rounds=50).fit(X, y)
    assert model.vote_scale_ == whole.vote_scale_ != first


def test_calibration_leaves_a_random_state_as_it_was():
    X, y = noisy(60)
    after = []
    for calibrate in (True, False):
        rng = np.random.RandomState(0)
        AdaBoostMH("stump", n_rounds=5, random_state=rng, calibrate=calibrate).fit(X, y)
        after.append(rng.randint(2**31))
    assert after[0] == after[1]


def test_too_few_rows_are_not_calibrated():
    model = AdaBoostMH("stump", n_rounds=5).fit([[0.0], [1.0]], [0, 1])
    assert model.vote_scale_ is None
    assert model.predict_proba([[0.0], [1.0]]).argmax(axis=1).tolist() == [0, 1]


def test_the_scale_is_saved_with_the_model(tmp_path):
    X, y = noisy(200)
    model = AdaBoostMH("stump", n_rounds=30, random_state=0).fit(X, y)
    model.save(tmp_path / "model")
    again = onearm.load(tmp_path / "model")
    assert again.vote_scale_ == model.vote_scale_ is not None
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_files_without_a_scale_load_with_the_probabilities_of_before(tmp_path):
    X, y = noisy(200)
    model = AdaBoostMH("stump", n_rounds=30, random_state=0, calibrate=False).fit(X, y)
    facts, arrays = saved.contents(model)
    facts = json.loads(json.dumps(facts))
    for name in saved.ADDED:
        del facts[name]
    for name in saved.ADDED_PARAMETERS:
        del facts["parameters"][name]
    del arrays["subset"]
    save(AdaBoostMH, tmp_path / "model", facts, arrays)
    again = onearm.load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.calibrate is False


@pytest.mark.parametrize("wrong", [0.0, -1.0, 1, "1", True, [1.0]])
def test_a_damaged_scale_is_refused(wrong, tmp_path):
    X, y = noisy(200)
    facts, arrays = saved.contents(AdaBoostMH("stump", n_rounds=3, random_state=0).fit(X, y))
    save(AdaBoostMH, tmp_path / "model", facts | {"vote_scale": wrong}, arrays)
    with pytest.raises(ValueError, match="vote_scale must be null or a number above 0"):
        onearm.load(tmp_path / "model")


def test_hashes_depend_on_the_values_of_a_row_alone():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(2000, 5)), 1)
    X[rng.random(X.shape) < 0.4] = 0.0
    X[rng.random(X.shape) < 0.1] = np.nan
    u = row_hashes(X)
    order = rng.permutation(2000)
    assert np.array_equal(row_hashes(X[order]), u[order])
    assert np.array_equal(row_hashes(csr_array(X)), u)
    assert np.array_equal(row_hashes(np.where(X == 0.0, -0.0, X)), u)
    assert len(set(u.tolist())) == len(np.unique(np.nan_to_num(X, nan=99.0) + 0.0, axis=0))
    assert np.histogram(u, 4, (0, 1))[0] == pytest.approx([500] * 4, abs=80)
    few = row_hashes(np.arange(64.0)[:, None])  # small integers differ in a few bits only
    assert 20 < (few < 0.5).sum() < 44


@pytest.mark.parametrize("exact", [False, True])
def test_binned_columns_of_some_rows(exact):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 1 + np.arange(6) * 4, (50, 6)).astype(float)
    chosen = rng.random(50) < 0.5
    whole = bin_columns(X, np.ones(50), 256, exact)
    part = whole.of_rows(chosen)
    assert exact or {NONE} < set(whole.dense_row)
    for j in range(6):
        bins = [np.full(50, columns.common[j]) for columns in (whole, part)]
        for of_row, columns in zip(bins, (whole, part), strict=True):
            span = slice(columns.starts[j], columns.starts[j + 1])
            of_row[columns.rows[span]] = columns.bins[span]
            if columns.dense_row[j] != NONE:
                of_row[: columns.dense.shape[1]] = columns.dense[columns.dense_row[j]]
        assert np.array_equal(bins[1][: chosen.sum()], bins[0][chosen])
