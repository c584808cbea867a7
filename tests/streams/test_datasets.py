"""Data sets by name: shipped, in a folder, cached, and the error when there is none."""

import gzip
import hashlib
import json
import lzma

import numpy as np
import pytest
from scipy.sparse import csr_array

from onearm.streams import cache, datasets
from tests.streams.known_data import known

pytestmark = pytest.mark.usefixtures("empty_cache")
SHIPPED = [
    name
    for name in datasets.names()
    if datasets.about(name).folder() == datasets.SHIPPED and not datasets.about(name).of
]


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_data_has_the_sizes_of_the_catalogue(name):
    data, stream = datasets.about(name), datasets.load(name)
    X, y = stream.arrays()
    assert X.shape == (data.rows, data.features) == (stream.n_rows, stream.n_features)
    assert set(y) == set(range(data.classes))
    assert len(stream.class_names) == data.classes
    assert data.citation in stream.about
    assert len(stream.feature_names) == data.features
    for column, size in zip(np.asarray(X, float).T, stream.nominal, strict=False):
        assert size == 0 or set(column) <= set(range(size))


@pytest.mark.parametrize("name", ["car", "nursery", "abalone", "adult"])
def test_codes_of_data_sets_are_those_of_published_results(name):
    stream = datasets.load(name)
    assert any(stream.nominal)
    assert tuple(map(len, stream.values)) == stream.nominal
    for column, size in zip(np.asarray(stream.arrays()[0]).T, stream.nominal, strict=True):
        first = np.unique(column, return_index=True)[1]
        assert size == 0 or (np.diff(first) > 0).all()
    if name == "car":
        assert stream.values[0] == ("vhigh", "high", "med", "low")


def test_all_have_licence_and_citation():
    assert set(SHIPPED) >= {"balance", "car", "nursery", "pendigits", "letter", "digits"}
    for name in datasets.names():
        data = datasets.about(name)
        assert data.rows > 0
        assert data.licence
        assert data.citation
        assert data.files or data.fetch
    assert all(datasets.about(name).licence == "CC BY 4.0" for name in SHIPPED)


def test_mice_have_no_column_that_reveals_the_class():
    stream = datasets.load("mice")
    assert "Genotype" not in stream.feature_names
    assert stream.n_features == 77


def test_names_are_case_insensitive_and_unknown_ones_refused():
    assert datasets.load("Car").name == "car"
    with pytest.raises(ValueError, match=r"name must be one of balance, car, .* got 'cars'"):
        datasets.load("cars")


TABLE = lzma.compress(b"a,b,label\n1,2,x\n3,4,y\n5,6,x\n7,0.5,y\n")


def test_files_are_read_from_the_folder_of_the_environment(monkeypatch, tmp_path):
    known(monkeypatch, "mine", TABLE)
    with pytest.raises(
        FileNotFoundError, match=r"mine is not on disk .* Put mine.csv.xz \(SHA-256"
    ):
        datasets.load("mine")
    (tmp_path / "mine.csv.xz").write_bytes(TABLE)
    monkeypatch.setenv("ONEARM_DATA", str(tmp_path))
    X, y = datasets.load("mine").arrays()
    np.testing.assert_array_equal(X, [[1, 2], [3, 4], [5, 6], [7, 0.5]])
    np.testing.assert_array_equal(y, [0, 1, 0, 1])


def test_another_file_of_that_name_is_refused(monkeypatch, tmp_path):
    known(monkeypatch, "mine", TABLE)
    (tmp_path / "cache" / "data").mkdir(parents=True)
    (tmp_path / "cache" / "data" / "mine.csv.xz").write_bytes(TABLE + b"!")
    with pytest.raises(FileNotFoundError, match=r"mine.csv.xz is not the file that is known"):
        datasets.load("mine")


def test_large_files_are_read_once(monkeypatch, tmp_path):
    known(monkeypatch, "mine", TABLE)
    (tmp_path / "mine.csv.xz").write_bytes(TABLE)
    monkeypatch.setenv("ONEARM_DATA", str(tmp_path))
    monkeypatch.setattr(datasets, "LARGE", 1)
    first = datasets.load("mine")
    monkeypatch.setattr(datasets, "read", None)
    again = datasets.load("mine")
    for before, after in zip(first.arrays(), again.arrays(), strict=True):
        np.testing.assert_array_equal(before, after)
    assert again.class_names == first.class_names == ("x", "y")
    assert again.feature_names == ("a", "b")


def test_images(tmp_path, monkeypatch):
    def idx(array):
        shape = np.array(array.shape, ">i4").tobytes()
        return gzip.compress(bytes([0, 0, 8, array.ndim]) + shape + array.tobytes())

    rng = np.random.default_rng(0)
    images, labels = rng.integers(0, 256, (5, 2, 3), np.uint8), np.arange(5, dtype=np.uint8)
    names = [f"mnist-{part}.gz" for part in ("a", "b", "c", "d")]
    parts = [images[:3], labels[:3], images[3:], labels[3:]]
    for name, part in zip(names, parts, strict=True):
        (tmp_path / name).write_bytes(idx(part))
    files = [{"name": n, "sha256": hashlib.sha256((tmp_path / n).read_bytes()).hexdigest()}
             for n in names]  # fmt: skip
    known(monkeypatch, "mnist", b"", files=files, rows=5, features=6, classes=10)
    monkeypatch.setenv("ONEARM_DATA", str(tmp_path))
    X, y = datasets.load("mnist").arrays()
    np.testing.assert_array_equal(X, images.reshape(5, 6))
    np.testing.assert_array_equal(y, labels)


def test_sparse_rows_are_cached(tmp_path):
    X = csr_array(np.array([[0.0, 1.5], [2.0, 0.0]]))
    names = {"class_names": ("a", "b")}
    for _ in range(2):
        X_cached, y, known = cache.cached("name", lambda: (X, np.array([0, 1]), names))
        np.testing.assert_array_equal(X_cached.toarray(), X.toarray())
        assert json.dumps(known) == '{"class_names": ["a", "b"]}'


def test_rows_are_returned_where_they_cannot_be_cached(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setattr(cache, "user_cache_path", lambda name: tmp_path / "file")
    X, y, names = np.eye(2), np.array([0, 1]), {"class_names": ("a", "b")}
    for _ in range(2):
        assert cache.cached("name", lambda: (X, y, names)) == (X, y, names)


@pytest.mark.parametrize("part", ["X.npy", "y.npy", "told.json"])
@pytest.mark.parametrize("damage", ["gone", "cut off", "empty"])
def test_damaged_rows_are_rebuilt(part, damage):
    rows = np.arange(2000.0).reshape(-1, 2), np.arange(1000) % 2, {"class_names": ["a", "b"]}
    cache.cached("name", lambda: rows)
    path = cache.cache_folder("name") / part
    path.write_bytes(b"" if damage == "empty" else path.read_bytes()[: path.stat().st_size // 2])
    if damage == "gone":
        path.unlink()
    for make in (lambda: rows, None):  # made once, then cached
        X, y, names = cache.cached("name", make)
        np.testing.assert_array_equal(X, rows[0])
        np.testing.assert_array_equal(y, rows[1])
        assert names == rows[2]


WRONG = {
    "X.npy": [np.zeros((999, 2)), np.zeros(2000), np.zeros((1000, 3)), np.full((1000, 2), "a")],
    "y.npy": [np.zeros(999, int), np.zeros((1000, 1), int), np.full(1000, 0.5), -np.ones(1000)],
}


@pytest.mark.parametrize("digests", [True, False])  # older versions wrote none
@pytest.mark.parametrize(("part", "which"), [(part, i) for part in WRONG for i in range(4)])
def test_rows_of_wrong_shapes_or_types_are_rebuilt(part, which, digests):
    rows = np.arange(2000.0).reshape(-1, 2), np.arange(1000) % 2, {"class_names": ["a", "b"]}
    cache.cached("name", lambda: rows)
    np.save(cache.cache_folder("name") / part, WRONG[part][which])
    if not digests:
        (cache.cache_folder("name") / cache.DIGESTS).unlink()
    for make in (lambda: rows, None):  # made once, then cached
        X, y, _ = cache.cached("name", make, (1000, 2))
        np.testing.assert_array_equal(X, rows[0])
        np.testing.assert_array_equal(y, rows[1])


@pytest.mark.parametrize(
    "names", ["[]", "1", '{"class_names": "ab"}', '{"class_names": ["a"]}', '{"seed": [1, 2]}',
             '{"nominal": [1]}', "{"]
)  # fmt: skip
def test_names_that_do_not_fit_are_rebuilt(names):
    rows = np.eye(4, 2), np.array([0, 1, 0, 1]), {"class_names": ["a", "b"]}
    cache.cached("name", lambda: rows)
    (cache.cache_folder("name") / cache.DIGESTS).unlink()
    (cache.cache_folder("name") / cache.NAMES).write_text(names)
    assert cache.cached("name", lambda: rows)[2] == rows[2]


def test_a_single_number_that_was_changed_is_noticed():
    rows = np.eye(4, 2), np.array([0, 1, 0, 1]), {}
    cache.cached("name", lambda: rows)
    path = cache.cache_folder("name") / "X.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 2
    path.write_bytes(content)
    for make in (lambda: rows, None):
        np.testing.assert_array_equal(cache.cached("name", make)[0], rows[0])


@pytest.mark.parametrize(
    ("part", "array"),
    [
        ("indptr", np.array([0, 2**40, 2])),
        ("indices", np.array([0, 9])),
        ("shape", np.array([9, 9])),
    ],
)
def test_hostile_sparse_rows_are_rebuilt(part, array):
    rows = csr_array(np.array([[0.0, 1.5], [2.0, 0.0]])), np.array([0, 1]), {}
    cache.cached("name", lambda: rows)
    (cache.cache_folder("name") / cache.DIGESTS).unlink()
    np.save(cache.cache_folder("name") / f"{part}.npy", array)
    X = cache.cached("name", lambda: rows)[0]
    np.testing.assert_array_equal(X.toarray(), rows[0].toarray())


def test_fetched_rows_are_read_from_the_cache(monkeypatch):
    data = known(monkeypatch, "mine", TABLE)
    assert data.folder() is None
    cache.cached("mine-fetched", lambda: (np.eye(4, 2), np.array([0, 1, 0, 1]), {}))
    assert data.folder() == cache.cache_folder("mine-fetched")
    assert datasets.load("mine").n_rows == 4


def test_a_wrong_file_does_not_hide_the_right_one(monkeypatch, tmp_path):
    data = known(monkeypatch, "mine", TABLE)
    right = tmp_path / "cache" / "data"
    right.mkdir(parents=True)
    (right / "mine.csv.xz").write_bytes(TABLE)
    (tmp_path / "mine.csv.xz").write_bytes(b"hi")
    monkeypatch.setenv("ONEARM_DATA", str(tmp_path))
    assert data.folder() == right
    assert datasets.load("mine").n_rows == 4


def test_data_without_files_names_what_to_copy(monkeypatch):
    known(monkeypatch, "mine", TABLE, files=[])
    with pytest.raises(FileNotFoundError, match=r"copy .*mine-fetched from there\.$"):
        datasets.load("mine")


def test_names_must_be_names():
    with pytest.raises(ValueError, match=r"name must be one of balance, .*, got None"):
        datasets.load(None)


def test_the_right_one_of_two_files_is_not_called_wrong(monkeypatch, tmp_path):
    right = {"name": "a.csv.xz", "sha256": hashlib.sha256(TABLE).hexdigest()}
    known(monkeypatch, "mine", TABLE, files=[right, {"name": "b.csv.xz", "sha256": "0"}])
    (tmp_path / "a.csv.xz").write_bytes(TABLE)
    monkeypatch.setenv("ONEARM_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"ONEARM_DATA names\.$"):
        datasets.load("mine")
