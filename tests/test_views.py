"""Rows as learners want them."""

import numpy as np
from scipy.sparse import csr_array

from onearm.streams.stream import Stream
from onearm.streams.views import filling, linear, scaling, unit


def test_linear_rows_have_norm_one_and_no_gaps():
    X = np.array([[3.0, np.nan, 0.0], [-6.0, 4.0, 2.0], [0.0, 2.0, 1.0]])
    rows, y = linear(Stream.of(X, [0, 1, 0], nominal=(0, 0, 3))).arrays()
    np.testing.assert_allclose((rows**2).sum(axis=1), 1.0)
    assert rows.shape == (3, 3 + 2 + 1)
    first = np.array([1, 0, 0, 0.5, 0, 1])
    np.testing.assert_allclose(rows[0], first / np.linalg.norm(first))
    np.testing.assert_array_equal(y, [0, 1, 0])


def test_sparse_rows_are_scaled_alone():
    X = csr_array(np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 2.0]]))
    rows = linear(Stream.of(X, [0, 1, 0])).arrays()[0]
    np.testing.assert_allclose(rows.toarray(), [[0.6, 0.8, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def test_empty_sparse_rows_at_the_end():
    X = csr_array(np.array([[0.0, 0.0], [0.0, 5.0], [0.0, 0.0]]))
    np.testing.assert_allclose(unit(X).toarray(), [[0.0, 0.0], [0.0, 1.0], [0.0, 0.0]])


def test_scaling_of_one_stream_for_another():
    all_rows = Stream.of([[10.0], [5.0]], [0, 1])
    rows = scaling(all_rows)(Stream.of([[5.0]], [1])).arrays()[0]
    np.testing.assert_allclose(rows, np.array([[0.5, 1.0]]) / np.hypot(0.5, 1.0))


def test_filling_changes_missing_values_alone():
    stream = Stream.of([[np.nan, 2.0]], [1])
    np.testing.assert_array_equal(filling(stream)(stream).arrays()[0], [[0.0, 2.0]])
