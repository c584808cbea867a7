"""Data sets as papers prepare them: named entries of the catalogue, computed from other entries."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array

from onearm.streams import datasets, preparations

pytestmark = pytest.mark.usefixtures("empty_cache")
PREPARED = [name for name in datasets.names() if datasets.about(name).of]
SHIPPED = [name for name in PREPARED if datasets.about(name).folder() == datasets.SHIPPED]
NAMES = {"class_names": ("a", "b"), "feature_names": ("f", "g")}


@pytest.mark.parametrize("name", SHIPPED)
def test_prepared_rows_have_the_sizes_of_their_entry(name):
    data, stream = datasets.about(name), datasets.load(name)
    X, y = stream.arrays()
    assert X.shape == (data.rows, data.features) == (stream.n_rows, stream.n_features)
    assert data.classes in (0, len(set(y.tolist())))
    assert data.citation in stream.about


def test_entries_name_a_function_and_take_the_rest_from_their_base():
    assert set(SHIPPED) >= {"mice-filled", "abalone-rings", "adult-income", "letter-halves"}
    for name in PREPARED:
        data = datasets.about(name)
        base = datasets.about(data.of)
        assert callable(getattr(preparations, data.preparation["function"]))
        assert (data.files, data.licence, data.citation) == (
            base.files, base.licence, base.citation,
        )  # fmt: skip


def test_scipy_is_not_loaded_to_look_into_the_catalogue():
    code = "import sys; from onearm.streams import datasets; datasets.about('isolet-pca50')"
    code += "; assert 'onearm.streams.preparations' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_missing_numbers_become_zeros():
    X, _ = datasets.load("mice-filled").arrays()
    raw, _ = datasets.load("mice").arrays()
    assert np.isnan(raw).any()
    np.testing.assert_array_equal(X, np.where(np.isnan(raw), 0.0, raw))


def test_selected_columns_and_a_row_less():
    X, y = np.arange(6.0).reshape(3, 2), np.array([0, 1, 1])
    X, y, names = preparations.select(X, y, NAMES, ["g"], without_row=2)
    assert (X.tolist(), y.tolist(), names["feature_names"]) == ([[1.0], [5.0]], [0, 1], ["g"])


def test_principal_components_are_ordered_and_have_fixed_signs():
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1.0, 5.0, 0.1]
    some, _, _ = preparations.principal_components(X, np.zeros(50), NAMES, 2)
    other, _, _ = preparations.principal_components(-X, np.zeros(50), NAMES, 2)
    assert some.shape == (50, 2)
    assert (np.diff(some.var(axis=0)) < 0).all()
    np.testing.assert_array_equal(some, -other)
    np.testing.assert_array_equal(some, some.round(6))


def test_images():
    X = np.array([[0, 51, 255, 0]])
    assert preparations.divide(X, np.zeros(1), NAMES, by=255.0)[0].tolist() == [[0, 0.2, 1, 0]]
    even, _, _ = preparations.smooth_images(np.ones((1, 16)), np.zeros(1), NAMES, 4, 0.75)
    np.testing.assert_allclose(even, 1.0)


def test_scaled_columns():
    X, _, _ = preparations.scale_columns(np.array([[2, 0], [4, 5], [3, 10]]), np.zeros(3), NAMES)
    assert X.tolist() == [[0, 0], [1, 0.5], [0.5, 1]]


def test_terms():
    X = preparations.weigh_terms(csr_array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0], [0.0, 1.0, 0.0]]))
    norms = np.sqrt((X.toarray() ** 2).sum(axis=1))
    assert norms == pytest.approx([1.0, 1.0, 0.0])  # a term of all texts has no weight
    assert X.toarray()[1].tolist() == pytest.approx([0.0, 0.0, 1.0])
    counts, y = csr_array(np.eye(6)), np.array([0, 1, 1, 2, 0, 1])
    names = {"class_names": ("5", "7", "9")}
    X, labels, names = preparations.largest_classes(counts, y, names, 2)
    assert (X.shape, labels.tolist()) == ((5, 6), [1, 0, 0, 1, 0])
    assert names == {"class_names": ["7", "5"]}
    X, _, _ = preparations.occurrences(csr_array([[0, 3], [1, 0]]), y, names)
    assert X.toarray().tolist() == [[0, 1], [1, 0]]


def test_answers_and_one_column_for_each_value():
    X = np.array([[1.0, 0], [3, 1], [5, 2], [2, 0]])
    names = {**NAMES, "nominal": (0, 3), "values": ((), ("red", "?", "blue"))}
    y = np.array([0, 1, 0, 1])
    rows, answers, _ = preparations.regression(X, y, names, ones=["b"])
    assert answers.tolist() == [0, 1, 0, 1]
    assert rows.toarray().tolist() == [[0, 0, 1], [1, 0, 0], [2, 1, 0], [0.5, 0, 1]]
    rows, _, _ = preparations.regression(X, y, names, ones=["b"], named={"g": "green"})
    assert rows.toarray()[:, 2].tolist() == [0, 1, 0, 0]
    names["class_names"] = ("4", "12")
    assert preparations.regression(X, y, names)[1].tolist() == [4, 12, 4, 12]
