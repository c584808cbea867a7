"""Fetching: what comes from a real server is cached, what is wrong or incomplete is not."""

import gc
import signal
import threading

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

from onearm.streams import datasets, fetch
from tests.streams.known_data import known
from tests.streams.openml import DATA, DESCRIPTION, SEARCH, OpenML

sklearn_datasets = pytest.importorskip("sklearn.datasets")
Bunch = pytest.importorskip("sklearn.utils").Bunch

pytestmark = [
    pytest.mark.usefixtures("empty_cache"),
    pytest.mark.filterwarnings("ignore:A network error occurred"),
    pytest.mark.filterwarnings("ignore:Invalid cache, redownloading"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]


@pytest.fixture
def server(monkeypatch):
    """A data set that a server on this machine offers as OpenML does."""
    from sklearn.datasets import _openml

    how = datasets.about("elec2").fetch | {"name": "mine", "version": 3}
    how |= {"n_retries": 1, "delay": 0.01}
    known(monkeypatch, "mine", b"", features=3, fetch=how)
    openml = OpenML()
    openml.instead_of(_openml, monkeypatch)
    yield openml
    openml.close()
    gc.collect()  # sockets that scikit-learn left open


def loads(server):
    """Check that the rows are loaded and cached: the server is asked only once."""
    server.wrong, server.cut, server.asked = {}, {}, []
    for _ in range(2):
        stream = datasets.load("mine")
        X, y = stream.arrays()
        np.testing.assert_array_equal(X, [[0.5, 10, 1], [1.5, 1, 0], [-2, 2, np.nan], [4, 10, 0]])
        np.testing.assert_array_equal(y, [1, 0, 1, 0])
        assert stream.class_names == ("3", "10")
        assert stream.nominal == (0, 0, 2)
    assert server.asked.count(DATA) == 1
    assert len(server.asked) == 5  # name, description, columns, qualities, rows


def nothing_is_cached(cache):
    return not [path for path in cache.rglob("*") if path.is_file()]


def test_a_data_set_is_fetched_and_cached(server, empty_cache):
    loads(server)
    assert sorted(path.name for path in empty_cache.iterdir()) == ["arrays"]


def test_a_file_of_another_checksum_is_refused(server, empty_cache):
    right, server.md5 = server.md5, "0" * 32
    with pytest.raises(FileNotFoundError, match=f"md5 checksum .* expected 0+ but got {right}"):
        datasets.load("mine")
    assert nothing_is_cached(empty_cache)
    server.md5 = right
    loads(server)


@pytest.mark.parametrize(
    ("path", "status", "reason"),
    [
        (SEARCH, 404, "HTTPError: HTTP Error 404"),
        (SEARCH, 412, "OpenMLError: Dataset mine with version 3 not found"),
        (DESCRIPTION, 412, "OpenMLError: Dataset with data_id 42 not found"),
        (DATA, 500, "HTTPError: HTTP Error 500"),
    ],
)
def test_what_a_server_refuses(server, empty_cache, path, status, reason):
    server.wrong = {path: status, f"{path}/status/deactivated": status}
    with pytest.raises(FileNotFoundError, match=rf"{reason}.* Put mine.csv.xz .* ONEARM_DATA"):
        datasets.load("mine")
    assert nothing_is_cached(empty_cache)
    loads(server)


def test_a_server_that_is_down(server, empty_cache):
    server.close()
    with pytest.raises(FileNotFoundError, match=r"Connection refused.* Put mine.csv.xz"):
        datasets.load("mine")
    assert nothing_is_cached(empty_cache)


@pytest.mark.parametrize("path", [DESCRIPTION, DATA])
def test_a_server_that_hangs_up(server, empty_cache, path):
    server.cut = {path: lambda: None}
    with pytest.raises(FileNotFoundError, match=r"cannot be fetched: \w+: .* Put mine.csv.xz"):
        datasets.load("mine")
    assert nothing_is_cached(empty_cache)
    loads(server)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_download_that_is_interrupted(server, empty_cache, ctrl_c):
    """Ctrl-C while rows come ends it at once, and the next load begins anew.

    It may come just when scikit-learn has opened a file, which then stays open.
    """
    ended = threading.Event()

    def interrupt():
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        assert ended.wait(20), "the download goes on"

    server.cut = {DATA: interrupt}
    with pytest.raises(KeyboardInterrupt):
        datasets.load("mine")
    ended.set()
    assert nothing_is_cached(empty_cache)
    loads(server)


def test_an_incomplete_answer_is_reported(server, monkeypatch):
    """A reader that sees the end too early raises an error that is no OSError."""
    from http.client import IncompleteRead

    def fetch_openml(**_):
        raise IncompleteRead(b"half", 4)

    monkeypatch.setattr(sklearn_datasets, "fetch_openml", fetch_openml)
    with pytest.raises(FileNotFoundError, match=r"IncompleteRead\(4 bytes read, 4 more"):
        datasets.load("mine")


def test_received_bytes_are_counted(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "rows.gz").write_bytes(bytes(1500))
    assert fetch.Received(tmp_path).render(None).plain == "1.5 kB"
    assert fetch.Received(tmp_path / "gone").render(None).plain == "0 bytes"


def test_what_is_not_on_disk_is_fetched_once(monkeypatch):
    calls = []

    def fetch_openml(data_home, name, version, as_frame):
        calls.append((name, version, as_frame))
        target = np.array(["b", "a", "a", "b"])
        return Bunch(data=np.arange(8.0).reshape(4, 2), target=target)

    monkeypatch.setattr(sklearn_datasets, "fetch_openml", fetch_openml)
    how = {"call": "fetch_openml", "name": "mine", "version": 3, "as_frame": False}
    known(monkeypatch, "mine", b"", fetch=how)
    for _ in range(2):
        X, y = datasets.load("mine").arrays()
        np.testing.assert_array_equal(X, np.arange(8.0).reshape(4, 2))
        np.testing.assert_array_equal(y, [1, 0, 0, 1])
    assert calls == [("mine", 3, False)]


def test_without_a_network_the_error_names_files_and_folder(monkeypatch):
    def fetch_openml(**_):
        raise OSError("Name or service not known")

    monkeypatch.setattr(sklearn_datasets, "fetch_openml", fetch_openml)
    known(monkeypatch, "mine", b"", fetch={"call": "fetch_openml"})
    with pytest.raises(
        FileNotFoundError, match=r"service not known. Put mine.csv.xz .* ONEARM_DATA"
    ):
        datasets.load("mine")


def test_fetched_rows_must_be_as_many_as_are_known(monkeypatch):
    came = Bunch(data=np.zeros((3, 2)), target=np.zeros(3))
    monkeypatch.setattr(sklearn_datasets, "fetch_openml", lambda **_: came)
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
