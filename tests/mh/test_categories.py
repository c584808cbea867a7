"""Columns of categories in AdaBoostMH: subsets, frames, values that are missing, rare or unseen."""

import json
import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

pytest.importorskip("sklearn")

import onearm
from onearm.core.saving import save
from onearm.mh import saved
from onearm.mh.categories import CATEGORIES, column_values, encoded, most_frequent
from onearm.mh.classifier import AdaBoostMH
from onearm.mh.settings import Settings
from onearm.mh.subsets import best_subset, subset_edge
from tests.mh.shared_rows import BASES, agree, same_ensemble
from tests.mh.test_distributed import no_ray  # noqa: F401 a fixture: blocks in this process
from tests.mh.test_reference import agree as agree_with_reference
from tests.reference import adaboost_mh, mh_bandits
from tests.reference import subsets as naive

COLORS = np.array(["red", "green", "blue", "white", "black", "grey"], object)


def rows(n=60, seed=1):
    """Two columns of categories, one of them with missing values, and two of numbers."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 4)), 1)
    X[:, 1] = rng.integers(0, 6, n)
    X[:, 3] = rng.integers(5, 9, n)
    X[rng.random(n) < 0.15, 1] = np.nan
    return X, (np.isin(X[:, 1], [0, 3]) + (X[:, 0] > 0) + rng.integers(0, 2, n)) % 3


def frame(X, kind="category"):
    colors = pd.Series([None if np.isnan(v) else COLORS[int(v)] for v in X[:, 1]], dtype=object)
    data = {"a": X[:, 0], "color": colors, "b": X[:, 2], "size": X[:, 3]}
    if kind == "polars":
        return pl.DataFrame(data | {"color": colors.tolist()})
    if kind == "category":
        return pd.DataFrame(data).astype({"color": "category"})
    return pd.DataFrame(data)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("arms", ["recent", "full", "ucb"])
@pytest.mark.parametrize("base", BASES)
def test_equals_reference(base, arms, several, monkeypatch):
    X, y = rows(30)
    weight = np.random.default_rng(2).uniform(0.5, 2.0, 30)
    labels = np.stack([y > 0, y == 1, X[:, 2] > 0], axis=1).astype(int) if several else y
    Y = 2.0 * labels - 1.0 if several else 2.0 * (y[:, None] == np.arange(3)) - 1.0
    given = {"n_rounds": 12, "n_leaves": 4, "arms": arms, "arms_per_round": 1}
    model = AdaBoostMH(
        base, **given, random_state=3, warm_start=True, categorical_features=[1, 3]
    ).fit(X, labels, weight)
    codes = X.copy()
    for j, values in model.categories_.items():
        codes[:, j] = [values.index(v) + 1 if v == v else 0 for v in X[:, j].tolist()]
    common = {j: int(np.bincount(codes[:, j].astype(int)).argmax()) for j in (1, 3)}
    monkeypatch.setattr(mh_bandits, "best_cut", naive.best_cut_with(common))
    seed = int(np.random.RandomState(3).randint(2**31))
    theirs = adaboost_mh.fit(
        codes, Y, base, 12, n_leaves=4, arms=arms, sample_weight=weight, seed=seed,
        horizon=Settings.of(model).horizon(), common=common,
    )  # fmt: skip
    for classifier in filter(None, theirs.classifier):  # NaN equals nothing, so compare marks
        classifier.thresholds = [-1.0 if b != b else b for b in classifier.thresholds]
    is_subset = model.ensemble_.subset != 0
    assert is_subset.any()
    model.ensemble_.threshold[is_subset] = -1.0
    monkeypatch.setattr(type(model), "_votes", lambda self, X: self.ensemble_.votes_on(codes))
    agree_with_reference(codes, model, theirs)


@pytest.mark.parametrize("K", [2, 3])
def test_a_subset_is_the_best_of_all_with_two_labels_and_never_beats_it(K):
    rng = np.random.default_rng(0)
    best_found = 0
    for _ in range(40):
        E = rng.normal(size=(6, K)) * rng.random((6, 1))
        E[:, 1] = -E[:, 0] if K == 2 else E[:, 1]
        total, votes = E.sum(axis=0), np.zeros(K)
        gamma, bits = best_subset(6, 2, E, total, votes, 1.0)
        others = [0, 1, 3, 4, 5]
        masks = [sum(1 << c for c in s) for n in range(1, 6) for s in combinations(others, n)]
        best = max(subset_edge(mask, 6, E, total, votes) for mask in masks)
        assert gamma == pytest.approx(subset_edge(bits, 6, E, total, votes), abs=1e-12)
        assert gamma <= best + 1e-12
        best_found += gamma > best - 1e-12
    assert best_found == 40 if K == 2 else best_found > 30


@pytest.mark.parametrize("kind", ["category", "texts", "polars"])
def test_a_frame_means_the_same_as_its_codes(kind):
    X, y = rows(80)
    X[:, 3] = X[:, 0] * X[:, 2]  # numbers
    settings = {"n_rounds": 20, "random_state": 0}
    model = AdaBoostMH(**settings).fit(frame(X, kind), y)
    numbers = AdaBoostMH(categorical_features=[1], **settings).fit(X, y)
    assert set(model.categories_) == {1}
    order = [COLORS[int(v)] for v in numbers.categories_[1]]
    if order == model.categories_[1]:  # values that are equally frequent may be in another order
        same_ensemble(model, numbers)
    new, _ = rows(50, seed=9)
    assert model.feature_names_in_.tolist() == ["a", "color", "b", "size"]
    assert model.score(frame(X, kind), y) == pytest.approx(numbers.score(X, y), abs=0.1)
    assert model.predict(frame(new, kind)).shape == (50,)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame(new, kind)[["color", "a", "b", "size"]])


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("arms", ["recent", "full"])
def test_unseen_values_follow_the_most_common_one(base, arms):
    X, y = rows(80)
    X[:, 1] = np.where(np.isnan(X[:, 1]), 0.0, X[:, 1])
    given = {"n_rounds": 30, "categorical_features": [1], "random_state": 0}
    model = AdaBoostMH(base, arms=arms, **given).fit(X, y)
    common, unseen, missing = X.copy(), X.copy(), X.copy()
    common[:, 1], unseen[:, 1], missing[:, 1] = model.categories_[1][0], 77.0, np.nan
    assert np.array_equal(model.decision_function(unseen), model.decision_function(common))
    assert np.array_equal(model.decision_function(missing), model.decision_function(common))
    assert not np.array_equal(model.decision_function(X), model.decision_function(common))


def test_missing_values_are_a_category():
    y = np.arange(200) % 2
    x = np.where(y == 1, np.nan, np.arange(200) % 5)
    model = AdaBoostMH("stump", n_rounds=3, categorical_features=[True]).fit(x[:, None], y)
    assert model.score(x[:, None], y) == 1.0
    assert model.predict([[np.nan], [3.0]]).tolist() == [1, 0]


def test_rare_values_of_a_column_of_many_are_like_missing_ones():
    x = np.append(np.repeat(np.arange(CATEGORIES - 1), 3), np.arange(1000, 1200)).astype(float)
    y = (x >= 1000).astype(int)
    model = AdaBoostMH("stump", n_rounds=5, categorical_features=[0]).fit(x[:, None], y)
    assert len(model.categories_[0]) == CATEGORIES - 1
    assert model.score(x[:, None], y) == 1.0
    assert model.predict([[np.nan], [5000.0], [3.0]]).tolist() == [1, 1, 0]


def test_categories_need_no_order():
    """Votes of a stump for every second category, which a threshold could not have."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 40, (1000, 1)).astype(float)
    y = X[:, 0].astype(int) % 2
    model = AdaBoostMH("stump", n_rounds=1, categorical_features=[0]).fit(X, y)
    assert model.score(X, y) == 1.0
    assert AdaBoostMH("stump", n_rounds=1).fit(X, y).score(X, y) < 0.7


@pytest.mark.parametrize("base", BASES)
def test_it_is_saved_with_its_categories(base, tmp_path):
    X, y = rows(80)
    model = AdaBoostMH(base, n_rounds=20, random_state=0).fit(frame(X), y)
    model.save(tmp_path / "model")
    for again in (onearm.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        new = frame(rows(50, seed=9)[0])
        assert np.array_equal(again.decision_function(new), model.decision_function(new))
        assert again.categories_ == model.categories_


WRONG = [
    [[4, ["a"]]], [[-1, ["a"]]], [[True, ["a"]]], [[1, ["a", "a"]]], [[1, ["a", 1.0]]], 1,
    [[1, [float(v) for v in range(63)]]], [[1, [None]]], [[1]], [[[1], ["a"]]], [[0, ["a"]]],
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: str(wrong)[:20])
def test_damaged_categories_are_refused(wrong, tmp_path):
    X, y = rows(80)
    facts, arrays = saved.contents(AdaBoostMH("stump", n_rounds=9, random_state=0).fit(frame(X), y))
    assert arrays["subset"].any()
    facts = json.loads(json.dumps(facts)) | {"categories": wrong}
    save(AdaBoostMH, tmp_path / "model", facts, arrays)
    with pytest.raises(ValueError, match=r"categories|subset"):
        onearm.load(tmp_path / "model")


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("arms", ["recent", "full"])
def test_rows_in_blocks_are_bit_identical(base, arms):
    X, y = rows(70)
    given = {"n_rounds": 15, "arms": arms, "n_leaves": 4, "warm_start": True, "random_state": 0}
    models = [AdaBoostMH(base, categorical_features=[1, 3], n_jobs=3, **given) for _ in range(2)]
    assert models[0].fit(X, y).ensemble_.subset.any()
    agree(models[0], models[1].fit(X, y, on="blocks"))


@pytest.mark.parametrize(
    ("given", "X"),
    [("none", None), ([1.5], None), ([9], None), (["size"], None), (3, None), ([True], None),
     ([1], "sparse"), ({1}, None), ([1, "a"], None)],
    ids=str,
)  # fmt: skip
def test_wrong_columns_are_refused(given, X):
    rows_, y = rows()
    X = csr_array(np.nan_to_num(rows_)) if X else rows_
    with pytest.raises(ValueError, match=r"categorical_features must be .*got "):
        AdaBoostMH(n_rounds=2, categorical_features=given).fit(X, y)


def test_text_needs_to_be_named_and_exact_bins_are_refused():
    X, y = rows()
    with pytest.raises(ValueError, match="listed in categorical_features, got 'color'"):
        AdaBoostMH(n_rounds=2, categorical_features=["size"]).fit(frame(X), y)
    with pytest.raises(ValueError, match="exact must be False with columns of categories"):
        AdaBoostMH("tree", n_rounds=2, exact=True).fit(frame(X), y)
    model = AdaBoostMH(n_rounds=2, categorical_features=None).fit(X, y)
    assert model.categories_ == {}


def test_labels_weigh_as_class_weight_says():
    X, y = rows(80)
    given = {"n_rounds": 20, "random_state": 0}
    weighted = AdaBoostMH(class_weight={0: 2.0, 2: 0.5}, **given).fit(X, y)
    by_hand = AdaBoostMH(**given).fit(X, y, np.array([2.0, 1.0, 0.5])[y])
    same_ensemble(weighted, by_hand)
    w = 1.0 + np.arange(80) % 3
    balanced = AdaBoostMH(class_weight="balanced", **given).fit(X, y, w)
    sums = np.bincount(y, w)
    same_ensemble(balanced, AdaBoostMH(**given).fit(X, y, w * (w.sum() / 3 / sums)[y]))
    w[y == 1] = 0.0
    assert AdaBoostMH(class_weight="balanced", **given).fit(X, y, w).classes_.tolist() == [0, 2]


@pytest.mark.parametrize("wrong", ["even", {0: -1.0}, {0: "1"}, {7: 1.0}, 2.0, {0: np.nan}])
def test_wrong_class_weights_are_refused(wrong):
    X, y = rows()
    with pytest.raises(ValueError, match=r"class_weight must be .*got "):
        AdaBoostMH(n_rounds=2, class_weight=wrong).fit(X, y)
    with pytest.raises(ValueError, match="class_weight must be None for several labels"):
        AdaBoostMH(n_rounds=2, class_weight="balanced").fit(X, np.eye(3, dtype=int)[y])


def test_class_weights_are_saved(tmp_path):
    X, y = rows()
    words = np.array(["no", "yes", "perhaps"])[y]
    weights = {"no": np.int64(3)}
    AdaBoostMH(n_rounds=2, class_weight=weights).fit(X, words).save(tmp_path / "model")
    assert onearm.load(tmp_path / "model").class_weight == {"no": 3.0}


def test_results_are_of_single_precision_where_asked():
    X, y = rows()
    model = AdaBoostMH(n_rounds=5, random_state=0).fit(X, y)
    for method in (model.predict_proba, model.decision_function):
        assert method(X).dtype == np.float64
        assert method(X, dtype=np.float32).dtype == np.float32
        assert np.array_equal(method(X, dtype="float32"), method(X).astype(np.float32))
    with pytest.raises(ValueError, match=r"dtype must be np\.float64 or np\.float32, got"):
        model.predict_proba(X, dtype=int)


@pytest.mark.parametrize("kind", ["string", "object"])
def test_missing_texts_of_pandas_are_like_none(kind):
    plain = np.array(["a", None, "b", "a", None, "b"] * 5, object)
    texts = pd.Series(["a", pd.NA, "b", "a", pd.NA, "b"] * 5, dtype=kind)
    y = np.arange(30) % 3
    frames = [pd.DataFrame({"x": x, "z": 0.0}) for x in (plain, texts)]
    votes = [AdaBoostMH("stump", n_rounds=5, random_state=0).fit(X, y) for X in frames]
    assert votes[0].categories_ == votes[1].categories_ == {0: ["a", "b"]}
    assert (votes[1].decision_function(frames[1]) == votes[0].decision_function(frames[0])).all()


@pytest.mark.parametrize("values", [(1, 2, "a"), (1, 2, 3)])
def test_a_row_has_the_same_codes_alone_and_among_others(values):
    X = np.array([[v] for v in values] * 10, object)
    known = most_frequent(column_values(X, 0))
    rows = [X, np.array([[*values, "other"]], object).T]  # those of others are texts
    for Z in [*rows, pd.DataFrame(rows[0]), pd.DataFrame(rows[1])]:
        alone = [encoded(Z[i : i + 1], {0: known})[0, 0] for i in range(3)]
        assert alone == encoded(Z, {0: known})[:3, 0].tolist()
        assert sorted(alone) == [1, 2, 3]
    as_numbers = pd.DataFrame({"x": [1, 2]})
    assert (encoded(as_numbers, {0: known})[:, 0] == encoded(X, {0: known})[:2, 0]).all()


def test_infinite_categories_and_sparse_rows_for_them_are_refused():
    X, y = np.array([[1.0], [np.inf]] * 5), [0, 1] * 5
    model = AdaBoostMH("stump", n_rounds=2, categorical_features=[0])
    with pytest.raises(ValueError, match="categories of X must be finite"):
        model.fit(X, y)
    model.fit(np.nan_to_num(X, posinf=2.0), y)
    with pytest.raises(ValueError, match="X must be dense"):
        model.predict(csr_array(np.eye(1)))
