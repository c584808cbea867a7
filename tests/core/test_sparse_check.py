"""The arrays of a CSR matrix are checked before SciPy or a kernel indexes with them."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from onearm.core.sparse_check import check_csr

GOOD = {
    "indptr": np.array([0, 2, 2, 3]),
    "indices": np.array([0, 3, 1]),
    "data": np.array([1.0, 2.0, 3.0]),
    "shape": (3, 4),
}
HUGE = 2**63 - 1


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_valid_arrays_are_accepted(kind):
    check_csr(
        GOOD["indptr"].astype(kind), GOOD["indices"].astype(kind), GOOD["data"], np.array([3, 4])
    )
    empty = csr_array((0, 5))
    check_csr(empty.indptr, empty.indices, empty.data, empty.shape)


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("indptr", np.array([0, 2, 3]), "4 numbers for 3 rows, got 3"),
        ("indptr", np.array([1, 2, 2, 3]), "begin with 0, got 1"),
        ("indptr", np.array([0, HUGE, 2, 3]), f"not decrease, got {HUGE} and 2 in row 1"),
        ("indptr", np.array([0, -HUGE, 2, 3]), "not decrease, got 0 and -9"),
        ("indptr", np.array([0, 3, 2, 3], np.uint64), "not decrease, got 3 and 2 in row 1"),
        ("indptr", np.array([0, 2, 2, HUGE]), "end with 3, the length of indices, got 9"),
        ("indptr", np.array([0, 2, 2, 2**64 - 1], np.uint64), "end with 3"),
        ("indptr", np.array([0, 2, 2, 2]), "end with 3"),
        ("indptr", np.array([]), "array of whole numbers, got float64"),
        ("indptr", np.array([0.0, 2.0, 2.0, 3.0]), "whole numbers, got float64"),
        ("indptr", np.array([[0, 2, 2, 3]]), "one-dimensional"),
        ("indptr", np.array([0, 2, 2, 3], object), "whole numbers, got object"),
        ("indptr", np.array(0), "one-dimensional"),
        ("indices", np.array([0, 4, 1]), r"in \[0, 3\], got 4"),
        ("indices", np.array([0, -1, 1]), r"in \[0, 3\], got -1"),
        ("indices", np.array([0, 2**64 - 1, 1], np.uint64), "got 18446744073709551615"),
        ("indices", np.array([0, 1]), "same length, got 2 and 3"),
        ("data", np.array(["a", "b", "c"]), "real numbers, got <U1"),
        ("data", np.ones(3, complex), "real numbers, got complex128"),
        ("data", [1.0, 2.0, 3.0], "got list"),
        ("shape", (3,), "two whole numbers"),
        ("shape", (3.0, 4.0), "two whole numbers"),
        ("shape", (-1, 4), "at least 0 rows"),
        ("shape", (3, 2**31), "2147483647 columns"),
        ("shape", (2**64, 4), "two whole numbers"),
        ("shape", None, "two whole numbers"),
    ],
)
def test_refused(part, value, message):
    with pytest.raises(ValueError, match=message):
        check_csr(**{**GOOD, part: value})
