"""AdaBoost.MH: what theory says of it, and what scikit-learn asks of a classifier."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import onearm
from onearm.mh.bandits import POLICIES
from onearm.mh.weights import UNIT

sklearn = pytest.importorskip("sklearn")

from onearm.mh.classifier import AdaBoostMH  # noqa: E402 it needs scikit-learn
from tests.mh.shared_rows import BASES, SEARCHING, same_ensemble, weight_values  # noqa: E402


def blobs(n=120, d=4, K=3, seed=0, digits=1):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), digits)
    return X, (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] * X[:, 3] > 0.2) * (K - 2)


def signs(y, K):
    return 2.0 * (y[:, None] == np.arange(K)) - 1.0


def start(y, K):
    return np.where(signs(y, K) > 0, 0.5, 0.5 / (K - 1)) / len(y)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("arms", POLICIES)
def test_the_loss_is_the_product_of_the_factors_of_all_rounds(base, arms):
    X, y = blobs()
    model = AdaBoostMH(base, n_rounds=60, arms=arms, random_state=1).fit(X, y)
    f = model.decision_function(X)
    loss = (start(y, 3) * np.exp(-f * signs(y, 3))).sum()
    assert np.prod(model.loss_) == pytest.approx(loss, rel=1e-9)
    assert (model.predict(X) != y).mean() <= np.sqrt(2) * loss


@pytest.mark.compiled
@pytest.mark.parametrize("base", BASES)
def test_the_weights_follow_from_the_votes(base):
    X, y = blobs()
    model = AdaBoostMH(base, n_rounds=300, arms="uniform", random_state=2, warm_start=True).fit(
        X, y
    )
    w = start(y, 3) * np.exp(-model.decision_function(X) * signs(y, 3))
    rounding = 300 * 0.5 / UNIT  # half a unit a round
    values = weight_values(model._training.weights)
    sum_ = 1.0 if base == "random_tree" else w.sum()
    assert values == pytest.approx(w / sum_, rel=1e-6, abs=rounding)


def test_a_stump_is_the_best_of_its_column():
    X, y = blobs(60)
    model = AdaBoostMH("stump", n_rounds=30, arms="uniform", random_state=3).fit(X, y)
    w, Y = start(y, 3), signs(y, 3)
    for t in range(30):
        j = model.ensemble_.column[t, 0]
        edges = [
            np.abs((w * Y * np.where(X[:, j] >= b, 1, -1)[:, None]).sum(axis=0)).sum()
            for b in np.unique(X[:, j])[1:]
        ]
        h = (
            np.where(X[:, j] >= model.ensemble_.threshold[t, 0], 1, -1)[:, None]
            * model.ensemble_.votes[t]
        )
        assert (w * Y * h).sum() == pytest.approx(max(edges), abs=1e-12)
        w = w * np.exp(-model.alpha_[t] * h * Y)
        w /= w.sum()


@pytest.mark.parametrize("arms", ["full", "exp3p", "recent"])
def test_the_energy_of_a_product_never_rises(arms):
    """√(1-γ²) falls with every term that is accepted, new or fitted again: its γ is larger."""
    from onearm.core.kernels import compose, interpreted
    from onearm.mh import products

    X, y = blobs(60)
    settings = {"n_terms": 3, "n_rounds": 1, "random_state": 0, "warm_start": True}
    model = AdaBoostMH("product", arms=arms, **settings).fit(X, y)
    training, seen = model._training, []

    def watched(*given):
        seen.append(interpreted(products.search)(*given))
        return seen[-1]

    fitted = compose(interpreted(products.fit_terms).__wrapped__, search=watched)
    for _ in range(20):
        seen.clear()
        total, terms = training.weights.sums.copy(), np.zeros((3, 3), np.int64)
        training.psi[:] = 1
        m, gamma = fitted(
            terms, training.psi, training.leaf_of, total, total.copy(), *training.model()[2:7]
        )
        edges = [gamma for gamma, *_ in seen]
        taken = edges if m == 3 and len(edges) == 3 else edges[:-1]
        assert all(b > a for a, b in zip([0.0, *taken], taken, strict=False))
        assert gamma == max(taken)


@pytest.mark.parametrize("digits", [1, 8])
@pytest.mark.parametrize("base", SEARCHING)
@pytest.mark.parametrize(("arms", "rounds"), [("recent", 80), ("full", 20)])
def test_exact_and_binned_searches_are_bit_identical(arms, rounds, base, digits):
    X, y = blobs(200, digits=digits)  # not more than 256 values in any column
    first, second = (
        AdaBoostMH(
            base, n_rounds=rounds, arms=arms, random_state=0, exact=exact, warm_start=True
        ).fit(X, y)
        for exact in (False, True)
    )
    same_ensemble(first, second)
    assert np.array_equal(first._training.weights.A, second._training.weights.A)


@pytest.mark.parametrize("base", BASES)
def test_sparse_rows_equal_dense_rows(base):
    X, y = blobs()
    X[np.abs(X) < 0.6] = 0.0
    dense = AdaBoostMH(base, n_rounds=40, random_state=0).fit(X, y)
    sparse = AdaBoostMH(base, n_rounds=40, random_state=0).fit(csr_array(X), y)
    assert np.array_equal(dense.decision_function(X), sparse.decision_function(csr_array(X)))


@pytest.mark.parametrize("seed", [11, *range(20)])
def test_exact_and_binned_full_searches_of_small_nodes_agree(seed):
    """Where values are missing, and rows of one bin may cancel out."""
    rng = np.random.default_rng(seed)
    n = rng.integers(8, 16)
    X = rng.integers(0, 4, (n, 3)).astype(float)
    X[rng.random(X.shape) < 0.3] = np.nan
    y = rng.integers(0, 2, n)
    first, second = (
        AdaBoostMH("tree", n_rounds=1, arms="full", n_leaves=4, exact=exact).fit(X, y)
        for exact in (False, True)
    )
    same_ensemble(first, second)


@pytest.mark.parametrize("base", SEARCHING)
def test_a_full_search_equals_pulling_all_arms(base):
    X, y = blobs(200, d=6, digits=8)
    w = np.random.default_rng(1).uniform(0.5, 1.5, 200)  # no two rows weigh the same: no ties
    full, every = (
        AdaBoostMH(base, n_rounds=10, n_leaves=3, **arms).fit(X, y, sample_weight=w)
        for arms in ({"arms": "full"}, {"arms": "uniform", "arms_per_round": 6, "random_state": 1})
    )
    same_ensemble(full, every)


@pytest.mark.compiled
def test_a_full_search_with_more_columns_is_better():
    X, y = blobs(400, digits=8)
    full, any_ = (
        AdaBoostMH("stump", n_rounds=50, arms=arms, random_state=0).fit(X, y)
        for arms in ("full", "uniform")
    )
    assert np.prod(full.loss_) < np.prod(any_.loss_)


@pytest.mark.parametrize("exact", [False, True])
def test_missing_values_are_below_all_others(exact):
    X, y = blobs(60)
    X = np.column_stack([X, np.full(60, np.nan), X[:, 0]])
    X[::7, 5] = np.nan
    low = np.where(np.isnan(X), -99.0, X)
    with_gaps, without = (
        AdaBoostMH("tree", n_rounds=30, arms="full", exact=exact).fit(rows, y) for rows in (X, low)
    )
    assert with_gaps.pulls_[4] == without.pulls_[4] == 0  # a constant
    assert np.array_equal(with_gaps.predict(X), without.predict(low))


@pytest.mark.parametrize("base", BASES)
def test_the_last_stage_equals_the_whole_model(base):
    X, y = blobs()
    model = AdaBoostMH(base, n_rounds=30, random_state=0).fit(X, y)
    *_, f = model.staged_decision_function(X)
    *_, labels = model.staged_predict(X)
    assert f == pytest.approx(model.decision_function(X), abs=1e-12)
    assert np.array_equal(labels, model.predict(X))


@pytest.mark.parametrize("base", BASES)
def test_a_warm_start_equals_one_fit_of_all_rounds(base):
    X, y = blobs()
    whole = AdaBoostMH(base, n_rounds=70, arms="ucb", random_state=0).fit(X, y)
    model = AdaBoostMH(base, n_rounds=30, arms="ucb", random_state=0, warm_start=True).fit(X, y)
    model.set_params(n_rounds=70).fit(X, y)
    assert np.array_equal(whole.decision_function(X), model.decision_function(X))


@pytest.mark.compiled
def test_multilabel_targets():
    X, _ = blobs(300, digits=8)
    Y = np.stack([X[:, 0] > 0, X[:, 1] > 0.5, X[:, 0] + X[:, 2] > 1], axis=1).astype(int)
    model = AdaBoostMH("product", n_rounds=200, random_state=0).fit(X[:200], Y[:200])
    assert (model.predict(X[200:]) == Y[200:]).mean() > 0.9
    assert model.predict_proba(X).shape == Y.shape


@pytest.mark.compiled
def test_missing_values_are_below_all_thresholds():
    X, y = blobs(300, digits=8)
    X[::3, 0] = np.nan
    model = AdaBoostMH("stump", n_rounds=100, arms="full").fit(X, y)
    low = X.copy()
    low[::3, 0] = -np.inf
    assert np.array_equal(model.predict(X), model.predict(np.nan_to_num(low, neginf=-1e300)))
    assert not np.isnan(model.ensemble_.threshold).any()


@pytest.mark.compiled
def test_labels_may_be_strings():
    X, y = blobs()
    words = np.array(["no", "perhaps", "yes"])[y]
    model = AdaBoostMH("product", n_rounds=200, random_state=0).fit(X, words)
    assert (model.predict(X) == words).mean() > 0.95
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(len(X)))


@pytest.mark.compiled
def test_early_stopping_by_validation_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)  # much noise, little to learn
    model = AdaBoostMH("product", n_rounds=5000, validation=0.3, random_state=0).fit(X, y)
    rounds = len(model.validation_error_)
    assert len(model.alpha_) <= rounds < 5000
    assert len(model.alpha_) == model.smoothed_error_.argmin() + 1
    last_fifth = model.validation_error_[4 * rounds // 5 :]
    assert model.smoothed_error_[-1] == pytest.approx(last_fifth.mean())


@pytest.mark.compiled
@pytest.mark.parametrize("base", BASES)
def test_two_threads_are_bit_identical_to_one(base):
    X, y = blobs(300, d=7, digits=2)
    settings = {"n_rounds": 60, "arms": "full", "warm_start": True, "random_state": 0}
    first, second = (AdaBoostMH(base, n_jobs=n, **settings).fit(X, y) for n in (1, 2))
    same_ensemble(first, second)
    assert np.array_equal(first._training.weights.A, second._training.weights.A)
    assert first.pulls_.tolist() == second.pulls_.tolist()


@pytest.mark.parametrize("arms", ["uniform", "exp3p", "recent"])
def test_pulls_are_counted_by_stage(arms):
    X, y = blobs()
    model = AdaBoostMH("stump", n_rounds=450, arms=arms, arms_per_round=2, random_state=0).fit(X, y)
    assert model.pulls_by_stage_.shape == (3, 4)
    assert model.pulls_by_stage_.sum(axis=1).tolist() == [400, 400, 100]
    assert model.pulls_.tolist() == model.pulls_by_stage_.sum(axis=0).tolist()


def test_importances_and_pulls():
    X, _ = blobs(300, digits=8)
    model = AdaBoostMH("stump", n_rounds=20, arms="full").fit(X, X[:, 2] > 0.3)
    assert model.feature_importances_.argmax() == 2
    assert (model.pulls_ == len(model.alpha_) + (len(model.alpha_) < 20)).all()


@pytest.mark.parametrize(
    "wrong",
    [{"base": "cut"}, {"arms": "ucbx"}, {"n_rounds": 0}, {"lam": 1.5}, {"max_bins": 1},
     {"n_leaves": 1}, {"validation": 0.5, "warm_start": True}, {"exact": True}],
)  # fmt: skip
def test_parameters_out_of_range_are_refused(wrong):
    X, y = blobs()
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        AdaBoostMH(**wrong).fit(X, y)


@pytest.mark.parametrize("base", BASES)
def test_it_is_saved_without_pickle(base, tmp_path):
    X, y = blobs()
    words = np.array(["no", "perhaps", "yes"])[y]
    model = AdaBoostMH(base, n_rounds=30, random_state=0).fit(X, words)
    model.save(tmp_path / "model")
    again = onearm.load(tmp_path / "model")
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert again.feature_importances_.tolist() == model.feature_importances_.tolist()
    assert again.pulls_.tolist() == model.pulls_.tolist()
