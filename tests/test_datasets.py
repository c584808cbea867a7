"""Data sets by name: what is shipped, what is found, and what is said when nothing is."""

import gzip
import hashlib
import json
import lzma
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from onearm.streams import datasets, fetch


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    """A cache folder of the test's own, and no other folder."""
    monkeypatch.delenv("ONEARM_DATA", raising=False)
    for module in (datasets, fetch):
        monkeypatch.setattr(module, "user_cache_path", lambda name: tmp_path / "cache")


SHIPPED = [name for name in datasets.names() if (datasets.about(name).found())]


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_has_the_sizes_that_are_told(name):
    data, stream = datasets.about(name), datasets.load(name)
    X, y = stream.arrays()
    assert X.shape == (data.rows, data.features) == (stream.n_rows, stream.n_features)
    assert set(y) == set(range(data.classes))
    assert len(stream.class_names) == data.classes
    assert data.citation in stream.about
    assert len(stream.feature_names) == data.features
    for column, size in zip(np.asarray(X, float).T, stream.nominal, strict=False):
        assert size == 0 or set(column) <= set(range(size))


def test_all_are_told_with_licence_and_citation():
    assert set(SHIPPED) >= {"balance", "car", "nursery", "pendigits", "letter", "digits"}
    for name in datasets.names():
        data = datasets.about(name)
        assert data.rows > 0
        assert data.licence
        assert data.citation
        assert data.files or data.fetch
    assert all(datasets.about(name).licence == "CC BY 4.0" for name in SHIPPED)


def test_mice_do_not_give_their_class_away():
    stream = datasets.load("mice")
    assert "Genotype" not in stream.feature_names
    assert stream.n_features == 77


def test_names_in_any_case_and_unknown_ones():
    assert datasets.load("Car").name == "car"
    with pytest.raises(ValueError, match=r"name must be one of balance, car, .* got 'cars'"):
        datasets.load("cars")


def known(monkeypatch, name, content, **more):
    """Let a data set of one file be known."""
    sha256 = hashlib.sha256(content).hexdigest()
    told = {"rows": 4, "features": 2, "classes": 2, "about": "", "licence": "", "citation": ""}
    files = [{"name": f"{name}.csv.xz", "sha256": sha256}]
    data = datasets.DataSet(name, **{"files": files, **told, **more})
    monkeypatch.setattr(datasets, "_catalogue", lambda: {name: data})
    return data


TABLE = lzma.compress(b"a,b,label\n1,2,x\n3,4,y\n5,6,x\n7,0.5,y\n")


def test_files_are_found_in_the_folder_that_is_told(monkeypatch, tmp_path):
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
    with pytest.raises(ValueError, match=r"mine.csv.xz is not the file that is known: SHA-256"):
        datasets.load("mine")


def test_large_files_are_read_once(monkeypatch, tmp_path):
    known(monkeypatch, "mine", TABLE)
    (tmp_path / "mine.csv.xz").write_bytes(TABLE)
    monkeypatch.setenv("ONEARM_DATA", str(tmp_path))
    monkeypatch.setattr(datasets, "LARGE", 1)
    first = datasets.load("mine")
    monkeypatch.setattr(datasets, "read", None)
    again = datasets.load("mine")
    for one, other in zip(first.arrays(), again.arrays(), strict=True):
        np.testing.assert_array_equal(one, other)
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


def test_what_is_not_on_disk_is_fetched_once(monkeypatch):
    import sklearn.datasets

    calls = []

    def fetch_openml(data_home, name, version, as_frame):
        calls.append((name, version, as_frame))
        target = np.array(["b", "a", "a", "b"])
        return SimpleNamespace(data=np.arange(8.0).reshape(4, 2), target=target)

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    how = {"call": "fetch_openml", "name": "mine", "version": 3, "as_frame": False}
    known(monkeypatch, "mine", b"", fetch=how)
    for _ in range(2):
        X, y = datasets.load("mine").arrays()
        np.testing.assert_array_equal(X, np.arange(8.0).reshape(4, 2))
        np.testing.assert_array_equal(y, [1, 0, 0, 1])
    assert calls == [("mine", 3, False)]


def test_without_a_network_it_is_said_what_to_put_where(monkeypatch):
    import sklearn.datasets

    def fetch_openml(**_):
        raise OSError("Name or service not known")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    known(monkeypatch, "mine", b"", fetch={"call": "fetch_openml"})
    with pytest.raises(
        FileNotFoundError, match=r"service not known. Put mine.csv.xz .* ONEARM_DATA"
    ):
        datasets.load("mine")


def test_fetched_rows_must_be_as_many_as_are_known(monkeypatch):
    import sklearn.datasets

    came = SimpleNamespace(data=np.zeros((3, 2)), target=np.zeros(3))
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **_: came)
    known(monkeypatch, "mine", b"", fetch={"call": "fetch_openml"})
    with pytest.raises(ValueError, match="mine must have 4 rows of 2 features, fetched 3 of 2"):
        datasets.load("mine")


def test_texts_of_exactly_one_of_the_four_topics():
    names = ["GCAT", "X", "CCAT", "ECAT", "MCAT"]
    topics = csr_matrix(
        np.array([[1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 1, 0, 0, 0]])
    )
    X, y = fetch.single_topic(csr_array(np.eye(4)), topics, names)
    assert y.tolist() == ["GCAT", "ECAT"]
    np.testing.assert_array_equal(X.toarray(), np.eye(4)[[0, 2]])


def test_sparse_rows_are_kept(tmp_path):
    X = csr_array(np.array([[0.0, 1.5], [2.0, 0.0]]))
    told = {"class_names": ("a", "b")}
    for _ in range(2):
        kept, y, said = datasets._kept("name", lambda: (X, np.array([0, 1]), told))
        np.testing.assert_array_equal(kept.toarray(), X.toarray())
        assert json.dumps(said) == '{"class_names": ["a", "b"]}'
