"""Arrays of npz files come back as they were written, dense or sparse."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array, save_npz

from onearm import read
from tests.streams.file_rows import logged, sound


@pytest.mark.parametrize("labels", [[3, 1, 3, 2], ["c", "a", "c", "b"], [3.5, -1.0, 3.5, 0.0]])
def test_arrays(tmp_path, labels):
    X = np.array([[1.0, np.nan], [2, 3], [0, 0], [4, 5]])
    np.savez(tmp_path / "saved.npz", X=X, y=labels)
    stream = read(tmp_path / "saved.npz")
    got, y = sound(stream)
    assert np.array_equal(got, X, equal_nan=True)
    assert y.tolist() == [2, 0, 2, 1]
    assert stream.class_names == tuple(map(str, sorted(set(labels))))
    assert stream.in_memory
    assert logged(tmp_path / "saved.npz") == ["saved.npz: 4 rows, 2 features in memory; 3 classes"]


def test_arrays_of_other_types(tmp_path):
    np.savez(tmp_path / "saved.npz", X=np.array([[1], [2]], np.int8), y=[b"b", b"a"])
    stream = read(tmp_path / "saved.npz")
    assert (sound(stream)[0].tolist(), stream.class_names) == ([[1.0], [2.0]], ("a", "b"))
    assert logged(tmp_path / "saved.npz") == ["saved.npz: 2 rows, 1 feature in memory; 2 classes"]


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_sparse_arrays(tmp_path, form):
    X = random_array((8, 5), density=0.5, format=form, rng=np.random.default_rng(2))
    save_npz(tmp_path / "matrix.npz", X)
    with np.load(tmp_path / "matrix.npz") as parts:
        np.savez(tmp_path / "both.npz", y=np.arange(8) % 2, **parts)
    got, y = sound(read(tmp_path / "both.npz"))
    assert np.array_equal(got, X.toarray())
    assert y.tolist() == [0, 1] * 4


def test_sparse_arrays_are_put_in_order(tmp_path):
    X = csr_array((np.ones(4), np.array([2, 0, 1, 1]), np.array([0, 2, 4])), shape=(2, 3))
    save_npz(tmp_path / "matrix.npz", X)
    with np.load(tmp_path / "matrix.npz") as parts:
        np.savez(tmp_path / "both.npz", y=[0, 1], **parts)
    assert sound(read(tmp_path / "both.npz"))[0].tolist() == [[1, 0, 1], [0, 2, 0]]


@pytest.mark.parametrize(
    ("arrays", "wrong"),
    [
        ({"X": np.eye(2)}, "must have arrays X and y, .* got 'X'"),
        ({"X": np.eye(2), "y": [0, 1, 2]}, r"got shapes \(2, 2\) and \(3,\)"),
        ({"X": np.eye(2), "y": [0, 0]}, "at least 2 classes, got only '0'"),
        ({"X": np.eye(2), "y": [0, np.nan]}, "the label must not be missing"),
        ({"X": np.full((2, 2), np.inf), "y": [0, 1]}, "saved.npz: .*finite"),
        ({"X": [["a"], ["b"]], "y": [0, 1]}, "saved.npz: .*numbers"),
        ({"X": np.empty((0, 2)), "y": []}, "is empty: it has no rows"),
        ({"X": np.empty((2, 0)), "y": [0, 1]}, "is empty: it has no columns"),
        ({"X": np.array(3.0), "y": [0, 1]}, r"got shapes \(\) and \(2,\)"),
        ({"X": np.eye(2), "y": np.array([0, "a"], object)}, "without objects"),
    ],
)
def test_invalid_arrays_are_refused(tmp_path, arrays, wrong):
    np.savez(tmp_path / "saved.npz", **arrays)
    with pytest.raises(ValueError, match=wrong):
        read(tmp_path / "saved.npz")


def test_a_single_array_is_refused(tmp_path):
    np.save(tmp_path / "one.npy", np.eye(2))
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    with pytest.raises(ValueError, match=r"one.npz must be an npz file .*: it has one array"):
        read(tmp_path / "one.npz")


def test_a_sparse_matrix_without_its_parts_is_refused(tmp_path):
    save_npz(tmp_path / "matrix.npz", csr_array(np.eye(2)))
    with np.load(tmp_path / "matrix.npz") as parts:
        less = {key: parts[key] for key in parts.files if key != "indices"}
        np.savez(tmp_path / "less.npz", y=[0, 1], **less)
    with pytest.raises(ValueError, match=r"less.npz: must have a sparse matrix as SciPy saves it"):
        read(tmp_path / "less.npz")


def saved_parts(form):
    X = csr_array(np.eye(3, 4)).asformat(form)
    index = {"row": X.row, "col": X.col} if form == "coo" else {
        "indptr": X.indptr, "indices": X.indices
    }  # fmt: skip
    shape = np.array(X.shape)
    return {"format": np.array(form.encode()), "shape": shape, "data": X.data, **index}


@pytest.mark.parametrize(
    ("form", "part", "value"),
    [
        ("csr", "indptr", np.array([0, 2**40, 2, 3])),
        ("csr", "indptr", np.array([0, -(2**40), 2, 3])),
        ("csr", "indptr", np.array([0, 1, 2])),
        ("csr", "indices", np.array([0, 2**31 - 1, 2])),
        ("csr", "indices", np.array([0, -5, 2])),
        ("csr", "data", np.ones(2)),
        ("csr", "data", np.array(1.0)),
        ("csr", "data", np.array(["a", "b", "c"])),
        ("csr", "shape", np.array([3, 2])),
        ("csr", "shape", np.array([3, 2**40])),
        ("csr", "shape", np.array([3, -4])),
        ("csr", "shape", np.array([3.0, 4.0])),
        ("csc", "indptr", np.array([0, 2**40, 2, 3, 3])),
        ("csc", "indices", np.array([0, 3, 2])),
        ("csc", "shape", np.array([2**40, 4])),
        ("coo", "row", np.array([0, 3, 2])),
        ("coo", "col", np.array([0, -1, 2])),
        ("coo", "col", np.array([0, 2**62, 2])),
        ("coo", "row", np.array([0, 1])),
        ("csr", "format", np.array(b"dia")),
        ("csr", "format", np.array(["csr", "csr"])),
        ("csr", "format", np.array(b"\xff")),
    ],
)
def test_hostile_sparse_arrays_are_refused_before_scipy_sees_them(tmp_path, form, part, value):
    parts = saved_parts(form)
    np.savez(tmp_path / "fine.npz", y=[0, 1, 0], **parts)
    assert np.array_equal(sound(read(tmp_path / "fine.npz"))[0], np.eye(3, 4))
    np.savez(tmp_path / "hostile.npz", y=[0, 1, 0], **{**parts, part: value})
    with pytest.raises(ValueError, match=r"hostile.npz"):
        read(tmp_path / "hostile.npz")


def test_numbers_of_any_byte_order(tmp_path):
    parts = {key: part.astype(part.dtype.newbyteorder(">")) for key, part in
             saved_parts("csc").items()}  # fmt: skip
    np.savez(tmp_path / "big.npz", y=[0, 1, 0], **parts)
    assert np.array_equal(sound(read(tmp_path / "big.npz"))[0], np.eye(3, 4))
